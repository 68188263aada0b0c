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

/** How strongly the aligned decoder reads, copies and looks; tried on four minutes of training each. */
const ALIGNED = {
  readout: 4,
  copy: 3,
  gate: 0.67,
  firstKey: 0.25,
  laterKey: 1,
  firstQuery: 1,
  laterQuery: 1.5,
};

/** Tokens behind which the actor writes a number or the answer, so that it must know there what was asked. */
const WRITING_PLACES = ['<think>', '</think>', '<answer>', '0', '1', '2', '3', '4', '5'] as const;

/** The head of the first block that copies, and its first free column. */
const COPY_HEAD = 3;
const COPY_COLUMN = 4;
const GATE_COLUMN = 20;

/**
 * Aligns fresh decoder weights with a pre-trained encoder, as the text side of a real VLM is aligned with its pictures. In the
 * first block the word for an attribute already looks for patches with that attribute (one head an attribute kind), and
 * the places where the actor writes copy the question's attribute words; in the later ones one head looks for all of these
 * attributes together and reads out the attributes of what it finds. Everything else stays random.
 */
export function alignDecoder(
  tensors: Map<string, Tensor>,
  config: MicroConfig = ACTOR_CONFIG,
  labelWords: typeof LABEL_WORDS = LABEL_WORDS,
): void {
  const { width: D, heads, layers, vocabulary } = config;
  const labels = config.vision?.patchLabels ?? 0;
  const d = D / heads;
  const get = (name: string): Float32Array => {
    const tensor = tensors.get(name);
    if (!tensor) throw new Error(`the model lacks ${name}`);
    return tensor.data as Float32Array;
  };
  const token = get('text.token');
  const label = get('vision.label');
  const outputs = get('text.head');
  const idOf = (word: string): number => {
    const at = vocabulary.indexOf(word);
    if (at < 0) throw new Error(`the vocabulary lacks ${word}`);
    return at + 3;
  };
  const unit = (of: (i: number) => number): Float32Array => {
    const raw = Float32Array.from({ length: D }, (_, i) => of(i));
    const norm = Math.hypot(...raw);
    return raw.map((value) => value / norm);
  };
  const wordUnit = (word: string): Float32Array => unit((i) => token[idOf(word) * D + i] as number);
  const firstWord = (words: readonly string[]): string => words[0] as string;

  for (const { words } of labelWords) {
    const first = idOf(firstWord(words)) * D;
    for (const plural of words.slice(1)) {
      const row = idOf(plural) * D;
      for (let i = 0; i < D; i++) {
        token[row + i] = 0.9 * (token[first + i] as number) + 0.3 * (token[row + i] as number);
      }
    }
  }
  copyAttributeWords();
  for (let layer = 0; layer < layers; layer++) lookForAttributes(layer);

  function copyAttributeWords(): void {
    const [query, key, value, imageValue, out] = ['query', 'key', 'value', 'imageValue', 'out'].map((name) =>
      get(`text.blocks.0.${name}`),
    ) as [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array];
    const gate = COPY_HEAD * d + GATE_COLUMN;
    const add = (matrix: Float32Array, direction: Float32Array, scale: number): void => {
      for (let i = 0; i < D; i++)
        matrix[i * D + gate] = (matrix[i * D + gate] as number) + scale * (direction[i] as number);
    };
    for (let i = 0; i < D; i++) query[i * D + gate] = key[i * D + gate] = 0;
    for (const place of WRITING_PLACES.filter((word) => vocabulary.includes(word)))
      add(query, wordUnit(place), ALIGNED.gate);
    labelWords.forEach(({ words }, index) => {
      const direction = wordUnit(firstWord(words));
      const column = COPY_HEAD * d + COPY_COLUMN + index;
      add(key, direction, ALIGNED.gate);
      for (let i = 0; i < D; i++) {
        value[i * D + column] = (ALIGNED.copy * (direction[i] as number)) / 3;
        imageValue[i * D + column] = 0;
        out[column * D + i] = direction[i] as number;
      }
    });
  }

  function lookForAttributes(layer: number): void {
    const [query, key, value, out] = ['query', 'imageKey', 'imageValue', 'out'].map((name) =>
      get(`text.blocks.${layer}.${name}`),
    ) as [Float32Array, Float32Array, Float32Array, Float32Array];
    const [keyScale, queryScale] =
      layer === 0 ? [ALIGNED.firstKey, ALIGNED.firstQuery] : [ALIGNED.laterKey, ALIGNED.laterQuery];
    const used = new Map<number, number>();
    labelWords.forEach(({ head, words }, index) => {
      const at = layer === 0 ? head : 0;
      const slot = used.get(at) ?? 0;
      used.set(at, slot + 1);
      const column = at * d + slot;
      const seen = (i: number): number => label[i * labels + 1 + index] as number;
      const direction = wordUnit(firstWord(words));
      for (let i = 0; i < D; i++) {
        query[i * D + column] = queryScale * (direction[i] as number);
        key[i * D + column] = keyScale * seen(i);
      }
      if (layer === 0) return;
      const patch = unit(seen);
      const said = unit((i) => outputs[i * (outputs.length / D) + idOf(firstWord(words))] as number);
      for (let i = 0; i < D; i++) {
        value[i * D + column] = ALIGNED.readout * (patch[i] as number);
        out[column * D + i] = said[i] as number;
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
