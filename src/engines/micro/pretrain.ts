import type { Image } from '../../core/image.js';
import type { Rng } from '../../core/rng.js';
import { DEFAULT_OPTIMIZER, visionTokens, type MicroConfig, type VisionConfig } from './config.js';
import { loadJax, type Jax, type NdArray } from './jax.js';
import { Kernels, patchShape } from './kernels.js';
import { encodePatches, initParams, type VisionParams } from './model.js';
import { patchBatch } from './patches.js';

/** One labelled picture: for every patch, which of the `patchLabels` hold there; flat [C_v, patchLabels] of 0 and 1. */
export interface LabelledImage {
  readonly image: Image;
  readonly labels: Float32Array;
}

/** A picture encoder while it learns to say what stands in each patch; its weights then start a `MicroPolicy`. */
export interface VisionPretrainer {
  /** One AdamW step on exactly `batchSize` pictures; gives the mean binary cross-entropy per labelled picture, in nats. */
  step(batch: readonly LabelledImage[], learningRate: number): Promise<number>;
  /** Label logits, one flat [C_v, patchLabels] a picture; exactly `batchSize` pictures. */
  predict(images: readonly Image[]): Promise<Float32Array[]>;
  /** The encoder's weights now; the receiver owns them. */
  weights(): VisionParams;
}

/**
 * Prepares the pre-training of an encoder: every patch is to name the objects whose centres it holds. Starts from fresh
 * weights, or from `start` (which it consumes).
 */
export async function visionPretrainer(
  config: MicroConfig,
  batchSize: number,
  rng: Rng,
  start?: VisionParams,
): Promise<VisionPretrainer> {
  const jax = await loadJax();
  const vision = config.vision;
  if (!vision) throw new Error('visionPretrainer: this model has no encoder');
  const kernels = new Kernels(jax, config, DEFAULT_OPTIMIZER);
  const fresh = initParams(jax, config, rng);
  jax.tree.dispose(fresh.text);
  if (start && fresh.vision) jax.tree.dispose(fresh.vision);
  let params: VisionParams = start ?? (fresh.vision as VisionParams);
  let moments: { first: NdArray[]; second: NdArray[] } | null = null;
  let t = 0;
  const logitsOf = labelLogits(jax, config, batchSize);
  const predict = jax.jit(logitsOf);
  const gradient = jax.jit((p: VisionParams, patches: NdArray, labels: NdArray): [NdArray, VisionParams] =>
    jax.valueAndGrad((q: VisionParams, x: NdArray, y: NdArray): NdArray => {
      const z = logitsOf(q, x);
      return jax.numpy.sum(jax.nn.softplus(z.ref).sub(z.mul(y))).mul(1 / batchSize);
    })(p, patches, labels),
  );
  const { beta1, beta2 } = kernels.optimizer;
  const patches = (images: readonly Image[]): NdArray => {
    if (images.length !== batchSize) throw new Error(`a batch holds ${batchSize} pictures`);
    return jax.numpy.array(patchBatch(images, vision), { shape: patchShape(config, batchSize) });
  };
  return {
    async step(batch, learningRate) {
      t++;
      const labels = jax.numpy.array(stackLabels(batch, vision), {
        shape: [batchSize, visionTokens(vision), vision.patchLabels],
      });
      const [loss, grads] = gradient(jax.tree.ref(params), patches(batch.map((b) => b.image)), labels);
      const [weights, tree] = jax.tree.flatten(params);
      const [list] = jax.tree.flatten(grads);
      const zeros = (): NdArray[] => weights.map((w) => jax.numpy.zeros(w.shape));
      const old = moments ?? { first: zeros(), second: zeros() };
      const rates = jax.numpy.array(
        Float32Array.of(learningRate, 1 / (1 - beta1 ** t), 1 / (1 - beta2 ** t)),
      );
      const [norm, next, first, second] = kernels.apply()(weights, list, old.first, old.second, rates);
      norm.dispose();
      params = jax.tree.unflatten(tree, next) as VisionParams;
      moments = { first, second };
      return ((await loss.data()) as Float32Array)[0] as number;
    },
    async predict(images) {
      const data = (await predict(jax.tree.ref(params), patches(images)).data()) as Float32Array;
      const size = visionTokens(vision) * vision.patchLabels;
      return images.map((_, i) => data.slice(i * size, (i + 1) * size));
    },
    weights: () => jax.tree.ref(params),
  };
}

function labelLogits(
  jax: Jax,
  config: MicroConfig,
  B: number,
): (params: VisionParams, patches: NdArray) => NdArray {
  return (params, patches) => {
    const tokens = encodePatches(jax, config, params, patches, B);
    return jax.numpy.matmul(tokens, params.label).add(params.labelBias);
  };
}

function stackLabels(batch: readonly LabelledImage[], vision: VisionConfig): Float32Array {
  const size = visionTokens(vision) * vision.patchLabels;
  const out = new Float32Array(batch.length * size);
  batch.forEach(({ labels }, i) => out.set(labels, i * size));
  return out;
}
