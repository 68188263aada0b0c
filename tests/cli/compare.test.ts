import { describe, expect, it } from 'vitest';
import { armResults, type RunResult } from '../../src/cli/compare/analyse.js';
import { lineChart, niceTicks } from '../../src/cli/compare/chart.js';
import { comparisonChart, comparisonPage } from '../../src/cli/compare/page.js';
import { Rng } from '../../src/core/rng.js';
import fc from 'fast-check';

const PICTURES = 40;

/** A run whose end is better than its base by `gain` on every item, plus noise that both arms of a seed share. */
function result(arm: string, seed: number, gain: number): RunResult {
  const items = (extra: number, noise: Rng) =>
    Array.from({ length: 2 * PICTURES }, (_, i) => ({
      item: `${seed}/${i}`,
      cluster: `${seed}/${i % PICTURES}`,
      value: 0.4 + extra + 0.2 * Rng.fromSeed('item').child(seed, i).float() + 0.01 * noise.child(i).float(),
    }));
  const rng = Rng.fromSeed('runs').child(arm, seed);
  const base = items(0, rng.child('base'));
  const end = items(gain, rng.child('end'));
  return {
    arm,
    seed,
    base: { greedy: base, p1: base },
    end: { greedy: end, p1: end },
    curve: [0, 1].map((round) => ({ round, greedy: 0.4 + gain * round, p1: 0.4 + gain * round })),
    mixed: new Map([
      [0, 0.5],
      [1, 0.25],
    ]),
    strata: new Map([['p1/objects=2-3', 0.7]]),
    rollouts: 1000,
    updates: 10,
    seconds: 60,
  };
}

const RESULTS = [
  result('full', 1, 0.1),
  result('plain', 1, 0),
  result('full', 2, 0.1),
  result('plain', 2, 0),
];

describe('armResults', () => {
  it('pairs a run with its own base and with the reference arm of its seed', () => {
    const [full, plain] = armResults(['full', 'plain'], RESULTS, 'full');
    expect(full?.gain.p1.mean).toBeCloseTo(0.1, 2);
    expect(full?.against.p1).toBeNull();
    expect(plain?.against.p1?.mean).toBeCloseTo(-0.1, 2);
    // What items share cancels: the difference is known far better than either level.
    expect(plain?.against.p1?.high).toBeLessThan(-0.09);
    const width = (e: { low: number; high: number } | undefined): number => (e ? e.high - e.low : NaN);
    expect(width(plain?.end.p1)).toBeGreaterThan(5 * width(plain?.gain.p1));
    // Pictures of two seeds are two clusters.
    expect(full?.end.p1).toMatchObject({ n: 4 * PICTURES, clusters: 2 * PICTURES });
  });

  it('compares only the seeds that both arms have', () => {
    const [, plain] = armResults(['full', 'plain'], [...RESULTS, result('plain', 3, 0.3)], 'full');
    expect(plain?.runs).toHaveLength(3);
    expect(plain?.against.p1?.n).toBe(4 * PICTURES);
    expect(plain?.gain.p1.n).toBe(6 * PICTURES);
  });

  it('leaves out arms without a run', () => {
    expect(armResults(['full', 'static'], RESULTS, 'full').map(({ arm }) => arm)).toEqual(['full']);
  });
});

describe('the page', () => {
  it('reads as it should', async () => {
    const arms = armResults(['full', 'plain'], RESULTS, 'full');
    const page = comparisonPage('a comparison', 'covolve compare x --arms full,plain', arms, 'full', [
      'plain-3',
    ]);
    await expect(page).toMatchFileSnapshot('./golden/compare.md');
    await expect(comparisonChart('a comparison', arms)).toMatchFileSnapshot('./golden/compare.svg');
  });
});

describe('the chart', () => {
  it('keeps every point inside its frame and escapes names', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 2, maxLength: 9 }),
        (ys) => {
          const points = ys.map((y, x) => ({ x, y }));
          const svg = lineChart([{ name: 'a<b & "c"', points }], {
            title: 't',
            xLabel: 'x',
            yLabel: 'y',
            format: String,
          });
          const dots = [...svg.matchAll(/circle cx="([-\d.]+)" cy="([-\d.]+)"/g)];
          expect(dots).toHaveLength(ys.length);
          for (const [, cx, cy] of dots) {
            expect(Number(cx)).toBeGreaterThanOrEqual(64);
            expect(Number(cx)).toBeLessThanOrEqual(590);
            expect(Number(cy)).toBeGreaterThanOrEqual(44);
            expect(Number(cy)).toBeLessThanOrEqual(372);
          }
          expect(svg).toContain('a&lt;b &amp; &quot;c&quot;');
        },
      ),
    );
  });

  it('has a few ticks that span the range', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        (low, span) => {
          const ticks = niceTicks(low, low + span);
          // Ticks are written with 15 digits, so a narrow range far from 0 is met to that many.
          const slack = 1e-6 * span + 1e-14 * Math.max(Math.abs(low), Math.abs(low + span));
          expect(ticks[0]).toBeLessThanOrEqual(low + slack);
          expect(ticks.at(-1)).toBeGreaterThanOrEqual(low + span - slack);
          expect(ticks.length).toBeGreaterThanOrEqual(2);
          expect(ticks.length).toBeLessThanOrEqual(8);
        },
      ),
    );
  });
});
