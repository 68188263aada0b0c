import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rng } from '../../../src/core/rng.js';
import { dealSteps, deposit, mostDifficult, type BankEntry } from '../../../src/methods/eve/bank.js';

const BOUNDS = { low: 0.25, high: 1 };
const entry = (taskId: string, rate: number): BankEntry => ({ taskId, rate });
const ids = (entries: readonly BankEntry[]): string[] => entries.map(({ taskId }) => taskId);

describe('the question bank', () => {
  it('keeps low <= accuracy < high', () => {
    const sixths = [0, 1, 2, 3, 4, 5, 6].map((right) => entry(`q${right}`, right / 6));
    expect(ids(deposit([], sixths, BOUNDS))).toEqual(['q2', 'q3', 'q4', 'q5']);
    expect(ids(deposit([], [entry('quarter', 0.25)], BOUNDS))).toEqual(['quarter']);
  });

  it('judges a question by its newest measurement', () => {
    const bank = deposit([], [entry('a', 0.5), entry('b', 0.5)], BOUNDS);
    expect(deposit(bank, [entry('a', 0.75)], BOUNDS)).toEqual([entry('b', 0.5), entry('a', 0.75)]);
    expect(deposit(bank, [entry('a', 1)], BOUNDS)).toEqual([entry('b', 0.5)]);
  });

  it('gives the most difficult first, among equals the newer', () => {
    const bank = [entry('easy', 5 / 6), entry('old', 0.5), entry('hard', 1 / 3), entry('new', 0.5)];
    expect(ids(mostDifficult(bank, 3))).toEqual(['new', 'old', 'hard']);
    expect(mostDifficult(bank, 0)).toEqual([]);
  });
});

describe('dealing questions to steps', () => {
  it('fills every step whatever there is, no question twice in one, all of them evenly', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 8 }),
        (count, steps, perStep) => {
          const questions = Array.from({ length: count }, (_, i) => `q${i}`);
          const dealt = dealSteps(questions, steps, perStep, Rng.fromSeed(count));
          expect(dealt).toHaveLength(steps);
          const times = new Map(questions.map((id) => [id, 0]));
          for (const step of dealt) {
            expect(step).toHaveLength(Math.min(perStep, count));
            expect(new Set(step).size).toBe(step.length);
            for (const id of step) times.set(id, (times.get(id) ?? 0) + 1);
          }
          const counts = [...times.values()];
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
        },
      ),
    );
    expect(dealSteps([], 3, 2, Rng.fromSeed(1))).toEqual([]);
  });
});
