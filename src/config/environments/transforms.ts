import { z } from 'zod';
import type { Realised } from '../../core/environment.js';
import { imageRef, type Image } from '../../core/image.js';
import type { Result } from '../../core/result.js';
import type { Rng } from '../../core/rng.js';
import { sampleVisibleScene } from '../../environments/clevr/index.js';
import { drawScene } from '../../environments/clevr/view.js';
import {
  ALIKE_RULES,
  challenger,
  linesOf,
  MICRO_SEED_PROGRAMS,
  microChallenger,
  microSolver,
  microWording,
  parseProgram,
  pictureSeed,
  QUESTION_KINDS,
  readLibrary,
  scriptedProgram,
  SEED_PROGRAMS,
  transformEnvironment,
  transformSolver,
  type TransformAction,
  type TransformEnvironment,
} from '../../environments/transforms/index.js';
import { openSandbox } from '../../sandbox/index.js';
import type { EnvironmentEntry, TrainingSeeds } from '../registry.js';

const count = z.int().min(1);

const options = z.strictObject({
  /** One question of each kind is made of every program. */
  questions: z.array(z.enum(QUESTION_KINDS)).min(1),
  /** When two outputs of a program count as the same picture. */
  alike: z.enum(ALIKE_RULES),
  /** `full` for instruction-tuned models, `micro` for the micro engine's closed vocabulary. */
  promptStyle: z.enum(['full', 'micro']),
  sandbox: z.strictObject({
    workers: z.int().min(1).max(64),
    seconds: z.number().min(0.1).max(600),
    memoryMiB: z.int().min(64).max(65_536),
    characters: z.int().min(1).max(50_000),
    minPixels: count,
    maxPixels: count,
  }),
});

type Options = z.infer<typeof options>;

const seeds = z.discriminatedUnion('source', [
  /** Scenes that we draw, `side` pixels a side. */
  z.strictObject({ source: z.literal('rendered'), count, side: z.int().min(16).max(480) }),
  /** Every picture in a folder and below it. */
  z.strictObject({
    source: z.literal('folder'),
    folder: z.string().min(1).meta({ file: true }),
    maxSide: z.int().min(16).max(4096),
    limit: count.optional(),
  }),
]);

/** Where the pictures come from that programs work on. */
export type TransformSeedsConfig = z.infer<typeof seeds>;

const heldOut = z.strictObject({
  /** Pictures that are drawn for it. */
  pictures: count,
  side: z.int().min(16).max(480),
  programsPerPicture: count,
});

type HeldOut = z.infer<typeof heldOut>;

/** EVE's transformations as a configuration names them. */
export const transformsEntry: EnvironmentEntry<Options, TransformSeedsConfig, HeldOut, 'executable'> = {
  kind: 'executable',
  options,
  seeds,
  heldOut,
  async open(config, { findImage }) {
    const sandbox = await openSandbox(config.sandbox);
    const { questions, alike } = config;
    const micro = config.promptStyle === 'micro';
    const environment = transformEnvironment({
      config: { questions, alike },
      sandbox,
      findImage,
      ...(micro
        ? {
            solver: microSolver,
            challenger: microChallenger,
            seedPrograms: MICRO_SEED_PROGRAMS,
            wording: microWording,
          }
        : { solver: transformSolver, challenger }),
    });
    return { environment, close: () => sandbox.close() };
  },
  demonstrator: () => demonstrate,
  trainingSeeds,
  heldOutTasks: (config, transforms, environment, rng) =>
    heldOutTasks(config, transforms, environment as TransformEnvironment, rng),
};

/** A worked answer: the letter, boxed. */
function demonstrate({ task }: Pick<Realised, 'task'>): string {
  return `\\boxed{ ${task.answer} }`;
}

async function trainingSeeds(
  config: TransformSeedsConfig,
  _options: Options,
  rng: Rng,
  resolveFile: (name: string) => string,
): Promise<TrainingSeeds> {
  if (config.source === 'rendered') {
    const images = renderedPictures(rng, config.count, config.side);
    return { images, seeds: images.map((image) => pictureSeed(imageRef(image))), notes: [] };
  }
  const { maxSide, limit, folder } = config;
  const { images, skipped } = await readLibrary(resolveFile(folder), {
    maxSide,
    ...(limit === undefined ? {} : { limit }),
  });
  const first = skipped[0];
  const notes = first
    ? [`${skipped.length} files of ${folder} can't be read as pictures, e.g. ${first.file}: ${first.problem}`]
    : [];
  return { images, seeds: images.map((image) => pictureSeed(imageRef(image))), notes };
}

/** Pictures of CLEVR-like scenes, `side` pixels a side, each drawn at a multiple of its size and averaged. */
export function renderedPictures(rng: Rng, count: number, side: number): Image[] {
  const times = side < 48 ? 2 : 1;
  const view = { width: side * times, height: side * times };
  return Array.from({ length: count }, (_, i) => {
    const scene = sampleVisibleScene(rng.child('picture', i), {
      objects: [2, 4],
      sizes: ['large'],
      view: { width: Math.max(48, view.width), height: Math.max(48, view.height) },
    });
    return averaged(drawScene(scene, view).image, times);
  });
}

/** A picture a whole number of times smaller. */
function averaged(image: Image, times: number): Image {
  if (times === 1) return image;
  const [width, height] = [Math.floor(image.width / times), Math.floor(image.height / times)];
  const rgb = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < 3; c++) {
        let sum = 0;
        for (let dy = 0; dy < times; dy++) {
          for (let dx = 0; dx < times; dx++) {
            sum += image.rgb[3 * ((y * times + dy) * image.width + x * times + dx) + c] as number;
          }
        }
        rgb[3 * (y * width + x) + c] = Math.round(sum / (times * times));
      }
    }
  }
  return { width, height, rgb };
}

/** Questions about programs that no challenger wrote: scripted ones in the micro style, the seed programs otherwise. */
async function heldOutTasks(
  { pictures, side, programsPerPicture }: HeldOut,
  { promptStyle }: Options,
  environment: TransformEnvironment,
  rng: Rng,
): Promise<{ readonly tasks: readonly Realised[]; readonly notes: readonly string[] }> {
  const images = renderedPictures(rng.child('pictures'), pictures, side);
  environment.show(images);
  const program = (stream: Rng): TransformAction =>
    promptStyle === 'micro' ? scriptedAction(stream) : stream.pick(SEED_PROGRAMS);
  const made = await Promise.all(
    images.flatMap((image, i) =>
      Array.from({ length: programsPerPicture }, (_, k) =>
        environment.realise(pictureSeed(imageRef(image)), program(rng.child('program', i, k))),
      ),
    ),
  );
  const byId = new Map<string, Realised>();
  const reasons = new Map<string, number>();
  for (const result of made) {
    if (!result.ok) reasons.set(result.error.reason, (reasons.get(result.error.reason) ?? 0) + 1);
    else for (const realised of result.value) byId.set(realised.task.id, realised);
  }
  const notes = [...reasons].map(
    ([reason, n]) => `${n} of ${made.length} held-out programs refused: ${reason}`,
  );
  return { tasks: [...byId.values()], notes };
}

/** A scripted program as an action. */
export function scriptedAction(rng: Rng): TransformAction {
  const parsed: Result<TransformAction, unknown> = parseProgram(linesOf(scriptedProgram(rng).text));
  if (!parsed.ok) throw new Error('a scripted program is not of its own form');
  return parsed.value;
}
