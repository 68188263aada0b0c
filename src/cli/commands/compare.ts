import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isComplete, loadConfig, METHODS, type RunConfig } from '../../config/index.js';
import { notOneOf } from '../../config/issues.js';
import { RunReader } from '../../runs/index.js';
import { commaList, wholeNumber } from '../arguments.js';
import { armResults, readResult } from '../compare/analyse.js';
import { jobName, jobLog, jobState, lastLine, runJobs, type Job } from '../compare/jobs.js';
import { comparisonChart, comparisonPage, endTable } from '../compare/page.js';
import { print, type Context } from '../context.js';
import { INTERRUPTED, listenForInterrupts } from '../signals.js';
import { terminalProgress } from '../terminal.js';

export interface CompareOptions {
  readonly arms: string;
  readonly seeds: string;
  readonly jobs: string;
  readonly dir?: string;
  readonly quiet?: boolean;
}

/** The arm that others are compared with, when it is among them; else the first. */
const REFERENCE = 'full';

/** `covolve compare`: one run an arm and seed, then a table and a plot. Gives the exit code. */
export async function compare(
  context: Context,
  preset: string,
  settings: readonly string[],
  options: CompareOptions,
): Promise<number> {
  const arms = commaList('--arms', options.arms);
  const seeds = commaList('--seeds', options.seeds).map((seed) => wholeNumber('--seeds', seed, 0));
  const atOnce = wholeNumber('--jobs', options.jobs, 1);
  const first = loadConfig(preset, settings, context.directory);
  const folder = path.resolve(context.directory, options.dir ?? path.join('runs', `compare-${first.preset}`));
  const jobs = seeds.flatMap((seed) =>
    arms.map((arm) => jobOf(context, preset, settings, first, folder, arm, seed)),
  );
  for (const job of jobs) jobState(job);

  const stopped = await runAll(context, jobs, atOnce, options.quiet === true);
  if (stopped) {
    context.streams.err.write('stopped; the same command goes on with what is not complete\n');
    return INTERRUPTED;
  }
  const words = ['covolve', 'compare', preset, ...settings, '--arms', arms.join(), '--seeds', seeds.join()];
  const command = words.map(shellWord).join(' ');
  return conclude(context, first, jobs, arms, folder, command);
}

/** A word as a shell would take it back. */
function shellWord(word: string): string {
  return /^[\w.,:=/+@%-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}

function jobOf(
  context: Context,
  preset: string,
  settings: readonly string[],
  first: RunConfig,
  folder: string,
  arm: string,
  seed: number,
): Job {
  const { key, names } = METHODS[first.method].arms;
  if (!names.includes(arm)) throw notOneOf('--arms', arm, names);
  const all = [...settings, `${first.method}.${key}=${arm}`, `seed=${seed}`];
  const directory = path.join(folder, jobName({ arm, seed }));
  return {
    arm,
    seed,
    directory,
    config: loadConfig(preset, all, context.directory),
    start: ['run', preset, ...all, '--dir', directory],
  };
}

/** Runs the jobs; true when the user asked to stop. */
async function runAll(
  context: Context,
  jobs: readonly Job[],
  atOnce: number,
  quiet: boolean,
): Promise<boolean> {
  const progress = terminalProgress(context.streams, quiet);
  let interrupt = (): void => undefined;
  const interrupts = listenForInterrupts(
    (line) => progress.note(line),
    () => interrupt(),
  );
  let done = 0;
  const count = (): void => progress.update('comparing', ++done, jobs.length, 'runs');
  try {
    const running = runJobs({
      jobs,
      self: context.self,
      atOnce,
      workingDirectory: context.directory,
      stopped: interrupts.asked,
      onStart(job, state) {
        const log = path.relative(context.directory, jobLog(job));
        const what = { new: 'starts', unfinished: 'goes on', complete: 'is complete' }[state];
        progress.note(`${jobName(job)} ${what}${state === 'complete' ? '' : ` (${log})`}`);
        if (state === 'complete') count();
      },
      onEnd(job, code) {
        count();
        const stoppedEarly = code === INTERRUPTED && interrupts.asked();
        if (code !== 0 && !stoppedEarly) progress.note(`${jobName(job)} failed: ${lastLine(job)}`);
      },
    });
    interrupt = running.interrupt;
    await running.ended;
    return interrupts.asked();
  } finally {
    interrupts.release();
    progress.stop();
  }
}

/** Reads the complete runs and writes table and plot. */
function conclude(
  context: Context,
  config: RunConfig,
  jobs: readonly Job[],
  arms: readonly string[],
  folder: string,
  command: string,
): number {
  const missing: string[] = [];
  const results = jobs.flatMap((job) => {
    if (jobState(job) !== 'complete') {
      missing.push(jobName(job));
      return [];
    }
    const reader = RunReader.open(job.directory);
    try {
      return isComplete(reader) ? [readResult(reader, config.method, job.arm, job.seed)] : [];
    } finally {
      reader.close();
    }
  });
  if (missing.length > 0) {
    context.streams.err.write(`not complete: ${missing.join(', ')}; the same command goes on with them\n`);
  }
  if (results.length === 0) return 1;
  const reference = arms.includes(REFERENCE) ? REFERENCE : (arms[0] as string);
  const compared = armResults(arms, results, reference);
  const title = `${config.preset}: ${arms.join(', ')}`;
  const page = path.join(folder, 'compare.md');
  const chart = path.join(folder, 'compare.svg');
  writeFileSync(page, comparisonPage(title, command, compared, reference, missing));
  writeFileSync(chart, comparisonChart(title, compared));
  print(context, endTable(compared, reference));
  print(
    context,
    `\nwritten: ${path.relative(context.directory, page)}, ${path.relative(context.directory, chart)}`,
  );
  return missing.length === 0 ? 0 : 1;
}
