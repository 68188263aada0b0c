import { patchSize, visionTokens, type MicroConfig, type OptimizerConfig } from './config.js';
import { groupLogits, nextLogits, promptCache, type ContextLayer, type GroupShape } from './decoder.js';
import type { Jax, NdArray } from './jax.js';
import { crossEntropyLoss, policyGradientLoss, type LossInputs } from './losses.js';
import { encodePatches, type TextParams, type VisionParams } from './model.js';

export type LossName = 'policy-gradient' | 'cross-entropy';

/** What is differentiated: the decoder, and the encoder too unless it is frozen. */
export type Trainable = { text: TextParams; vision?: VisionParams };

/** One batch of groups on the device. `image` holds picture tokens [B, C_v, D], or patches where the encoder is trained. */
export type GroupArrays = {
  image?: NdArray;
  promptIds: NdArray;
  promptMask: NdArray;
  inputIds: NdArray;
};

/** What completions of a batch read besides themselves; see `promptCache`. */
export type Context = { layers: ContextLayer[]; mask: NdArray };

/**
 * The compiled functions of one model. Each is compiled the first time a shape is asked for, which takes seconds, and
 * kept. All consume their array arguments.
 */
export class Kernels {
  readonly #compiled = new Map<string, { dispose(): void }>();

  constructor(
    readonly jax: Jax,
    readonly config: MicroConfig,
    readonly optimizer: OptimizerConfig,
  ) {}

  dispose(): void {
    for (const kernel of this.#compiled.values()) kernel.dispose();
    this.#compiled.clear();
  }

  /** Patches [B, C_v, patch] to picture tokens [B, C_v, D]. */
  encode(B: number): (vision: VisionParams, patches: NdArray) => NdArray {
    const { jax, config } = this;
    return this.#once(`encode ${B}`, () =>
      jax.jit((vision: VisionParams, patches: NdArray) => {
        vision.label.dispose();
        vision.labelBias.dispose();
        return encodePatches(jax, config, vision, patches, B);
      }),
    );
  }

  /** See `promptCache`. */
  prompt(B: number): (text: TextParams, arrays: Omit<GroupArrays, 'inputIds'>) => Context {
    const { jax, config } = this;
    return this.#once(`prompt ${B}`, () =>
      jax.jit((text: TextParams, arrays: Omit<GroupArrays, 'inputIds'>) =>
        promptCache(jax, config, B, text, arrays.image ?? null, arrays.promptIds, arrays.promptMask),
      ),
    );
  }

  /** See `nextLogits`. */
  next(
    shape: GroupShape,
  ): (
    text: TextParams,
    ids: NdArray,
    at: NdArray,
    upTo: NdArray,
    context: Context,
    own: NdArray[],
  ) => [NdArray, NdArray[]] {
    const { jax, config } = this;
    return this.#once(`next ${shape.B} ${shape.K}`, () =>
      jax.jit(
        (
          text: TextParams,
          ids: NdArray,
          at: NdArray,
          upTo: NdArray,
          context: Context,
          own: NdArray[],
        ): [NdArray, NdArray[]] => nextLogits(jax, config, shape, text, ids, at, upTo, context, own),
      ),
    );
  }

  /** Log-probabilities at temperature 1 of `targets` [B, K, L] under the `allowed` mask, [B, K, L]. */
  logprobs(
    shape: GroupShape,
  ): (trainable: Trainable, arrays: GroupArrays, targets: NdArray, allowed: NdArray) => NdArray {
    const { jax } = this;
    const np = jax.numpy;
    return this.#once(`logprobs ${shape.B} ${shape.K}`, () =>
      jax.jit((trainable: Trainable, arrays: GroupArrays, targets: NdArray, allowed: NdArray) => {
        const logits = this.#logits(shape, trainable, arrays).add(allowed);
        const oneHot = jax.nn.oneHot(targets, logits.shape[3] as number);
        return np.sum(jax.nn.logSoftmax(logits, -1).mul(oneHot), -1);
      }),
    );
  }

  /** Loss, its sums, and `total` plus the gradient of the loss. */
  gradients(
    shape: GroupShape,
    loss: LossName,
  ): (
    trainable: Trainable,
    arrays: GroupArrays,
    inputs: LossInputs,
    total: Trainable,
  ) => [NdArray, NdArray, Trainable] {
    const { jax } = this;
    const lossOf = loss === 'policy-gradient' ? policyGradientLoss : crossEntropyLoss;
    return this.#once(`gradients ${shape.B} ${shape.K} ${loss}`, () =>
      jax.jit(
        (
          trainable: Trainable,
          arrays: GroupArrays,
          inputs: LossInputs,
          total: Trainable,
        ): [NdArray, NdArray, Trainable] => {
          const f = (t: Trainable, a: GroupArrays, i: LossInputs): [NdArray, NdArray] =>
            lossOf(jax, this.#logits(shape, t, a), i);
          const [[value, sums], gradient] = jax.valueAndGrad(f, { hasAux: true })(trainable, arrays, inputs);
          const [old, tree] = jax.tree.flatten(total);
          const [fresh] = jax.tree.flatten(gradient);
          const sum = old.map((a, i) => a.add(fresh[i] as NdArray));
          return [value, sums, jax.tree.unflatten(tree, sum) as Trainable];
        },
      ),
    );
  }

  /**
   * One AdamW step. `rates` is [learning rate, 1 / (1 - beta1^t), 1 / (1 - beta2^t)]. Gives the gradient's norm before
   * clipping and the new weights and moments.
   */
  apply(): (
    weights: NdArray[],
    gradient: NdArray[],
    first: NdArray[],
    second: NdArray[],
    rates: NdArray,
  ) => [NdArray, NdArray[], NdArray[], NdArray[]] {
    const { jax, optimizer } = this;
    const np = jax.numpy;
    const { beta1, beta2, epsilon, weightDecay, clipNorm } = optimizer;
    return this.#once('apply', () =>
      jax.jit(
        (
          weights: NdArray[],
          gradient: NdArray[],
          first: NdArray[],
          second: NdArray[],
          rates: NdArray,
        ): [NdArray, NdArray[], NdArray[], NdArray[]] => {
          const squares = gradient.map((g) => np.sum(g.ref.mul(g.ref)));
          const norm = np.sqrt(squares.reduce((a, b) => a.add(b)));
          const clip = np.minimum(np.reciprocal(norm.ref.add(1e-6)).mul(clipNorm), 1);
          const [lr, c1, c2] = [rates.ref.slice(0), rates.ref.slice(1), rates.slice(2)];
          const out: [NdArray[], NdArray[], NdArray[]] = [[], [], []];
          weights.forEach((weight, i) => {
            const g = (gradient[i] as NdArray).mul(clip.ref);
            const m = (first[i] as NdArray).mul(beta1).add(g.ref.mul(1 - beta1));
            const v = (second[i] as NdArray).mul(beta2).add(g.ref.mul(g).mul(1 - beta2));
            const root = np.sqrt(v.ref.mul(c2.ref)).add(epsilon);
            let step = m.ref.mul(c1.ref).mul(np.reciprocal(root));
            if (weightDecay > 0 && weight.shape.length > 1) step = step.add(weight.ref.mul(weightDecay));
            out[0].push(weight.sub(step.mul(lr.ref)));
            out[1].push(m);
            out[2].push(v);
          });
          for (const used of [clip, lr, c1, c2]) used.dispose();
          return [norm, ...out];
        },
      ),
    );
  }

  #logits(shape: GroupShape, trainable: Trainable, arrays: GroupArrays): NdArray {
    const { jax, config } = this;
    let image = arrays.image ?? null;
    if (trainable.vision && image) {
      trainable.vision.label.dispose();
      trainable.vision.labelBias.dispose();
      image = encodePatches(jax, config, trainable.vision, image, shape.B);
    }
    const { promptIds, promptMask, inputIds } = arrays;
    return groupLogits(jax, config, shape, trainable.text, image, promptIds, promptMask, inputIds);
  }

  #once<F extends { dispose(): void }>(key: string, make: () => F): F {
    let kernel = this.#compiled.get(key);
    if (!kernel) {
      kernel = make();
      this.#compiled.set(key, kernel);
    }
    return kernel as F;
  }
}

/** Shape of a batch of `B` pictures as `encode` takes it. */
export function patchShape(config: MicroConfig, B: number): number[] {
  if (!config.vision) throw new Error('this micro model reads no pictures');
  return [B, visionTokens(config.vision), patchSize(config.vision)];
}
