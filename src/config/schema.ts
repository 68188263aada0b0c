import { z } from 'zod';
import { ConfigError } from '../core/errors.js';
import type { Json } from '../core/json.js';
import { configError, notOneOf } from './issues.js';
import type { RawConfig } from './overrides.js';
import { keyPaths, type KeyPath } from './paths.js';
import {
  ENGINES,
  ENVIRONMENTS,
  METHODS,
  engineEntry,
  environmentEntry,
  methodEntry,
  type EngineName,
  type EnvironmentName,
  type MethodName,
} from './registry.js';

/** A whole run's configuration, checked. JSON-serialisable: it is stored with the run. */
export interface RunConfig {
  /** The name of the preset it came from. */
  readonly preset: string;
  readonly method: MethodName;
  readonly environment: EnvironmentName;
  readonly engine: EngineName;
  /** Everything random of a run comes from it; the held-out tasks don't. */
  readonly seed: number;
  /** Where training seeds come from; the environment's own schema. */
  readonly seeds: Json;
  readonly evaluation: EvaluationConfig;
  readonly store: StoreConfig;
  /** Whether a run that ends writes its report. */
  readonly report: boolean;
  /** The sections of the method, environment and engine, under their names. */
  readonly sections: Readonly<Record<string, Json>>;
}

export interface EvaluationConfig {
  /** Completions a task at temperature 1, besides the greedy one. */
  readonly samples: number;
  /** Of the held-out tasks: the same seed gives the same tasks to every run. */
  readonly seed: number;
  /** Evaluate every so many rounds; rounds 0 and the last always. */
  readonly everyRounds: number;
  /** Which tasks; the environment's own schema. */
  readonly heldOut: Json;
}

export interface StoreConfig {
  /** Optimiser steps between checkpoints. */
  readonly checkpointEvery: number;
  /** Checkpoints of a role whose bytes are kept. */
  readonly keepCheckpoints: number;
}

interface Names {
  readonly method: MethodName;
  readonly environment: EnvironmentName;
  readonly engine: EngineName;
}

const REGISTRIES = { method: METHODS, environment: ENVIRONMENTS, engine: ENGINES };

/** The method, environment and engine that a configuration names. Throws a ConfigError on one that isn't there. */
function namesOf(raw: RawConfig): Names {
  const pick = (field: keyof typeof REGISTRIES): string => {
    const value = raw[field];
    const known = Object.keys(REGISTRIES[field]);
    if (value === undefined || value === null) {
      throw new ConfigError(field, undefined, `name the ${field}: ${field}=${known.join('|')}`);
    }
    if (typeof value !== 'string' || !known.includes(value)) throw notOneOf(field, value, known);
    return value;
  };
  const names = {
    method: pick('method'),
    environment: pick('environment'),
    engine: pick('engine'),
  } as Names;
  const { needs } = methodEntry(names.method);
  if (environmentEntry(names.environment).kind !== needs) {
    const fitting = Object.keys(ENVIRONMENTS).filter(
      (name) => environmentEntry(name as EnvironmentName).kind === needs,
    );
    throw new ConfigError(
      'environment',
      names.environment,
      `method ${names.method} can't run on it; choose ${fitting.join(' or ')}`,
    );
  }
  return names;
}

/** The schema of a configuration file with these names; sections of other engines may be there and are not looked at. */
function schemaOf({ method, environment, engine }: Names): z.ZodObject {
  const entry = environmentEntry(environment);
  const others = Object.keys(REGISTRIES.engine).filter((name) => name !== engine);
  return z.strictObject({
    preset: z.string().min(1),
    method: z.literal(method),
    environment: z.literal(environment),
    engine: z.literal(engine),
    seed: z.int().min(0),
    seeds: entry.seeds,
    evaluation: z.strictObject({
      ...entry.heldOut.shape,
      samples: z.int().min(1),
      seed: z.int().min(0),
      everyRounds: z.int().min(1),
    }),
    store: z.strictObject({ checkpointEvery: z.int().min(1), keepCheckpoints: z.int().min(1) }),
    report: z.boolean(),
    [method]: methodEntry(method).options,
    [environment]: entry.options,
    [engine]: engineEntry(engine).options,
    ...Object.fromEntries(others.map((name) => [name, engineEntry(name as EngineName).options.optional()])),
  });
}

/** The keys that a configuration may hold, given the method, environment and engine that it names (or the first there are). */
export function knownKeys(raw: RawConfig): KeyPath[] {
  const name = (field: keyof typeof REGISTRIES): string => {
    const known = Object.keys(REGISTRIES[field]);
    const value = raw[field];
    return typeof value === 'string' && known.includes(value) ? value : (known[0] as string);
  };
  return keyPaths(
    schemaOf({ method: name('method'), environment: name('environment'), engine: name('engine') } as Names),
  );
}

/** Checks a configuration. Throws a ConfigError that names the first bad key, its value, and the nearest valid one. */
export function parseConfig(raw: RawConfig): RunConfig {
  const names = namesOf(raw);
  const schema = schemaOf(names);
  if (raw[names.engine] === undefined) {
    throw new ConfigError(
      names.engine,
      undefined,
      `this configuration has no settings for engine ${names.engine}; choose a preset made for it, or add the section`,
    );
  }
  const parsed = schema.safeParse(raw);
  if (!parsed.success) throw configError(parsed.error.issues, raw, keyPaths(schema));
  const checked = parsed.data as Record<string, Json>;
  const evaluation = checked['evaluation'] as Record<string, Json>;
  const { samples, seed, everyRounds, ...heldOut } = evaluation;
  const sections = [names.method, names.environment, names.engine];
  return {
    preset: checked['preset'] as string,
    ...names,
    seed: checked['seed'] as number,
    seeds: checked['seeds'] as Json,
    evaluation: { samples, seed, everyRounds, heldOut } as EvaluationConfig,
    store: checked['store'] as unknown as StoreConfig,
    report: checked['report'] as boolean,
    sections: Object.fromEntries(sections.map((name) => [name, checked[name] as Json])),
  };
}

/** The configuration as a file would hold it: what is stored with a run and shown by `--dry-run`. */
export function configFile(config: RunConfig): Json {
  const { sections, evaluation, ...rest } = config;
  const { heldOut, ...how } = evaluation;
  return {
    ...rest,
    evaluation: { ...(heldOut as Record<string, Json>), ...how },
    ...sections,
  } as unknown as Json;
}
