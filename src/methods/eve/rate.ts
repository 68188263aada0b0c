import type { Json } from '../../core/json.js';
import type { Group } from '../../core/reward.js';
import type { Label } from '../../core/task.js';
import { grade } from '../../rewards/grading.js';
import { majorityVote, pseudoLabel } from '../../rewards/majority.js';
import { eveDifficulty } from '../../rewards/passRate.js';
import type { Measured } from './programs.js';
import type { EveSetup } from './setup.js';

/** A question as the method sees it after the frozen solver answered it. */
export interface Rated {
  readonly taskId: string;
  /** What difficulty is made of: accuracy, or self-consistency where labels are votes. */
  readonly rate: number;
  /** Share of right answers, execution being the judge. */
  readonly accuracy: number;
  /** The label the solver would train on; null for that of execution. */
  readonly silver: { readonly answer: string; readonly label: Label } | null;
  /** Whether that label is what execution says. */
  readonly labelRight: boolean;
}

/** Rates the questions of a step, by task id. Ties of votes are broken by the task, so that a resumed run votes alike. */
export function rateQuestions<State extends Json, Action extends Json>(
  { config, environment, rng }: Pick<EveSetup<State, Action>, 'config' | 'environment' | 'rng'>,
  groups: readonly Group[],
): ReadonlyMap<string, Rated> {
  const rated = groups.map(({ task, rollouts, passRate }): Rated => {
    const taskId = task.id;
    if (config.arm !== 'pseudo-label') {
      return { taskId, rate: passRate, accuracy: passRate, silver: null, labelRight: true };
    }
    const answers = rollouts.map(({ completion }) => {
      const solution = environment.solver.parse(completion.text, { task, images: [] });
      return solution.ok ? solution.value.answer : null;
    });
    const vote = majorityVote(answers, task, rng.child('vote', taskId));
    // A question that nobody answered has no label, and a rate of 0 keeps it out of the bank.
    if (!vote) return { taskId, rate: 0, accuracy: passRate, silver: null, labelRight: false };
    return {
      taskId,
      rate: vote.selfConsistency,
      accuracy: passRate,
      silver: { answer: vote.answer, label: pseudoLabel(vote) },
      labelRight: grade(vote.answer, task),
    };
  });
  return new Map(rated.map((question) => [question.taskId, question]));
}

/** Mean difficulty of every attempt's questions; null for one without. */
export function difficulties(
  { outcomes }: Pick<Measured, 'outcomes'>,
  rated: ReadonlyMap<string, Rated>,
): (number | null)[] {
  return outcomes.map((outcome) => {
    if (outcome.kind !== 'valid') return null;
    const each = outcome.questions.map((id) => {
      const question = rated.get(id);
      if (!question) throw new Error(`question ${id} was never measured`);
      return eveDifficulty(question.rate);
    });
    return each.reduce((sum, difficulty) => sum + difficulty, 0) / each.length;
  });
}
