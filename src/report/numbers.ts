// How numbers are written in a report: the same everywhere, each with its unit.

const NO_BREAK = '\u00a0';
const MINUS = '\u2212';

/** What intervals are called: one word, so that no line breaks in it. */
export const INTERVAL = `95${NO_BREAK}%${NO_BREAK}interval`;

/** A share in [0, 1] as `47.1 %`. */
export function percent(share: number, digits = 1): string {
  return `${fixed(100 * share, digits)}${NO_BREAK}%`;
}

/** A difference of shares in percentage points, with its sign: `+8.2`. */
export function points(difference: number): string {
  const text = fixed(100 * difference, 1);
  return difference > 0 && !text.startsWith(MINUS) && text !== '0.0' ? `+${text}` : text;
}

/** A probability or pass rate as `0.50`. */
export function rate(p: number): string {
  return fixed(p, 2);
}

/** A number with so many decimals and a true minus sign; what isn't finite is said in words. */
export function fixed(value: number, digits: number): string {
  if (Number.isNaN(value)) return 'not a number';
  if (!Number.isFinite(value)) return value > 0 ? 'infinite' : `${MINUS}infinite`;
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `${MINUS}${text}` : text;
}

/** A count with its thousands apart: `12,345`. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A count with its noun, which takes an `s` unless a plural is named: `1 edit`, `3 edits`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)}${NO_BREAK}${value === 1 ? one : many}`;
}

/** Any number in about three significant digits, for axes and tables. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return fixed(value, 0);
  if (size !== 0 && (size < 0.001 || size >= 1e6)) return value.toExponential(1).replace('-', MINUS);
  return fixed(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** Milliseconds as `1 h 12 min`, `10 min 23 s` or `8 s`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const unit = (value: number, name: string): string => `${value}${NO_BREAK}${name}`;
  if (seconds >= 3600)
    return `${unit(Math.floor(seconds / 3600), 'h')} ${unit(Math.floor((seconds % 3600) / 60), 'min')}`;
  if (seconds >= 60) return `${unit(Math.floor(seconds / 60), 'min')} ${unit(seconds % 60, 's')}`;
  return unit(seconds, 's');
}

/** Milliseconds since 1970 as `2026-01-31 09:05 UTC`. */
export function moment(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')}${NO_BREAK}UTC`;
}

/** The mean; null of nothing. */
export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
