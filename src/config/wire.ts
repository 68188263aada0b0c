import { stringify } from 'yaml';
import type { OpenedLearner } from '../core/engine.js';
import type { Lineage, Realised, SolvableEnvironment } from '../core/environment.js';
import { ConfigError, DataError } from '../core/errors.js';
import type { Image } from '../core/image.js';
import { contentHash, type Json } from '../core/json.js';
import type { Evaluator, Progress, RunJournal, SafePoint } from '../core/ports.js';
import { Rng } from '../core/rng.js';
import { heldOutEvaluator } from '../evaluation/heldOut.js';
import { realiseDistinct } from '../evaluation/tasks.js';
import { RunReader, RunStore } from '../runs/index.js';
import { breathingJournal } from './breathing.js';
import { packageVersion, resolveFile } from './presets.js';
import {
  engineEntry,
  environmentEntry,
  methodEntry,
  type EnvironmentContext,
  type EnvironmentKind,
  type EnvironmentKinds,
  type MethodPlan,
} from './registry.js';
import { configFile, parseConfig, type RunConfig } from './schema.js';
import type { RawConfig } from './overrides.js';

/** What a run tells the outside while it goes on. */
export interface RunHooks {
  readonly progress: Progress;
  /** Throws an InterruptedError when the user asked to stop. */
  readonly safePoint: SafePoint;
  /** A round is over and evaluated, in this process or an earlier one. */
  readonly onRound?: (round: number) => void;
  /** Environment variables that a configuration may name (API keys); none are set when it isn't given. */
  readonly secret?: (variable: string) => string | null;
}

/** Kinds of events that this module records. */
const TASKS = 'tasks';
const POLICIES = 'policies';
const COMPLETED = 'completed';

/**
 * Makes a run in a directory that is new or empty, and runs it to its end. Throws a ConfigError, DataError, StoreError or
 * OutageError that says what to do, or the InterruptedError of the safe point; the run then resumes.
 */
export async function startRun(config: RunConfig, directory: string, hooks: RunHooks): Promise<void> {
  const file = configFile(config);
  const run = { config: file, seed: config.seed, preset: config.preset, version: packageVersion() };
  const store = await RunStore.create(directory, run, storeSettings(config, hooks));
  try {
    await store.writeConfigFile(stringify(file));
    await drive(config, store, hooks);
  } finally {
    await store.close();
  }
}

/** Goes on with a run where it was stopped; a run that is complete is left as it is. Throws like `startRun`. */
export async function resumeRun(directory: string, hooks: RunHooks): Promise<void> {
  const config = runConfig(directory);
  const store = await RunStore.open(directory, { write: true }, storeSettings(config, hooks));
  try {
    await store.writeConfigFile(stringify(configFile(config)));
    await drive(config, store, hooks);
  } finally {
    await store.close();
  }
}

/** The configuration that a run was made with. Throws a StoreError when there is no run, a ConfigError when it is of another version. */
export function runConfig(directory: string): RunConfig {
  const reader = RunReader.open(directory);
  try {
    return parseConfig(reader.info().config as RawConfig);
  } finally {
    reader.close();
  }
}

/** Whether a run has done all that it is to do. */
export function isComplete(reader: Pick<RunReader, 'events'>): boolean {
  return reader.events().some(({ kind }) => kind === COMPLETED);
}

/** How much a run will do: the method's plan, and its evaluations. */
export interface RunPlan extends MethodPlan {
  readonly seeds: number;
  readonly heldOut: number;
  readonly evaluations: number;
  /** All rollouts, trained on or held out. */
  readonly allRollouts: number;
}

/** A run's plan from the tasks it has. */
export function planOf(
  config: RunConfig,
  tasks: { readonly seeds: number; readonly heldOut: number },
): RunPlan {
  const plan = methodEntry(config.method).plan(config.sections[config.method], tasks.seeds);
  const { everyRounds, samples } = config.evaluation;
  const evaluations =
    1 + Math.floor(plan.rounds / everyRounds) + (plan.rounds > 0 && plan.rounds % everyRounds !== 0 ? 1 : 0);
  const allRollouts = plan.rollouts + evaluations * tasks.heldOut * (1 + samples);
  return { ...plan, ...tasks, evaluations, allRollouts };
}

/**
 * Works in the environment of a configuration, and closes it. `findImage` gives it the run's pictures. Throws a ConfigError
 * where this machine can't run it.
 */
export async function withEnvironment<T>(
  config: RunConfig,
  findImage: EnvironmentContext['findImage'],
  work: (environment: SolvableEnvironment) => Promise<T>,
): Promise<T> {
  const section = config.sections[config.environment];
  const opened = await environmentEntry(config.environment).open(section, { resolveFile, findImage });
  try {
    return await work(opened.environment);
  } finally {
    await opened.close();
  }
}

/** `findImage` of a run that doesn't exist yet. */
export const noImages: EnvironmentContext['findImage'] = () => Promise.resolve(null);

/** What a run begins with: its seeds, and what is held out. */
export interface RunTasks {
  readonly lineages: readonly Lineage[];
  /** The seeds' own tasks; empty where a seed is no task by itself. */
  readonly seeds: readonly Realised[];
  readonly heldOut: readonly Realised[];
  /** Pictures that the seeds refer to. */
  readonly images: readonly Image[];
  /** Lines about what was left out. */
  readonly notes: readonly string[];
}

/** Draws or reads the seeds and held-out tasks, and realises them. Throws a DataError when no seed is left. */
export async function makeTasks(config: RunConfig, environment: SolvableEnvironment): Promise<RunTasks> {
  const entry = environmentEntry(config.environment);
  const options = config.sections[config.environment];
  const training = await entry.trainingSeeds(
    config.seeds,
    options,
    Rng.fromSeed(config.seed).child('seeds'),
    resolveFile,
  );
  const judged = await entry.heldOutTasks(
    config.evaluation.heldOut,
    options,
    environment as EnvironmentKinds[EnvironmentKind],
    Rng.fromSeed(config.evaluation.seed).child('held-out'),
  );
  const { seeds: lineages, images } = training;
  const seeds =
    entry.kind === 'editable'
      ? await realiseDistinct(environment, lineages, 'seeds')
      : { tasks: [], notes: [] };
  if (lineages.length === 0 || (entry.kind === 'editable' && seeds.tasks.length === 0)) {
    throw new DataError(
      'seeds',
      null,
      `none of ${lineages.length} can be used: ${[...training.notes, ...seeds.notes].join('; ')}`,
    );
  }
  return {
    lineages,
    images,
    seeds: seeds.tasks,
    heldOut: judged.tasks,
    notes: [...training.notes, ...seeds.notes, ...judged.notes],
  };
}

function storeSettings(config: RunConfig, hooks: RunHooks): Parameters<typeof RunStore.create>[2] {
  return {
    newestCheckpoints: config.store.keepCheckpoints,
    note: (line) => hooks.progress.note(line),
  };
}

async function drive(config: RunConfig, store: RunStore, hooks: RunHooks): Promise<void> {
  const journal = breathingJournal(store);
  const findImage = (hash: string): Promise<Image | null> => journal.findImage(hash);
  await withEnvironment(config, findImage, (environment) =>
    driveIn(config, environment, store, journal, hooks),
  );
}

async function driveIn(
  config: RunConfig,
  environment: SolvableEnvironment,
  store: RunStore,
  journal: RunJournal,
  hooks: RunHooks,
): Promise<void> {
  hooks.progress.update('seeds and held-out tasks', 0, 1, 'steps');
  const tasks = await makeTasks(config, environment);
  hooks.progress.update('seeds and held-out tasks', 1, 1, 'steps');
  await settle(
    store,
    TASKS,
    taskSummary(tasks),
    'the seeds or held-out tasks are no longer those it began with',
  );
  await recordTasks(journal, tasks);
  for (const line of tasks.notes) hooks.progress.note(line);

  const learners = await openLearners(config, journal, hooks);
  try {
    const origins = Object.fromEntries([...learners].map(([role, { origin }]) => [role, origin]));
    await settle(
      store,
      POLICIES,
      origins,
      'the checkpoints it starts from are no longer those it began with',
    );
    await runMethod(config, environment, tasks, learners, journal, hooks);
    const reader = RunReader.open(store.info.directory);
    const done = isComplete(reader);
    reader.close();
    if (!done) await store.recordEvent(COMPLETED, {});
  } finally {
    for (const opened of learners.values()) opened.dispose();
  }
}

/** Notes a fact the first time, and holds every later process of the run to it. */
async function settle(store: RunStore, kind: string, fact: Json, problem: string): Promise<void> {
  const { directory } = store.info;
  const reader = RunReader.open(directory);
  const noted = reader.events().find((event) => event.kind === kind);
  reader.close();
  if (!noted) return store.recordEvent(kind, fact);
  if (contentHash(noted.detail) === contentHash(fact)) return;
  throw new ConfigError('run', directory, `${problem}; restore the files, or start a new run`);
}

function taskSummary({ lineages, seeds, heldOut, notes }: RunTasks): Json {
  const ids = (list: readonly Realised[]): string => contentHash(list.map(({ task }) => task.id));
  const bare = seeds.length === 0;
  return {
    seeds: bare
      ? { count: lineages.length, hash: contentHash(lineages.map(({ seedId }) => seedId)) }
      : { count: seeds.length, hash: ids(seeds) },
    heldOut: { count: heldOut.length, hash: ids(heldOut) },
    notes: [...notes],
  };
}

/** How many seeds and held-out tasks a run has; null while it hasn't got that far. */
export function taskCounts(
  reader: Pick<RunReader, 'events'>,
): { readonly seeds: number; readonly heldOut: number } | null {
  const noted = reader.events().find(({ kind }) => kind === TASKS)?.detail as
    { readonly seeds: { readonly count: number }; readonly heldOut: { readonly count: number } } | undefined;
  return noted ? { seeds: noted.seeds.count, heldOut: noted.heldOut.count } : null;
}

async function recordTasks(journal: RunJournal, { seeds, heldOut, images: seen }: RunTasks): Promise<void> {
  const all = [...seeds, ...heldOut];
  await journal.recordTasks(
    all.map(({ task, lineage }) => ({ task, lineage, parentTaskId: null, round: 0 })),
    [...seen, ...all.flatMap(({ images }) => images)],
  );
}

async function openLearners(
  config: RunConfig,
  journal: RunJournal,
  hooks: RunHooks,
): Promise<Map<string, OpenedLearner>> {
  const opened = new Map<string, OpenedLearner>();
  const options = config.sections[config.engine];
  try {
    for (const { role, reference, trained = true } of methodEntry(config.method).roles(
      config.sections[config.method],
    )) {
      const learner = await engineEntry(config.engine).open({
        role,
        options,
        reference,
        trained,
        journal,
        progress: hooks.progress,
        safePoint: hooks.safePoint,
        checkpointEvery: config.store.checkpointEvery,
        resolveFile,
        secret: hooks.secret ?? (() => null),
      });
      opened.set(role, learner);
    }
    return opened;
  } catch (cause) {
    for (const learner of opened.values()) learner.dispose();
    throw cause;
  }
}

function runMethod(
  config: RunConfig,
  environment: SolvableEnvironment,
  tasks: RunTasks,
  opened: ReadonlyMap<string, OpenedLearner>,
  journal: RunJournal,
  hooks: RunHooks,
): Promise<void> {
  const { progress, safePoint } = hooks;
  const options = config.sections[config.method];
  const method = methodEntry(config.method);
  const plan = method.plan(options, tasks.seeds.length || tasks.lineages.length);
  const rng = Rng.fromSeed(config.seed);
  const learners = new Map([...opened].map(([role, { learner }]) => [role, learner]));
  const actor = learners.get(method.solver);
  if (!actor) throw new Error(`${config.method} trains no ${method.solver}, so nothing can be held out`);
  const { samples, everyRounds } = config.evaluation;
  const heldOut = heldOutEvaluator({
    environment,
    actor,
    journal,
    tasks: tasks.heldOut,
    samples,
    maxTokens: plan.maxTokens,
    everyRounds,
    lastRound: plan.rounds,
    progress,
    safePoint,
    rng: rng.child('evaluation'),
  });
  const evaluator: Evaluator = {
    async evaluate(round) {
      await heldOut.evaluate(round);
      hooks.onRound?.(round);
    },
  };
  const { seeds, lineages } = tasks;
  const demonstrate = environmentEntry(config.environment).demonstrator(config.sections[config.environment]);
  return method.run({
    options,
    environment: environment as EnvironmentKinds[EnvironmentKind],
    lineages,
    seeds,
    demonstrate,
    learners,
    journal,
    evaluator,
    progress,
    safePoint,
    rng,
  });
}
