import { anchorOf, namedIn, type Anchor, type Named } from './anchor.js';
import { readCell } from './cells.js';
import { deriveAnswer, type DerivedAnswer } from './derive.js';
import type { Table } from './table.js';
import { findRun, wordsOf } from './words.js';

/**
 * - `1`: the answer is one cell, named by one entity and one column;
 * - `2`: anything else;
 * - `visual`: it speaks of colours or places, which the table doesn't hold;
 * - `noise`: the answer contradicts the table.
 */
export const TIERS = ['1', '2', 'visual', 'noise'] as const;

export type Tier = (typeof TIERS)[number];

/** Where a question belongs, and what the table says about its answer. */
export interface Tiering {
  readonly tier: Tier;
  /** Row and column of a question that asks for one cell; null otherwise. */
  readonly entity: string | null;
  readonly column: string | null;
  /** The answer as the table gives it; null when no rule applies. */
  readonly derived: string | null;
  /** Whether label and derived answer agree; null when there is none. */
  readonly agrees: boolean | null;
  /** One line for a reader. */
  readonly reason: string;
}

const COLOURS =
  /\b(colou?rs?|colou?red|red|green|blue|yellow|orange|purple|violet|pink|brown|black|white|gr[ae]y|cyan|magenta|teal|navy|maroon|beige|dark|light)\b/;
const PLACES =
  /\b(left|right|leftmost|rightmost|topmost|bottommost|upper|bottom|legend|grid|x-axis|y-axis|axis|dotted|dashed|thick|thin|steepest|intersects?|cross(es)?|meets?)\b|\b(first|last|second|third) (bar|line|slice|column|row|point|one|represented)\b/;

/** Words of questions that ask for more than one cell. */
const OPERATIONS = new Set(
  `difference differ differs sum total add added average mean median ratio times twice half double increase increased decrease
   decreased change changed growth grew fell rise rose decline declined gain lost more less greater higher lower fewer larger
   smaller highest lowest maximum minimum max min largest smallest biggest greatest most least fewest peak peaked compare
   compared comparison gap combined both together divide divided multiply subtract minus plus count first last second third
   rank ranked order sequence missing trend exceed exceeds above below over under than same equal equals all each every other
   except not without before after since until estimated rest remaining respectively mode range sequence top`.split(
    /\s+/,
  ),
);

/** Questions that are answered by a name, or by yes and no. */
const NO_NUMBER =
  /^(in )?(which|who|whom|whose|where|when|why)\b|^(is|are|was|were|do|does|did|has|have|can)\b|^what (year|country|month|team|sector|colou?r|new|generation)\b/;

/**
 * Tiers a question about a table, given the answer that it comes with. Precision before recall: a question that is put in tier 1
 * wrongly makes wrong labels once its cell is edited, so whatever could be read in two ways is tier 2. `noise` needs names that
 * stand word for word, and a rule that leaves one reading.
 */
export function tierOf(table: Table, question: string, label: string): Tiering {
  const named = namedIn(table, question);
  const visual = visualWord(table, question, named);
  if (visual !== null) return none('visual', `speaks of ${JSON.stringify(visual)}`);
  const anchor = lookup(table, question, named);
  if (typeof anchor !== 'string') return anchored(table, anchor, label);
  const derived = deriveAnswer(table, question, named);
  if (!derived) return none('2', anchor);
  const agrees = sameAnswer(derived, label);
  const shown = shownAnswer(derived.answer);
  return {
    tier: agrees ? '2' : 'noise',
    entity: null,
    column: null,
    derived: shown,
    agrees,
    reason: agrees ? derived.rule : `${derived.rule} is ${shown}`,
  };
}

function none(tier: Tier, reason: string): Tiering {
  return { tier, entity: null, column: null, derived: null, agrees: null, reason };
}

/** A word of colour or place that isn't part of a name in the table; null when there is none. */
function visualWord(table: Table, question: string, { words }: Named): string | null {
  const text = question.normalize('NFKC').toLowerCase();
  const found = COLOURS.exec(text)?.[0] ?? PLACES.exec(text)?.[0];
  if (found === undefined) return null;
  const names = [...table.entities, ...table.columns.map(({ name }) => name), table.entityLabel].map(wordsOf);
  const own = names.some((name) => findRun(name, wordsOf(found)) >= 0 && findRun(words, wordsOf(found)) >= 0);
  return own ? null : found;
}

/** The cell that a question asks for and nothing else, or why it isn't such a question. */
function lookup(table: Table, question: string, named: Named): Anchor | string {
  const text = question.normalize('NFKC').toLowerCase().trim();
  if (NO_NUMBER.test(text)) return 'asks for a name, or for yes or no';
  const anchor = anchorOf(table, named);
  if (typeof anchor === 'string') return anchor;
  const own = [table.entities[anchor.entity] ?? '', table.columns[anchor.column]?.name ?? ''].flatMap(
    wordsOf,
  );
  const operation = named.words.find((word) => OPERATIONS.has(word) && !own.includes(word));
  if (operation !== undefined) return `${JSON.stringify(operation)} asks for more than a cell`;
  if (/\bfrom\b.*\bto\b|\bbetween\b.*\band\b/.test(text) && spanOfTable(table, text)) {
    return 'a span of rows or columns is asked for';
  }
  return anchor;
}

/** Whether a span (`from 2004 to 2020`) has an end that the table names; a span that it doesn't is what all of it is about. */
function spanOfTable(table: Table, text: string): boolean {
  const match = /\b(?:from|between) (\S+) (?:to|and) (\S+?)[?.,]*(?:\s|$)/.exec(text);
  if (!match) return true;
  const names = [...table.entities, ...table.columns.map(({ name }) => name)].flatMap(wordsOf);
  return [match[1], match[2]].some((end) => wordsOf(end ?? '').some((word) => names.includes(word)));
}

function anchored(table: Table, anchor: Anchor, label: string): Tiering {
  const column = table.columns[anchor.column];
  const names = { entity: table.entities[anchor.entity] ?? '', column: column?.name ?? '' };
  const value = column?.kind === 'number' ? column.values[anchor.entity] : null;
  const said = readCell(label);
  if (value === null || value === undefined) return none('2', 'the cell that is named holds no number');
  if (said.kind !== 'number') return none('2', 'the answer is no number');
  const derived = shownAnswer(value);
  const agrees = said.value === value;
  if (agrees) return { tier: '1', ...names, derived, agrees, reason: 'the cell that is named' };
  if (anchor.how === 'loose') return none('2', 'the names are not there word for word');
  if (rounded(value, said))
    return { tier: '2', ...names, derived, agrees: true, reason: 'the cell, rounded' };
  return { tier: 'noise', ...names, derived, agrees, reason: `the cell that is named holds ${derived}` };
}

/** Whether a number is another one to the digits that it is written with. */
function rounded(value: number, said: { readonly value: number; readonly decimals: number }): boolean {
  return Math.abs(value - said.value) <= 0.5 * 10 ** -said.decimals + 1e-9 * Math.abs(value);
}

function sameAnswer({ answer, unsigned }: DerivedAnswer, label: string): boolean {
  if (typeof answer === 'string') {
    const [a, b] = [wordsOf(answer), wordsOf(label)];
    return a.length === b.length && a.every((word, i) => word === b[i]);
  }
  const said = readCell(label);
  if (said.kind !== 'number') return false;
  return rounded(answer, said) || (unsigned === true && rounded(-answer, said));
}

/** A number without the noise of binary fractions. */
export function shownAnswer(answer: number | string): string {
  return typeof answer === 'string' ? answer : String(Number(answer.toPrecision(12)));
}
