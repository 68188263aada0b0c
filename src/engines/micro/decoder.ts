import { visionTokens, type MicroConfig } from './config.js';
import type { Jax, NdArray } from './jax.js';
import {
  embed,
  feedForward,
  heads,
  mergeHeads,
  read,
  rmsNorm,
  settle,
  vocabularySize,
  type Block,
  type Reading,
  type TextParams,
} from './model.js';

/** Fixed sizes of one compiled decoder: B prompts, K completions each. */
export interface GroupShape {
  readonly B: number;
  readonly K: number;
}

/** Keys and values of one decoder block that a completion reads besides its own, each [B, H, C, d]. */
export type ContextLayer = { imageK?: NdArray; imageV?: NdArray; promptK: NdArray; promptV: NdArray };

/** Sizes that every function here needs. */
function sizes(config: MicroConfig): { D: number; H: number; d: number; P: number; L: number; V: number } {
  const { width: D, heads: H, promptLength: P, completionLength: L } = config;
  return { D, H, d: D / H, P, L, V: vocabularySize(config) };
}

/** Lower triangle of ones, [n, n]. */
function causalMask(jax: Jax, n: number): NdArray {
  return jax.numpy.tril(jax.numpy.ones([n, n]));
}

/** Keys and values of the picture for one block; borrows the picture's tokens. */
function imageLayer(
  jax: Jax,
  config: MicroConfig,
  B: number,
  block: Block,
  imageTokens: NdArray | null,
): Pick<ContextLayer, 'imageK' | 'imageV'> {
  if (!config.vision) return {};
  const { imageKey, imageValue } = block;
  if (!imageTokens || !imageKey || !imageValue) throw new Error('this micro model needs picture tokens');
  const { H, d } = sizes(config);
  const C = visionTokens(config.vision);
  return {
    imageK: heads(jax.numpy.matmul(imageTokens.ref, imageKey), B, C, H, d),
    imageV: heads(jax.numpy.matmul(imageTokens.ref, imageValue), B, C, H, d),
  };
}

/** What queries [B, H, S, d] read from a context layer, borrowing it: the picture whole, the prompt under `mask`. */
function readContext(jax: Jax, query: NdArray, layer: ContextLayer, mask: NdArray): Reading[] {
  const readings = [read(jax, query.ref, layer.promptK.ref, layer.promptV.ref, mask)];
  if (layer.imageK && layer.imageV) {
    readings.push(read(jax, query.ref, layer.imageK.ref, layer.imageV.ref, null));
  }
  return readings;
}

/**
 * The prompt alone through one block. Gives the context layer for completions and the prompt's next hidden state, or
 * null behind the last block, where nothing reads it. Consumes x and, when `last`, the weights a next state would need.
 */
function promptBlock(
  jax: Jax,
  config: MicroConfig,
  B: number,
  block: Block,
  x: NdArray,
  image: Pick<ContextLayer, 'imageK' | 'imageV'>,
  mask: NdArray,
  last: boolean,
): { layer: ContextLayer; x: NdArray | null } {
  const np = jax.numpy;
  const { D, H, d, P } = sizes(config);
  const h = rmsNorm(jax, x.ref, block.norm1);
  const promptK = heads(np.matmul(h.ref, block.key), B, P, H, d);
  const promptV = heads(np.matmul(h.ref, block.value), B, P, H, d);
  const layer: ContextLayer = { ...image, promptK, promptV };
  if (last) {
    for (const unused of [x, h, block.query, block.out, block.norm2, block.up, block.down]) unused.dispose();
    return { layer, x: null };
  }
  const query = heads(np.matmul(h, block.query).mul(1 / Math.sqrt(d)), B, P, H, d);
  const o = mergeHeads(settle(jax, readContext(jax, query, layer, mask.ref)), B, P, D);
  query.dispose();
  return { layer, x: feedForward(jax, x.add(np.matmul(o, block.out)), block) };
}

/** The weights that the prompt's pass uses, each with one more reference, so that completions can use them too. */
function again(jax: Jax, block: Block): Block {
  const { norm1, norm2, query, key, value, out, up, down } = block;
  return jax.tree.ref({ norm1, norm2, query, key, value, out, up, down });
}

/**
 * Prompt and all completions of each group in one pass. The prompt's tokens see the picture and the prompt before them;
 * a completion's tokens see the picture, the whole prompt and their own completion before them, never one another.
 *
 * imageTokens [B, C_v, D] or null, promptIds [B, P] (padded on the left), promptMask [B, P] of 0 and 1, inputIds
 * [B, K, L] (each completion moved right by one behind the begin token). Gives logits [B, K, L, V]. Consumes all.
 */
export function groupLogits(
  jax: Jax,
  config: MicroConfig,
  { B, K }: GroupShape,
  params: TextParams,
  imageTokens: NdArray | null,
  promptIds: NdArray,
  promptMask: NdArray,
  inputIds: NdArray,
): NdArray {
  const np = jax.numpy;
  const { D, H, d, P, L, V } = sizes(config);
  const S = K * L;
  let x: NdArray | null = embed(jax, promptIds, params.token.ref, V).add(params.promptPosition);
  let y = embed(jax, inputIds, params.token, V).add(params.completionPosition).reshape([B, S, D]);
  const context = promptMask.reshape([B, 1, 1, P]);
  const promptRows = context.ref.mul(causalMask(jax, P));
  const own = causalMask(jax, L);
  params.blocks.forEach((block, i) => {
    const last = i === params.blocks.length - 1;
    const image = imageLayer(jax, config, B, block, imageTokens);
    const prompt = promptBlock(jax, config, B, again(jax, block), x as NdArray, image, promptRows, last);
    x = prompt.x;
    const h = rmsNorm(jax, y.ref, block.norm1);
    const query = heads(np.matmul(h.ref, block.query).mul(1 / Math.sqrt(d)), B, S, H, d);
    const k = heads(np.matmul(h.ref, block.key), B, S, H, d);
    const v = heads(np.matmul(h, block.value), B, S, H, d);
    const rows = [B, H, K, L, d];
    const mine = read(jax, query.ref.reshape(rows), k.reshape(rows), v.reshape(rows), own.ref);
    const ownReading = { sum: mine.sum.reshape([B, H, S, d]), total: mine.total.reshape([B, H, S, 1]) };
    const readings = [ownReading, ...readContext(jax, query, prompt.layer, context.ref)];
    query.dispose();
    jax.tree.dispose(prompt.layer);
    y = feedForward(jax, y.add(np.matmul(mergeHeads(settle(jax, readings), B, S, D), block.out)), block);
  });
  for (const used of [context, promptRows, own]) used.dispose();
  imageTokens?.dispose();
  return np.matmul(rmsNorm(jax, y, params.norm), params.head).reshape([B, K, L, V]);
}

/**
 * The prompt alone: a context layer for every block and the prompt's mask [B, 1, 1, P]. Consumes all arguments.
 */
export function promptCache(
  jax: Jax,
  config: MicroConfig,
  B: number,
  params: TextParams,
  imageTokens: NdArray | null,
  promptIds: NdArray,
  promptMask: NdArray,
): { layers: ContextLayer[]; mask: NdArray } {
  const { P, V } = sizes(config);
  let x: NdArray | null = embed(jax, promptIds, params.token, V).add(params.promptPosition);
  const mask = promptMask.reshape([B, 1, 1, P]);
  const rows = mask.ref.mul(causalMask(jax, P));
  const layers = params.blocks.map((block, i) => {
    const last = i === params.blocks.length - 1;
    const image = imageLayer(jax, config, B, block, imageTokens);
    const prompt = promptBlock(jax, config, B, block, x as NdArray, image, rows, last);
    x = prompt.x;
    return prompt.layer;
  });
  for (const unused of [rows, params.norm, params.head, params.completionPosition]) unused.dispose();
  imageTokens?.dispose();
  return { layers, mask };
}

/**
 * One more token for every completion. ids [B, K] are the inputs at position t, `at` [L] is one-hot of t, `upTo` [L] is
 * 1 up to t; `context` comes from `promptCache`; `own` holds for every block the completion's keys and values, each
 * [B, H, K, L, d]. Gives logits [B, K, V] and the new `own`. Consumes all.
 */
export function nextLogits(
  jax: Jax,
  config: MicroConfig,
  { B, K }: GroupShape,
  params: TextParams,
  ids: NdArray,
  at: NdArray,
  upTo: NdArray,
  context: { layers: ContextLayer[]; mask: NdArray },
  own: NdArray[],
): [NdArray, NdArray[]] {
  const np = jax.numpy;
  const { D, H, d, L, V } = sizes(config);
  const position = np.matmul(at.ref.reshape([1, L]), params.completionPosition);
  let x = embed(jax, ids, params.token, V).add(position);
  const write = at.reshape([1, 1, 1, L, 1]);
  const keep = write.ref.mul(-1).add(1);
  const readable = upTo.reshape([1, 1, 1, 1, L]);
  const next: NdArray[] = [];
  params.blocks.forEach((block, i) => {
    for (const unused of [block.imageKey, block.imageValue]) unused?.dispose();
    const h = rmsNorm(jax, x.ref, block.norm1);
    const query = heads(np.matmul(h.ref, block.query).mul(1 / Math.sqrt(d)), B, K, H, d);
    const put = (old: NdArray, matrix: NdArray): NdArray => {
      const fresh = heads(np.matmul(h.ref, matrix), B, K, H, d).reshape([B, H, K, 1, d]);
      return old.mul(keep.ref).add(fresh.mul(write.ref));
    };
    const ownK = put(own[2 * i] as NdArray, block.key);
    const ownV = put(own[2 * i + 1] as NdArray, block.value);
    h.dispose();
    next.push(ownK.ref, ownV.ref);
    const mine = read(jax, query.ref.reshape([B, H, K, 1, d]), ownK, ownV, readable.ref);
    const layer = context.layers[i] as ContextLayer;
    const ownReading = { sum: mine.sum.reshape([B, H, K, d]), total: mine.total.reshape([B, H, K, 1]) };
    const readings = [ownReading, ...readContext(jax, query, layer, context.mask.ref)];
    query.dispose();
    jax.tree.dispose(layer);
    x = feedForward(jax, x.add(np.matmul(mergeHeads(settle(jax, readings), B, K, D), block.out)), block);
  });
  for (const used of [write, keep, readable, context.mask, params.promptPosition]) used.dispose();
  return [np.matmul(rmsNorm(jax, x, params.norm), params.head), next];
}
