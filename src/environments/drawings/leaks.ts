import { SaxesParser } from 'saxes';
import type { Proposal } from './proposal.js';

/** Ways in which a hard question answers itself. */
export const LEAKS = [
  /** The answer stands in the question, word for word. */
  'answer-in-question',
  /** Two numbers of the question give the answer, so that nobody needs the picture. */
  'values-in-question',
  /** The answer stands as a text of its own in the drawing. */
  'answer-in-drawing',
] as const;

export type Leak = (typeof LEAKS)[number];

/**
 * How a proposal's hard question gives its answer away, with its drawing where there is one. This is a measure, not a proof: the
 * answer of a chart may well be one of its labels. Markup that isn't well-formed counts as without text.
 */
export function leaksOf(
  proposal: Pick<Proposal, 'hardQuestion' | 'hardAnswer'>,
  markup: string | null,
): readonly Leak[] {
  const answer = words(proposal.hardAnswer);
  const question = words(proposal.hardQuestion);
  const leaks: Leak[] = [];
  if (contains(question, answer) && !isChoice(proposal)) leaks.push('answer-in-question');
  else if (givesAway(question, proposal.hardAnswer)) leaks.push('values-in-question');
  if (markup !== null && textsOf(markup).some((text) => same(words(text), answer)))
    leaks.push('answer-in-drawing');
  return leaks;
}

/** Lower-case words; numbers in one spelling, so that `1,000` is `1000` and `14.0` is `14`. */
function words(text: string): string[] {
  const found =
    text
      .toLowerCase()
      .replace(/(?<=\d),(?=\d{3}\b)/g, '')
      .match(/-?\d+(?:\.\d+)?|[\p{L}\p{N}]+/gu) ?? [];
  return found.map((word) =>
    /^-?\d/.test(word) && Number.isFinite(Number(word)) ? String(Number(word)) : word,
  );
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length > 0 && a.length === b.length && a.every((word, i) => word === b[i]);
}

function contains(whole: readonly string[], part: readonly string[]): boolean {
  if (part.length === 0) return false;
  return whole.some((_, at) => part.every((word, i) => whole[at + i] === word));
}

/** `Is A or B larger?` names its answer and gives nothing away; so does a question to be answered by yes or no. */
function isChoice({ hardQuestion, hardAnswer }: Pick<Proposal, 'hardQuestion' | 'hardAnswer'>): boolean {
  return /\bor\b/i.test(hardQuestion) || /^(yes|no|true|false)$/i.test(hardAnswer.trim());
}

/** Whether the answer is a sum, difference, product, ratio, mean or percentage of two numbers that the question states. */
function givesAway(question: readonly string[], hardAnswer: string): boolean {
  const answer = Number(
    hardAnswer
      .replaceAll(',', '')
      .replace(/[%$€£]/g, '')
      .trim(),
  );
  if (hardAnswer.trim() === '' || !Number.isFinite(answer)) return false;
  // A year says when, not how much.
  const numbers = question
    .map(Number)
    .filter((n) => Number.isFinite(n) && !(Number.isInteger(n) && n >= 1900 && n <= 2100));
  return numbers.some((a, i) =>
    numbers.some((b, j) => {
      if (i >= j) return false;
      const results = [a + b, a - b, b - a, a * b, a / b, b / a, (a + b) / 2, (100 * a) / b, (100 * b) / a];
      return results.some(
        (result) =>
          Number.isFinite(result) && Math.abs(result - answer) < 0.005 * Math.max(1, Math.abs(answer)),
      );
    }),
  );
}

/** The text of every `text` element. */
export function textsOf(markup: string): string[] {
  const texts: string[] = [];
  const parser = new SaxesParser();
  let depth = 0;
  let current = '';
  parser.on('opentag', ({ name }) => {
    if (depth > 0 || /^(\w+:)?text$/.test(name)) depth++;
  });
  parser.on('text', (text) => {
    if (depth > 0) current += ` ${text}`;
  });
  parser.on('closetag', () => {
    if (depth === 0 || --depth > 0) return;
    texts.push(current.replace(/\s+/g, ' ').trim());
    current = '';
  });
  let broken = false;
  parser.on('error', () => {
    broken = true;
  });
  parser.write(markup).close();
  return broken ? [] : texts.filter(Boolean);
}
