import path from 'node:path';
import { stringify } from 'yaml';
import {
  configFile,
  isComplete,
  loadConfig,
  makeTasks,
  noImages,
  planOf,
  resumeRun,
  runConfig,
  startRun,
  withEnvironment,
  type RunConfig,
  type RunHooks,
} from '../../config/index.js';
import { InterruptedError } from '../../core/errors.js';
import { RunReader } from '../../runs/index.js';
import { print, type Context } from '../context.js';
import { duration, grouped, percent } from '../format.js';
import { activeSeconds, ROUND_COLUMNS, roundCells, roundRows } from '../rounds.js';
import { INTERRUPTED, listenForInterrupts } from '../signals.js';
import { textTable } from '../table.js';
import { terminalProgress, type TerminalProgress } from '../terminal.js';
import { reportRun } from './report.js';

export interface RunOptions {
  readonly dir?: string;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
}

/** `covolve run`: makes a run and runs it. Gives the exit code. */
export async function run(
  context: Context,
  preset: string,
  settings: readonly string[],
  options: RunOptions,
): Promise<number> {
  const config = loadConfig(preset, settings, context.directory);
  if (options.dryRun === true) return dryRun(context, config);
  const directory = path.resolve(context.directory, options.dir ?? defaultDirectory(config, context.now()));
  return go(context, directory, config, options.quiet === true, (hooks) =>
    startRun(config, directory, hooks),
  );
}

/** `covolve resume`: goes on with a run. Gives the exit code. */
export async function resume(
  context: Context,
  name: string,
  options: { readonly quiet?: boolean },
): Promise<number> {
  const directory = path.resolve(context.directory, name);
  const config = runConfig(directory);
  if (complete(directory)) {
    await showEnd(context, directory, name, config);
    return 0;
  }
  return go(context, directory, config, options.quiet === true, (hooks) => resumeRun(directory, hooks));
}

function complete(directory: string): boolean {
  const reader = RunReader.open(directory);
  try {
    return isComplete(reader);
  } finally {
    reader.close();
  }
}

/** The arm that a configuration runs, whatever its method calls the setting. */
export function armOf(config: RunConfig): string {
  return planOf(config, { seeds: 0, heldOut: 0 }).arm;
}

function defaultDirectory(config: RunConfig, now: number): string {
  const stamp = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  return path.join('runs', `${config.preset}-${armOf(config)}-s${config.seed}-${stamp}`);
}

async function dryRun(context: Context, config: RunConfig): Promise<number> {
  print(context, stringify(configFile(config)).trimEnd());
  const tasks = await withEnvironment(config, noImages, (environment) => makeTasks(config, environment));
  const plan = planOf(config, { seeds: tasks.seeds.length, heldOut: tasks.heldOut.length });
  for (const note of tasks.notes) print(context, `# ${note}`);
  print(
    context,
    `# ${plan.seeds} seeds, ${plan.heldOut} held-out tasks, ${plan.rounds} rounds, ` +
      `${grouped(plan.rollouts)} training rollouts at most, ${plan.evaluations} evaluations, ` +
      `${grouped(plan.allRollouts)} rollouts in all. Nothing was run.`,
  );
  return 0;
}

async function go(
  context: Context,
  directory: string,
  config: RunConfig,
  quiet: boolean,
  work: (hooks: RunHooks) => Promise<void>,
): Promise<number> {
  const shown = path.relative(context.directory, directory) || directory;
  const progress = terminalProgress(context.streams, quiet);
  const interrupts = listenForInterrupts((line) => progress.note(line));
  progress.note(`run ${shown}: ${config.preset}, arm ${armOf(config)}, seed ${config.seed}`);
  try {
    await work({
      progress,
      safePoint: interrupts.safePoint,
      secret: context.variable,
      onRound: (round) => showRound(progress, directory, config, round, quiet),
    });
  } catch (cause) {
    if (!(cause instanceof InterruptedError)) throw cause;
    progress.stop();
    context.streams.err.write(`stopped; go on with: covolve resume ${shown}\n`);
    return INTERRUPTED;
  } finally {
    interrupts.release();
    progress.stop();
  }
  await showEnd(context, directory, shown, config);
  return 0;
}

/** The line of a round as soon as it is over. */
function showRound(
  progress: TerminalProgress,
  directory: string,
  config: RunConfig,
  round: number,
  quiet: boolean,
): void {
  if (quiet) return;
  const reader = RunReader.open(directory);
  try {
    const row = roundRows(reader, config.method).find((candidate) => candidate.round === round);
    if (!row) return;
    const heldOut = ['greedy', 'p1'].map((name) => `${name} ${percent(row.heldOut.get(name) ?? NaN)}`);
    const trained = row.training.get('pass_rate');
    const parts = [
      ...(trained === undefined ? [] : [`pass rate ${percent(trained)}`]),
      ...(row.heldOut.size === 0 ? [] : [`held-out ${heldOut.join(', ')}`]),
      duration(row.seconds),
    ];
    progress.note(`round ${round}: ${parts.join('; ')}`);
  } finally {
    reader.close();
  }
}

async function showEnd(context: Context, directory: string, shown: string, config: RunConfig): Promise<void> {
  const reader = RunReader.open(directory);
  try {
    const counts = reader.counts();
    print(context, '');
    print(context, roundTable(reader, config));
    print(context, '');
    print(
      context,
      `${isComplete(reader) ? 'complete' : 'not complete'}: ${grouped(counts.tasks)} tasks, ` +
        `${grouped(counts.rollouts)} rollouts, ${duration(activeSeconds(reader))}`,
    );
  } finally {
    reader.close();
  }
  if (config.report) print(context, `report: ${await reportRun(directory)}`);
  print(context, `check every label again with: covolve verify ${shown}`);
}

/** The round table of a run as text. */
export function roundTable(reader: RunReader, config: Pick<RunConfig, 'method'>): string {
  return textTable(ROUND_COLUMNS, roundRows(reader, config.method).map(roundCells));
}
