import { z } from 'zod';
import type { Realised } from '../../core/environment.js';
import type { Rng } from '../../core/rng.js';
import {
  CHART_FAMILIES,
  chartQaSeeds,
  chartsEnvironment,
  MICRO_STYLES,
  readChartSeeds,
  readChartsFolder,
  sampleMicroCharts,
  sampleVegaCharts,
  tableSource,
  type ChartsConfig,
  type ChartSeed,
  type ChartTaskState,
} from '../../environments/charts/index.js';
import { realiseDistinct } from '../../evaluation/tasks.js';
import type { EnvironmentEntry, TrainingSeeds } from '../registry.js';

const count = z.int().min(1);
const families = z.array(z.enum(CHART_FAMILIES)).min(1);
const rowRange = z
  .tuple([count, count])
  .refine(([min, max]) => min <= max, 'must be [fewest, most], the first not above the second');
const file = z.string().min(1).meta({ file: true });

const options = z.strictObject({
  view: z.strictObject({
    kind: z.enum(['full', 'micro']),
    width: z.int().min(32).max(4096),
    height: z.int().min(32).max(4096),
  }),
  range: z
    .strictObject({ min: z.number(), max: z.number() })
    .refine(({ min, max }) => min < max, 'min must be below max')
    .nullable(),
  tolerance: z.number().min(0).lt(1),
  rows: z
    .strictObject({ min: count, max: count })
    .refine(({ min, max }) => min <= max, 'min must not be above max'),
  maxEdits: count,
  families,
  paraphrase: z.boolean(),
  promptStyle: z.enum(['full', 'micro']),
}) satisfies z.ZodType<ChartsConfig>;

const sampled = { count, rows: rowRange, families, questionsPerChart: count };

const seeds = z.discriminatedUnion('source', [
  z.strictObject({
    source: z.literal('micro'),
    ...sampled,
    types: z.array(z.enum(MICRO_STYLES.type)).min(1),
    plain: z.boolean(),
  }),
  z.strictObject({ source: z.literal('vega'), ...sampled }),
  z.strictObject({ source: z.literal('chartqa'), folder: file, limit: count.optional() }),
  z.strictObject({ source: z.literal('jsonl'), file, onBadLine: z.enum(['fail', 'skip']).default('fail') }),
]);

/** Where chart seeds come from. */
export type ChartsSeedsConfig = z.infer<typeof seeds>;

const heldOut = z.strictObject({
  source: z.enum(['micro', 'vega']),
  rows: rowRange,
  chartsPerCount: count,
  questionsPerChart: count,
});

/** Which charts and questions a policy is judged on: every number of rows has the same share. */
export type ChartsHeldOutConfig = z.infer<typeof heldOut>;

/** Charts as a configuration names them. */
export const chartsEntry: EnvironmentEntry<ChartsConfig, ChartsSeedsConfig, ChartsHeldOutConfig, 'editable'> =
  {
    kind: 'editable',
    options,
    seeds,
    heldOut,
    open: (config) =>
      Promise.resolve({ environment: chartsEnvironment(config), close: () => Promise.resolve() }),
    demonstrator(config) {
      const environment = chartsEnvironment(config);
      return (realised) => environment.solverTarget(realised as Realised<ChartTaskState>);
    },
    trainingSeeds: (config, charts, rng, resolveFile) =>
      Promise.resolve({ images: [], ...trainingSeeds(config, charts, rng, resolveFile) }),
    heldOutTasks: (config, charts, environment, rng) =>
      realiseDistinct(environment, heldOutSeeds(config, charts, rng), 'held-out tasks'),
  };

function trainingSeeds(
  config: ChartsSeedsConfig,
  charts: ChartsConfig,
  rng: Rng,
  resolveFile: (name: string) => string,
): Omit<TrainingSeeds, 'images'> {
  switch (config.source) {
    case 'micro':
      return { seeds: sampleMicroCharts(rng, config.count, config, charts), notes: [] };
    case 'vega':
      return {
        seeds: sampleVegaCharts(rng, config.count, { ...config, part: 'training' }, charts),
        notes: [],
      };
    case 'chartqa': {
      const folder = readChartsFolder(resolveFile(config.folder), config.folder);
      return chartQaSeeds(folder.questions.slice(0, config.limit), tableSource(folder), charts);
    }
    case 'jsonl':
      return readChartSeeds(resolveFile(config.file), config, charts);
    default:
      return config satisfies never;
  }
}

function heldOutSeeds(
  { source, rows: [min, max], chartsPerCount, questionsPerChart }: ChartsHeldOutConfig,
  charts: ChartsConfig,
  rng: Rng,
): ChartSeed[] {
  const total = chartsPerCount * questionsPerChart;
  return Array.from({ length: max - min + 1 }, (_, i) => min + i).flatMap((rows) => {
    const stream = rng.child('rows', rows);
    const options = { rows: [rows, rows] as const, families: charts.families, questionsPerChart };
    return source === 'micro'
      ? sampleMicroCharts(stream, total, { ...options, types: MICRO_STYLES.type, plain: false }, charts)
      : sampleVegaCharts(stream, total, { ...options, part: 'held-out' }, charts);
  });
}
