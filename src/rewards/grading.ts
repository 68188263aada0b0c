import type { Task } from '../core/task.js';
import { isYear, normaliseText, numberKey, numberOfKey, wordKey } from './answerText.js';

/** What a grader may see of a task. */
export type Gradable = Pick<Task, 'answer' | 'answerKind' | 'choices'>;

/** Says whether an answer is right. Pure, total: no text makes it throw. */
export type Grader = (given: string, task: Gradable) => boolean;

export interface GradeOptions {
  /**
   * Largest relative error |given - answer| / |answer| of a number that still counts as right; 0, the default, asks for the
   * very number. A year gets none whatever this is: 1915 is not 2010, nor is 2009. With a tolerance, grading is no longer
   * an equivalence, so votes never use it.
   */
  readonly relativeTolerance?: number;
}

/** For a tolerance of 5 % to accept 105 for 100 whatever the rounding. */
const ROUNDING = 1e-12;

const YES_NO: Readonly<Record<string, 'yes' | 'no'>> = { yes: 'yes', true: 'yes', no: 'no', false: 'no' };

/**
 * What an answer says, as a key: two answers to the same task say the same exactly when their keys are equal, which makes
 * grading an equivalence and votes independent of order. Null when the text says nothing of the task's kind.
 *
 * - `number`: see `numberKey`; `14`, `14.0`, `+14`, `14%` and `fourteen` are one.
 * - `yes-no`: `yes` and `true` are one, `no` and `false` are the other; nothing else is either.
 * - `word`: see `wordKey`; case, punctuation around it and a leading article don't count.
 * - `choice`: a letter (`B`, `(b)`, `B.`, `option B`), the text of one option, or both when they agree (`B. red`). A letter
 *   in range is read as a letter even when another option's text is that letter. An option's text is compared as a word,
 *   then as a number; one that fits two options says nothing. Without options only the letter or the word is compared.
 */
export function answerKey(text: string, task: Pick<Task, 'answerKind' | 'choices'>): string | null {
  switch (task.answerKind) {
    case 'number':
      return numberKey(text);
    case 'word':
      return wordKey(text);
    case 'yes-no': {
      const word = wordKey(text);
      return word !== null && Object.hasOwn(YES_NO, word) ? (YES_NO[word] ?? null) : null;
    }
    case 'choice':
      return choiceKey(text, task.choices ?? []);
    default:
      return task.answerKind satisfies never;
  }
}

/**
 * Whether `given` is the right answer: typed by the answer's kind, strict. An answer without content is never right, nor is
 * anything when the task's own answer doesn't fit its kind (`isGradable` tells such a task beforehand).
 */
export function grade(given: string, task: Gradable, options: GradeOptions = {}): boolean {
  const want = answerKey(task.answer, task);
  const said = answerKey(given, task);
  if (want === null || said === null) return false;
  if (said === want) return true;
  const tolerance = options.relativeTolerance ?? 0;
  if (task.answerKind !== 'number' || tolerance <= 0 || isYear(task.answer)) return false;
  const right = numberOfKey(want);
  return Math.abs(numberOfKey(said) - right) <= tolerance * Math.abs(right) * (1 + ROUNDING);
}

/** Whether a task's own answer can be compared at all; where it is false no rollout could ever be right. */
export function isGradable(task: Gradable): boolean {
  return answerKey(task.answer, task) !== null;
}

/**
 * Whether a text answers anything: not empty, not punctuation alone, not `none` or `n/a`. Rollouts without content are left
 * out of majority votes (methods.md, "Common ground"). A task whose true answer is the word `none` is still graded by `grade`.
 */
export function hasContent(text: string): boolean {
  const word = wordKey(text);
  return word !== null && word !== 'none' && word !== 'n/a';
}

function choiceKey(text: string, choices: readonly string[]): string | null {
  const plain = normaliseText(text)?.replace(/^[\s"'`*_]+|[\s"'`*_,;]+$/gu, '');
  if (!plain) return null;
  const letter = /^(?:option )?\(?([a-z])[).:]{0,2}$/.exec(plain)?.[1];
  if (choices.length === 0) return letter ?? wordKey(text);
  const byLetter = letter === undefined ? null : optionOfLetter(letter, choices);
  if (byLetter !== null) return byLetter;
  const byText = optionOfText(text, choices);
  if (byText !== null) return byText;
  const both = /^(?:option )?\(?([a-z])[).:]{1,2} ?(.+)$/s.exec(plain);
  if (!both?.[1] || !both[2]) return null;
  const named = optionOfLetter(both[1], choices);
  return named !== null && optionOfText(both[2], choices) === named ? named : null;
}

function optionOfLetter(letter: string, choices: readonly string[]): string | null {
  const index = letter.charCodeAt(0) - 97;
  return index < choices.length ? `option ${index}` : null;
}

function optionOfText(text: string, choices: readonly string[]): string | null {
  for (const keyOf of [wordKey, numberKey]) {
    const key = keyOf(text);
    if (key === null) continue;
    const fits = choices.flatMap((choice, i) => (keyOf(choice) === key ? [i] : []));
    if (fits.length === 1) return `option ${fits[0]}`;
    if (fits.length > 1) return null;
  }
  return null;
}
