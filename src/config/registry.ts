import type { z } from 'zod';
import type { Engine } from '../core/engine.js';
import type {
  DrawnEnvironment,
  EditableEnvironment,
  ExecutableEnvironment,
  Lineage,
  Realised,
  SolvableEnvironment,
} from '../core/environment.js';
import type { Image } from '../core/image.js';
import type { Learner } from '../core/learner.js';
import type { Evaluator, Progress, RunJournal, SafePoint } from '../core/ports.js';
import type { Rng } from '../core/rng.js';
import { microEngine } from '../engines/micro/engine.js';
import { tinkerEngine } from '../engines/tinker/engine.js';
import { openAiEngine } from '../engines/openai/engine.js';
import { chartsEntry } from './environments/charts.js';
import { clevrEntry } from './environments/clevr.js';
import { drawingsEntry } from './environments/drawings.js';
import { transformsEntry } from './environments/transforms.js';
import { eveEntry } from './methods/eve.js';
import { mmZeroEntry } from './methods/mm-zero.js';
import { vicoEntry } from './methods/vico.js';

/** What a method may need of an environment, by the name of the kind. */
export interface EnvironmentKinds {
  /** A rewriter edits the structure behind a picture. */
  readonly editable: EditableEnvironment;
  /** A challenger writes a program whose outputs make the tasks. */
  readonly executable: ExecutableEnvironment;
  /** A proposer invents pictures in words, a coder draws them. */
  readonly drawn: DrawnEnvironment;
}

export type EnvironmentKind = keyof EnvironmentKinds;

/** A method's own section of a configuration, and how it is run. */
export interface MethodEntry<Options = unknown, Kind extends EnvironmentKind = EnvironmentKind> {
  readonly options: z.ZodType<Options>;
  /** The kind of environment it runs on. */
  readonly needs: Kind;
  /** The role that answers held-out tasks. */
  readonly solver: string;
  /** The arms that `compare` offers; each is a value of the option `key`. */
  readonly arms: { readonly key: string; readonly names: readonly string[] };
  /** The roles it trains, and whether each needs the policy it started from (a KL term). */
  roles(options: Options): readonly RoleEntry[];
  /** What a run will come to. */
  plan(options: Options, seeds: number): MethodPlan;
  run(setup: MethodSetup<Options, EnvironmentKinds[Kind]>): Promise<void>;
}

/** A role of a method. `trained` is true when it isn't given: the method trains the role, and not only samples it. */
export interface RoleEntry {
  readonly role: string;
  readonly reference: boolean;
  readonly trained?: boolean;
}

/** How much a run will do, before it starts. */
export interface MethodPlan {
  readonly rounds: number;
  readonly arm: string;
  /** Rollouts that are trained on or measured with, evaluation apart; at most. */
  readonly rollouts: number;
  readonly maxTokens: number;
}

/** What a method is handed to run with. */
export interface MethodSetup<Options, E extends SolvableEnvironment = SolvableEnvironment> {
  readonly options: Options;
  readonly environment: E;
  /** Where lineages begin. */
  readonly lineages: readonly Lineage[];
  /** The seeds' own tasks; empty where a seed is no task by itself. */
  readonly seeds: readonly Realised[];
  /** A worked answer to a task, where the environment has some. */
  readonly demonstrate: ((realised: Realised) => string) | null;
  /** By role. */
  readonly learners: ReadonlyMap<string, Learner>;
  readonly journal: RunJournal;
  readonly evaluator: Evaluator;
  readonly progress: Progress;
  readonly safePoint: SafePoint;
  readonly rng: Rng;
}

/** What an environment may look up while it works. */
export interface EnvironmentContext {
  /** Makes a file name of the configuration absolute. */
  readonly resolveFile: (name: string) => string;
  /** A picture of the run by its hash; null where it isn't stored. */
  readonly findImage: (hash: string) => Promise<Image | null>;
}

/** An environment and what closes it (a pool of processes, say). */
export interface OpenedEnvironment<E extends SolvableEnvironment = SolvableEnvironment> {
  readonly environment: E;
  close(): Promise<void>;
}

/** Seeds to train on; `notes` are lines for the user (skipped lines of a file), `images` pictures that the seeds refer to. */
export interface TrainingSeeds {
  readonly seeds: readonly Lineage[];
  readonly images: readonly Image[];
  readonly notes: readonly string[];
}

/** An environment's own section of a configuration, where its seeds come from, and what it is judged on. */
export interface EnvironmentEntry<
  Options = unknown,
  Seeds = unknown,
  HeldOut = unknown,
  Kind extends EnvironmentKind = EnvironmentKind,
> {
  readonly kind: Kind;
  readonly options: z.ZodType<Options>;
  readonly seeds: z.ZodType<Seeds>;
  /** Which held-out tasks to draw; a part of the section `evaluation`. */
  readonly heldOut: z.ZodObject & z.ZodType<HeldOut>;
  /** Throws a ConfigError where this machine can't run it. */
  open(options: Options, context: EnvironmentContext): Promise<OpenedEnvironment<EnvironmentKinds[Kind]>>;
  /** What writes a worked answer to a task; null where there is none. */
  demonstrator(options: Options): ((realised: Realised) => string) | null;
  /** Throws a DataError on a bad file. */
  trainingSeeds(
    seeds: Seeds,
    options: Options,
    rng: Rng,
    resolveFile: (name: string) => string,
  ): Promise<TrainingSeeds>;
  /** Tasks that nothing is trained on, with lines about those that were refused. */
  heldOutTasks(
    heldOut: HeldOut,
    options: Options,
    environment: EnvironmentKinds[Kind],
    rng: Rng,
  ): Promise<{ readonly tasks: readonly Realised[]; readonly notes: readonly string[] }>;
}

/** Methods by the name that a configuration gives them. */
export const METHODS = { vico: vicoEntry, eve: eveEntry, 'mm-zero': mmZeroEntry } satisfies Record<
  string,
  unknown
>;

/** Environments by name. */
export const ENVIRONMENTS = {
  clevr: clevrEntry,
  charts: chartsEntry,
  drawings: drawingsEntry,
  transforms: transformsEntry,
} satisfies Record<string, unknown>;

/** Engines by name. */
export const ENGINES = { micro: microEngine, openai: openAiEngine, tinker: tinkerEngine } satisfies Record<
  string,
  unknown
>;

export type MethodName = keyof typeof METHODS;
export type EnvironmentName = keyof typeof ENVIRONMENTS;
export type EngineName = keyof typeof ENGINES;

/** The entry of a method, its options opaque: hand it its own section, checked. */
export function methodEntry(name: MethodName): MethodEntry {
  return METHODS[name];
}

/** The entry of an environment, its options opaque. */
export function environmentEntry(name: EnvironmentName): EnvironmentEntry {
  return ENVIRONMENTS[name];
}

/** The entry of an engine, its options opaque. */
export function engineEntry(name: EngineName): Engine {
  return ENGINES[name];
}
