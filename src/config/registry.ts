import type { z } from 'zod';
import type { Engine } from '../core/engine.js';
import type { EditableEnvironment, Lineage, Realised } from '../core/environment.js';
import type { Learner } from '../core/learner.js';
import type { Evaluator, Progress, RunJournal, SafePoint } from '../core/ports.js';
import type { Rng } from '../core/rng.js';
import { microEngine } from '../engines/micro/engine.js';
import { tinkerEngine } from '../engines/tinker/engine.js';
import { clevrEntry } from './environments/clevr.js';
import { vicoEntry } from './methods/vico.js';

/** A method's own section of a configuration, and how it is run. */
export interface MethodEntry<Options = unknown> {
  readonly options: z.ZodType<Options>;
  /** The arms that `compare` offers; each is a value of the option `key`. */
  readonly arms: { readonly key: string; readonly names: readonly string[] };
  /** The roles it trains, and whether each needs the policy it started from (a KL term). */
  roles(options: Options): readonly { readonly role: string; readonly reference: boolean }[];
  /** What a run will come to. */
  plan(options: Options, seeds: number): MethodPlan;
  run(setup: MethodSetup<Options>): Promise<void>;
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
export interface MethodSetup<Options> {
  readonly options: Options;
  readonly environment: EditableEnvironment;
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

/** An environment's own section of a configuration, where its seeds come from, and what it is judged on. */
export interface EnvironmentEntry<Options = unknown, Seeds = unknown, HeldOut = unknown> {
  readonly options: z.ZodType<Options>;
  readonly seeds: z.ZodType<Seeds>;
  /** Which held-out tasks to draw; a part of the section `evaluation`. */
  readonly heldOut: z.ZodObject & z.ZodType<HeldOut>;
  open(options: Options): EditableEnvironment;
  /** What writes a worked answer to a task; null where there is none. */
  demonstrator(options: Options): ((realised: Realised) => string) | null;
  /** Seeds to train on; `notes` are lines for the user (skipped lines of a file). Throws a DataError on a bad file. */
  trainingSeeds(
    seeds: Seeds,
    options: Options,
    rng: Rng,
    resolveFile: (name: string) => string,
  ): { readonly seeds: readonly Lineage[]; readonly notes: readonly string[] };
  heldOutSeeds(heldOut: HeldOut, options: Options, rng: Rng): readonly Lineage[];
}

/** Methods by the name that a configuration gives them. */
export const METHODS = { vico: vicoEntry } satisfies Record<string, unknown>;

/** Environments by name. */
export const ENVIRONMENTS = { clevr: clevrEntry } satisfies Record<string, unknown>;

/** Engines by name. */
export const ENGINES = { micro: microEngine, tinker: tinkerEngine } satisfies Record<string, unknown>;

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
