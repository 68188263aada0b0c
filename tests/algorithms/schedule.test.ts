import { describe, expect, it } from 'vitest';
import { learningRateAt, type Schedule } from '../../src/algorithms/schedule.js';

const base = { peak: 8, warmupSteps: 3, totalSteps: 11 } as const;

function rates(schedule: Schedule): number[] {
  return Array.from({ length: schedule.totalSteps + 2 }, (_, step) => learningRateAt(schedule, step));
}

describe('learningRateAt', () => {
  it('warms up in a line without a step of 0, then falls as asked', () => {
    expect(rates({ ...base, decay: 'linear' })).toEqual([2, 4, 6, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]);
    expect(rates({ ...base, decay: 'constant' })).toEqual([2, 4, 6, ...new Array<number>(10).fill(8)]);
    const cosine = rates({ ...base, decay: 'cosine', finalShare: 0.25 });
    expect(cosine[3]).toBe(8);
    expect(cosine[7]).toBeCloseTo(5, 12);
    expect(cosine[5]).toBeCloseTo(2 + 6 * Math.cos(Math.PI / 8) ** 2, 12);
    expect(cosine[11]).toBeCloseTo(2, 12);
    expect(cosine[12]).toBeCloseTo(2, 12);
  });

  it('never rises after the warm-up nor leaves [final, peak]', () => {
    for (const decay of ['constant', 'linear', 'cosine'] as const) {
      const after = rates({ ...base, decay, totalSteps: 50, finalShare: 0.05 }).slice(3);
      after.forEach((rate, i) => {
        expect(rate).toBeLessThanOrEqual((after[i - 1] ?? 8) + 1e-12);
        expect(rate).toBeGreaterThanOrEqual(0.4 - 1e-12);
      });
    }
  });

  it('takes runs without warm-up, without decay and without steps', () => {
    expect(learningRateAt({ peak: 1, warmupSteps: 0, totalSteps: 10, decay: 'linear' }, 0)).toBe(1);
    expect(learningRateAt({ peak: 1, warmupSteps: 10, totalSteps: 5, decay: 'cosine' }, 9)).toBeCloseTo(
      10 / 11,
      12,
    );
    expect(learningRateAt({ peak: 1, warmupSteps: 0, totalSteps: 0, decay: 'cosine' }, 0)).toBe(1);
    expect(() => learningRateAt({ ...base, decay: 'linear' }, -1)).toThrow('step');
    expect(() => learningRateAt({ ...base, decay: 'linear' }, 1.5)).toThrow('step');
  });
});
