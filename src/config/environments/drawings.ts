import { z } from 'zod';
import type { Lineage } from '../../core/environment.js';
import { ConfigError } from '../../core/errors.js';
import type { Rng } from '../../core/rng.js';
import {
  drawingsEnvironment,
  KINDS,
  MICRO_TOPICS,
  SEED_TOPICS,
  topicSeed,
  writeScripted,
  type DrawingsConfig,
  type DrawingsState,
} from '../../environments/drawings/index.js';
import { realiseDistinct } from '../../evaluation/tasks.js';
import { openSvgRasteriser } from '../../render/index.js';
import type { EnvironmentEntry } from '../registry.js';

const side = z.int().min(16).max(2048);

const options = z.strictObject({
  promptStyle: z.enum(['full', 'micro']),
  picture: z.strictObject({ width: side, height: side }),
  /** Processes that draw at once. */
  workers: z.int().min(1).max(64),
}) satisfies z.ZodType<DrawingsConfig>;

const seeds = z.strictObject({
  source: z.literal('topics'),
  /** What the proposer is asked about; the environment's own list when absent. */
  topics: z.array(z.string().min(1)).min(1).optional(),
});

const heldOut = z.strictObject({
  kinds: z.array(z.enum(KINDS)).min(1),
  /** Pictures of each kind, drawn by program, each with an easy and a hard question. */
  picturesPerKind: z.int().min(1),
});

type Options = z.infer<typeof options>;
type HeldOut = z.infer<typeof heldOut>;

/** Drawings as a configuration names them. */
export const drawingsEntry: EnvironmentEntry<Options, z.infer<typeof seeds>, HeldOut, 'drawn'> = {
  kind: 'drawn',
  options,
  seeds,
  heldOut,
  open(config) {
    const rasteriser = openSvgRasteriser({ workers: config.workers });
    return Promise.resolve({
      environment: drawingsEnvironment(config, rasteriser),
      close: () => rasteriser.close(),
    });
  },
  demonstrator: () => null,
  trainingSeeds({ topics }, { promptStyle }) {
    const known = promptStyle === 'micro' ? Object.keys(MICRO_TOPICS) : SEED_TOPICS;
    const chosen = [...new Set(topics ?? known)];
    const strange = promptStyle === 'micro' ? chosen.find((topic) => !known.includes(topic)) : undefined;
    if (strange !== undefined) {
      throw new ConfigError('seeds.topics', strange, `the micro proposer reads only ${known.join(', ')}`);
    }
    return Promise.resolve({ seeds: chosen.map((topic) => topicSeed(topic)), images: [], notes: [] });
  },
  heldOutTasks: (config, _options, environment, rng) =>
    realiseDistinct(environment, figureSeeds(config, rng), 'held-out tasks'),
};

function figureSeeds({ kinds, picturesPerKind }: HeldOut, rng: Rng): Lineage<DrawingsState>[] {
  return kinds.flatMap((kind) =>
    Array.from({ length: picturesPerKind }, (_, i) => {
      const { figure, proposal } = writeScripted(rng.child(kind, i), kind);
      return [proposal.easyQuestion, proposal.hardQuestion].map((question): Lineage<DrawingsState> => ({
        seedId: `figure/${kind}/${i}/${question}`,
        actions: [],
        state: { kind: 'figure', figure, question },
      }));
    }).flat(),
  );
}
