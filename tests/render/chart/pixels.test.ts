import { describe, expect, it } from 'vitest';
import { Rng } from '../../../src/core/rng.js';
import { CHART_TYPES, type ChartSpec, type ChartType } from '../../../src/render/index.js';
import { decoders } from './readings.js';
import { FULL, MICRO, sampleCharts } from './sample.js';

const STYLES = 50;

/** The most that a decoded value may be off, pixels (where a line bends its column is no point), and the share of marks that others may cover: near all of that is at the micro size. */
const LIMITS: Record<ChartType, { readonly off: number; readonly covered: number }> = {
  bar: { off: 1.05, covered: 0 },
  'horizontal-bar': { off: 1.05, covered: 0 },
  'grouped-bar': { off: 1.05, covered: 0 },
  'horizontal-grouped-bar': { off: 1.05, covered: 0 },
  'stacked-bar': { off: 2, covered: 0 },
  'horizontal-stacked-bar': { off: 2, covered: 0 },
  line: { off: 4, covered: 0.25 },
  area: { off: 5, covered: 0.05 },
  pie: { off: 1.1, covered: 0 },
  donut: { off: 1.1, covered: 0 },
  scatter: { off: 1.3, covered: 0.25 },
  'heat-map': { off: 2, covered: 0 },
};

const REFUSALS = ['too-much', 'colours-alike', 'text-overlap', 'text-outside', 'text-illegible'];

describe.each([FULL, MICRO])('pixels of $kind charts', (view) => {
  it.each(CHART_TYPES)(`%s: the table comes back from ${STYLES} styles`, (type) => {
    const { charts, refused } = sampleCharts(Rng.fromSeed(41).child(view.kind), type, view, STYLES);
    const readings = charts.flatMap((chart) => {
      const found = decoders[type](chart);
      expect(found).toHaveLength(expectedMarks(chart.spec));
      return found;
    });
    const off = readings.flatMap((reading) => ('off' in reading ? [reading.off] : []));
    const covered = readings.length - off.length;
    expect(off.length).toBeGreaterThan(STYLES);
    expect(Math.max(...off)).toBeLessThanOrEqual(LIMITS[type].off);
    expect(covered / readings.length).toBeLessThanOrEqual(LIMITS[type].covered);
    // Nothing is refused but for want of room, or because it couldn't be read.
    expect(Object.keys(refused).filter((reason) => !REFUSALS.includes(reason))).toEqual([]);
  });
});

/** Values that the chart has to show: of a scatter chart, those with both numbers. */
function expectedMarks({ style, series, categories }: ChartSpec): number {
  if (style.type !== 'scatter')
    return series.flatMap(({ values }) => values.filter((value) => value !== null)).length;
  return categories.filter((_, i) => series.every(({ values }) => values[i] !== null)).length;
}
