import { grade, type Grader } from './grading.js';

/** A grader with what is known to be wrong with it. */
export interface NamedGrader {
  readonly grade: Grader;
  /** Where it comes from, in one line. */
  readonly source: string;
  /** What it misjudges, for a reader who compares numbers; empty when nothing is known. */
  readonly faults: readonly string[];
}

/** Equal after white space at both ends is cut. */
export function exact(given: string, task: { readonly answer: string }): boolean {
  return given.trim() === task.answer.trim();
}

/**
 * SQuAD's normalised exact match (Rajpurkar et al. 2016, evaluation script): lower case, ASCII punctuation removed, the
 * articles removed everywhere, white space collapsed, then equality.
 */
export function squad(given: string, task: { readonly answer: string }): boolean {
  return squadText(given) === squadText(task.answer);
}

/**
 * ChartQA's relaxed correctness (Masry et al. 2022, section 5.1), as the public evaluation tools compute it: when both parse as
 * floats and the answer isn't 0, a relative error of at most 5 %; otherwise equality without regard to case. A trailing percent
 * sign divides by 100.
 */
export function chartqaRelaxed(given: string, task: { readonly answer: string }): boolean {
  const said = relaxedFloat(given);
  const right = relaxedFloat(task.answer);
  if (said !== null && right !== null && right !== 0) {
    return Math.abs(said - right) / Math.abs(right) <= 0.05;
  }
  return given.toLowerCase() === task.answer.toLowerCase();
}

/** Either text holds the other, without regard to case. */
export function substring(given: string, task: { readonly answer: string }): boolean {
  const said = given.trim().toLowerCase();
  const right = task.answer.trim().toLowerCase();
  return right.includes(said) || said.includes(right);
}

/** Every grader by name. Only `strict` is fit to be a reward; the others are here so that numbers compare with published ones. */
export const GRADERS = {
  strict: { grade: (given, task) => grade(given, task), source: 'Covolve, typed by answer kind', faults: [] },
  exact: {
    grade: exact,
    source: 'plain string equality',
    faults: [
      '`14.0` fails for `14`, `1,000` for `1000`, `Yes.` for `Yes`',
      'an empty label equals an empty answer',
    ],
  },
  squad: {
    grade: squad,
    source: 'SQuAD evaluation script',
    faults: [
      'the sign and the decimal point are punctuation: `-5` equals `5`, `1.5` equals `15`',
      'articles go everywhere: `vitamin A` equals `vitamin`',
      '`14.0` fails for `14`',
    ],
  },
  chartqaRelaxed: {
    grade: chartqaRelaxed,
    source: 'ChartQA relaxed correctness, 5 %',
    faults: [
      'years get the tolerance: 1915 passes for 2010',
      'small counts get almost none: 4.7 fails for 5',
      '`62%` fails for `62`, `1,000` for `1000`, `Yes.` for `Yes`, `0.0` for `0`',
    ],
  },
  substring: {
    grade: substring,
    source: 'containment, as several published rewards use it',
    faults: ['an empty answer is always right', 'listing every option is right', '`1` is right for `14`'],
  },
} as const satisfies Readonly<Record<string, NamedGrader>>;

export type GraderName = keyof typeof GRADERS;

function squadText(text: string): string {
  return text
    .toLowerCase()
    .replace(/[!-/:-@[-`{-~]/g, '')
    .replace(/\b(?:a|an|the)\b/g, ' ')
    .trim()
    .replace(/\s+/g, ' ');
}

function relaxedFloat(text: string): number | null {
  return text.endsWith('%') ? scaled(pythonFloat(text.replace(/%+$/, ''))) : pythonFloat(text);
}

function scaled(percent: number | null): number | null {
  return percent === null ? null : percent / 100;
}

/** What Python's `float` reads (ASCII digits only); null where it would raise. The published tools are Python. */
function pythonFloat(text: string): number | null {
  const plain = text.trim().toLowerCase();
  const digits = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/;
  if (digits.test(plain)) return Number(plain.replaceAll('_', ''));
  if (/^[+-]?nan$/.test(plain)) return NaN;
  const infinite = /^([+-]?)inf(?:inity)?$/.exec(plain);
  return infinite ? (infinite[1] === '-' ? -Infinity : Infinity) : null;
}
