/** What the scripts that make the CLEVR base checkpoints share: model shapes, data, patch labels. */
import type { Image } from '../src/core/image.js';
import type { Rng } from '../src/core/rng.js';
import type { Realised } from '../src/core/environment.js';
import {
  clevrEnvironment,
  clevrMicroVocabulary,
  generateQuestion,
  sampleScene,
  COLORS,
  MATERIALS,
  SHAPES,
  SIZES,
  type ClevrEnvironment,
  type ClevrState,
  type Family,
} from '../src/environments/clevr/index.js';
import { drawScene } from '../src/environments/clevr/view.js';
import { visionTokens, type MicroConfig } from '../src/engines/micro/config.js';
import type { Tensor } from '../src/engines/micro/safetensors.js';
import type { LabelledImage } from '../src/engines/micro/pretrain.js';

export const VIEW = { width: 72, height: 48 };

/** Families of the micro task: those a small decoder learns in minutes. */
export const MICRO_FAMILIES: readonly Family[] = ['zero_hop', 'one_hop', 'same_relate'];

/** Sizes in seeds and held-out scenes: at 72x48 the shape of a small object is often anyone's guess. Edits may use both. */
export const MICRO_SIZES = ['large'] as const;

const LABELS = 1 + SIZES.length + COLORS.length + MATERIALS.length + SHAPES.length;
const STRIDE = 8;

export const ACTOR_CONFIG = {
  width: 96,
  heads: 4,
  layers: 3,
  expand: 4,
  promptLength: 20,
  completionLength: 12,
  vocabulary: clevrMicroVocabulary(),
  vision: {
    imageWidth: VIEW.width,
    imageHeight: VIEW.height,
    stride: STRIDE,
    window: 12,
    layers: 3,
    patchLabels: LABELS,
  },
} as const satisfies MicroConfig;

export const REWRITER_CONFIG = {
  width: 64,
  heads: 4,
  layers: 3,
  expand: 4,
  promptLength: 112,
  completionLength: 48,
  vocabulary: clevrMicroVocabulary(),
  vision: null,
} as const satisfies MicroConfig;

/** Which word names which patch label, in label order behind the first ("an object is here"); plurals too. */
export const LABEL_WORDS: ReadonlyArray<{ readonly head: number; readonly words: readonly string[] }> = [
  ...SIZES.map((word) => ({ head: 2, words: [word] })),
  ...COLORS.map((word) => ({ head: 0, words: [word] })),
  ...MATERIALS.map((word) => ({ head: 3, words: [word] })),
  ...SHAPES.map((word) => ({ head: 1, words: [word, `${word}s`] })),
];

/**
 * Aligns fresh decoder weights with a pre-trained encoder, as the text side of a real VLM is aligned with its pictures:
 * in the first block the word for an attribute already looks for patches with that attribute (one head an attribute kind),
 * and in the later ones one head looks for all attributes in the phrase together. Everything else stays random.
 */
export function alignDecoder(
  tensors: Map<string, Tensor>,
  config: MicroConfig = ACTOR_CONFIG,
  labelWords: typeof LABEL_WORDS = LABEL_WORDS,
): void {
  const { width: D, heads, layers, vocabulary } = config;
  const labels = config.vision?.patchLabels ?? 0;
  const d = D / heads;
  const get = (name: string): Tensor => {
    const tensor = tensors.get(name);
    if (!tensor) throw new Error(`the model lacks ${name}`);
    return tensor;
  };
  const token = get('text.token').data;
  const label = get('vision.label').data;
  const rowOf = (word: string): number => {
    const at = vocabulary.indexOf(word);
    if (at < 0) throw new Error(`the vocabulary lacks ${word}`);
    return (at + 3) * D;
  };
  labelWords.forEach(({ words }) => {
    const first = rowOf(words[0] as string);
    for (const plural of words.slice(1)) {
      const row = rowOf(plural);
      for (let i = 0; i < D; i++) {
        token[row + i] = 0.9 * (token[first + i] as number) + 0.3 * (token[row + i] as number);
      }
    }
  });
  for (let layer = 0; layer < layers; layer++) {
    const query = get(`text.blocks.${layer}.query`).data;
    const key = get(`text.blocks.${layer}.imageKey`).data;
    const used = new Map<number, number>();
    labelWords.forEach(({ head, words }, index) => {
      const at = layer === 0 ? head : 0;
      const slot = used.get(at) ?? 0;
      used.set(at, slot + 1);
      const column = at * d + slot;
      const row = rowOf(words[0] as string);
      const norm = Math.hypot(...token.subarray(row, row + D));
      for (let i = 0; i < D; i++) {
        query[i * D + column] = ((layer === 0 ? 1 : 0.7) * (token[row + i] as number)) / norm;
        key[i * D + column] = 0.25 * (label[i * labels + 1 + index] as number);
      }
    });
  }
}

export function microClevr(): ClevrEnvironment {
  return clevrEnvironment({
    view: VIEW,
    objects: { min: 1, max: 8 },
    extent: 3,
    families: MICRO_FAMILIES,
    paraphrase: false,
    maxEdits: 3,
    requireAnswerChange: false,
    promptStyle: 'micro',
    rejectDegenerate: false,
  });
}

/** A random scene with what stands in each patch; `sizes` are those of its objects, both unless told. */
export function labelledScene(
  rng: Rng,
  min: number,
  max: number,
  sizes: readonly (typeof SIZES)[number][] = SIZES,
): LabelledImage {
  const scene = sampleScene(rng, { objects: [min, max], sizes });
  const { image, geometry } = drawScene(scene, VIEW);
  const columns = VIEW.width / STRIDE;
  const labels = new Float32Array(visionTokens(ACTOR_CONFIG.vision) * LABELS);
  scene.objects.forEach((object, i) => {
    const seen = geometry.objects[i];
    if (!seen || seen.visiblePixels < 4) return;
    const px = Math.min(VIEW.width - 1, Math.max(0, seen.center[0]));
    const py = Math.min(VIEW.height - 1, Math.max(0, seen.center[1]));
    const at = (Math.floor(py / STRIDE) * columns + Math.floor(px / STRIDE)) * LABELS;
    const mark = (offset: number): void => {
      labels[at + offset] = 1;
    };
    mark(0);
    let offset = 1;
    mark(offset + SIZES.indexOf(object.size));
    offset += SIZES.length;
    mark(offset + COLORS.indexOf(object.color));
    offset += COLORS.length;
    mark(offset + MATERIALS.indexOf(object.material));
    offset += MATERIALS.length;
    mark(offset + SHAPES.indexOf(object.shape));
  });
  return { image, labels };
}

/** How many objects a patch prediction got right, by attribute, among patches that hold one object. */
export function patchScores(
  logits: Float32Array,
  labels: Float32Array,
): {
  objects: number;
  size: number;
  color: number;
  material: number;
  shape: number;
  all: number;
  falseAlarms: number;
} {
  const s = { objects: 0, size: 0, color: 0, material: 0, shape: 0, all: 0, falseAlarms: 0 };
  for (let at = 0; at < labels.length; at += LABELS) {
    const there = labels[at] === 1;
    const seen = (logits[at] as number) > 0;
    if (!there) {
      if (seen) s.falseAlarms++;
      continue;
    }
    s.objects++;
    let offset = at + 1;
    const right = (n: number): boolean => {
      let best = offset;
      for (let i = offset; i < offset + n; i++)
        if ((logits[i] as number) > (logits[best] as number)) best = i;
      const hit = labels[best] === 1;
      offset += n;
      return hit;
    };
    const hits = [right(SIZES.length), right(COLORS.length), right(MATERIALS.length), right(SHAPES.length)];
    s.size += Number(hits[0]);
    s.color += Number(hits[1]);
    s.material += Number(hits[2]);
    s.shape += Number(hits[3]);
    if (seen && hits.every(Boolean)) s.all++;
  }
  return s;
}

/** A random question about a random scene, drawn and labelled; tries again until the environment accepts one. */
export async function randomTask(
  environment: ClevrEnvironment,
  rng: Rng,
  objects: readonly [number, number],
  family: Family,
): Promise<Realised<ClevrState>> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const stream = rng.child(attempt);
    const scene = sampleScene(stream.child('scene'), {
      objects: [objects[0], objects[1]],
      sizes: MICRO_SIZES,
    });
    const question = generateQuestion(scene, family, stream.child('question'), { paraphrase: false });
    if (!question) continue;
    const realised = await environment.realise(
      { seedId: `random/${attempt}`, actions: [], state: { scene, question } },
      null,
    );
    if (realised.ok) return realised.value[0] as Realised<ClevrState>;
  }
  throw new Error(`randomTask: no ${family} question with ${objects.join(' to ')} objects in 200 tries`);
}

export type { Image };
