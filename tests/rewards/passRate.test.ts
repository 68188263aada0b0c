import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  driftTarget,
  eveDifficulty,
  inSweetSpot,
  learningSignal,
  mmZeroDifficulty,
  passRate,
  passRateInterval,
  vicoDifficulty,
} from '../../src/rewards/passRate.js';

describe('pass rates', () => {
  it('count', () => {
    expect(passRate([true, false, false, true])).toBe(0.5);
    expect(() => passRate([])).toThrow('empty');
  });

  it('have the Wilson interval', () => {
    // Newcombe 1998, table I, method 3: 81/263, 15/148, 0/20, 1/29.
    for (const [correct, tried, low, high] of [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718],
    ] as const) {
      const interval = passRateInterval(correct, tried);
      expect(interval.low).toBeCloseTo(low, 4);
      expect(interval.high).toBeCloseTo(high, 4);
    }
    expect(passRateInterval(8, 8).high).toBe(1);
    expect(() => passRateInterval(9, 8)).toThrow();
    expect(() => passRateInterval(0, 0)).toThrow();
  });

  it('have an interval whose ends solve the score equation', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(500), (tried, some) => {
        const correct = some % (tried + 1);
        const { low, high } = passRateInterval(correct, tried, 1.96);
        expect(low).toBeLessThanOrEqual(correct / tried);
        expect(high).toBeGreaterThanOrEqual(correct / tried);
        for (const [end, open] of [
          [low, correct > 0],
          [high, correct < tried],
        ] as const) {
          if (open)
            expect(Math.abs(correct / tried - end)).toBeCloseTo(
              1.96 * Math.sqrt((end * (1 - end)) / tried),
              9,
            );
        }
      }),
    );
  });
});

describe('difficulty', () => {
  it('peaks where each paper says', () => {
    expect(learningSignal(0.5)).toBe(0.25);
    expect(vicoDifficulty(0.5)).toBe(1);
    expect(vicoDifficulty(0.25)).toBeCloseTo(Math.exp(-0.25), 12);
    expect(vicoDifficulty(0)).toBeCloseTo(0.36788, 5);
    expect(vicoDifficulty(0.7, { alpha: 0.7, beta: 9 })).toBe(1);
    expect([0, 0.25, 0.5, 0.75, 1].map(eveDifficulty)).toEqual([0, 0.5, 1, 0.5, 0]);
    expect([0, 0.25, 0.5, 0.75, 1].map(mmZeroDifficulty)).toEqual([0, 0.25, 0.5, 0.25, 0]);
  });

  it('keeps 3, 4 and 5 of 8 in the sweet spot, and both ends of it', () => {
    const kept = Array.from({ length: 9 }, (_, correct) => correct).filter((correct) =>
      inSweetSpot(correct / 8),
    );
    expect(kept).toEqual([3, 4, 5]);
    // 7/20 and 13/20 are the ends; in floating point |0.35 - 0.5| is over 0.15.
    expect(Array.from({ length: 21 }, (_, c) => c).filter((c) => inSweetSpot(c / 20))).toEqual([
      7, 8, 9, 10, 11, 12, 13,
    ]);
    expect(inSweetSpot(0.35)).toBe(true);
    expect(inSweetSpot(0.65)).toBe(true);
    expect(inSweetSpot(0.349999)).toBe(false);
    expect(inSweetSpot(0.650001)).toBe(false);
  });

  it('moves the target to the original pass rate as drift costs more', () => {
    expect(driftTarget(0.5, { weight: 0, originalPassRate: 0.9 })).toBe(0.5);
    expect(driftTarget(0.5, { weight: 1, originalPassRate: 0.9 })).toBeCloseTo(0.7, 12);
    expect(driftTarget(0.5, { weight: 1e9, originalPassRate: 0.9 })).toBeCloseTo(0.9, 6);
    expect(() => driftTarget(0.5, { weight: -1, originalPassRate: 0.9 })).toThrow();
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 20, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (weight, original) => {
          // The best of a fine grid, found by trying.
          const gain = (p: number) => learningSignal(p) - weight * (p - original) ** 2;
          const grid = Array.from({ length: 2001 }, (_, i) => i / 2000);
          const best = grid.reduce((a, b) => (gain(b) > gain(a) ? b : a));
          expect(Math.abs(driftTarget(0.5, { weight, originalPassRate: original }) - best)).toBeLessThan(
            6e-4,
          );
        },
      ),
      { numRuns: 50 },
    );
  });
});
