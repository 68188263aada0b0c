import type { Rejection, Result } from '../../core/result.js';
import type { Rng } from '../../core/rng.js';
import { ok, reject } from '../../core/result.js';
import { layoutChart } from './layout/layout.js';
import { PALETTE_NAMES, RAMP_NAMES, THEME_NAMES } from './palettes.js';
import { readingProblems, type ReadingNeeds } from './readable.js';
import type { ChartStyle, ChartType } from './style.js';
import type { ChartSpec, ChartView } from './types.js';

/** Palettes of full charts; `named` is for pictures that are spoken about by colour. */
const CHART_PALETTES = PALETTE_NAMES.filter((name) => name !== 'named');

/** A style drawn at random for a type. Most of the axis's freedom is kept for what stays honest: a truncated axis is marked. */
export function randomStyle(rng: Rng, type: ChartType): ChartStyle {
  const quarter = (low: number, high: number): number => Math.round(4 * rng.range(low, high)) / 4;
  const hundredth = (low: number, high: number): number => Math.round(100 * rng.range(low, high)) / 100;
  const often = <T>(likely: T, share: number, others: readonly T[]): T =>
    rng.chance(share) ? likely : rng.pick(others);
  return {
    type,
    palette: rng.pick(CHART_PALETTES),
    paletteStart: rng.int(10),
    barColours: often('one', 0.75, ['each']),
    ramp: rng.pick(RAMP_NAMES),
    theme: often('white', 0.4, THEME_NAMES),
    font: often('sans', 0.3, ['condensed', 'serif', 'serif-condensed', 'mono']),
    fontSize: quarter(11.5, 18),
    titlePlace: often('centre', 0.5, ['left', 'left', 'right']),
    titleBold: rng.chance(0.6),
    axisTitles: rng.chance(0.65),
    legend: rng.pick([
      'top',
      'top',
      'bottom',
      'right',
      'right',
      'left',
      ...(type === 'line' ? ['none' as const, 'none' as const] : []),
    ]),
    legendOrder: often('data', 0.8, ['reversed']),
    grid: rng.pick(['none', 'value', 'value', 'value', 'both']),
    gridLine: rng.pick(['solid', 'solid', 'dashed', 'dotted']),
    ticks: rng.pick(['none', 'outside', 'outside', 'inside']),
    tickCount: 4 + rng.int(7),
    frame: rng.pick(['box', 'axes', 'axes', 'base', 'none']),
    valueLabels: rng.pick(['none', 'outside', 'inside']),
    thousands: rng.chance(0.7),
    aspect: rng.pick(['view', 'view', 'wide', 'square', 'tall']),
    axisRange: often('zero', 0.7, ['data']),
    axisBreak: true,
    labelAngle: often('auto', 0.8, ['slanted', 'upright']),
    barOrder: often('data', 0.7, ['ascending', 'descending']),
    barGap: hundredth(0.1, 0.6),
    barOutline: rng.chance(0.2),
    lineWidth: quarter(1.5, 4),
    lineDash: rng.chance(0.25),
    marker: rng.pick(['none', 'circle', 'circle', 'square', 'triangle', 'diamond']),
    markerSize: quarter(6, 11),
    areaOpacity: hundredth(0.6, 1),
    pieStart: rng.int(12) * 30,
    pieNames: rng.pick(['legend', 'beside']),
    pieGap: quarter(0, 3),
    donutHole: hundredth(0.4, 0.68),
  };
}

/**
 * A style drawn at random under which a chart can be drawn and read: the first of up to `tries` draws. The spec's own style
 * doesn't count. Refused when none will do; the detail is the last draw's.
 */
export function readableStyle(
  rng: Rng,
  spec: ChartSpec,
  view: ChartView,
  types: readonly ChartType[],
  needs: ReadingNeeds = {},
  tries = 24,
): Result<ChartStyle, Rejection<'no-style'>> {
  let last = 'no tries';
  for (let i = 0; i < tries; i++) {
    const stream = rng.child('style', i);
    const drawn = randomStyle(stream, stream.pick(types));
    // Years and other numbers keep their order.
    const style = spec.categories.every((name) => /^\d/.test(name))
      ? { ...drawn, barOrder: 'data' as const }
      : drawn;
    const layout = layoutChart({ ...spec, style }, view);
    if (!layout.ok) {
      last = `${style.type}: ${layout.error.reason}: ${layout.error.detail}`;
      continue;
    }
    const [first] = readingProblems(layout.value.geometry, needs);
    if (!first) return ok(style);
    last = `${style.type}: ${first.reason}: ${first.detail}`;
  }
  return reject('no-style', `none of ${tries} styles leaves the chart readable; the last one: ${last}`);
}
