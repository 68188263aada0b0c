import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { student975 } from '../../src/algorithms/intervals.js';
import {
  bootstrapInterval,
  brierScore,
  clusteredMean,
  meanInterval,
  pairedDifference,
  quantile,
  rSquared,
  wilsonInterval,
  type ItemValue,
} from '../../src/algorithms/statistics.js';
import { Rng } from '../../src/core/rng.js';
import { passRateInterval } from '../../src/rewards/passRate.js';

const within = (value: number, { low, high }: { low: number; high: number }) => low <= value && value <= high;

/** Share of `runs` for which the interval holds the truth. Lets the event loop run now and then: the test runner needs it. */
async function coverage(runs: number, holds: (rng: Rng) => boolean): Promise<number> {
  const rng = Rng.fromSeed('coverage');
  let held = 0;
  for (let i = 0; i < runs; i++) {
    if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    if (holds(rng.child(i))) held++;
  }
  return held / runs;
}

describe('student975', () => {
  it('is that of the tables', () => {
    const table = [
      [1, 12.706205],
      [2, 4.302653],
      [3, 3.182446],
      [5, 2.570582],
      [10, 2.228139],
      [30, 2.042272],
      [40, 2.021075],
      [41, 2.019541],
      [60, 2.000298],
      [120, 1.97993],
      [Infinity, 1.959964],
    ] as const;
    for (const [df, expected] of table) expect(student975(df), `df ${df}`).toBeCloseTo(expected, 5);
    expect(() => student975(0)).toThrow();
  });
});

describe('clusteredMean', () => {
  it('is the textbook interval where every value stands alone', () => {
    // Mean 5, variance 32/7, se 0.7559, t(7) 2.36462.
    const estimate = meanInterval([2, 4, 4, 4, 5, 5, 7, 9]);
    expect(estimate.mean).toBe(5);
    expect(estimate.standardError).toBeCloseTo(Math.sqrt(32 / 7 / 8), 12);
    expect(estimate.high).toBeCloseTo(5 + 2.36462 * 0.755929, 4);
    expect(estimate.low).toBeCloseTo(5 - 2.36462 * 0.755929, 4);
  });

  it('counts clusters, not values', () => {
    // Three images with sums of residuals 1, -0.5, -0.5 about the mean 0.5: se^2 = 3/2 * 1.5 / 36.
    const values = [
      ['a', 1],
      ['a', 1],
      ['b', 1],
      ['b', 0],
      ['b', 0],
      ['c', 0],
    ] as const;
    const estimate = clusteredMean(values.map(([cluster, value]) => ({ cluster, value })));
    expect(estimate).toMatchObject({ mean: 0.5, n: 6, clusters: 3 });
    expect(estimate.standardError).toBeCloseTo(0.25, 12);
    expect(estimate.high).toBeCloseTo(0.5 + 4.302653 * 0.25, 5);
  });

  it('does not believe in copies', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 20 }),
        fc.integer({ min: 1, max: 5 }),
        (values, copies) => {
          const once = meanInterval(values);
          const often = clusteredMean(
            values.flatMap((value, i) => Array.from({ length: copies }, () => ({ value, cluster: `${i}` }))),
          );
          expect(often.low).toBeCloseTo(once.low, 9);
          expect(often.high).toBeCloseTo(once.high, 9);
        },
      ),
    );
  });

  it('says that one cluster tells nothing, and refuses no values and broken ones', () => {
    expect(clusteredMean([{ value: 1, cluster: 'a' }])).toMatchObject({
      mean: 1,
      low: -Infinity,
      high: Infinity,
    });
    expect(() => clusteredMean([])).toThrow('nothing');
    expect(() => meanInterval([1, NaN])).toThrow('NaN');
  });

  it('covers the truth 95 % of the time with clusters of unequal size, where the plain interval does not', async () => {
    const draw = (rng: Rng) =>
      Array.from({ length: 60 }, (_, g) => {
        const luck = rng.normal();
        return Array.from({ length: 2 + rng.int(6) }, () => ({
          value: 0.4 + luck + rng.normal(),
          cluster: `${g}`,
        }));
      }).flat();
    const robust = await coverage(1000, (rng) => within(0.4, clusteredMean(draw(rng))));
    expect(robust).toBeGreaterThan(0.93);
    expect(robust).toBeLessThan(0.97);
    expect(
      await coverage(300, (rng) => within(0.4, meanInterval(draw(rng).map(({ value }) => value)))),
    ).toBeLessThan(0.85);
  });

  it('covers right answers in few clusters too', async () => {
    const covered = await coverage(1000, (rng) => {
      const values = Array.from({ length: 12 }, (_, g) => {
        const p = rng.range(0.4, 0.8);
        return Array.from({ length: 8 }, () => ({ value: rng.chance(p) ? 1 : 0, cluster: `${g}` }));
      }).flat();
      return within(0.6, clusteredMean(values));
    });
    expect(covered).toBeGreaterThan(0.93);
    expect(covered).toBeLessThan(0.97);
  });
});

describe('pairedDifference', () => {
  const of = (values: readonly (readonly [item: string, cluster: string, value: number])[]): ItemValue[] =>
    values.map(([item, cluster, value]) => ({ item, cluster, value }));

  it('matches items in any order', () => {
    const system = of([
      ['1', 'a', 1],
      ['2', 'a', 1],
      ['3', 'b', 0],
      ['4', 'c', 1],
    ]);
    const baseline = of([
      ['4', 'c', 0],
      ['3', 'b', 0],
      ['2', 'a', 1],
      ['1', 'a', 0],
    ]);
    // Differences 1, 0 | 0 | 1: sums of residuals 0, -0.5, 0.5.
    const difference = pairedDifference(system, baseline);
    expect(difference).toMatchObject({ mean: 0.5, n: 4, clusters: 3 });
    expect(difference.standardError).toBeCloseTo(Math.sqrt((1.5 * 0.5) / 16), 12);
    expect(pairedDifference(baseline, system).mean).toBe(-0.5);
  });

  it('refuses items that do not match', () => {
    const one = of([
      ['1', 'a', 1],
      ['2', 'a', 1],
    ]);
    expect(() => pairedDifference(one, of([['1', 'a', 1]]))).toThrow();
    expect(() =>
      pairedDifference(
        one,
        of([
          ['1', 'a', 1],
          ['3', 'a', 1],
        ]),
      ),
    ).toThrow('item 2');
    expect(() =>
      pairedDifference(
        one,
        of([
          ['1', 'a', 1],
          ['1', 'a', 1],
        ]),
      ),
    ).toThrow();
    expect(() =>
      pairedDifference(
        of([
          ['1', 'a', 1],
          ['1', 'a', 1],
        ]),
        one,
      ),
    ).toThrow('twice');
    expect(() =>
      pairedDifference(
        one,
        of([
          ['1', 'a', 1],
          ['2', 'b', 1],
        ]),
      ),
    ).toThrow('two clusters');
  });

  it('covers the true gain 95 % of the time, and is narrower than two separate intervals', async () => {
    let narrower = 0;
    const covered = await coverage(1000, (rng) => {
      const pairs = Array.from({ length: 30 }, (_, g) => {
        const ease = rng.normal();
        const gain = 0.05 + 0.1 * rng.normal();
        return Array.from({ length: 3 }, (_, q) => {
          const item = { item: `${g}/${q}`, cluster: `${g}` };
          const shared = ease + rng.normal();
          return {
            system: { ...item, value: shared + gain },
            baseline: { ...item, value: shared + 0.1 * rng.normal() },
          };
        });
      }).flat();
      const system = pairs.map((pair) => pair.system);
      const baseline = pairs.map((pair) => pair.baseline);
      const difference = pairedDifference(system, baseline);
      if (difference.high - difference.low < clusteredMean(system).high - clusteredMean(system).low)
        narrower++;
      return within(0.05, difference);
    });
    expect(covered).toBeGreaterThan(0.93);
    expect(covered).toBeLessThan(0.97);
    expect(narrower).toBe(1000);
  });
});

describe('wilsonInterval', () => {
  it('agrees with the interval of a pass rate, derived another way', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.nat(1000), (trials, some) => {
        const successes = some % (trials + 1);
        const ours = wilsonInterval(successes, trials);
        const other = passRateInterval(successes, trials);
        expect(ours.low).toBeCloseTo(other.low, 12);
        expect(ours.high).toBeCloseTo(other.high, 12);
        expect(within(ours.share, ours)).toBe(true);
      }),
    );
    expect(() => wilsonInterval(2, 1)).toThrow();
  });

  it('covers 95 % on average over p, computed without chance', () => {
    const n = 40;
    const chances = Array.from({ length: 199 }, (_, i) => (i + 1) / 200).map((p) => {
      let probability = (1 - p) ** n;
      let covered = 0;
      for (let k = 0; k <= n; k++) {
        if (within(p, wilsonInterval(k, n))) covered += probability;
        probability *= ((n - k) / (k + 1)) * (p / (1 - p));
      }
      return covered;
    });
    const mean = chances.reduce((a, b) => a + b, 0) / chances.length;
    expect(mean).toBeGreaterThan(0.94);
    expect(mean).toBeLessThan(0.96);
  });
});

describe('bootstrapInterval', () => {
  const average = (sample: readonly number[]) => sample.reduce((a, b) => a + b, 0) / sample.length;

  it('is a function of its stream', () => {
    const units = [1, 2, 3, 5, 8, 13];
    const first = bootstrapInterval(units, average, Rng.fromSeed(1));
    expect(first).toEqual(bootstrapInterval(units, average, Rng.fromSeed(1)));
    expect(first).not.toEqual(bootstrapInterval(units, average, Rng.fromSeed(2)));
    expect(first.estimate).toBeCloseTo(32 / 6, 12);
    expect(bootstrapInterval([7, 7], average, Rng.fromSeed(1))).toEqual({ estimate: 7, low: 7, high: 7 });
    expect(() => bootstrapInterval([], average, Rng.fromSeed(1))).toThrow();
  });

  it('covers about as often as it says', async () => {
    const covered = await coverage(300, (rng) => {
      const units = Array.from({ length: 60 }, () => rng.normal());
      return within(0, bootstrapInterval(units, average, rng.child('bootstrap'), 200));
    });
    expect(covered).toBeGreaterThan(0.9);
    expect(covered).toBeLessThan(0.98);
  });

  it('interpolates quantiles', () => {
    expect([0, 0.25, 0.5, 0.9, 1].map((q) => quantile([0, 1, 2, 3, 10], q))).toEqual(
      [0, 1, 2, 7.2, 10].map((x) => expect.closeTo(x, 12) as number),
    );
    expect(quantile([-Infinity, -Infinity, 1], 0.25)).toBe(-Infinity);
    expect(() => quantile([], 0.5)).toThrow();
  });
});

describe('scores of predictions', () => {
  const pairs = [
    [0.9, 1],
    [0.2, 0],
    [0.6, 1],
    [0.5, 0],
  ].map(([predicted = 0, observed = 0]) => ({ predicted, observed }));

  it('are those of the worked example', () => {
    expect(brierScore(pairs)).toBeCloseTo((0.01 + 0.04 + 0.16 + 0.25) / 4, 12);
    expect(rSquared(pairs)).toBeCloseTo(1 - 0.46 / 1, 12);
  });

  it('have their fixed points', () => {
    const perfect = pairs.map(({ observed }) => ({ predicted: observed, observed }));
    expect([brierScore(perfect), rSquared(perfect)]).toEqual([0, 1]);
    expect(rSquared(pairs.map(({ observed }) => ({ predicted: 0.5, observed })))).toBe(0);
    expect(
      rSquared([
        { predicted: 1, observed: 0.1 },
        { predicted: 0, observed: 0.1 },
      ]),
    ).toBeNaN();
    expect(() => brierScore([])).toThrow();
    expect(() => rSquared([])).toThrow();
  });
});
