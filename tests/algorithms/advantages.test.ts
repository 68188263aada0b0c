import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupAdvantages, hasSignal } from '../../src/algorithms/advantages.js';

const std = { normalise: 'std' } as const;
const none = { normalise: 'none' } as const;

describe('groupAdvantages', () => {
  it('are those of the worked examples', () => {
    expect(groupAdvantages([1, -1, -1, -1], std)).toEqual([
      expect.closeTo(Math.sqrt(3), 12),
      ...new Array<unknown>(3).fill(expect.closeTo(-1 / Math.sqrt(3), 12)),
    ]);
    expect(groupAdvantages([1, -1, -1, -1], none)).toEqual([1.5, -0.5, -0.5, -0.5]);
    expect(groupAdvantages([2, 4, 4, 4, 5, 5, 7, 9], std)).toEqual([-1.5, -0.5, -0.5, -0.5, 0, 0, 1, 2]);
  });

  it('are zeros where nothing tells the rollouts apart', () => {
    for (const options of [std, none]) {
      expect(groupAdvantages([], options)).toEqual([]);
      expect(groupAdvantages([1], options)).toEqual([0]);
      expect(groupAdvantages([-1, -1, -1], options)).toEqual([0, 0, 0]);
      // The same sum in two orders: 0.6 and 0.6000000000000001.
      expect(groupAdvantages([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1], options)).toEqual([0, 0]);
    }
    expect(hasSignal([0, 1e-9])).toBe(true);
  });

  it('refuse a reward that is not a number', () => {
    expect(() => groupAdvantages([1, NaN], std)).toThrow('NaN');
    expect(() => groupAdvantages([1, Infinity], none)).toThrow('Infinity');
  });

  it('sum to zero, have spread one, keep the order, and forget scale and shift', () => {
    const group = fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 2, maxLength: 16 });
    fc.assert(
      fc.property(group, fc.integer({ min: 1, max: 50 }), fc.integer(), (rewards_K, scale, shift) => {
        const advantages_K = groupAdvantages(rewards_K, std);
        expect(advantages_K.reduce((a, b) => a + b, 0)).toBeCloseTo(0, 9);
        const spread = advantages_K.reduce((sum, a) => sum + a * a, 0) / rewards_K.length;
        expect(spread).toBeCloseTo(new Set(rewards_K).size > 1 ? 1 : 0, 9);
        rewards_K.forEach((r, k) =>
          expect(advantages_K.every((a, l) => r <= (rewards_K[l] ?? r) || (advantages_K[k] ?? 0) > a)).toBe(
            true,
          ),
        );
        const moved = groupAdvantages(
          rewards_K.map((r) => scale * r + (shift % 1000)),
          std,
        );
        moved.forEach((a, k) => expect(a).toBeCloseTo(advantages_K[k] ?? NaN, 9));
        const centred = groupAdvantages(rewards_K, none);
        centred.forEach((a, k) =>
          expect(a - (centred[0] ?? 0)).toBeCloseTo((rewards_K[k] ?? NaN) - (rewards_K[0] ?? NaN), 9),
        );
      }),
    );
  });

  it('are sqrt((1 - p) / p) and -sqrt(p / (1 - p)) for right and wrong', () => {
    for (let right = 1; right < 8; right++) {
      const p = right / 8;
      const advantages_K = groupAdvantages(
        Array.from({ length: 8 }, (_, k) => (k < right ? 1 : -1)),
        std,
      );
      expect(advantages_K[0]).toBeCloseTo(Math.sqrt((1 - p) / p), 12);
      expect(advantages_K[7]).toBeCloseTo(-Math.sqrt(p / (1 - p)), 12);
    }
  });
});
