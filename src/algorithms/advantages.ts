/** Rewards that differ by less than this, relative to their size, differ by rounding alone. */
const ROUNDING = 1e-12;

export interface AdvantageOptions {
  /** `std` divides by the group's standard deviation (GRPO); `none` leaves the centred rewards (Dr. GRPO, Liu et al. 2025). */
  readonly normalise: 'std' | 'none';
}

/**
 * Whether a group's rewards tell its rollouts apart. Where they don't, every advantage is 0 and training on the group is
 * wasted. Rewards that are equal but for rounding are equal: dividing by their spread would turn noise into full advantages.
 */
export function hasSignal(rewards_K: readonly number[]): boolean {
  if (rewards_K.length < 2) return false;
  const high = Math.max(...rewards_K);
  const low = Math.min(...rewards_K);
  return high - low > ROUNDING * Math.max(1, Math.abs(high), Math.abs(low));
}

/**
 * Advantages of one group's K rollouts, each shared by all tokens of its rollout: A_k = (R_k - mean R) / std R (Shao et al. 2024,
 * GRPO). They sum to 0. A group without signal, one rollout included, gives zeros.
 *
 * The standard deviation is the population's (divisor K), without an epsilon: with rewards of +1 and -1 and pass rate p the two
 * advantages are sqrt((1 - p) / p) and -sqrt(p / (1 - p)), at any K and any scale of the reward. Trainers that divide by K - 1
 * give sqrt((K - 1) / K) of this, 0.94 at K = 8. Throws when a reward isn't finite: it would poison the whole batch.
 */
export function groupAdvantages(rewards_K: readonly number[], options: AdvantageOptions): number[] {
  const bad = rewards_K.find((reward) => !Number.isFinite(reward));
  if (bad !== undefined) throw new Error(`groupAdvantages: a reward is ${bad}`);
  if (!hasSignal(rewards_K)) return rewards_K.map(() => 0);
  const mean = rewards_K.reduce((sum, reward) => sum + reward, 0) / rewards_K.length;
  const centred_K = rewards_K.map((reward) => reward - mean);
  if (options.normalise === 'none') return centred_K;
  const std = Math.sqrt(centred_K.reduce((sum, d) => sum + d * d, 0) / rewards_K.length);
  return centred_K.map((d) => d / std);
}
