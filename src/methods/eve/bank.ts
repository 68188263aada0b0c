import { topByDifficulty } from '../../algorithms/selection.js';
import type { Rng } from '../../core/rng.js';
import { eveDifficulty } from '../../rewards/passRate.js';
import type { BankConfig } from './config.js';

/** A question that the solver may train on. */
export interface BankEntry {
  readonly taskId: string;
  /** The frozen solver's accuracy, or its self-consistency where labels are votes; in [0, 1]. */
  readonly rate: number;
}

/** The question bank of one iteration, oldest first, every question once. A value: `deposit` gives a new one. */
export type Bank = readonly BankEntry[];

/**
 * The bank with these questions added where low <= rate < high. One that was measured before is judged by its newest
 * measurement alone, and leaves when that is out of bounds.
 */
export function deposit(bank: Bank, questions: readonly BankEntry[], { low, high }: BankConfig): Bank {
  const entries = new Map(bank.map((entry) => [entry.taskId, entry]));
  for (const entry of questions) {
    entries.delete(entry.taskId);
    if (entry.rate >= low && entry.rate < high) entries.set(entry.taskId, entry);
  }
  return [...entries.values()];
}

/** The `count` most difficult questions, 1 - 2 |rate - 1/2|, the most difficult first, among equals the newer (Algorithm 1, 22 and 23). */
export function mostDifficult(bank: Bank, count: number): BankEntry[] {
  return topByDifficulty(bank, ({ rate }) => eveDifficulty(rate), count);
}

/**
 * The questions of every solver step in random order. Where there are fewer questions than `steps * perStep` they come again, none
 * twice before each other came once, and never twice in one step: with fewer than `perStep` the steps are that much smaller.
 */
export function dealSteps(
  questions: readonly string[],
  steps: number,
  perStep: number,
  rng: Rng,
): string[][] {
  const width = Math.min(perStep, questions.length);
  let stock: string[] = [];
  let cycle = 0;
  return Array.from({ length: width > 0 ? steps : 0 }, () => {
    const step: string[] = [];
    const later: string[] = [];
    while (step.length < width) {
      if (stock.length === 0) stock = rng.child('cycle', cycle++).shuffle(questions);
      const next = stock.shift() as string;
      (step.includes(next) ? later : step).push(next);
    }
    stock = [...later, ...stock];
    return step;
  });
}
