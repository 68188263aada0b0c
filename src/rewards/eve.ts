import type { Rejection, Result } from '../core/result.js';
import type { Reward, Score } from '../core/reward.js';
import type { Task } from '../core/task.js';
import { grade } from './grading.js';

/** What is known of one program of the challenger. Terms in [0, 1]. */
export interface ProgramOutcome {
  /** A code block was found, without comments. */
  readonly format: boolean;
  /** It ran, and its pictures are valid; never true without `format`. */
  readonly valid: boolean;
  /** Mean of 1 - 2 |acc - 0.5| over its questions; 0 when there are none. */
  readonly difficulty: number;
  /** In [-1, 0]; see `eveDiversity`. */
  readonly diversity: number;
}

/** Weights of the terms; `EVE_WEIGHTS` are the paper's. An arm without a term sets its weight to 0. */
export interface EveWeights {
  readonly format: number;
  readonly valid: number;
  readonly difficulty: number;
  readonly diversity: number;
}

/** 0.2 format + 0.4 valid + 0.4 difficulty + 0.3 diversity (EVE, reward of the challenger). */
export const EVE_WEIGHTS: EveWeights = { format: 0.2, valid: 0.4, difficulty: 0.4, diversity: 0.3 };

/** A total and the named terms that it is the sum of. */
export interface TermedReward<Term extends string> {
  readonly total: number;
  readonly terms: Readonly<Record<Term, number>>;
}

/** EVE's reward of a program, in [-0.3, 1]. Throws when a term is out of its range: that is a bug. */
export function challengerReward(
  outcome: ProgramOutcome,
  weights: EveWeights = EVE_WEIGHTS,
): TermedReward<keyof EveWeights> {
  const { format, valid, difficulty, diversity } = outcome;
  if (valid && !format) throw new Error('challengerReward: a program without a code block is valid');
  if (!(difficulty >= 0 && difficulty <= 1)) throw new Error(`challengerReward: difficulty ${difficulty}`);
  if (!(diversity >= -1 && diversity <= 0)) throw new Error(`challengerReward: diversity ${diversity}`);
  const terms = {
    format: weights.format * Number(format),
    valid: weights.valid * Number(valid),
    difficulty: weights.difficulty * difficulty,
    diversity: weights.diversity * diversity,
  };
  return { total: terms.format + terms.valid + terms.difficulty + terms.diversity, terms };
}

/** EVE's reward of the solver, 0.2 format + 0.8 accuracy, in [0, 1]. */
export function eveSolverReward(format: boolean, right: boolean): TermedReward<'format' | 'accuracy'> {
  const terms = { format: 0.2 * Number(format), accuracy: 0.8 * Number(right && format) };
  return { total: terms.format + terms.accuracy, terms };
}

/**
 * The same over groups. `parse` reads a completion; a rejection means that its form is wrong. `correct` says whether the answer
 * is that of the task's label.
 */
export function eveTaskReward(
  parse: (text: string, task: Task) => Result<{ readonly answer: string }, Rejection>,
): Reward {
  const scoreOf = (text: string, task: Task): Score => {
    const solution = parse(text, task);
    const correct = solution.ok && grade(solution.value.answer, task);
    return { ...eveSolverReward(solution.ok, correct), correct };
  };
  return (batch) => batch.map(({ task, completions }) => completions.map(({ text }) => scoreOf(text, task)));
}
