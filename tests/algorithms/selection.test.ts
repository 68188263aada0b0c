import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agreementChance,
  inBand,
  MIXED,
  selectBand,
  shouldStopEarly,
  sweetSpot,
  topByDifficulty,
} from '../../src/algorithms/selection.js';

const eighths = Array.from({ length: 9 }, (_, i) => i / 8);

describe('bands', () => {
  it('keep the frontier', () => {
    expect(selectBand(eighths, (p) => p, sweetSpot())).toEqual([3 / 8, 4 / 8, 5 / 8]);
    expect(selectBand(eighths, (p) => p, MIXED)).toEqual(eighths.slice(1, 8));
    expect(inBand(0.35, sweetSpot(0.5, 0.15)) && inBand(0.65, sweetSpot(0.5, 0.15))).toBe(true);
    expect(inBand(7 / 20, sweetSpot()) && inBand(13 / 20, sweetSpot())).toBe(true);
    expect(inBand(6 / 20, sweetSpot()) || inBand(14 / 20, sweetSpot())).toBe(false);
    expect(selectBand(eighths, (p) => p, { low: 0.25, high: 1, openHigh: true })).toEqual(
      eighths.slice(2, 8),
    );
    // 0.7 + 0.1 is under 0.8 in floating point, and 0.4 - 0.3 over 0.1.
    expect(inBand(8 / 10, sweetSpot(0.7, 0.1))).toBe(true);
    expect(inBand(1 / 10, sweetSpot(0.4, 0.3))).toBe(true);
    expect(inBand(0.5, { low: 0.5, high: 1, openLow: true })).toBe(false);
  });
});

describe('topByDifficulty', () => {
  it('takes the hardest, the newer among equals', () => {
    const items = ['old', 'mid', 'new', 'hard', 'easy'];
    const difficulty: Record<string, number> = { old: 0.5, mid: 0.5, new: 0.5, hard: 0.9, easy: 0 };
    expect(topByDifficulty(items, (item) => difficulty[item] ?? 0, 3)).toEqual(['hard', 'new', 'mid']);
    expect(topByDifficulty(items, () => 1, 2)).toEqual(['easy', 'hard']);
    expect(topByDifficulty(items, () => 1, -1)).toEqual([]);
    expect(topByDifficulty(items, (item) => (item === 'old' ? Infinity : -Infinity), 1)).toEqual(['old']);
    expect(items).toEqual(['old', 'mid', 'new', 'hard', 'easy']);
    expect(() => topByDifficulty(items, () => NaN, 1)).toThrow('NaN');
  });
});

describe('shouldStopEarly', () => {
  it('gives up when the first stage agrees', () => {
    const stopped = [0, 1, 2, 3, 4].filter((correct) => shouldStopEarly(correct, 4));
    expect(stopped).toEqual([0, 4]);
    expect(shouldStopEarly(0, 3)).toBe(false);
    expect(shouldStopEarly(8, 8)).toBe(true);
    expect(shouldStopEarly(2, 2, 2)).toBe(true);
    expect(shouldStopEarly(0, 0, 0)).toBe(false);
  });

  it('happens with the chance that is stated', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 8 }), (p, tried) => {
        // Sum over all outcomes of the first stage.
        let chance = 0;
        for (let bits = 0; bits < 2 ** tried; bits++) {
          const correct = Array.from({ length: tried }, (_, i) => (bits >> i) & 1).reduce((a, b) => a + b, 0);
          if (shouldStopEarly(correct, tried, 1)) chance += p ** correct * (1 - p) ** (tried - correct);
        }
        expect(agreementChance(p, tried)).toBeCloseTo(chance, 12);
      }),
    );
  });
});
