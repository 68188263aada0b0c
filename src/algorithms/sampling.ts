import type { SamplingLimits } from '../core/policy.js';

/** Whether limits change a draw at all. */
export function limitsDraw({ topK, presencePenalty }: SamplingLimits): boolean {
  return topK !== undefined || (presencePenalty ?? 0) !== 0;
}

/**
 * What a token is drawn by: the tempered probabilities `weights` (unnormalised, one a token id), those of ids in `written` times
 * exp(-presencePenalty / temperature), then all but the `topK` largest 0; among equals the smaller id stays. A greedy draw
 * (temperature 0) takes the penalty as at temperature 1. Gives a new array.
 */
export function narrowed(
  weights: ArrayLike<number>,
  written: readonly number[],
  temperature: number,
  { topK, presencePenalty = 0 }: SamplingLimits,
): Float64Array {
  const out = Float64Array.from(weights);
  if (presencePenalty !== 0) {
    const factor = Math.exp(-presencePenalty / (temperature > 0 ? temperature : 1));
    for (const id of new Set(written)) out[id] = (out[id] ?? 0) * factor;
  }
  if (topK !== undefined && topK < out.length) {
    const order = Array.from(out.keys()).sort((a, b) => (out[b] as number) - (out[a] as number) || a - b);
    for (const id of order.slice(topK)) out[id] = 0;
  }
  return out;
}
