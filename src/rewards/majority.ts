import type { Rng } from '../core/rng.js';
import type { Label, Task } from '../core/task.js';
import { wordKey } from './answerText.js';
import { answerKey, hasContent } from './grading.js';

/** The answers of a group that say the same. */
export interface AnswerClass {
  /** The first answer given of this class, verbatim. */
  readonly answer: string;
  readonly votes: number;
}

/** How a group voted. */
export interface MajorityVote {
  /** The silver answer: the first spelling of the largest class. */
  readonly answer: string;
  /** Position of each answer's class in `classes`; null for one that was left out. As long as the group. */
  readonly classOf: readonly (number | null)[];
  /** Position of the silver class in `classes`. */
  readonly winner: number;
  /** Classes in the order in which they were first met. */
  readonly classes: readonly AnswerClass[];
  /** Answers that were counted, at least 1. */
  readonly votes: number;
  /** Share of the silver class among the counted answers: the self-consistency c, in (0, 1]. */
  readonly selfConsistency: number;
  /** Whether a tie was broken by chance. */
  readonly tied: boolean;
}

/**
 * The majority vote of a group (methods.md, "Common ground"): answers are compared by the typed grader, so that `14` and
 * `14.0` vote together; null and answers without content (`none`, `n/a`, empty) are left out, also from the share's denominator.
 * An answer that isn't of the task's kind votes as the words it is. Ties go to a class drawn from `rng`, which is not
 * touched otherwise. Null when nobody answered.
 */
export function majorityVote(
  answers: readonly (string | null)[],
  task: Pick<Task, 'answerKind' | 'choices'>,
  rng: Rng,
): MajorityVote | null {
  const positions = new Map<string, number>();
  const classes: { answer: string; votes: number }[] = [];
  const classOf = answers.map((answer) => {
    const key = answer === null ? null : voteKey(answer, task);
    if (answer === null || key === null) return null;
    const known = positions.get(key);
    const position = known ?? classes.length;
    if (known === undefined) {
      positions.set(key, position);
      classes.push({ answer, votes: 0 });
    }
    const entry = classes[position];
    if (entry) entry.votes += 1;
    return position;
  });
  if (classes.length === 0) return null;
  const most = Math.max(...classes.map((entry) => entry.votes));
  const leaders = classes.flatMap((entry, i) => (entry.votes === most ? [i] : []));
  const tied = leaders.length > 1;
  const winner = tied ? rng.pick(leaders) : (leaders[0] ?? 0);
  const votes = classes.reduce((sum, entry) => sum + entry.votes, 0);
  return {
    answer: classes[winner]?.answer ?? '',
    classOf,
    winner,
    classes,
    votes,
    selfConsistency: most / votes,
    tied,
  };
}

/** The label of a majority vote. It is `pseudo`: never called true. */
export function pseudoLabel(vote: MajorityVote): Extract<Label, { readonly origin: 'pseudo' }> {
  return { origin: 'pseudo', share: vote.selfConsistency, votes: vote.votes };
}

function voteKey(answer: string, task: Pick<Task, 'answerKind' | 'choices'>): string | null {
  if (!hasContent(answer)) return null;
  const key = answerKey(answer, task);
  return key === null ? `words: ${wordKey(answer) ?? ''}` : `${task.answerKind}: ${key}`;
}
