import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axisTicks, lineChart, moveGauge, pairedHistogram, stackedBars } from '../../src/report/chart.js';
import { parsePage } from './markup.js';

const finite = fc.double({ min: -1e6, max: 1e6, noNaN: true });

describe('axisTicks', () => {
  it('holds all values between its ends, at equal steps', () => {
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1, maxLength: 20 }), (values) => {
        const ticks = axisTicks(values);
        const [low, high] = [Math.min(...values), Math.max(...values)];
        const slack = 1e-6 * Math.max(1, Math.abs(low), Math.abs(high));
        expect(ticks[0]).toBeLessThanOrEqual(low + slack);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(high - slack);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(8);
        const steps = ticks.slice(1).map((tick, i) => tick - (ticks[i] as number));
        for (const step of steps) expect(Math.abs(step - (steps[0] as number))).toBeLessThan(slack * 10);
      }),
    );
  });

  it('does not go beyond what a share can be', () => {
    expect(axisTicks([0, 1], [0, 1])).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(axisTicks([0.97, 1], [0, 1]).at(-1)).toBe(1);
    expect(axisTicks([0, 0], [0, 1])[0]).toBe(0);
  });
});

/** Every number written into a coordinate of the chart. */
function coordinates(svg: string): number[] {
  const written = [...svg.matchAll(/ (?:d|x|y|x1|x2|y1|y2|cx|cy|width|height)="([^"]*)"/g)].map(
    ([, value]) => value ?? '',
  );
  return written.flatMap((value) => (value.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number));
}

describe('lineChart', () => {
  it('draws whatever it is given as sound markup inside of its frame', () => {
    const value = fc.oneof(finite, fc.constantFrom(NaN, Infinity, -Infinity, 0));
    const point = fc.record({ y: value, low: value, high: value });
    fc.assert(
      fc.property(fc.array(fc.array(point, { maxLength: 8 }), { minLength: 1, maxLength: 3 }), (lines) => {
        const { text } = lineChart({
          label: 'a "chart"',
          xLabel: 'round',
          format: String,
          lines: lines.map((points, i) => ({
            name: `<line ${i}>`,
            tone: i + 1,
            points: points.map((p, x) => ({ x, ...p })),
          })),
        });
        expect(parsePage(text).problems).toEqual([]);
        expect(text).not.toMatch(/="[^"]*(NaN|Infinity)/);
        for (const at of coordinates(text)) expect(Math.abs(at)).toBeLessThan(400);
      }),
    );
  });

  it('writes no two ticks alike, however near they are', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 1e-4, max: 0.1, noNaN: true }),
        fc.boolean(),
        (y, more, percent) => {
          const { text } = lineChart({
            label: 'x',
            xLabel: 'round',
            format: String,
            percent,
            lines: [
              {
                name: 'a',
                tone: 1,
                points: [
                  { x: 0, y },
                  { x: 1, y: y + more },
                ],
              },
            ],
          });
          const ticks = [...text.matchAll(/text-anchor="end">([^<]*)</g)].map(([, tick]) => tick?.trim());
          expect(ticks.length).toBeGreaterThanOrEqual(2);
          expect(new Set(ticks).size).toBe(ticks.length);
        },
      ),
    );
  });

  it('breaks a line at a value that is not finite', () => {
    const chart = lineChart({
      label: 'x',
      xLabel: 'round',
      format: String,
      lines: [{ name: 'a', tone: 1, points: [1, 2, NaN, 4, 5].map((y, x) => ({ x, y })) }],
    }).text;
    const paths = [...chart.matchAll(/class="line" d="([^"]*)"/g)].map(([, d]) => d ?? '');
    expect(paths.map((d) => (d.match(/[ML]/g) ?? []).length)).toEqual([2, 2]);
    expect(chart.match(/class="marker"/g)).toHaveLength(4);
  });

  it('puts larger values higher', () => {
    const chart = lineChart({
      label: 'x',
      xLabel: 'round',
      format: String,
      lines: [
        {
          name: 'a',
          tone: 1,
          points: [
            { x: 0, y: 1 },
            { x: 1, y: 3 },
          ],
        },
      ],
    }).text;
    const [, from, to] = /class="line" d="M[\d.]+ ([\d.]+)L[\d.]+ ([\d.]+)"/.exec(chart) ?? [];
    expect(Number(to)).toBeLessThan(Number(from));
  });

  it('says so when there is nothing', () => {
    const none = lineChart({ label: 'x', xLabel: 'round', format: String, lines: [] }).text;
    expect(none).toContain('Nothing to draw yet');
  });
});

describe('the other charts', () => {
  it('draws bars as high as their shares', () => {
    const svg = pairedHistogram({
      label: 'h',
      top: 0.5,
      format: String,
      names: ['before', 'after'],
      bins: [
        { name: '0', before: 0.5, after: 0.25, wanted: false },
        { name: '1', before: 0, after: 0.5, wanted: true },
      ],
    }).text;
    const height = (kind: string): number[] =>
      [...svg.matchAll(new RegExp(`class="${kind}"[^>]* height="([\\d.]+)"`, 'g'))].map(([, h]) => Number(h));
    const [before, after] = [height('before'), height('after')];
    expect(before[0]).toBeCloseTo(2 * (after[0] as number), 0);
    expect(before[1]).toBe(0);
    expect(after[1]).toBe(before[0]);
    expect(parsePage(svg).problems).toEqual([]);
  });

  it('stacks parts without a gap', () => {
    const svg = stackedBars({
      label: 's',
      xLabel: 'round',
      format: String,
      columns: [{ name: '1', parts: [1, 2, 3].map((value, i) => ({ name: String(i), tone: i + 1, value })) }],
    }).text;
    const rects = [...svg.matchAll(/class="part[^>]* y="([\d.]+)"[^>]* height="([\d.]+)"/g)].map(
      ([, y, h]) => [Number(y), Number(h)],
    );
    expect(rects).toHaveLength(3);
    for (let i = 1; i < 3; i++) {
      const [y, height] = rects[i] as [number, number];
      expect(y + height).toBeCloseTo((rects[i - 1] as [number, number])[0], 0);
    }
  });

  it('points the arrow of a move where it went', () => {
    const tip = (before: number, after: number): string =>
      /class="tip"\s+d="([^"]*)"/.exec(
        moveGauge({ label: 'g', before, after, zone: { from: 0.35, to: 0.65 } }).text,
      )?.[1] ?? '';
    expect(tip(0.1, 0.9)).toMatch(/l-6 -4/);
    expect(tip(0.9, 0.1)).toMatch(/l6 -4/);
    expect(tip(0.5, 0.5)).toBe('');
  });
});
