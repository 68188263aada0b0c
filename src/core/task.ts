import type { ImageRef } from './image.js';
import { contentHash, type Json } from './json.js';

/** What kind of thing the right answer is; it decides how answers are compared. */
export type AnswerKind = 'number' | 'word' | 'choice' | 'yes-no';

/**
 * How a true label came to be, complete enough to be replayed by anyone: take the seed, apply the actions in order,
 * draw it, apply the rule, compare.
 */
export interface Derivation {
  readonly seedId: string;
  /** Every action from the seed to this task, oldest first; empty for the seed itself. */
  readonly actions: readonly Json[];
  /** `recompute`: the program ran on the edited structure; `preserve`: the answer can't have changed; `execute`: the program's own outputs are the answer. */
  readonly rule: 'recompute' | 'preserve' | 'execute';
  /** The rule's own intermediate results, for a reader and for `verify`. */
  readonly trace: Json;
}

/**
 * Where an answer comes from. A majority vote is `pseudo` and is never called true; so is what a generator claims of its own
 * task (one vote). `none` is what a generator is asked (a program, a caption, a drawing): there is no answer to be right
 * about, the answer is empty, and only a reward judges.
 */
export type Label =
  | { readonly origin: 'derived'; readonly derivation: Derivation }
  | { readonly origin: 'pseudo'; readonly share: number; readonly votes: number }
  | { readonly origin: 'none' };

/** Everything of a task but its id. */
export interface TaskContent {
  /** The environment's registry name. */
  readonly environment: string;
  readonly images: readonly ImageRef[];
  readonly question: string;
  readonly answer: string;
  readonly answerKind: AnswerKind;
  /** The options of a `choice` question, in the order shown. */
  readonly choices?: readonly string[];
  readonly label: Label;
  /** Facts for strata and filters (question family, objects, ...); never shown to a policy. */
  readonly facts: Readonly<Record<string, string | number>>;
}

/** A prompt to a solver with its label. Frozen; the id is a hash of the content, so equal tasks are one task. */
export interface Task extends TaskContent {
  readonly id: string;
}

export function makeTask(content: TaskContent): Task {
  return Object.freeze({ id: contentHash(content), ...content });
}

/** What a generator is asked, as a task without an answer; `question` says it in words, for people. */
export function makeRequest(
  content: Pick<TaskContent, 'environment' | 'images' | 'question' | 'facts'>,
): Task {
  return makeTask({ ...content, answer: '', answerKind: 'word', label: { origin: 'none' } });
}
