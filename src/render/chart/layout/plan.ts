import { hexOf, rgbOf } from '../paint/canvas.js';
import { NAMED_COLOURS, PALETTES } from '../palettes.js';
import type { ChartStyle } from '../style.js';
import type { ChartGeometry, ChartSpec, ChartView } from '../types.js';
import { Refusal, Sheet } from './sheet.js';

/** Sizes of texts and gaps, pixels. */
export interface Sizes {
  /** Of tick and category labels; others are given in parts of it. */
  readonly text: number;
  readonly title: number;
  readonly legend: number;
  readonly value: number;
  /** Around everything, and between its parts. */
  readonly gap: number;
  readonly tick: number;
  /** A length at 800 x 600, scaled. */
  readonly unit: number;
}

/** What every layout starts from. */
export interface Plan {
  readonly spec: ChartSpec;
  readonly style: ChartStyle;
  readonly sheet: Sheet;
  readonly micro: boolean;
  readonly sizes: Sizes;
  /** Categories in the order in which they are drawn. */
  readonly order: readonly number[];
  readonly keys: ChartGeometry['keys'];
  /** A colour for the series or category of this position and name. */
  colour(position: number, name: string): string;
}

/** What few pixels can show: whole lines with a dot at every value. */
function microStyle(style: ChartStyle): ChartStyle {
  return { ...style, lineDash: false, marker: 'circle', markerSize: 7, valueLabels: 'none' };
}

const STANDARD = 800 * 600;
/** Smaller pictures have smaller texts, but not in proportion. */
const SHRINK = 0.35;
const ASPECTS = { wide: 1.9, square: 1, tall: 0.8 } as const;

export function planOf(spec: ChartSpec, view: ChartView): Plan {
  const micro = view.kind === 'micro';
  const style = micro ? microStyle(spec.style) : spec.style;
  const { width, height } = sizeOf(style, view);
  const unit = ((view.width * view.height) / STANDARD) ** SHRINK;
  const text = Math.max(8, Math.round(4 * style.fontSize * unit) / 4);
  const part = (factor: number): number => Math.max(8, Math.round(4 * factor * text) / 4);
  const colour = (position: number, name: string): string => colourOf(style, position, name);
  return {
    spec,
    style,
    micro,
    sheet: new Sheet(width, height, style),
    sizes: {
      text,
      title: part(1.3),
      legend: part(0.95),
      value: part(0.88),
      gap: Math.max(4, 12 * unit),
      tick: style.ticks === 'none' ? 0 : Math.max(3, Math.round(5 * unit)),
      unit,
    },
    order: orderOf(spec),
    keys: keysOf(spec, style, micro, colour),
    colour,
  };
}

function sizeOf(
  { aspect }: ChartStyle,
  { kind, width, height }: ChartView,
): { width: number; height: number } {
  if (aspect === 'view' || kind === 'micro') return { width, height };
  const ratio = ASPECTS[aspect];
  return {
    width: Math.round(Math.sqrt(width * height * ratio)),
    height: Math.round(Math.sqrt((width * height) / ratio)),
  };
}

/** Once a palette is through it starts over, lighter. */
function colourOf({ palette, paletteStart }: ChartStyle, position: number, name: string): string {
  if (palette === 'named') {
    const named = (NAMED_COLOURS as Readonly<Record<string, string | undefined>>)[name.trim().toLowerCase()];
    if (named !== undefined) return named;
  }
  const colours = PALETTES[palette];
  const start = palette === 'named' ? 0 : paletteStart;
  const colour = colours[(position + start) % colours.length] as string;
  const turn = Math.floor(position / colours.length);
  return turn === 0 ? colour : mix(colour, '#ffffff', Math.min(0.7, 0.4 * turn));
}

/** The colour `part` of the way from `a` to `b`, in sRGB. */
export function mix(a: string, b: string, part: number): string {
  const [from, to] = [rgbOf(a), rgbOf(b)];
  const at = (i: 0 | 1 | 2): number => Math.round(from[i] + (to[i] - from[i]) * part);
  return hexOf([at(0), at(1), at(2)]);
}

const SORTED = new Set([
  'bar',
  'horizontal-bar',
  'grouped-bar',
  'horizontal-grouped-bar',
  'stacked-bar',
  'horizontal-stacked-bar',
]);

function orderOf({ categories, series, style: { type, barOrder } }: ChartSpec): number[] {
  const order = [...categories.keys()];
  if (barOrder === 'data' || !SORTED.has(type)) return order;
  const stacked = type === 'stacked-bar' || type === 'horizontal-stacked-bar';
  const size = (category: number): number =>
    (stacked ? series : series.slice(0, 1)).reduce((sum, { values }) => sum + (values[category] ?? 0), 0);
  const sign = barOrder === 'ascending' ? 1 : -1;
  return order.sort((a, b) => sign * (size(a) - size(b)) || a - b);
}

function keysOf(
  { categories, series }: ChartSpec,
  style: ChartStyle,
  micro: boolean,
  colour: Plan['colour'],
): ChartGeometry['keys'] {
  const plain = (name: string, i: number): ChartGeometry['keys'][number] => ({
    name,
    colour: colour(i, name),
    dash: 0,
  });
  switch (style.type) {
    case 'pie':
    case 'donut':
      return micro || style.pieNames === 'legend' ? categories.map(plain) : [];
    case 'heat-map':
      return [];
    case 'scatter':
      return micro ? categories.map(plain) : [];
    case 'line':
      if (series.length === 1) return micro ? categories.map(plain) : [];
      return series.map(({ name }, i) => ({
        ...plain(name, i),
        dash: style.lineDash ? i % DASHES.length : 0,
      }));
    default:
      if (series.length > 1) return series.map(({ name }, i) => plain(name, i));
      return micro && style.type !== 'area' ? categories.map(plain) : [];
  }
}

/** Lengths drawn and left out, in line widths; the first is a whole line. */
export const DASHES: readonly (readonly number[])[] = [[], [4, 2], [1.2, 1.6], [5, 1.6, 1.2, 1.6]];

/** Room for a chart, or a refusal that says what took it. */
export function needRoom(sheet: Sheet, width: number, height: number, what: string): void {
  if (width >= 0.3 * sheet.width && height >= 0.3 * sheet.height) return;
  throw new Refusal(
    'too-much',
    `${what} leave ${Math.floor(width)} x ${Math.floor(height)} pixels for the plot`,
  );
}
