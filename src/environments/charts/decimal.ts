/** Exact decimal numbers: what a table's cells are, and what sums and quotients of them come to without the noise of fractions. */

/** `digits` times ten to the power of `-places`. */
export interface Decimal {
  readonly digits: bigint;
  readonly places: number;
}

/** A cell's number as it is written with so many places. */
export function decimal(value: number, places: number): Decimal {
  const text = value.toFixed(places);
  return { digits: BigInt(text.replace('.', '')), places };
}

export function addDecimals(values: readonly Decimal[]): Decimal {
  const places = Math.max(0, ...values.map((each) => each.places));
  return { digits: values.reduce((sum, each) => sum + scaled(each, places), 0n), places };
}

export function absoluteDifference(a: Decimal, b: Decimal): Decimal {
  const { digits, places } = addDecimals([a, { ...b, digits: -b.digits }]);
  return { digits: digits < 0n ? -digits : digits, places };
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const { digits } = addDecimals([a, { ...b, digits: -b.digits }]);
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

/** `a / b` rounded to so many places. Null for a division by zero, and where two roundings are equally near. */
export function quotient(a: Decimal, b: Decimal, places: number): Decimal | null {
  const common = Math.max(a.places, b.places);
  let top = scaled(a, common) * 10n ** BigInt(places);
  let bottom = scaled(b, common);
  if (bottom === 0n) return null;
  if (bottom < 0n) [top, bottom] = [-top, -bottom];
  const negative = top < 0n;
  if (negative) top = -top;
  const rest = top % bottom;
  if (2n * rest === bottom) return null;
  const digits = top / bottom + (2n * rest > bottom ? 1n : 0n);
  return { digits: negative ? -digits : digits, places };
}

/** As digits, without zeros that say nothing: `19.7`, `7`, `-0.25`. */
export function decimalText({ digits, places }: Decimal): string {
  const negative = digits < 0n;
  const text = (negative ? -digits : digits).toString().padStart(places + 1, '0');
  const whole = text.slice(0, text.length - places);
  const rest = text.slice(text.length - places).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`;
}

function scaled({ digits, places }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(to - places);
}
