import { z } from 'zod';
import { reject, ok, type Rejection, type Result } from '../../core/result.js';
import { PALETTE_NAMES, RAMP_NAMES, THEME_NAMES } from './palettes.js';

export const CHART_TYPES = [
  /** Vertical bars of one series. */
  'bar',
  /** Horizontal bars of one series. */
  'horizontal-bar',
  /** Two or more series side by side, and on top of one another. */
  'grouped-bar',
  'horizontal-grouped-bar',
  'stacked-bar',
  'horizontal-stacked-bar',
  'line',
  /** Several series are stacked. */
  'area',
  'pie',
  'donut',
  'scatter',
  'heat-map',
] as const;

export type ChartType = (typeof CHART_TYPES)[number];

/**
 * How a chart looks, key by key: every value is a string, a number or a boolean, so that an edit can name it. A key that a type has
 * no use for has no effect on it.
 */
export const CHART_STYLE = z.strictObject({
  type: z.enum(CHART_TYPES).default('bar'),
  /** Colours of series and slices. `named` gives a series or category called after a colour (`red`) that colour. */
  palette: z.enum(PALETTE_NAMES).default('okabe'),
  /** The palette's colour that the first series takes, from 0; no effect on `named`. */
  paletteStart: z.int().min(0).max(9).default(0),
  /** Whether bars of a single series have one colour, or each its own. */
  barColours: z.enum(['one', 'each']).default('one'),
  /** Colours of a heat map. */
  ramp: z.enum(RAMP_NAMES).default('blues'),
  /** Colours of paper, plot, lines and text. */
  theme: z.enum(THEME_NAMES).default('white'),
  font: z.enum(['sans', 'condensed', 'serif', 'serif-condensed', 'mono']).default('sans'),
  /** Of tick and category labels in a picture 600 pixels high; other texts and other sizes follow. */
  fontSize: z.number().min(9).max(22).default(14),
  titlePlace: z.enum(['left', 'centre', 'right']).default('centre'),
  titleBold: z.boolean().default(true),
  axisTitles: z.boolean().default(true),
  /** Without a legend lines have their names at their right ends; no other chart of several series can do without. */
  legend: z.enum(['top', 'bottom', 'left', 'right', 'none']).default('top'),
  legendOrder: z.enum(['data', 'reversed']).default('data'),
  grid: z.enum(['none', 'value', 'both']).default('value'),
  gridLine: z.enum(['solid', 'dashed', 'dotted']).default('solid'),
  ticks: z.enum(['none', 'outside', 'inside']).default('outside'),
  /** About how many numbers stand on the value axis. */
  tickCount: z.int().min(3).max(12).default(6),
  /** Lines around the plot: all four, the two axes, the categories' axis alone, or none. */
  frame: z.enum(['box', 'axes', 'base', 'none']).default('axes'),
  valueLabels: z.enum(['none', 'outside', 'inside']).default('none'),
  /** Whether labels set thousands apart: `1,234`. */
  thousands: z.boolean().default(true),
  /** Proportions of the picture. */
  aspect: z.enum(['view', 'wide', 'square', 'tall']).default('view'),
  /** Whether the value axis starts at zero, or near the smallest value. Stacked bars and areas always start at zero. */
  axisRange: z.enum(['zero', 'data']).default('zero'),
  /** Whether a break marks an axis that leaves out zero. */
  axisBreak: z.boolean().default(true),
  /** Category labels level, slanted or upright; `auto` takes the first of these that fits. */
  labelAngle: z.enum(['auto', 'level', 'slanted', 'upright']).default('auto'),
  barOrder: z.enum(['data', 'ascending', 'descending']).default('data'),
  /** Part of a category's room that is left empty, 0.05 to 0.75. */
  barGap: z.number().min(0.05).max(0.75).default(0.3),
  barOutline: z.boolean().default(false),
  lineWidth: z.number().min(1).max(6).default(2.5),
  /** Whether lines differ by dashes too. */
  lineDash: z.boolean().default(false),
  marker: z.enum(['none', 'circle', 'square', 'triangle', 'diamond']).default('circle'),
  /** Across, pixels. */
  markerSize: z.number().min(4).max(16).default(8),
  areaOpacity: z.number().min(0.35).max(1).default(0.8),
  /** Where the first slice begins, degrees clockwise from twelve o'clock. */
  pieStart: z.number().min(0).max(359).default(0),
  /** Where slices have their names. */
  pieNames: z.enum(['legend', 'beside']).default('beside'),
  /** Pixels between slices. */
  pieGap: z.number().min(0).max(4).default(1),
  donutHole: z.number().min(0.3).max(0.75).default(0.55),
});

/** A whole style: every key has a value. */
export type ChartStyle = Readonly<z.infer<typeof CHART_STYLE>>;

/** A style from keys and values, with the default for every key that is left out. The detail names the first key that is wrong. */
export function readStyle(
  look: Readonly<Record<string, unknown>>,
): Result<ChartStyle, Rejection<'bad-style'>> {
  const read = CHART_STYLE.safeParse(look);
  if (read.success) return ok(read.data);
  const issue = read.error.issues[0];
  const key = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : (issue?.path.join('.') ?? '');
  const value = issue?.code === 'unrecognized_keys' ? '' : ` = ${JSON.stringify(look[key])}`;
  return reject('bad-style', `style ${key}${value}: ${issue?.message ?? 'not a style'}`);
}

/** The style with every key at its default. */
export const DEFAULT_STYLE: ChartStyle = Object.freeze(CHART_STYLE.parse({}));
