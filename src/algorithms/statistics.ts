import type { Rng } from '../core/rng.js';
import { NORMAL_975, student975 } from './intervals.js';

/** A number that was measured, with its 95 % interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Standard error of the mean. */
  readonly standardError: number;
  /** Values averaged. */
  readonly n: number;
  /** Groups of values that are independent of one another: images, say. */
  readonly clusters: number;
}

/** One measured value and the cluster it shares its luck with (the image of a question, the seed of a task). */
export interface Clustered {
  readonly value: number;
  readonly cluster: string;
}

/** The value of one item for one system. */
export interface ItemValue extends Clustered {
  /** What was measured: the id of a held-out task. */
  readonly item: string;
}

/**
 * Mean over all values with a 95 % interval that holds when values of one cluster are alike (questions about one image):
 *
 *     e_g = sum over i in g of (x_i - mean),   se^2 = G / (G - 1) * sum over g of e_g^2 / n^2
 *
 * (cluster-robust variance, Liang and Zeger 1986, with the usual small-sample factor), half-width t_{0.975, G - 1} se. With
 * every value its own cluster this is the textbook interval. With one cluster nothing is known of the spread: the interval
 * is infinite. Throws on an empty list or a value that isn't finite.
 */
export function clusteredMean(values: readonly Clustered[]): Estimate {
  const n = values.length;
  if (n === 0) throw new Error('clusteredMean: nothing to average');
  const bad = values.find(({ value }) => !Number.isFinite(value));
  if (bad) throw new Error(`clusteredMean: a value is ${bad.value}`);
  const mean = values.reduce((sum, { value }) => sum + value, 0) / n;
  const residuals = new Map<string, number>();
  for (const { value, cluster } of values) {
    residuals.set(cluster, (residuals.get(cluster) ?? 0) + (value - mean));
  }
  const clusters = residuals.size;
  if (clusters === 1) {
    return { mean, low: -Infinity, high: Infinity, standardError: Infinity, n, clusters };
  }
  const squares = [...residuals.values()].reduce((sum, e) => sum + e * e, 0);
  const standardError = Math.sqrt(((clusters / (clusters - 1)) * squares) / (n * n));
  const half = student975(clusters - 1) * standardError;
  return { mean, low: mean - half, high: mean + half, standardError, n, clusters };
}

/** `clusteredMean` of values that are independent of one another. */
export function meanInterval(values: readonly number[]): Estimate {
  return clusteredMean(values.map((value, i) => ({ value, cluster: String(i) })));
}

/**
 * How much better `system` does than `baseline` on the very same items: the mean of the differences by item with an interval
 * clustered by image. What the two systems find hard alike cancels, so it is far narrower than the difference of two intervals;
 * it excludes 0 when the systems differ at the 5 % level. Items are matched by id, in any order. Throws when the two lists
 * don't hold the same items, or one twice, or the clusters disagree.
 */
export function pairedDifference(system: readonly ItemValue[], baseline: readonly ItemValue[]): Estimate {
  const others = new Map(baseline.map((entry) => [entry.item, entry]));
  if (others.size !== baseline.length || others.size !== system.length) {
    throw new Error(
      `pairedDifference: ${system.length} items against ${others.size} (${baseline.length} given)`,
    );
  }
  const differences = system.map(({ item, cluster, value }) => {
    const other = others.get(item);
    if (!other) throw new Error(`pairedDifference: item ${item} is missing or given twice`);
    if (other.cluster !== cluster) throw new Error(`pairedDifference: item ${item} has two clusters`);
    others.delete(item);
    return { value: value - other.value, cluster };
  });
  return clusteredMean(differences);
}

/** A proportion with its interval. */
export interface Proportion {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Wilson's 95 % interval of a proportion of independent trials (Wilson 1927): the roots p of
 * (1 + z^2/n) p^2 - (2 s + z^2/n) p + s^2 = 0, s the share found. `trials` at least 1.
 */
export function wilsonInterval(successes: number, trials: number): Proportion {
  if (!(trials >= 1) || !(successes >= 0) || successes > trials) {
    throw new Error(`wilsonInterval: ${successes} of ${trials} is no proportion`);
  }
  const share = successes / trials;
  const z2 = NORMAL_975 ** 2 / trials;
  const middle = 2 * share + z2;
  const root = Math.sqrt(z2 * (z2 + 4 * share * (1 - share)));
  const scale = 2 * (1 + z2);
  return {
    share,
    low: successes === 0 ? 0 : (middle - root) / scale,
    high: successes === trials ? 1 : (middle + root) / scale,
  };
}

/**
 * Percentile bootstrap, 95 %: the statistic of `resamples` lists drawn with replacement from `units`, and the 0.025 and 0.975
 * quantiles of what it came to (Efron 1979). A unit is what is independent: give whole clusters, not their items, where items
 * hang together. Quantiles interpolate between order statistics. Throws on an empty list.
 */
export function bootstrapInterval<Unit>(
  units: readonly Unit[],
  statistic: (sample: readonly Unit[]) => number,
  rng: Rng,
  resamples: number = 1000,
): { readonly estimate: number; readonly low: number; readonly high: number } {
  if (units.length === 0) throw new Error('bootstrapInterval: nothing to draw from');
  const drawn = Array.from({ length: resamples }, () => statistic(units.map(() => rng.pick(units))));
  const sorted = drawn.sort((a, b) => a - b);
  return { estimate: statistic(units), low: quantile(sorted, 0.025), high: quantile(sorted, 0.975) };
}

/** Quantile q in [0, 1] of an ascending list, linear between order statistics. Throws on an empty list. */
export function quantile(sorted: readonly number[], q: number): number {
  if (sorted.length === 0) throw new Error('quantile: an empty list has none');
  const at = Math.min(1, Math.max(0, q)) * (sorted.length - 1);
  const below = sorted[Math.floor(at)] as number;
  const above = sorted[Math.ceil(at)] as number;
  return below === above ? below : below + (above - below) * (at - Math.floor(at));
}

/** A prediction beside what came of it: both probabilities or rates, in [0, 1]. */
export interface Predicted {
  readonly predicted: number;
  readonly observed: number;
}

/** Brier score, the mean of (predicted - observed)^2 (Brier 1950): 0 is perfect, 0.25 is what always saying 1/2 gets on outcomes of 0 and 1. */
export function brierScore(pairs: readonly Predicted[]): number {
  if (pairs.length === 0) throw new Error('brierScore: nothing to score');
  return pairs.reduce((sum, { predicted, observed }) => sum + (predicted - observed) ** 2, 0) / pairs.length;
}

/**
 * R^2 = 1 - sum (observed - predicted)^2 / sum (observed - mean observed)^2: 1 is perfect, 0 is no better than the mean,
 * negative is worse. NaN when the observed values are all equal, since there was nothing to explain.
 */
export function rSquared(pairs: readonly Predicted[]): number {
  if (pairs.length === 0) throw new Error('rSquared: nothing to score');
  const mean = pairs.reduce((sum, { observed }) => sum + observed, 0) / pairs.length;
  const total = pairs.reduce((sum, { observed }) => sum + (observed - mean) ** 2, 0);
  const left = pairs.reduce((sum, { predicted, observed }) => sum + (observed - predicted) ** 2, 0);
  return pairs.every(({ observed }) => observed === pairs[0]?.observed) ? NaN : 1 - left / total;
}
