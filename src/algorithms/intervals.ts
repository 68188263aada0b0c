/** Standard normal quantile of 0.975. */
export const NORMAL_975 = 1.959963984540054;

/** Degrees of freedom up to which the exact sum is inverted; above, the expansion is right to 1e-7. */
const EXACT_UP_TO = 40;

/**
 * Quantile 0.975 of Student's t with `df` degrees of freedom (a positive integer, or Infinity): half the width of a 95 %
 * interval in standard errors. Within 1e-6.
 */
export function student975(df: number): number {
  if (!(df >= 1)) throw new Error(`student975: needs at least 1 degree of freedom, got ${df}`);
  if (df > EXACT_UP_TO) return expansion(df);
  let low = NORMAL_975;
  let high = 13;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (centralProbability(middle, df) < 0.95) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(|T| <= t) for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4). */
function centralProbability(t: number, df: number): number {
  const angle = Math.atan(t / Math.sqrt(df));
  const cos2 = Math.cos(angle) ** 2;
  const odd = df % 2 === 1;
  let term = odd ? Math.cos(angle) : 1;
  let sum = df === 1 ? 0 : term;
  for (let k = odd ? 3 : 2; k < df; k += 2) {
    term *= (cos2 * (k - 1)) / k;
    sum += term;
  }
  return odd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}

/** Cornish and Fisher's expansion about the normal quantile (Abramowitz and Stegun 26.7.5). */
function expansion(df: number): number {
  const z = NORMAL_975;
  const g1 = (z ** 3 + z) / 4;
  const g2 = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const g3 = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + g1 / df + g2 / df ** 2 + g3 / df ** 3;
}
