import type { Rejection, Result } from '../core/result.js';
import type { Reward, Score } from '../core/reward.js';
import type { Task } from '../core/task.js';
import { grade as strictGrade, type Grader } from './grading.js';

export interface VicoActorRewardOptions {
  /** Reads a completion's text; a rejection means that its format is wrong. */
  readonly parse: (text: string, task: Task) => Result<{ readonly answer: string }, Rejection>;
  /** Compares the answer with the label; the strict grader unless another is named. */
  readonly grade?: Grader;
}

/**
 * VICO's reward of the actor (method part 3): +1 when the format and the answer are right, else -1. The terms say which of
 * the two cost it: `format` is 0 or, when the text can't be read, -1; `accuracy` is +1 or -1, and 0 when there was nothing to
 * grade. Their sum is the total. `correct` is true exactly when the total is +1.
 */
export function vicoActorReward(options: VicoActorRewardOptions): Reward {
  const grade = options.grade ?? strictGrade;
  const scoreOf = (text: string, task: Task): Score => {
    const solution = options.parse(text, task);
    if (!solution.ok) return { total: -1, terms: { format: -1, accuracy: 0 }, correct: false };
    const correct = grade(solution.value.answer, task);
    const accuracy = correct ? 1 : -1;
    return { total: accuracy, terms: { format: 0, accuracy }, correct };
  };
  return (batch) => batch.map(({ task, completions }) => completions.map(({ text }) => scoreOf(text, task)));
}
