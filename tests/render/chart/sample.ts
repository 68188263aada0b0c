import { unwrap } from '../../../src/core/result.js';
import { type Rng } from '../../../src/core/rng.js';
import {
  layoutChart,
  randomStyle,
  type ChartSpec,
  type ChartType,
  type ChartView,
  drawChart,
  type DrawnChart,
  PALETTES,
  readingProblems,
} from '../../../src/render/index.js';

export const FULL: ChartView = { kind: 'full', width: 800, height: 600 };
export const MICRO: ChartView = { kind: 'micro', width: 72, height: 48 };

const NAMES = ['Austria', 'Brazil', 'Chad', 'Denmark', 'Estonia', 'Fiji', 'Ghana', 'Haiti', 'Iceland'];
const SERIES = ['Women', 'Men', 'Children', 'Elderly'];
const ONE: readonly ChartType[] = ['bar', 'horizontal-bar', 'pie', 'donut'];
const WHOLE: readonly ChartType[] = ['pie', 'donut', 'area', 'stacked-bar', 'horizontal-stacked-bar'];
const COLOURS = Object.keys({ red: 0, blue: 0, yellow: 0, green: 0, purple: 0, cyan: 0 });

/** Random data for a type under a random style; now and then with negative and missing values where the type has a place for them. */
export function sampleSpec(rng: Rng, type: ChartType, kind: ChartView['kind']): ChartSpec {
  const micro = kind === 'micro';
  const style = randomStyle(rng.child('style'), type);
  const count = type === 'scatter' ? 2 : ONE.includes(type) ? 1 : 2 + rng.int(micro ? 2 : 3);
  const slots = micro ? 3 + rng.int(3) : 3 + rng.int(Math.min(5, PALETTES[style.palette].length - 2));
  const whole = WHOLE.includes(type);
  const scale = 10 ** rng.int(4);
  const low = whole || rng.chance(0.7) ? 0.08 : -0.8;
  const series = Array.from({ length: count }, (_, k) => ({
    name: micro ? (COLOURS[k] as string) : (SERIES[k] as string),
    unit: rng.child('unit').pick(['%', '$', null]),
    decimals: 1,
    values: Array.from({ length: slots }, (): number | null =>
      !whole && rng.chance(0.05) ? null : Number((scale * rng.range(low, 1)).toFixed(1)),
    ),
  }));
  // A chart of nothing is refused; that has a test of its own.
  const first = series[0]!.values;
  if (!first.some((value) => value !== null)) first[0] = scale;
  return {
    title: micro || rng.chance(0.2) ? '' : 'Share of people who took part',
    categoryLabel: 'Country',
    valueLabel: 'Share',
    categories: micro ? COLOURS.slice(0, slots) : NAMES.slice(0, slots),
    series,
    style: micro ? { ...style, palette: 'named' } : style,
  };
}

/**
 * `count` charts of a type that can be drawn and read, with how many draws were refused on the way, by reason. Throws when fewer than
 * one in eight will do.
 */
export function sampleCharts(
  rng: Rng,
  type: ChartType,
  view: ChartView,
  count: number,
): {
  readonly charts: readonly (DrawnChart & { readonly spec: ChartSpec })[];
  readonly refused: Readonly<Record<string, number>>;
} {
  const charts: (DrawnChart & { spec: ChartSpec })[] = [];
  const refused: Record<string, number> = {};
  for (let i = 0; charts.length < count; i++) {
    if (i > 8 * count) throw new Error(`${type}: refused ${JSON.stringify(refused)} of ${i}`);
    const spec = sampleSpec(rng.child(type, i), type, view.kind);
    const layout = layoutChart(spec, view);
    const reason = layout.ok ? readingProblems(layout.value.geometry)[0]?.reason : layout.error.reason;
    if (reason === undefined) charts.push({ ...unwrap(drawChart(spec, view)), spec });
    else refused[reason] = (refused[reason] ?? 0) + 1;
  }
  return { charts, refused };
}
