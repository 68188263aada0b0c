import { Command, Option } from 'commander';
import { packageVersion, presetNames } from '../config/index.js';
import { checkChartsFolder, checkClevrFiles, checkDrawingsFile } from './commands/check.js';
import { compare } from './commands/compare.js';
import { doctor } from './commands/doctor.js';
import { exportRun, type ExportFlags } from './commands/export.js';
import { probe } from './commands/probe.js';
import { report } from './commands/report.js';
import { resume, run } from './commands/run.js';
import { sandbox } from './commands/sandbox.js';
import { status } from './commands/status.js';
import { svg } from './commands/svg.js';
import { verify } from './commands/verify.js';
import type { Context } from './context.js';

/** Exit code for arguments that make no sense. */
export const USAGE = 2;

/**
 * The command line. Parsing it runs the command and hands its exit code to `done`; what commander itself has to say (help,
 * usage errors) comes as its CommanderError.
 */
export function program(context: Context, done: (code: number) => void): Command {
  const { streams } = context;
  const covolve = new Command('covolve')
    .description('Trains vision-language models in visual environments that co-evolve with them.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help on a command')
    .configureOutput({
      writeOut: (text) => void streams.out.write(text),
      writeErr: (text) => void streams.err.write(text),
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
    })
    .showSuggestionAfterError()
    .exitOverride();
  const command = (name: string, description: string): Command =>
    covolve.command(name).description(description).exitOverride();
  const quiet = (): Option => new Option('-q, --quiet', 'no progress');

  command('run', 'train from a preset, in a new run directory')
    .argument('<preset>', 'name of a preset, or a YAML file of your own')
    .argument('[settings...]', 'key=value, e.g. vico.rounds=3 seed=2')
    .option('-d, --dir <directory>', 'where the run goes (default: runs/<preset>-<arm>-s<seed>-<time>)')
    .option('-n, --dry-run', 'print the whole configuration and how much it would do, and stop')
    .addOption(quiet())
    .addHelpText(
      'after',
      () =>
        `\nPresets:\n${presetNames()
          .map((name) => `  ${name}`)
          .join('\n')}`,
    )
    .action(async (preset: string, settings: string[], options: object) => {
      done(await run(context, preset, settings, options));
    });

  command('resume', 'go on with a run that was stopped')
    .argument('<run>', 'its directory')
    .addOption(quiet())
    .action(async (name: string, options: object) => done(await resume(context, name, options)));

  command('status', 'where a run stands; works while it runs')
    .argument('<run>', 'its directory')
    .action((name: string) => done(status(context, name)));

  command('compare', 'train several arms with several seeds, and compare them')
    .argument('<preset>', 'name of a preset, or a YAML file of your own')
    .argument('[settings...]', 'key=value, for all runs')
    .requiredOption('-a, --arms <list>', 'arms, e.g. full,plain,static')
    .option('-s, --seeds <list>', 'seeds', '1')
    .option('-j, --jobs <n>', 'runs at once', '1')
    .option('-d, --dir <directory>', 'where the runs and the comparison go (default: runs/compare-<preset>)')
    .addOption(quiet())
    .addHelpText('after', '\nCalled again, it keeps runs that are complete and goes on with the others.')
    .action(async (preset: string, settings: string[], options: CompareFlags) => {
      done(await compare(context, preset, settings, options));
    });

  command('verify', 'make every label of a run again and compare; exit code 1 on any difference')
    .argument('<run>', 'its directory')
    .option('--json', 'print the findings as JSON')
    .addOption(quiet())
    .action(async (name: string, options: object) => done(await verify(context, name, options)));

  command('report', 'write one HTML file about a run; works while it runs')
    .argument('<run>', 'its directory')
    .option('-o, --output <file>', 'where to (default: report.html in the run)')
    .action(async (name: string, options: object) => done(await report(context, name, options)));

  command('probe', "measure how far a run's rewriter moves pass rates toward the target")
    .argument('<run>', 'its directory')
    .option('--actor <which>', 'the actor that measures: first or last', 'last')
    .option('--parents <n>', 'tasks to edit on each side, easy and hard', '100')
    .option('--rollouts <n>', 'fresh rollouts that measure a task', '64')
    .addOption(quiet())
    .action(async (name: string, options: ProbeFlags) => done(await probe(context, name, options)));

  command('export', 'write the tasks of a run as a data set of another trainer')
    .argument('<run>', 'its directory')
    .requiredOption('-f, --format <name>', 'verl, trl, ms-swift, easyr1, hf, vlmevalkit, or metrics')
    .option('-o, --out <directory>', 'where to (default: export-<format> in the run)')
    .option('--min-p <p>', 'least pass rate')
    .option('--max-p <p>', 'greatest pass rate')
    .option('--rounds <a-b>', 'rounds in which tasks were made; 0 holds the seeds')
    .option('--environment <name>', 'tasks of this environment only')
    .option('--held-out', 'what the solver was judged on, instead of what it was trained on')
    .option('--split <name>', 'name of the files (default: train, or test with --held-out)')
    .option('--prompt <style>', 'full: instructions for a large model; run: as in the run', 'full')
    .option('--min-side <pixels>', 'enlarge pictures with a shorter side by a whole factor', '28')
    .option('--no-enlarge', 'leave such pictures out instead')
    .option('--overwrite', 'replace what stands there')
    .option('--json', 'print what was done as JSON')
    .action(async (name: string, options: ExportFlags) => done(await exportRun(context, name, options)));

  const check = command('check', "look for mistakes in a data set of anyone's");
  check
    .command('clevr')
    .description('derive every answer again; exit code 1 when any differs')
    .argument('<scenes>', 'scenes in the official JSON')
    .argument('<questions>', 'questions in the official JSON')
    .option('--json', 'print the findings as JSON')
    .exitOverride()
    .action((scenes: string, questions: string, options: object) => {
      done(checkClevrFiles(context, scenes, questions, options));
    });

  check
    .command('charts')
    .description('derive the answers again that a table gives; exit code 1 when any contradicts its table')
    .argument('<folder>', "in ChartQA's layout: tables/*.csv and JSON lists of questions")
    .option('--json', 'print the findings as JSON, one record a question')
    .exitOverride()
    .action((folder: string, options: object) => {
      done(checkChartsFolder(context, folder, options));
    });

  check
    .command('drawings')
    .description('read proposals with their SVG; exit code 1 when any is refused')
    .argument('<file>', 'JSON lines: {"completion": ...} or the six fields, with "svg" or without')
    .option('--json', 'print the findings as JSON, one record a line')
    .exitOverride()
    .action((file: string, options: object) => {
      done(checkDrawingsFile(context, file, options));
    });

  command('sandbox', 'run one program on an image in isolation; exit code 0 only when it is valid')
    .argument('<program>', 'Python with edit_image and args_list')
    .argument('<image>', 'a PNG, JPEG or WebP file')
    .option('-o, --out <directory>', 'where the edited images go')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, image: string, options: object) => {
      done(await sandbox(context, file, image, options));
    });

  command('svg', 'check and draw one SVG file; exit code 0 only when it renders')
    .argument('<file>', "SVG, or a model's completion that holds some")
    .option('-o, --out <file>', 'where the picture goes, as PNG')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: object) => done(await svg(context, file, options)));

  command('doctor', 'what this machine can do').action(async () => done(await doctor(context)));
  return covolve;
}

interface CompareFlags {
  readonly arms: string;
  readonly seeds: string;
  readonly jobs: string;
  readonly dir?: string;
  readonly quiet?: boolean;
}

interface ProbeFlags {
  readonly actor: string;
  readonly parents: string;
  readonly rollouts: string;
  readonly quiet?: boolean;
}
