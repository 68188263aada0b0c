/** Rounding of pass rates and bounds such as 0.5 - 0.15 must not decide whether a task is on the frontier. */
const TOLERANCE = 1e-9;

/** Standard normal quantile of 0.975. */
const Z95 = 1.959963984540054;

/** A closed interval of probabilities. */
export interface RateInterval {
  readonly low: number;
  readonly high: number;
}

/** correct / K of a group, in [0, 1]. Throws on an empty group: a task that nobody tried has no pass rate. */
export function passRate(correct: readonly boolean[]): number {
  if (correct.length === 0) throw new Error('passRate: an empty group has no pass rate');
  return correct.filter(Boolean).length / correct.length;
}

/**
 * Wilson's score interval for a pass rate: the p with |correct/K - p| <= z sqrt(p (1 - p) / K) (Wilson 1927). Unlike the
 * normal interval it has width at 0/K and K/K, which is where hopeless groups are told from unlucky ones. `tried` is K, at
 * least 1; `z` defaults to 95 %.
 */
export function passRateInterval(correct: number, tried: number, z: number = Z95): RateInterval {
  if (!(tried >= 1) || !(correct >= 0) || correct > tried) {
    throw new Error(`passRateInterval: ${correct} of ${tried} is no pass rate`);
  }
  const p = correct / tried;
  const shrink = 1 / (1 + (z * z) / tried);
  const centre = shrink * (p + (z * z) / (2 * tried));
  const half = shrink * z * Math.sqrt((p * (1 - p)) / tried + (z * z) / (4 * tried * tried));
  // At the ends the bound is exact; subtraction would leave a rounding error there.
  return {
    low: correct === 0 ? 0 : Math.max(0, centre - half),
    high: correct === tried ? 1 : Math.min(1, centre + half),
  };
}

/** p (1 - p), in [0, 1/4]: what the expected squared norm of the policy gradient is proportional to (VICO, method part 3). */
export function learningSignal(p: number): number {
  return p * (1 - p);
}

/** VICO's frontier: the target pass rate and how sharply to ask for it. */
export interface Frontier {
  /** Target pass rate alpha; the paper's is 0.5. */
  readonly alpha: number;
  /** Sharpness beta of the reward; the paper's is 4. */
  readonly beta: number;
}

/** VICO's reward of the rewriter, R(p) = exp(-beta (p - alpha)^2), in (0, 1]. */
export function vicoDifficulty(p: number, frontier: Frontier = { alpha: 0.5, beta: 4 }): number {
  return Math.exp(-frontier.beta * (p - frontier.alpha) ** 2);
}

/** EVE's difficulty of a question, 1 - 2 |acc - 1/2|, in [0, 1]; for a program, average it over the program's questions. */
export function eveDifficulty(accuracy: number): number {
  return 1 - 2 * Math.abs(accuracy - 0.5);
}

/** MM-Zero's difficulty from self-consistency c, min(c, 1 - c), in [0, 1/2]. */
export function mmZeroDifficulty(selfConsistency: number): number {
  return Math.min(selfConsistency, 1 - selfConsistency);
}

/**
 * Whether a pass rate is in the sweet spot, |p - alpha| <= kMin (VICO: alpha 0.5, kMin 0.15, so [0.35, 0.65] with both ends).
 * At K = 8 that keeps 3/8, 4/8 and 5/8.
 */
export function inSweetSpot(p: number, alpha: number = 0.5, kMin: number = 0.15): boolean {
  return Math.abs(p - alpha) <= kMin + TOLERANCE;
}

/** A pull of the target toward the pass rate of the unedited task. */
export interface DriftPenalty {
  /** lambda kappa_t >= 0: how much a unit of squared departure costs in this round. */
  readonly weight: number;
  /** p_orig, the pass rate of the task before any edit. */
  readonly originalPassRate: number;
}

/**
 * The best target pass rate when edits that drift from the original picture are penalised (VICO, "anti-saturation schedule"):
 * the p that maximises -(p - alpha)^2 - weight (p - p_orig)^2, which for alpha = 1/2 is the learning signal p (1 - p) less the
 * penalty. Setting the derivative to 0 gives p* = (alpha + weight p_orig) / (1 + weight): alpha without a penalty, p_orig as the
 * weight grows.
 */
export function driftTarget(alpha: number, penalty: DriftPenalty): number {
  if (!(penalty.weight >= 0))
    throw new Error(`driftTarget: weight must not be negative, got ${penalty.weight}`);
  return (alpha + penalty.weight * penalty.originalPassRate) / (1 + penalty.weight);
}
