import type { Rng } from '../../core/rng.js';
import { CHART_TYPES, randomStyle, type ChartStyle, type ChartType } from '../../render/index.js';
import type { Drafter } from './editors.js';
import { nameKey } from './read.js';
import { isYear, numberColumns } from './table.js';

/** What turns a name into one that is easily taken for it. */
const NEAR_MISSES: readonly ((name: string) => string)[] = [
  (name) => `New ${name}`,
  (name) => `North ${name}`,
  (name) => `South ${name}`,
  (name) => `Greater ${name}`,
  (name) => `Other ${name}`,
  (name) => `${name} (total)`,
  (name) => `${name} (rural)`,
  (name) => `${name} City`,
  (name) => `${name} II`,
  (name) => `Upper ${name}`,
];

/** Types that show one column of numbers, and several. */
export const SINGLE_TYPES: readonly ChartType[] = [
  'bar',
  'horizontal-bar',
  'line',
  'area',
  'pie',
  'donut',
  'heat-map',
];
export const SERIES_TYPES: readonly ChartType[] = CHART_TYPES.filter(
  (type) => !['bar', 'horizontal-bar', 'pie', 'donut', 'scatter'].includes(type),
);

/** A name like another that isn't in the list: a neighbouring year, or the name with a word more. Null when there is none. */
export function nearMiss(name: string, names: readonly string[], rng: Rng): string | null {
  const taken = new Set(names.map(nameKey));
  const plain = /^\d{4}$/.test(name) && isYear(name);
  const options = plain
    ? [-3, -2, -1, 1, 2, 3].map((step) => String(Number(name) + step))
    : NEAR_MISSES.map((make) => make(name));
  const free = options.filter((option) => !taken.has(nameKey(option)));
  return free.length > 0 ? rng.pick(free) : null;
}

/** Edits of full charts: near-miss rows with values near the one asked for, and up to four keys of the style at once. */
export const fullDrafter: Drafter = {
  name: ({ entities }, near, rng) => nearMiss(near ?? rng.pick(entities), entities, rng),
  value: ({ values, decimals }, near, rng) => {
    const known = values.filter((value) => value !== null);
    const least = known.length > 0 ? Math.min(...known) : 0;
    const most = known.length > 0 ? Math.max(...known) : 1;
    const centre = near ?? rng.range(least, most);
    const spread = Math.max(10 ** -decimals, 0.2 * Math.abs(centre), 0.1 * (most - least));
    const drawn = centre + spread * rng.range(-1, 1);
    const kept = least >= 0 ? Math.abs(drawn) : drawn;
    return Number(kept.toFixed(decimals)) + 0;
  },
  restyle: ({ table, style }, rng) => {
    const types = numberColumns(table).length > 1 ? SERIES_TYPES : SINGLE_TYPES;
    const type = rng.chance(0.4) ? rng.pick(types) : (style['type'] as ChartType);
    const drawn: ChartStyle = randomStyle(rng.child('style'), type);
    const others = (Object.keys(drawn) as (keyof ChartStyle)[]).filter((key) => drawn[key] !== style[key]);
    const picked = rng.shuffle(others).slice(0, 1 + rng.int(4));
    const keys = type === style['type'] || picked.includes('type') ? picked : ['type' as const, ...picked];
    return keys.length === 0 ? null : Object.fromEntries(keys.map((key) => [key, drawn[key]]));
  },
  steps: { style: 3, value: 3, insert: 4, remove: 1, reorder: 1, column: 1 },
};
