import type { Rng } from '../../core/rng.js';
import { DEFAULT_STYLE, NAMED_COLOURS, type ChartType } from '../../render/index.js';
import type { Drafter } from './editors.js';
import type { ChartLook } from './edit.js';
import type { Table } from './table.js';

/** Names of the rows of a micro table, and of their colours in the picture. */
export const MICRO_COLOURS: readonly string[] = Object.keys(NAMED_COLOURS);
/** The one column of a micro table. */
export const MICRO_COLUMN = 'value';
/** Values are whole numbers from 1 to this. */
export const MICRO_MOST = 10;
/** Ends of the value axis of micro charts. */
export const MICRO_RANGE = { min: 0, max: MICRO_MOST } as const;

/** Keys of the style that change how a micro chart looks, with the values that leave it readable. */
export const MICRO_STYLES = {
  type: ['bar', 'horizontal-bar', 'line'],
  theme: ['white', 'panel', 'cream'],
  grid: ['value', 'none'],
  barGap: [0.15, 0.4, 0.65],
} as const satisfies Readonly<Record<string, readonly (string | number)[]>>;

export type MicroKey = keyof typeof MICRO_STYLES;
export const MICRO_KEYS = Object.keys(MICRO_STYLES) as readonly MicroKey[];

/** A table of colours with one whole number each. `rows` are fewest and most rows, at most as many as there are colours. */
export function microTable(rng: Rng, rows: readonly [min: number, max: number]): Table {
  const count = rows[0] + rng.int(rows[1] - rows[0] + 1);
  const entities = rng.shuffle(MICRO_COLOURS).slice(0, count);
  const values = entities.map(() => 1 + rng.int(MICRO_MOST));
  return {
    entityLabel: 'color',
    entities,
    columns: [{ kind: 'number', name: MICRO_COLUMN, unit: null, decimals: 0, values }],
  };
}

/** A whole style for a micro chart; what isn't drawn is the first of each key. */
export function microLook(rng: Rng, types: readonly ChartType[], plain: boolean): ChartLook {
  const drawn = MICRO_KEYS.map((key) => {
    const values: readonly (string | number)[] = key === 'type' ? types : MICRO_STYLES[key];
    return [key, plain && key !== 'type' ? (values[0] as string | number) : rng.pick(values)] as const;
  });
  return { ...DEFAULT_STYLE, palette: 'named', barColours: 'each', ...Object.fromEntries(drawn) };
}

/** Edits of micro charts: colours that aren't there yet, whole numbers, one key of the style at a time. */
export const microDrafter: Drafter = {
  name: (table, _near, rng) => {
    const free = MICRO_COLOURS.filter((colour) => !table.entities.includes(colour));
    return free.length > 0 ? rng.pick(free) : null;
  },
  value: (_column, _near, rng) => 1 + rng.int(MICRO_MOST),
  restyle: ({ style }, rng) => {
    const key = rng.pick(MICRO_KEYS);
    const others = MICRO_STYLES[key].filter((value) => value !== style[key]);
    return { [key]: rng.pick<string | number>(others) };
  },
  steps: { style: 2, value: 3, insert: 4, remove: 1, reorder: 0, column: 0 },
};
