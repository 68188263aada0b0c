import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replicate, replications, rewardWeight, rwrBatch } from '../../src/algorithms/rwr.js';

describe('reward-weighted regression', () => {
  it('weighs the best reward 1 and the rest less', () => {
    expect(rewardWeight(1, { lambda: 1 })).toBe(1);
    expect(rewardWeight(0, { lambda: 1 })).toBeCloseTo(1 / Math.E, 12);
    expect(rewardWeight(0.5, { lambda: 2 })).toBeCloseTo(1 / Math.E, 12);
    expect(rewardWeight(0.3, { lambda: 0 })).toBe(1);
    expect(rewardWeight(3, { lambda: 1, maxReward: 4 })).toBeCloseTo(1 / Math.E, 12);
    expect(() => rewardWeight(1.1, { lambda: 1 })).toThrow('over the largest');
    expect(() => rewardWeight(NaN, { lambda: 1 })).toThrow();
    expect(() => rewardWeight(1, { lambda: -1 })).toThrow('lambda');
  });

  it("keeps the ratio of weights exp(lambda (R - R'))", () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(unit, unit, fc.double({ min: 0, max: 5, noNaN: true }), (a, b, lambda) => {
        const ratio = rewardWeight(a, { lambda }) / rewardWeight(b, { lambda });
        expect(ratio).toBeCloseTo(Math.exp(lambda * a) / Math.exp(lambda * b), 6);
      }),
    );
  });

  it('repeats floor(5 w) times, rounding aside', () => {
    expect([0, 0.19, 0.2, 0.39, 0.6, 0.999, 1].map((w) => replications(w))).toEqual([0, 0, 1, 1, 3, 4, 5]);
    // Eight tenths added up, times 5, is a little under 4.
    expect(replications(new Array<number>(8).fill(0.1).reduce((a, b) => a + b, 0))).toBe(4);
    expect(replications(0.35, 10)).toBe(3);
  });

  it("gives VICO's sweet spot 4 and 5 copies at lambda 1", () => {
    const outputs = [3, 4, 5].map((correct) => ({
      item: correct,
      reward: Math.exp(-4 * (correct / 8 - 0.5) ** 2),
    }));
    const batch = rwrBatch(outputs, { lambda: 1, copies: 5 });
    expect(batch.map(({ item, copies }) => [item, copies])).toEqual([
      [3, 4],
      [4, 5],
      [5, 4],
    ]);
    expect(replicate(batch)).toEqual([3, 3, 3, 3, 4, 4, 4, 4, 4, 5, 5, 5, 5]);
  });

  it('leaves out what rounds down to nothing', () => {
    const batch = rwrBatch(
      [
        { item: 'bad', reward: 0 },
        { item: 'good', reward: 1 },
      ],
      { lambda: 3, copies: 5 },
    );
    expect(batch).toEqual([{ item: 'good', reward: 1, weight: 1, copies: 5 }]);
  });
});
