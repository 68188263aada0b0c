/** Keeps 5 w from falling under a whole number by rounding. */
const TOLERANCE = 1e-9;

export interface RewardWeightOptions {
  /** Temperature of the weights; 0 weighs everything alike. VICO's paper doesn't give it; the preset takes 1. */
  readonly lambda: number;
  /** The largest reward there is, whose weight is 1. 1 for VICO's R(p). */
  readonly maxReward?: number;
}

export interface RwrOptions extends RewardWeightOptions {
  /** Copies of an output of weight 1; VICO's is 5. */
  readonly copies: number;
}

/** One generator output with its reward. */
export interface Rewarded<T> {
  readonly item: T;
  readonly reward: number;
}

/** One generator output as the update sees it. */
export interface Weighted<T> extends Rewarded<T> {
  /** exp(lambda (reward - maxReward)), in (0, 1]. */
  readonly weight: number;
  /** How often it stands in the supervised batch, at least 1. */
  readonly copies: number;
}

/**
 * Weight of reward-weighted regression, w = exp(lambda R) scaled to at most 1: exp(lambda (R - maxReward)) (VICO, training of the
 * EnvRewriter; the scale is ours). Throws when the reward is over `maxReward` or isn't finite, since the scale would be wrong.
 */
export function rewardWeight(reward: number, options: RewardWeightOptions): number {
  const maxReward = options.maxReward ?? 1;
  if (!Number.isFinite(reward) || reward > maxReward + TOLERANCE) {
    throw new Error(`rewardWeight: reward ${reward} is over the largest, ${maxReward}`);
  }
  if (!(options.lambda >= 0))
    throw new Error(`rewardWeight: lambda must not be negative, got ${options.lambda}`);
  return Math.min(1, Math.exp(options.lambda * (reward - maxReward)));
}

/** How often an output of weight w in [0, 1] is repeated: floor(copies w), floor(5 w) in VICO. */
export function replications(weight: number, copies: number = 5): number {
  return Math.floor(copies * weight + TOLERANCE);
}

/**
 * The rewriter's supervised batch: weights and copies of the outputs given, order kept, those whose copies round down to 0
 * left out. Which outputs may enter at all (VICO: those in the sweet spot) is the caller's choice.
 *
 * Repeating an output n times and giving it the weight n are the same under a loss that averages over weighted tokens; the
 * second costs one forward pass.
 */
export function rwrBatch<T>(outputs: readonly Rewarded<T>[], options: RwrOptions): Weighted<T>[] {
  return outputs.flatMap(({ item, reward }) => {
    const weight = rewardWeight(reward, options);
    const copies = replications(weight, options.copies);
    return copies > 0 ? [{ item, reward, weight, copies }] : [];
  });
}

/** A batch with every output standing as often as it has copies, copies side by side. */
export function replicate<T>(batch: readonly Weighted<T>[]): T[] {
  return batch.flatMap(({ item, copies }) => Array.from({ length: copies }, () => item));
}
