/** Round numbers on an axis, and how numbers are written. */

/** Ends of an axis and the round numbers between them, both ends included. */
export interface Scale {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
  /** Digits behind the point that tell the ticks apart. */
  readonly decimals: number;
}

const STEPS = [1, 2, 2.5, 5, 10];
/** Room below the smallest value on an axis that leaves out zero, in parts of the values' range. */
const FOOT = 0.35;

/** A scale with about `count` ticks over [low, high]. `outward` moves the ends to round numbers, else they stay as they are. */
export function scaleOver(low: number, high: number, count: number, outward: boolean): Scale {
  const step = niceStep((high - low) / Math.max(1, count - 1));
  const round = (i: number): number => Number((i * step).toPrecision(12)) + 0;
  const slack = 1e-9;
  const first = outward ? Math.floor(low / step + slack) : Math.ceil(low / step - slack);
  const last = outward ? Math.ceil(high / step - slack) : Math.floor(high / step + slack);
  const ticks: number[] = [];
  for (let i = first; i <= last; i++) ticks.push(round(i));
  return {
    min: outward ? round(first) : low,
    max: outward ? round(last) : high,
    ticks,
    decimals: decimalsOf(step),
  };
}

/** The round number nearest to a step, by ratio. */
function niceStep(raw: number): number {
  const power = 10 ** Math.floor(Math.log10(raw));
  const parts = STEPS.map((part) => ({ part, off: Math.abs(Math.log(part / (raw / power))) }));
  const best = parts.reduce((a, b) => (b.off < a.off ? b : a));
  return Number((best.part * power).toPrecision(12));
}

function decimalsOf(step: number): number {
  for (let decimals = 0; decimals < 12; decimals++) {
    const scaled = step * 10 ** decimals;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return 12;
}

/**
 * Ends of an axis for values: from zero, or from below the smallest one where all lie on one side of zero. Values that are all equal
 * get room on both sides.
 */
export function domainOf(values: readonly number[], range: 'zero' | 'data'): readonly [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (range === 'zero') return low === 0 && high === 0 ? [0, 1] : [Math.min(0, low), Math.max(0, high)];
  const spread = high - low || Math.abs(high) * 0.2 || 1;
  const from = low - FOOT * spread;
  const to = high === low ? high + FOOT * spread : high;
  // Zero that is nearly there comes in.
  return [low >= 0 && from <= 0.15 * high ? 0 : from, high <= 0 && to >= 0.15 * low ? 0 : to];
}

/** A number with its decimals, thousands set apart by commas where wanted, and its unit: a sign stands before or right behind it, a short word after a space. */
export function numberText(value: number, decimals: number, thousands: boolean, unit: string | null): string {
  const digits = Math.abs(value).toFixed(decimals);
  const [whole = '', fraction] = digits.split('.');
  const grouped = thousands ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole;
  const body = fraction === undefined ? grouped : `${grouped}.${fraction}`;
  const sign = value < 0 && Number(digits) !== 0 ? '-' : '';
  if (unit === null || !isShort(unit)) return sign + body;
  if (/^\p{Sc}$/u.test(unit)) return `${sign}${unit}${body}`;
  return /^[%°‰]/.test(unit) ? `${sign}${body}${unit}` : `${sign}${body} ${unit}`;
}

/** Whether a unit stands with every number; longer ones stand in the axis title. */
export function isShort(unit: string): boolean {
  return unit.length <= 3;
}
