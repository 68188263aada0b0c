import { ok, reject, type Rejection, type Result } from '../../../core/result.js';
import type { ChartType } from '../style.js';
import type { ChartProblem, ChartSpec, ChartView } from '../types.js';

type Checked = Result<null, Rejection<ChartProblem>>;

const SIZES = {
  full: { least: [240, 180], most: [4096, 4096] },
  micro: { least: [32, 32], most: [160, 160] },
} as const;

/** How many series a type shows, at least and at most. */
const SERIES: Readonly<Record<ChartType, readonly [number, number]>> = {
  bar: [1, 1],
  'horizontal-bar': [1, 1],
  'grouped-bar': [2, Infinity],
  'horizontal-grouped-bar': [2, Infinity],
  'stacked-bar': [2, Infinity],
  'horizontal-stacked-bar': [2, Infinity],
  line: [1, Infinity],
  area: [1, Infinity],
  pie: [1, 1],
  donut: [1, 1],
  scatter: [2, 2],
  'heat-map': [1, Infinity],
};

/** Parts of a whole: nothing negative, nothing missing. */
const WHOLE: ReadonlySet<ChartType> = new Set([
  'stacked-bar',
  'horizontal-stacked-bar',
  'area',
  'pie',
  'donut',
]);

/** Whether a spec is one that its type can show. */
export function checkSpec(spec: ChartSpec, view: ChartView): Checked {
  return checkSize(view) ?? checkNumbers(spec) ?? checkType(spec) ?? checkRange(spec) ?? ok(null);
}

function checkSize({ kind, width, height }: ChartView): Checked | null {
  const { least, most } = SIZES[kind];
  const whole = Number.isInteger(width) && Number.isInteger(height);
  if (whole && width >= least[0] && height >= least[1] && width <= most[0] && height <= most[1]) return null;
  return reject(
    'malformed',
    `a ${kind} chart of ${width} x ${height}: must be whole pixels from ${least.join(' x ')} to ${most.join(' x ')}`,
  );
}

function checkNumbers({ categories, series }: ChartSpec): Checked | null {
  if (series.length === 0 || categories.length === 0) return reject('empty', 'no series, or no categories');
  for (const { name, values, decimals } of series) {
    const own = JSON.stringify(name);
    if (values.length !== categories.length) {
      return reject(
        'malformed',
        `series ${own}: ${values.length} values for ${categories.length} categories`,
      );
    }
    const bad = values.find((value) => value !== null && !(Math.abs(value) < 1e15));
    if (bad !== undefined) return reject('malformed', `series ${own}: the value ${bad} can't be drawn`);
    if (!Number.isInteger(decimals) || decimals < 0 || decimals > 20) {
      return reject('malformed', `series ${own}: decimals = ${decimals}, must be 0 to 20`);
    }
  }
  const some = series.some(({ values }) => values.some((value) => value !== null));
  return some ? null : reject('empty', 'there is no value');
}

function checkType({ categories, series, style: { type } }: ChartSpec): Checked | null {
  const [least, most] = SERIES[type];
  if (series.length < least || series.length > most) {
    const wanted = least === most ? String(least) : `at least ${least}`;
    return reject('unsuitable', `${type}: shows ${wanted} series, got ${series.length}`);
  }
  if ((type === 'line' || type === 'area') && categories.length < 2) {
    return reject('unsuitable', `${type}: needs two categories, got ${categories.length}`);
  }
  if (!WHOLE.has(type)) return null;
  const values = series.flatMap((each) => each.values);
  if (values.some((value) => value === null)) return reject('unsuitable', `${type}: a value is missing`);
  if (values.some((value) => (value ?? 0) < 0)) return reject('unsuitable', `${type}: a value is negative`);
  const pie = type === 'pie' || type === 'donut';
  if (pie && values.some((value) => value === 0))
    return reject('unsuitable', `${type}: a slice would be empty`);
  return values.some((value) => value !== 0) ? null : reject('unsuitable', `${type}: all values are zero`);
}

function checkRange({ range, series, categories, style: { type } }: ChartSpec): Checked | null {
  if (!range || type === 'pie' || type === 'donut' || type === 'scatter') return null;
  const { min, max } = range;
  if (!(Number.isFinite(min) && Number.isFinite(max) && min < max)) {
    return reject('malformed', `range ${min} to ${max}: must be two numbers, the smaller one first`);
  }
  const stacked = type === 'stacked-bar' || type === 'horizontal-stacked-bar' || type === 'area';
  if (stacked && min !== 0) return reject('unsuitable', `${type}: its range must begin at 0, got ${min}`);
  const values = stacked
    ? categories.map((_, i) => series.reduce((sum, each) => sum + (each.values[i] ?? 0), 0))
    : series.flatMap((each) => each.values.filter((value) => value !== null));
  const out = values.find((value) => value < min || value > max);
  return out === undefined ? null : reject('out-of-range', `${out} lies outside ${min} to ${max}`);
}
