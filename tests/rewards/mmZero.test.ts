import { describe, expect, it } from 'vitest';
import {
  coderReward,
  keepsForCoder,
  keepsForSolver,
  MM_ZERO_PROPOSER,
  mmZeroSolverReward,
  proposerRewards,
  type DrawingOutcome,
  type JudgedProposal,
} from '../../src/rewards/mmZero.js';

const drawn = (solvability: number, difficulty: number): DrawingOutcome => ({
  rendered: true,
  solvability,
  difficulty,
});
const FAILED: DrawingOutcome = { rendered: false };

const WORDS = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu'.split(' ');

/** Proposals that have no word in common. */
function proposal(i: number, contentType: string, drawings: readonly DrawingOutcome[]): JudgedProposal {
  const text = (field: string): string =>
    Array.from({ length: 6 }, (_, k) => `${WORDS[i]}${field}${k}`).join(' ');
  return { contentType, drawings, caption: text('c'), easyQuestion: text('e'), hardQuestion: text('h') };
}

describe('the proposer', () => {
  it('is paid for what its drawings come to, solvability up to one half', () => {
    const [reward] = proposerRewards([
      proposal(0, 'map', [drawn(1, 0.4), drawn(0.4, 0.2), FAILED, FAILED]),
      proposal(1, 'table', [FAILED]),
    ]);
    // (0.5 + 0.4 + 0.4 + 0.2 + 0 + 0) / 4
    expect(reward?.terms).toEqual({ format: 0, execution: 0.375, easy: 0, content: 0, diversity: 0 });
    expect(reward?.total).toBeCloseTo(0.375, 12);
  });

  it('reaches 1 at the most', () => {
    expect(proposerRewards([proposal(0, 'map', [drawn(1, 0.5)])])[0]?.total).toBe(1);
    const uncapped = { ...MM_ZERO_PROPOSER, solvabilityCap: null };
    expect(proposerRewards([proposal(0, 'map', [drawn(1, 0.5)])], uncapped)[0]?.total).toBe(1.5);
  });

  it('pays for a hard question that is too easy, unless nothing rendered', () => {
    const [easy, hard, none] = proposerRewards([
      proposal(0, 'map', [drawn(0.5, 0), drawn(0.5, 0.2), FAILED]),
      proposal(1, 'table', [drawn(0.5, 0.2)]),
      proposal(2, 'geometry', [FAILED]),
    ]);
    expect(easy?.terms.easy).toBe(-0.3);
    expect(hard?.terms.easy).toBe(0);
    expect(none?.terms.easy).toBe(0);
  });

  it('pays for a content type that takes over, where there are others', () => {
    const of = (types: readonly string[]): number[] =>
      proposerRewards(types.map((type, i) => proposal(i, type, [FAILED]))).map(({ terms }) => terms.content);
    // A share of 3/4: 0.15 * 0.25 / 0.5.
    expect(of(['map', 'map', 'map', 'table'])).toEqual([-0.075, -0.075, -0.075, 0]);
    expect(of(['map', 'table'])).toEqual([0, 0]);
    expect(of(['map', 'map', 'map'])).toEqual([0, 0, 0]);
  });

  it('gets -1 for what can not be read, which counts for nothing else', () => {
    const rewards = proposerRewards([
      null,
      proposal(0, 'map', [FAILED]),
      null,
      proposal(1, 'table', [FAILED]),
    ]);
    expect(rewards.map(({ total }) => total)).toEqual([-1, 0, -1, 0]);
  });

  it('is the sum of its terms', () => {
    const same = proposal(0, 'map', [drawn(0.2, 0.1)]);
    for (const { total, terms } of proposerRewards([
      same,
      same,
      same,
      proposal(1, 'table', [drawn(1, 0.5)]),
      null,
    ])) {
      expect(Object.values(terms).reduce((a, b) => a + b, 0)).toBeCloseTo(total, 12);
    }
  });
});

describe('the coder', () => {
  it('is paid for a picture that can be answered', () => {
    expect(coderReward({ rendered: true, solvability: 0.6, difficulty: 0.4 }).total).toBeCloseTo(2);
  });

  it.each([
    ['failed', -0.1],
    ['broken', -0.15],
    ['none', -0.5],
  ] as const)('pays for a drawing that is %s: %f', (failure, total) => {
    const reward = coderReward({ rendered: false, failure });
    expect(reward.total).toBeCloseTo(total, 12);
    expect(Object.values(reward.terms).reduce((a, b) => a + b, 0)).toBeCloseTo(reward.total, 12);
  });
});

describe('the solver and the filters', () => {
  it('adds nine tenths for agreement to one for format', () => {
    expect(mmZeroSolverReward(true, true).total).toBeCloseTo(1);
    expect(mmZeroSolverReward(true, false).total).toBeCloseTo(0.1);
    expect(mmZeroSolverReward(false, false).total).toBe(0);
  });

  it('keeps proposals for the coder that render sometimes', () => {
    const of = (n: number): boolean =>
      keepsForCoder(Array.from({ length: 4 }, (_, i) => ({ rendered: i < n })));
    expect([0, 1, 2, 3, 4].map(of)).toEqual([false, true, true, true, false]);
    expect(keepsForCoder([])).toBe(false);
  });

  it('keeps pictures for the solver by the bounds of the paper or of its code', () => {
    expect(keepsForSolver(0.6, 0.27)).toBe(true);
    expect(keepsForSolver(0.5, 0.5)).toBe(false);
    expect(keepsForSolver(0.5, 0.5, 'code')).toBe(true);
    expect(keepsForSolver(0.6, 0.25)).toBe(false);
    expect(keepsForSolver(0.6, 0.25, 'code')).toBe(true);
    expect(keepsForSolver(0.6, 0.76)).toBe(false);
  });
});
