import type { Rng } from '../../core/rng.js';
import { patchSize, visionTokens, type MicroConfig, type VisionConfig } from './config.js';
import type { Jax, NdArray } from './jax.js';

/**
 * One transformer block: gains of its two norms [D], projections [D, D], feed-forward [D, expand D] and back. The last two
 * (decoder only) make keys and values of the picture's tokens. Queries, keys and values have matrices of their own, and
 * nothing is ever concatenated or sliced: both cost more here than the products they would merge.
 */
export type Block = {
  norm1: NdArray;
  norm2: NdArray;
  query: NdArray;
  key: NdArray;
  value: NdArray;
  out: NdArray;
  up: NdArray;
  down: NdArray;
  imageKey?: NdArray;
  imageValue?: NdArray;
};

export type VisionParams = {
  patchIn: NdArray;
  patchBias: NdArray;
  patchOut: NdArray;
  position: NdArray;
  norm: NdArray;
  label: NdArray;
  labelBias: NdArray;
  blocks: Block[];
};

export type TextParams = {
  token: NdArray;
  promptPosition: NdArray;
  completionPosition: NdArray;
  norm: NdArray;
  head: NdArray;
  blocks: Block[];
};

/** Number of tokens, V, rounded up to a multiple of 4 so that products keep their SIMD width. */
export function vocabularySize(config: MicroConfig): number {
  return Math.ceil((config.vocabulary.length + 3) / 4) * 4;
}

/** Fresh weights, drawn from `rng`: normal with fan-in scaling, residual outputs shrunk by depth. */
export function initParams(
  jax: Jax,
  config: MicroConfig,
  rng: Rng,
): { vision: VisionParams | null; text: TextParams } {
  const np = jax.numpy;
  const D = config.width;
  const V = vocabularySize(config);
  const normal = (name: string, scale: number, ...shape: number[]): NdArray => {
    const stream = rng.child(name);
    const size = shape.reduce((a, b) => a * b, 1);
    return np.array(
      Float32Array.from({ length: size }, () => stream.normal() * scale),
      { shape },
    );
  };
  const block = (name: string, depth: number, image: boolean): Block => ({
    norm1: np.ones([D]),
    norm2: np.ones([D]),
    query: normal(`${name}.query`, 1 / Math.sqrt(D), D, D),
    key: normal(`${name}.key`, 1 / Math.sqrt(D), D, D),
    value: normal(`${name}.value`, 1 / Math.sqrt(D), D, D),
    out: normal(`${name}.out`, 1 / Math.sqrt(2 * depth * D), D, D),
    up: normal(`${name}.up`, 1 / Math.sqrt(D), D, config.expand * D),
    down: normal(`${name}.down`, 1 / Math.sqrt(2 * depth * config.expand * D), config.expand * D, D),
    ...(image
      ? {
          imageKey: normal(`${name}.imageKey`, 1 / Math.sqrt(D), D, D),
          imageValue: normal(`${name}.imageValue`, 1 / Math.sqrt(D), D, D),
        }
      : {}),
  });
  const blocks = (name: string, depth: number, image: boolean): Block[] =>
    Array.from({ length: depth }, (_, i) => block(`${name}.${i}`, depth, image));
  const visionParams = (vision: VisionConfig): VisionParams => ({
    patchIn: normal('vision.patchIn', 1 / Math.sqrt(patchSize(vision)), patchSize(vision), D),
    patchBias: np.zeros([D]),
    patchOut: normal('vision.patchOut', 1 / Math.sqrt(D), D, D),
    position: normal('vision.position', 0.3, visionTokens(vision), D),
    norm: np.ones([D]),
    label: normal('vision.label', 1 / Math.sqrt(D), D, vision.patchLabels),
    labelBias: np.full([vision.patchLabels], -3),
    blocks: blocks('vision', vision.layers, false),
  });
  return {
    vision: config.vision ? visionParams(config.vision) : null,
    text: {
      token: normal('token', 0.3, V, D),
      promptPosition: normal('promptPosition', 0.1, config.promptLength, D),
      completionPosition: normal('completionPosition', 0.1, config.completionLength, D),
      norm: np.ones([D]),
      head: normal('head', 0.5 / Math.sqrt(D), D, V),
      blocks: blocks('text', config.layers, config.vision !== null),
    },
  };
}

/** Root-mean-square normalisation with a gain; consumes both. */
export function rmsNorm(jax: Jax, x: NdArray, gain: NdArray): NdArray {
  const np = jax.numpy;
  const meanSquare = np.mean(x.ref.mul(x.ref), -1, { keepdims: true });
  return x.mul(np.reciprocal(np.sqrt(meanSquare.add(1e-5)))).mul(gain);
}

/** Squared rectifier. */
function reluSquared(jax: Jax, x: NdArray): NdArray {
  const r = jax.nn.relu(x);
  return r.ref.mul(r);
}

/**
 * Unnormalised attention weights max(0, 1 + s / 8)^8: close to exp(s) where most scores lie, and four times cheaper
 * here, where an exponential costs as much as twenty multiplications. Consumes the scores.
 */
export function attentionWeight(jax: Jax, scores: NdArray): NdArray {
  let x = jax.numpy.maximum(scores.mul(1 / 8).add(1), 0);
  for (let i = 0; i < 3; i++) x = x.ref.mul(x);
  return x;
}

/** Adds a block's feed-forward part to x; consumes x and the block's norm2, up, down. */
export function feedForward(jax: Jax, x: NdArray, block: Block): NdArray {
  const np = jax.numpy;
  const h = rmsNorm(jax, x.ref, block.norm2);
  return x.add(np.matmul(reluSquared(jax, np.matmul(h, block.up)), block.down));
}

/** [B, S, D] to heads [B, H, S, d]; consumes x. */
export function heads(x: NdArray, B: number, S: number, H: number, d: number): NdArray {
  return x.reshape([B, S, H, d]).transpose([0, 2, 1, 3]);
}

/** Heads [B, H, S, d] back to [B, S, D]; consumes x. */
export function mergeHeads(x: NdArray, B: number, S: number, D: number): NdArray {
  return x.transpose([0, 2, 1, 3]).reshape([B, S, D]);
}

/** What attention has read so far: the weighted sum of values [..., S, d] and the sum of weights [..., S, 1]. */
export type Reading = { sum: NdArray; total: NdArray };

/**
 * Reads values by key, [..., S, d] x [..., C, d]; `mask` (broadcast to [..., S, C]) is 0 where nothing may be read.
 * Queries are already scaled. Consumes all.
 */
export function read(jax: Jax, query: NdArray, key: NdArray, value: NdArray, mask: NdArray | null): Reading {
  const np = jax.numpy;
  let weights = attentionWeight(jax, np.matmul(query, np.matrixTranspose(key)));
  if (mask) weights = weights.mul(mask);
  return { total: np.sum(weights.ref, -1, { keepdims: true }), sum: np.matmul(weights, value) };
}

/** The normalised value of several readings of the same shape taken together; consumes them. */
export function settle(jax: Jax, readings: readonly Reading[]): NdArray {
  const total = readings.map((r) => r.total).reduce((a, b) => a.add(b));
  const sum = readings.map((r) => r.sum).reduce((a, b) => a.add(b));
  return sum.mul(jax.numpy.reciprocal(total.add(1e-9)));
}

/** Patches [B, C_v, patch] to picture tokens [B, C_v, D]. Consumes everything but `label`, `labelBias`. */
export function encodePatches(
  jax: Jax,
  config: MicroConfig,
  params: VisionParams,
  patches: NdArray,
  B: number,
): NdArray {
  const np = jax.numpy;
  const { width: D, heads: H } = config;
  const d = D / H;
  const C = visionTokens(config.vision as VisionConfig);
  const h = reluSquared(jax, np.matmul(patches, params.patchIn).add(params.patchBias));
  let x = np.matmul(h, params.patchOut).add(params.position);
  for (const block of params.blocks) {
    const h = rmsNorm(jax, x.ref, block.norm1);
    const q = heads(np.matmul(h.ref, block.query).mul(1 / Math.sqrt(d)), B, C, H, d);
    const k = heads(np.matmul(h.ref, block.key), B, C, H, d);
    const v = heads(np.matmul(h, block.value), B, C, H, d);
    const o = mergeHeads(settle(jax, [read(jax, q, k, v, null)]), B, C, D);
    x = feedForward(jax, x.add(np.matmul(o, block.out)), block);
  }
  return rmsNorm(jax, x, params.norm);
}

/** Token ids (any shape) to embeddings, by a one-hot product (faster here than a gather, and differentiable). */
export function embed(jax: Jax, ids: NdArray, table: NdArray, V: number): NdArray {
  return jax.numpy.matmul(jax.nn.oneHot(ids, V), table);
}
