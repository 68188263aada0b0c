import { z } from 'zod';
import type { Realised } from '../../core/environment.js';
import type { Rng } from '../../core/rng.js';
import {
  clevrEnvironment,
  FAMILIES,
  SIZES,
  officialSeeds,
  entriesOf,
  readOfficialQuestion,
  readOfficialScene,
  readSeeds,
  sampleSeeds,
  type ClevrConfig,
  type ClevrState,
} from '../../environments/clevr/index.js';
import { heldOutSeeds, realiseDistinct, type HeldOutConfig } from '../../evaluation/tasks.js';
import type { EnvironmentEntry, TrainingSeeds } from '../registry.js';

const families = z.array(z.enum(FAMILIES)).min(1);
const objectCount = z.int().min(1).max(10);
const objectRange = z
  .tuple([objectCount, objectCount])
  .refine(([min, max]) => min <= max, 'must be [fewest, most], the first not above the second');
const sizes = z
  .array(z.enum(SIZES))
  .min(1)
  .default([...SIZES]);
const file = z.string().min(1).meta({ file: true });

const options = z.strictObject({
  view: z.strictObject({ width: z.int().min(32).max(480), height: z.int().min(32).max(480) }),
  objects: z
    .strictObject({ min: objectCount, max: objectCount })
    .refine(({ min, max }) => min <= max, 'min must not be above max'),
  extent: z.number().positive().max(3),
  families,
  paraphrase: z.boolean(),
  maxEdits: z.int().min(1),
  requireAnswerChange: z.boolean(),
  promptStyle: z.enum(['full', 'micro']),
  rejectDegenerate: z.boolean(),
}) satisfies z.ZodType<ClevrConfig>;

const seeds = z.discriminatedUnion('source', [
  z.strictObject({
    source: z.literal('sampled'),
    count: z.int().min(1),
    objects: objectRange,
    families,
    questionsPerScene: z.int().min(1),
    asks: z
      .array(z.enum(['count', 'exist', 'query']))
      .min(1)
      .optional(),
    sizes,
  }),
  z.strictObject({ source: z.literal('jsonl'), file, onBadLine: z.enum(['fail', 'skip']).default('fail') }),
  z.strictObject({
    source: z.literal('official'),
    scenes: file,
    questions: file,
    limit: z.int().min(1).optional(),
  }),
]);

/** Where CLEVR seeds come from. */
export type ClevrSeedsConfig = z.infer<typeof seeds>;

const heldOut = z.strictObject({
  objects: objectRange,
  imagesPerCount: z.int().min(1),
  questionsPerImage: z.int().min(1),
  sizes,
}) satisfies z.ZodType<HeldOutConfig>;

/** CLEVR as a configuration names it. */
export const clevrEntry: EnvironmentEntry<ClevrConfig, ClevrSeedsConfig, HeldOutConfig, 'editable'> = {
  kind: 'editable',
  options,
  seeds,
  heldOut,
  open: (config) =>
    Promise.resolve({ environment: clevrEnvironment(config), close: () => Promise.resolve() }),
  demonstrator(config) {
    const environment = clevrEnvironment(config);
    return (realised) => environment.solverTarget(realised as Realised<ClevrState>);
  },
  trainingSeeds: (config, clevr, rng, resolveFile) =>
    Promise.resolve({ images: [], ...trainingSeeds(config, clevr, rng, resolveFile) }),
  heldOutTasks: (config, clevr, environment, rng) =>
    realiseDistinct(environment, heldOutSeeds(config, clevr, rng), 'held-out tasks'),
};

function trainingSeeds(
  config: ClevrSeedsConfig,
  clevr: ClevrConfig,
  rng: Rng,
  resolveFile: (name: string) => string,
): Omit<TrainingSeeds, 'images'> {
  switch (config.source) {
    case 'sampled': {
      const { view, extent, paraphrase = true } = clevr;
      const { count, objects, families: asked, questionsPerScene, asks, sizes: drawnSizes } = config;
      const drawn = {
        objects,
        families: asked,
        questionsPerScene,
        sizes: drawnSizes,
        ...(asks ? { asks } : {}),
      };
      return { seeds: sampleSeeds(rng, count, { ...drawn, view, extent, paraphrase }), notes: [] };
    }
    case 'jsonl': {
      const name = resolveFile(config.file);
      const read = readSeeds(name, { onBadLine: config.onBadLine });
      const notes = read.skipped.map(({ line, problem }) => `${config.file}:${line}: skipped: ${problem}`);
      return { seeds: read.seeds, notes };
    }
    case 'official': {
      const questions = readSome(
        entriesOf(resolveFile(config.questions), 'questions', config.questions),
        (entry, i) => readOfficialQuestion(entry, config.questions, i),
        config.limit,
      );
      const scenes = readSome(entriesOf(resolveFile(config.scenes), 'scenes', config.scenes), (entry, i) =>
        readOfficialScene(entry, config.scenes, i),
      );
      return { seeds: officialSeeds(scenes, questions, config.questions), notes: [] };
    }
    default:
      return config satisfies never;
  }
}

/** The first `most` entries, read. */
function readSome<T>(
  entries: Iterable<unknown>,
  read: (entry: unknown, index: number) => T,
  most: number = Infinity,
): T[] {
  const taken: T[] = [];
  for (const entry of entries) {
    if (taken.length >= most) break;
    taken.push(read(entry, taken.length));
  }
  return taken;
}
