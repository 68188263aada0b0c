import type { Jax, NdArray } from './jax.js';

/** What both losses read; every entry but the scalars is [B, K, L] unless said otherwise. */
export type LossInputs = {
  /** The token each position should write. */
  targets: NdArray;
  /** 1 at real tokens, 0 at padding. */
  mask: NdArray;
  /** Advantage (policy gradient) or weight (cross-entropy) of each token, already 0 at padding. */
  weights: NdArray;
  /** Behaviour log-probabilities. */
  behaviour: NdArray;
  /** Log-probabilities of the reference at temperature 1; all 0 when `kl` is 0. */
  reference: NdArray;
  /** Added to the logits [B, K, L, V]: 0 where a token is allowed, very negative elsewhere; [1, 1, 1, 1] without grammar. */
  allowed: NdArray;
  /** Scalars: 1 / tokens (or 1 / weight sum) of the whole batch, temperature, 1 - clipLow, 1 + clipHigh, KL and entropy coefficients. */
  scale: NdArray;
  temperature: NdArray;
  clipMin: NdArray;
  clipMax: NdArray;
  kl: NdArray;
  entropy: NdArray;
};

/**
 * GRPO / DAPO: -min(r A, clip(r) A) + kl (exp(d) - d - 1) - entropy H, each averaged over all tokens of the batch, with
 * d = logp_ref - logp (methods.md, "Common ground"). Gives the loss and the sums over tokens of [clipped, k3, entropy].
 * Consumes all.
 */
export function policyGradientLoss(jax: Jax, logits: NdArray, inputs: LossInputs): [NdArray, NdArray] {
  const np = jax.numpy;
  const V = logits.shape[3] as number;
  const { targets, mask, weights, behaviour, reference, allowed, scale, temperature, kl, entropy } = inputs;
  const oneHot = jax.nn.oneHot(targets, V);
  const plain = jax.nn.logSoftmax(logits.add(allowed), -1);
  const atOne = np.sum(plain.ref.mul(oneHot.ref), -1);
  const tempered = jax.nn.logSoftmax(plain.mul(np.reciprocal(temperature)), -1);
  const logp = np.sum(tempered.ref.mul(oneHot), -1);
  const H = np.sum(np.exp(tempered.ref).mul(tempered), -1).mul(-1).mul(mask.ref);
  const ratio = np
    .exp(np.clip(logp.sub(behaviour), -20, 20))
    .mul(mask.ref)
    .add(mask.ref.mul(-1).add(1));
  const clipped = np.maximum(np.minimum(ratio.ref, inputs.clipMax), inputs.clipMin);
  const free = ratio.mul(weights.ref);
  const held = clipped.mul(weights);
  const surrogate = np.minimum(free.ref, held.ref).mul(mask.ref);
  const wasClipped = np.sum(np.where(np.less(held, free), 1, 0).mul(mask.ref));
  const d = np.clip(reference.sub(atOne), -20, 20);
  const k3 = np.exp(d.ref).sub(d).sub(1).mul(mask);
  const total = np.sum(surrogate).mul(-1).add(np.sum(k3.ref).mul(kl.ref)).sub(np.sum(H.ref).mul(entropy));
  kl.dispose();
  const sums = np.stack([wasClipped, np.sum(k3), np.sum(H)]);
  return [total.mul(scale), jax.lax.stopGradient(sums)];
}

/** Weighted negative log-likelihood times `scale`; sums are 0. Consumes all. */
export function crossEntropyLoss(jax: Jax, logits: NdArray, inputs: LossInputs): [NdArray, NdArray] {
  const np = jax.numpy;
  const oneHot = jax.nn.oneHot(inputs.targets, logits.shape[3] as number);
  const logp = np.sum(jax.nn.logSoftmax(logits, -1).mul(oneHot), -1);
  const loss = np.sum(logp.mul(inputs.weights)).mul(-1).mul(inputs.scale);
  const { mask, behaviour, reference, allowed, temperature, clipMin, clipMax, kl, entropy } = inputs;
  for (const unused of [mask, behaviour, reference, allowed, temperature, clipMin, clipMax, kl, entropy]) {
    unused.dispose();
  }
  return [loss, np.zeros([3])];
}
