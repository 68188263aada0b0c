import { ok, reject, type Rejection, type Result } from './result.js';

/** What a completion says in its box. */
export interface BoxedAnswer {
  /** Trimmed, not empty. */
  readonly answer: string;
  readonly reasoning: string;
  /** Whether it kept to the form: one `<think>...</think>` before the box. An answer may be read without it. */
  readonly format: boolean;
}

/** Why a completion has no boxed answer. */
export const BOXED_REASONS = ['no-box', 'unclosed-box', 'empty-box'] as const;

export type BoxedReason = (typeof BOXED_REASONS)[number];

/**
 * Reads the last `\boxed{...}` of a completion, braces inside it matched; `\text{...}` around the whole is dropped. Text in the
 * thoughts doesn't count when an answer follows them.
 */
export function parseBoxed(text: string): Result<BoxedAnswer, Rejection<BoxedReason>> {
  const thought = text.lastIndexOf('</think>');
  const said = thought < 0 ? text : text.slice(thought);
  const at = said.lastIndexOf('\\boxed{');
  if (at < 0) return reject('no-box', 'there is no \\boxed{...}');
  const begin = at + '\\boxed{'.length;
  let depth = 1;
  let end = begin;
  for (; end < said.length && depth > 0; end++) {
    if (said[end] === '{') depth++;
    else if (said[end] === '}') depth--;
  }
  if (depth > 0) return reject('unclosed-box', '\\boxed{ is never closed');
  const inside = said.slice(begin, end - 1).trim();
  const answer = (/^\\text\{([^{}]*)\}$/.exec(inside)?.[1] ?? inside).trim();
  if (answer === '') return reject('empty-box', 'the box is empty');
  const reasoning = /<think>([\s\S]*?)<\/think>/.exec(text)?.[1]?.trim() ?? '';
  const format = /^\s*<think>[\s\S]*?<\/think>/.test(text) && text.indexOf('</think>') === thought;
  return ok({ answer, reasoning, format });
}
