/*
 * Elementary functions whose every bit is the same on every machine. IEEE 754 fixes + - * / and sqrt; Math.sin, Math.pow
 * and their kin may differ between builds of the engine, so they are not used in anything that reaches a pixel.
 */

const RADIANS_PER_DEGREE = 0.017453292519943295;

/**
 * Sine and cosine of an angle in degrees by Taylor polynomials on [-45, 45]. Absolute error below 1e-10 (the first
 * terms left out, (pi/4)^13/13! and (pi/4)^14/14!, are below 1e-11).
 */
export function sinCosDegrees(degrees: number): readonly [sin: number, cos: number] {
  const turned = degrees - 360 * Math.floor(degrees / 360);
  const quarter = Math.floor((turned + 45) / 90);
  const r = (turned - 90 * quarter) * RADIANS_PER_DEGREE;
  const q = r * r;
  const s = r * (1 + q * (-1 / 6 + q * (1 / 120 + q * (-1 / 5040 + q * (1 / 362880 - q / 39916800)))));
  const c =
    1 + q * (-1 / 2 + q * (1 / 24 + q * (-1 / 720 + q * (1 / 40320 + q * (-1 / 3628800 + q / 479001600)))));
  if (quarter === 1) return [c, -s];
  if (quarter === 2) return [-s, -c];
  if (quarter === 3) return [-c, s];
  return [s, c];
}

/** Real n-th root of x in [0, 2] by Newton's method from above, a fixed number of steps. */
function root(x: number, n: number): number {
  if (x <= 0) return 0;
  let y = 1.5;
  for (let step = 0; step < 120; step++) {
    let power = 1;
    for (let i = 1; i < n; i++) power *= y;
    const next = y - (y * power - x) / (n * power);
    if (next >= y) break;
    y = next;
  }
  return y;
}

/** sRGB component in [0, 1] to linear light (IEC 61966-2-1): y^2.4 = y^2 times the fifth root of y^2. */
export function linearFromSrgb(component: number): number {
  if (component <= 0.04045) return component / 12.92;
  const y = (component + 0.055) / 1.055;
  return y * y * root(y * y, 5);
}

/** Steps of the display table. */
export const DISPLAY_STEPS = 8192;

/**
 * 8-bit sRGB values of linear light i / DISPLAY_STEPS, rounded to the nearest; length DISPLAY_STEPS + 1. Made from the
 * 255 limits between values, so that only those need a root.
 */
export function displayTable(): Uint8Array {
  const table = new Uint8Array(DISPLAY_STEPS + 1);
  let value = 0;
  let limit = linearFromSrgb(0.5 / 255) * DISPLAY_STEPS;
  for (let i = 0; i <= DISPLAY_STEPS; i++) {
    while (value < 255 && i >= limit) {
      value++;
      limit = linearFromSrgb((value + 0.5) / 255) * DISPLAY_STEPS;
    }
    table[i] = value;
  }
  return table;
}
