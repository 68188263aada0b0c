import type { Image } from '../../../src/core/image.js';
import { userPrompt, type Prompt } from '../../../src/core/prompt.js';
import { Rng } from '../../../src/core/rng.js';
import type { MicroConfig } from '../../../src/engines/micro/config.js';
import { MicroPolicy, type MicroOptions } from '../../../src/engines/micro/index.js';

/** A model that compiles fast and still has every part: pictures, prompt, two decoder layers. */
export const TINY = {
  width: 32,
  heads: 2,
  layers: 2,
  expand: 2,
  promptLength: 4,
  completionLength: 8,
  vocabulary: ['red', 'green', 'blue', 'cube', 'ball', 'one', 'two', '<answer>', '</answer>'],
  vision: { imageWidth: 8, imageHeight: 8, stride: 4, window: 6, layers: 1, patchLabels: 2 },
} as const satisfies MicroConfig;

export function tinyPolicy(options: Partial<MicroOptions> = {}): Promise<MicroPolicy> {
  return MicroPolicy.create(TINY, Rng.fromSeed('tiny'), {
    name: 'tiny',
    freezeVision: true,
    sampleShapes: [{ B: 2, K: 4 }],
    trainShapes: [{ B: 2, K: 4 }],
    ...options,
  });
}

/** A picture of noise, 8x8 unless said otherwise. */
export function noise(seed: number, width = 8, height = 8): Image {
  const rng = Rng.fromSeed('noise').child(seed);
  return { width, height, rgb: Uint8Array.from({ length: 3 * width * height }, () => rng.int(256)) };
}

export const PROMPTS: readonly Prompt[] = ['red cube', 'blue ball one', 'green'].map((text, i) =>
  userPrompt(text, [noise(i)]),
);
