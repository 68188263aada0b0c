import { describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import {
  CHART_TYPES,
  DEFAULT_STYLE,
  layoutChart,
  readableStyle,
  readingProblems,
  readStyle,
  randomStyle,
  type ChartGeometry,
  type ChartSpec,
  type ChartStyle,
  type Queried,
  type ReadingNeeds,
} from '../../../src/render/index.js';
import { FULL, MICRO } from './sample.js';

const series = (name: string, values: readonly (number | null)[]): ChartSpec['series'][number] => ({
  name,
  unit: null,
  decimals: 0,
  values,
});

function specWith(style: Partial<ChartStyle>, more: Partial<ChartSpec> = {}): ChartSpec {
  return {
    title: 'Apples picked',
    categoryLabel: 'Orchard',
    valueLabel: 'Tons',
    categories: ['Hill', 'Lake', 'Wood'],
    series: [series('2020', [40, 25, 61]), series('2021', [31, 48, 12])],
    style: { ...DEFAULT_STYLE, type: 'grouped-bar', ...style },
    ...more,
  };
}

function reasons(
  spec: ChartSpec,
  needs: ReadingNeeds = {},
  change = (g: ChartGeometry): ChartGeometry => g,
): string[] {
  const { geometry } = unwrap(layoutChart(spec, FULL));
  return [...new Set(readingProblems(change(geometry), needs).map(({ reason }) => reason))];
}

const all = (spec: ChartSpec): readonly Queried[] =>
  spec.series.flatMap((_, i) => spec.categories.map((__, category) => ({ series: i, category })));

describe('reading', () => {
  it('finds nothing wrong with an ordinary chart', () => {
    const spec = specWith({});
    expect(reasons(spec, { queried: all(spec) })).toEqual([]);
  });

  it('finds texts that touch, leave the picture or fade', () => {
    const spec = specWith({});
    const move =
      (x: number, y: number) =>
      (geometry: ChartGeometry): ChartGeometry => {
        const [text, ...others] = geometry.texts;
        const { left, top, ...size } = text!.box;
        const corners = text!.corners.map((p) => ({ x: p.x + x - left, y: p.y + y - top }));
        const moved = {
          ...text!,
          box: { left: x, top: y, ...size },
          corners: corners as unknown as ChartGeometry['texts'][number]['corners'],
        };
        return { ...geometry, texts: [moved, ...others] };
      };
    const tick = unwrap(layoutChart(spec, FULL)).geometry.texts.find(({ role }) => role === 'tick')!;
    expect(reasons(spec, {}, move(tick.box.left, tick.box.top))).toEqual(['text-overlap']);
    expect(reasons(spec, {}, move(-20, 20))).toEqual(['text-outside']);
    const faded = (geometry: ChartGeometry): ChartGeometry => ({
      ...geometry,
      texts: geometry.texts.map((text) => ({ ...text, colour: '#dddddd' })),
    });
    expect(reasons(spec, {}, faded)).toEqual(['text-illegible']);
  });

  it('finds series alike in colour, for any eyes', () => {
    expect(
      reasons(
        specWith({ palette: 'named' }, { series: [series('red', [1, 2, 3]), series('blue', [3, 2, 1])] }),
      ),
    ).toEqual([]);
    // Green and red of one lightness.
    const geometry = unwrap(layoutChart(specWith({}), FULL)).geometry;
    const keys = geometry.keys.map((key, i) => ({ ...key, colour: i === 0 ? '#8a8a00' : '#b07a10' }));
    const found = readingProblems({ ...geometry, keys }).map(({ reason }) => reason);
    expect(found).toEqual(['colours-alike']);
  });

  it('lets dashes tell lines apart that eyes without a cone take for one', () => {
    const keys = [
      { name: 'a', colour: '#d62728', dash: 0 },
      { name: 'b', colour: '#8a7a10', dash: 1 },
    ];
    const { geometry } = unwrap(layoutChart(specWith({ type: 'line' }), FULL));
    expect(readingProblems({ ...geometry, keys })).toEqual([]);
    expect(readingProblems({ ...geometry, keys: keys.map((key) => ({ ...key, dash: 0 })) })).toHaveLength(1);
  });

  it('finds an axis without zero that says nothing', () => {
    const values = [series('2020', [140, 125, 161]), series('2021', [131, 148, 112])];
    const style = { axisRange: 'data', axisBreak: false } as const;
    expect(reasons(specWith(style, { series: values }))).toEqual(['axis-unmarked']);
    expect(reasons(specWith({ ...style, axisBreak: true }, { series: values }))).toEqual([]);
  });

  it('finds values that can not be read closely enough, unless a label says them', () => {
    const spec = specWith({}, { series: [series('2020', [40, 1000, 61]), series('2021', [900, 950, 970])] });
    const queried = [{ series: 0, category: 0 }];
    expect(reasons(spec, { queried, tolerance: 0.01 })).toEqual(['value-unreadable']);
    expect(reasons(spec, { queried, tolerance: 0.01, slack: 10 })).toEqual([]);
    const labelled = { ...spec, style: { ...spec.style, valueLabels: 'outside' as const } };
    expect(reasons(labelled, { queried, tolerance: 0 })).toEqual([]);
    const pie = specWith({ type: 'pie' }, { series: [series('2020', [30, 20, 50])] });
    expect(reasons(pie, { queried })).toEqual([]);
    expect(reasons({ ...pie, series: [series('2020', [300, 200, 501])] }, { queried })).toEqual([
      'value-unreadable',
    ]);
  });

  it('finds marks that are not there, or under another', () => {
    const gap = specWith({}, { series: [series('2020', [null, 25, 61]), series('2021', [31, 48, 12])] });
    expect(reasons(gap, { queried: [{ series: 0, category: 0 }] })).toEqual(['mark-hidden']);
    const line = specWith(
      { type: 'line' },
      { series: [series('2020', [31, 25, 61]), series('2021', [31, 48, 12])] },
    );
    expect(reasons(line, { queried: [{ series: 0, category: 0 }] })).toEqual(['mark-hidden']);
    expect(reasons(line, { queried: [{ series: 1, category: 0 }] })).toEqual([]);
  });
});

describe('styles', () => {
  it('drawn at random are styles, of many looks', () => {
    const rng = Rng.fromSeed(3);
    const styles = CHART_TYPES.flatMap((type) =>
      Array.from({ length: 40 }, (_, i) => randomStyle(rng.child(type, i), type)),
    );
    for (const style of styles) expect(readStyle(style)).toEqual({ ok: true, value: style });
    expect(new Set(styles.map((style) => JSON.stringify(style))).size).toBe(styles.length);
  });

  it('chosen to be readable are', () => {
    const spec = specWith({});
    for (let i = 0; i < 60; i++) {
      const needs = { queried: all(spec), tolerance: 0.05 };
      const style = unwrap(
        readableStyle(Rng.fromSeed(4).child(i), spec, FULL, ['grouped-bar', 'line', 'heat-map'], needs),
      );
      expect(reasons({ ...spec, style }, needs)).toEqual([]);
    }
  });

  it('are refused by key and value', () => {
    const wrong = (look: Record<string, unknown>): string => {
      const read = readStyle(look);
      return read.ok ? '' : read.error.detail;
    };
    expect(wrong({ palette: 'mud' })).toMatch(/^style palette = "mud": /);
    expect(wrong({ colour: 'red' })).toMatch(/^style colour: /);
    expect(wrong({ barGap: 2 })).toMatch(/^style barGap = 2: /);
    expect(readStyle({})).toEqual({ ok: true, value: DEFAULT_STYLE });
  });
});

describe('refusals', () => {
  const reason = (spec: ChartSpec, view = FULL): string => {
    const layout = layoutChart(spec, view);
    return layout.ok ? 'drawn' : layout.error.reason;
  };

  it('say why a chart can not be drawn', () => {
    expect(reason(specWith({}), { ...FULL, width: 10 })).toBe('malformed');
    expect(reason(specWith({}, { series: [series('a', [1, 2])] }))).toBe('malformed');
    expect(reason(specWith({ type: 'bar' }, { series: [series('a', [NaN, 2, 3])] }))).toBe('malformed');
    expect(reason(specWith({ type: 'bar' }, { series: [series('a', [null, null, null])] }))).toBe('empty');
    expect(reason(specWith({ type: 'bar' }))).toBe('unsuitable');
    expect(reason(specWith({ type: 'pie' }, { series: [series('a', [1, -2, 3])] }))).toBe('unsuitable');
    expect(reason(specWith({ legend: 'none' }))).toBe('unsuitable');
    expect(reason(specWith({ type: 'line', legend: 'none' }))).toBe('drawn');
    expect(reason(specWith({}, { range: { min: 0, max: 50 } }))).toBe('out-of-range');
    expect(reason(specWith({}, { title: '東京' }))).toBe('no-glyph');
    const many = Array.from({ length: 200 }, (_, i) => `Place ${i}`);
    expect(
      reason(
        specWith(
          { type: 'bar' },
          {
            categories: many,
            series: [
              series(
                'a',
                many.map(() => 1),
              ),
            ],
          },
        ),
      ),
    ).toBe('too-much');
  });

  it('never are exceptions', () => {
    const rng = Rng.fromSeed(12);
    const words = [
      '',
      ' ',
      'a',
      'W'.repeat(90),
      'x y z '.repeat(30),
      '<&">',
      '—',
      '‮abc',
      '\u0000',
      '🙂',
      'Łódź',
    ];
    const numbers = [0, -0, 1e-14, -1e14, 5e14, 0.1, 33, NaN, Infinity, null, 1e16];
    const counts = new Map<string, number>();
    for (let i = 0; i < 3000; i++) {
      const r = rng.child(i);
      const slots = r.int(5);
      const view = r.chance(0.5) ? { ...FULL, width: 240 + r.int(400), height: 180 + r.int(300) } : MICRO;
      const spec: ChartSpec = {
        title: r.pick(words),
        categoryLabel: r.pick(words),
        valueLabel: r.pick(words),
        categories: Array.from({ length: slots }, () => r.pick(words)),
        series: Array.from({ length: r.int(4) }, () => ({
          name: r.pick(words),
          unit: r.pick([null, '%', '€', 'bushels']),
          decimals: r.int(22),
          values: Array.from({ length: r.chance(0.9) ? slots : r.int(6) }, () =>
            r.chance(0.8) ? r.int(50) : r.pick(numbers),
          ),
        })),
        style: randomStyle(r, r.pick(CHART_TYPES)),
        range: r.chance(0.2) ? { min: r.pick([0, 5, NaN]), max: r.pick([50, 4]) } : null,
      };
      const layout = layoutChart(spec, view);
      const key = layout.ok ? 'drawn' : layout.error.reason;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (!layout.ok) continue;
      for (const { box } of layout.value.geometry.marks) {
        expect(Number.isFinite(box.left + box.top + box.width + box.height)).toBe(true);
      }
    }
    expect(counts.get('drawn')).toBeGreaterThan(200);
    expect(counts.size).toBe(7);
  });
});
