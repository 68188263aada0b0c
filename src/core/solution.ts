import type { Solution } from './environment.js';
import { ok, reject, type Rejection, type Result } from './result.js';

/** Why a completion doesn't have the form `<think>...</think><answer>...</answer>`. */
export const SOLUTION_REJECTIONS = [
  /** No `<think>...</think>` pair at all. */
  'no-think',
  /** No `<answer>...</answer>` pair at all. */
  'no-answer',
  /** A tag is there twice. */
  'repeated-tag',
  /** The four tags are there, but not in order. */
  'wrong-order',
  /** Text before, between or after the two pairs. */
  'stray-text',
  /** Nothing but white space between the answer tags. */
  'empty-answer',
] as const;

export type SolutionReason = (typeof SOLUTION_REJECTIONS)[number];

const TAGS = ['<think>', '</think>', '<answer>', '</answer>'] as const;

/**
 * Reads `<think>...</think><answer>...</answer>`: each tag exactly once, in this order, and nothing but white space
 * outside the pairs. Both texts are trimmed; the thinking may be empty, the answer may not.
 */
export function parseSolution(text: string): Result<Solution, Rejection<SolutionReason>> {
  const at = TAGS.map((tag) => text.indexOf(tag));
  const [think, thinkEnd, answer, answerEnd] = at as [number, number, number, number];
  if (think < 0 || thinkEnd < 0) return reject('no-think', 'there is no <think>...</think>');
  if (answer < 0 || answerEnd < 0) return reject('no-answer', 'there is no <answer>...</answer>');
  const repeated = TAGS.find((tag, i) => text.indexOf(tag, (at[i] as number) + tag.length) >= 0);
  if (repeated !== undefined) return reject('repeated-tag', `${repeated} is there more than once`);
  if (!(think < thinkEnd && thinkEnd < answer && answer < answerEnd)) {
    return reject('wrong-order', 'the tags are not in the order <think></think><answer></answer>');
  }
  const outside = [
    text.slice(0, think),
    text.slice(thinkEnd + '</think>'.length, answer),
    text.slice(answerEnd + '</answer>'.length),
  ];
  const stray = outside.find((part) => part.trim() !== '');
  if (stray !== undefined) {
    return reject('stray-text', `text outside the tags: ${JSON.stringify(stray.trim().slice(0, 40))}`);
  }
  const solution = {
    answer: text.slice(answer + '<answer>'.length, answerEnd).trim(),
    reasoning: text.slice(think + '<think>'.length, thinkEnd).trim(),
  };
  return solution.answer === '' ? reject('empty-answer', 'the answer is empty') : ok(solution);
}
