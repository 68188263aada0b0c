/** Rounding of bounds such as 0.5 - 0.15 must not decide what is kept. */
const TOLERANCE = 1e-9;

/** An interval of pass rates. An end is part of it unless it is said to be open. */
export interface Band {
  readonly low: number;
  readonly high: number;
  readonly openLow?: boolean;
  readonly openHigh?: boolean;
}

/** Groups with both right and wrong rollouts, 0 < p < 1: the only ones with a gradient, and those that join VICO's pool. */
export const MIXED = { low: 0, high: 1, openLow: true, openHigh: true } as const satisfies Band;

/** VICO's sweet spot |p - alpha| <= kMin as a band, [0.35, 0.65] by default. */
export function sweetSpot(alpha: number = 0.5, kMin: number = 0.15): Band {
  return { low: alpha - kMin, high: alpha + kMin };
}

/** Whether a pass rate lies in a band. Ends are met within 1e-9. */
export function inBand(p: number, band: Band): boolean {
  const above = band.openLow ? p > band.low + TOLERANCE : p >= band.low - TOLERANCE;
  const below = band.openHigh ? p < band.high - TOLERANCE : p <= band.high + TOLERANCE;
  return above && below;
}

/** Items whose pass rate lies in the band, order kept. */
export function selectBand<T>(items: readonly T[], passRateOf: (item: T) => number, band: Band): T[] {
  return items.filter((item) => inBand(passRateOf(item), band));
}

/**
 * The `count` items of greatest difficulty, greatest first; among equals the newer one. `items` stand oldest first (EVE's
 * example queue and question bank). Throws when a difficulty is not a number.
 */
export function topByDifficulty<T>(
  items: readonly T[],
  difficultyOf: (item: T) => number,
  count: number,
): T[] {
  const rated = items.map((item, age) => ({ item, age, difficulty: difficultyOf(item) }));
  if (rated.some(({ difficulty }) => Number.isNaN(difficulty)))
    throw new Error('topByDifficulty: a difficulty is NaN');
  return rated
    .sort((a, b) => (a.difficulty === b.difficulty ? b.age - a.age : b.difficulty < a.difficulty ? -1 : 1))
    .slice(0, Math.max(0, count))
    .map(({ item }) => item);
}

/**
 * Two-stage sampling: whether to give a task up after its first rollouts, because all `tried` so far agree and it is most
 * likely off the frontier. False before `firstStage` rollouts (4 by default) and once they disagree.
 */
export function shouldStopEarly(correct: number, tried: number, firstStage: number = 4): boolean {
  return tried >= firstStage && tried > 0 && (correct === 0 || correct === tried);
}

/** Chance that `tried` rollouts of a task with pass rate p all agree, p^n + (1 - p)^n: what stopping early costs at that p. */
export function agreementChance(p: number, tried: number): number {
  return p ** tried + (1 - p) ** tried;
}
