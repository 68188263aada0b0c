import type { Named } from './anchor.js';
import { numberColumns, isYear, type Table } from './table.js';
import { mentionsOf, wordsOf } from './words.js';

/** An answer that the table gives, by a rule that a reader can follow. */
export interface DerivedAnswer {
  readonly answer: number | string;
  readonly rule: string;
  /** A difference that is asked for without a direction: its sign doesn't count. */
  readonly unsigned?: boolean;
}

/** Values under names: a column over the entities, or a row over the columns. */
interface Series {
  readonly keys: readonly string[];
  readonly values: readonly (number | null)[];
}

const GREAT = /\b(highest|maximum|max|largest|biggest|greatest|most|peak|peaked|longest)\b/;
const SMALL = /\b(lowest|minimum|min|smallest|least|fewest|shortest)\b/;
const OTHER_OPERATION =
  /\b(difference|gap|sum|add|total|average|mean|median|ratio|times|second|third|2nd|3rd|between|than|and|combined|both)\b/;
const ASKS_NAME = /^(in )?(which|who|what (year|country|sector|team|month|group|place|app)|when)\b/;
const MORE = 'more|greater|higher|larger|above|over|exceed|exceeds|exceeding';
const LESS = 'less|lower|fewer|smaller|below|under';
const COUNTED =
  'years?|months?|countries|country|bars?|groups?|categories|places?|sectors?|items?|teams?|cities|states|regions|points';

/**
 * The answer to a question about several cells, where the wording leaves one reading: count over or under a bound, extremum,
 * second or third, difference, change, sum, average, ratio, search for a value, number of rows. Null where it doesn't; that
 * says nothing about the question.
 */
export function deriveAnswer(table: Table, question: string, named: Named): DerivedAnswer | null {
  const text = question
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\ufffd\s]+/g, ' ')
    .replace(/(?<=\d),(?=\d{3}\b)/g, '')
    .trim();
  if (/^(is|are|was|were|do|does|did|has|have|can)\b/.test(text)) return null;
  const series = seriesOf(table, named);
  return (
    rowCount(table, text) ??
    bounded(series, text) ??
    ordinal(series, text) ??
    difference(table, series, text, named) ??
    change(series, text) ??
    sum(series, text, named) ??
    average(series, text) ??
    ratio(series, text) ??
    search(series, text) ??
    extremum(table, series, text)
  );
}

function seriesOf(table: Table, { entities, columns }: Named): Series | null {
  const numeric = numberColumns(table);
  const column = columns.length === 1 ? table.columns[columns[0]?.index ?? -1] : undefined;
  if (column?.kind === 'number') return { keys: table.entities, values: column.values };
  const only = numeric[0];
  if (only && table.columns.length === 1) return { keys: table.entities, values: only.values };
  const overYears =
    numeric.length >= 3 && numeric.length === table.columns.length && numeric.every((c) => isYear(c.name));
  const row = table.entities.length === 1 ? 0 : entities.length === 1 ? entities[0]?.index : undefined;
  if (!overYears || columns.length > 0 || row === undefined) return null;
  return { keys: numeric.map(({ name }) => name), values: numeric.map(({ values }) => values[row] ?? null) };
}

/** Pairs that have a number. */
function known({ keys, values }: Series): Array<{ readonly key: string; readonly value: number }> {
  return keys.flatMap((key, i) => {
    const value = values[i];
    return value === null || value === undefined ? [] : [{ key, value }];
  });
}

/** Keys that a text names word for word, in its order. */
function keysIn(series: Series, text: string): Array<{ readonly key: string; readonly value: number }> {
  const pairs = known(series);
  const mentions = mentionsOf(
    wordsOf(text),
    pairs.map(({ key }) => key),
  );
  return mentions
    .filter(({ how }) => how === 'exact')
    .sort((a, b) => a.at - b.at)
    .flatMap(({ index }) => pairs[index] ?? []);
}

function rowCount(table: Table, text: string): DerivedAnswer | null {
  if (table.columns.length !== 1) return null;
  const asked = /^how many [a-z]+( [a-z]+)? (is|are|were) (shown|represented|listed|there|given)\b/.test(
    text,
  );
  const about = /\b(color|colour|line|legend|more|less|than|above|below|over|under)/.test(text);
  return asked && !about ? { answer: table.entities.length, rule: 'number of rows' } : null;
}

function bounded(series: Series | null, text: string): DerivedAnswer | null {
  const pattern = new RegExp(
    `how many (?:${COUNTED})\\b.*\\b(${MORE}|${LESS})\\b(?: than)?(?: the)? ?[$£€]?(-?\\d+(?:\\.\\d+)?) ?%?(?: values?)? ?\\?*$`,
  );
  const match = pattern.exec(text);
  if (!match || !series || /\bor (equal|more|less)\b/.test(text)) return null;
  // What is missing might lie on either side.
  if (series.values.includes(null)) return null;
  const bound = Number(match[2]);
  const over = new RegExp(`^(?:${MORE})$`).test(match[1] ?? '');
  const n = known(series).filter(({ value }) => (over ? value > bound : value < bound)).length;
  return { answer: n, rule: `number of values ${over ? 'above' : 'below'} ${bound}` };
}

function ordinal(series: Series | null, text: string): DerivedAnswer | null {
  const match = /\b(second|2nd|third|3rd) (most|highest|largest|biggest|lowest|least|smallest)\b/.exec(text);
  if (!match || !series || !/^(which|what|who)\b/.test(text) || /\b(value|how many|number)\b/.test(text))
    return null;
  const place = /^(second|2nd)$/.test(match[1] ?? '') ? 1 : 2;
  const descending = /^(most|highest|largest|biggest)$/.test(match[2] ?? '');
  const ranked = known(series).sort((a, b) => (descending ? b.value - a.value : a.value - b.value));
  const [before, found, after] = [ranked[place - 1], ranked[place], ranked[place + 1]];
  const unique = found && before?.value !== found.value && after?.value !== found.value;
  return unique ? { answer: found.key, rule: `${match[1]} ${match[2]}` } : null;
}

function difference(table: Table, series: Series | null, text: string, named: Named): DerivedAnswer | null {
  if (!/\b(difference|gap)\b/.test(text) || /\b(ratio|average|sum|times|percent change)\b/.test(text))
    return null;
  const [a, b] = numberColumns(table);
  if (ASKS_NAME.test(text)) {
    // Two rows of years, or two columns: where are they furthest apart?
    if (!GREAT.test(text) || SMALL.test(text)) return null;
    const pair = pairOfSeries(table);
    return pair ? argument(pair.keys, pair.gaps, 'greatest difference') : null;
  }
  if (series) {
    const two = keysIn(series, text);
    if (two.length === 2) {
      const [x = NaN, y = NaN] = two.map(({ value }) => value);
      return { answer: Math.abs(x - y), rule: 'difference of two', unsigned: true };
    }
    const values = known(series).map(({ value }) => value);
    if (two.length === 0 && GREAT.test(text) && SMALL.test(text) && named.entities.length === 0) {
      return {
        answer: Math.max(...values) - Math.min(...values),
        rule: 'greatest less least',
        unsigned: true,
      };
    }
    return null;
  }
  const row = named.entities.length === 1 ? named.entities[0] : undefined;
  if (row?.how !== 'exact' || named.columns.length !== 2 || table.columns.length !== 2 || !a || !b)
    return null;
  const [x, y] = [a.values[row.index], b.values[row.index]];
  if (x === null || x === undefined || y === null || y === undefined) return null;
  return { answer: Math.abs(x - y), rule: 'difference of two columns', unsigned: true };
}

function pairOfSeries(
  table: Table,
): { readonly keys: readonly string[]; readonly gaps: readonly number[] } | null {
  const numeric = numberColumns(table);
  const gap = (x: number | null | undefined, y: number | null | undefined): number =>
    x === null || x === undefined || y === null || y === undefined ? NaN : Math.abs(x - y);
  if (table.columns.length === 2 && numeric.length === 2) {
    return {
      keys: table.entities,
      gaps: table.entities.map((_, i) => gap(numeric[0]?.values[i], numeric[1]?.values[i])),
    };
  }
  const years = numeric.length === table.columns.length && numeric.every(({ name }) => isYear(name));
  if (!years || table.entities.length !== 2) return null;
  return {
    keys: numeric.map(({ name }) => name),
    gaps: numeric.map(({ values }) => gap(values[0], values[1])),
  };
}

function argument(keys: readonly string[], values: readonly number[], rule: string): DerivedAnswer | null {
  if (values.some(Number.isNaN)) return null;
  const best = Math.max(...values);
  const at = values.indexOf(best);
  return values.lastIndexOf(best) === at ? { answer: keys[at] ?? '', rule } : null;
}

function change(series: Series | null, text: string): DerivedAnswer | null {
  if (
    !series ||
    !/\b(moved?|changed?|increased?|decreased?)\b/.test(text) ||
    /%|percent|times|rate/.test(text)
  )
    return null;
  const match = /\bfrom (\S+) to (\S+?)[?.]*$/.exec(text);
  const two = keysIn(series, `${match?.[1] ?? ''} ${match?.[2] ?? ''}`);
  if (!match || two.length !== 2) return null;
  const [from = NaN, to = NaN] = two.map(({ value }) => value);
  return { answer: to - from, rule: 'later less earlier', unsigned: true };
}

function sum(series: Series | null, text: string, named: Named): DerivedAnswer | null {
  if (
    !series ||
    !/\b(sum|add|combined|together)\b/.test(text) ||
    /\b(difference|average|ratio|than)\b/.test(text)
  )
    return null;
  const two = keysIn(series, text);
  if (two.length >= 2) return { answer: total(two), rule: `sum of ${two.length}` };
  if (
    named.entities.length > 0 ||
    !/\b(higher|highest|top|largest|biggest) two\b|\btwo (highest|largest|biggest|top)\b/.test(text)
  ) {
    return null;
  }
  const ranked = known(series).sort((a, b) => b.value - a.value);
  return ranked[1]?.value === ranked[2]?.value
    ? null
    : { answer: total(ranked.slice(0, 2)), rule: 'sum of the two greatest' };
}

function average(series: Series | null, text: string): DerivedAnswer | null {
  if (!series || !/\b(average|mean)\b/.test(text) || /\b(difference|sum|ratio|than|above|below)\b/.test(text))
    return null;
  const two = keysIn(series, text);
  return two.length >= 2 ? { answer: total(two) / two.length, rule: `average of ${two.length}` } : null;
}

function ratio(series: Series | null, text: string): DerivedAnswer | null {
  if (!series || !/\bratio\b/.test(text) || /\b(average|sum|difference)\b/.test(text) || ASKS_NAME.test(text))
    return null;
  const two = keysIn(series, text);
  const [a, b] = two;
  return a && b && two.length === 2 && b.value !== 0
    ? { answer: a.value / b.value, rule: 'first by second' }
    : null;
}

function search(series: Series | null, text: string): DerivedAnswer | null {
  if (!series || !ASKS_NAME.test(text) || /\b(more|less|than|above|below|over|under)\b/.test(text))
    return null;
  const negative = /\bnegative\b/.test(text);
  const match = /\b(?:is|was|has|equal to|equals|of) (-?\d+(?:\.\d+)?) ?%? ?\?*$/.exec(text);
  if (!negative && !match) return null;
  const wanted = Number(match?.[1]);
  const found = known(series).filter(({ value }) => (negative ? value < 0 : value === wanted));
  return found.length === 1
    ? { answer: found[0]?.key ?? '', rule: negative ? 'the one below 0' : `the one with ${wanted}` }
    : null;
}

function extremum(table: Table, series: Series | null, text: string): DerivedAnswer | null {
  const great = GREAT.test(text);
  if (great === SMALL.test(text) || OTHER_OPERATION.test(text.replace(/\bfrom \d{4} to \d{4}\b/, '')))
    return null;
  const rule = great ? 'greatest' : 'least';
  if (/^what( is|'s| was|s)? the value of the \w+ (bar|point|line|slice|segment)\b ?\?*$/.test(text)) {
    const all = numberColumns(table).flatMap(({ values }) => values.filter((v): v is number => v !== null));
    return { answer: great ? Math.max(...all) : Math.min(...all), rule: `${rule} of all` };
  }
  if (!series || !ASKS_NAME.test(text)) return null;
  const pairs = known(series);
  if (pairs.length < series.keys.length) return null;
  return argument(
    pairs.map(({ key }) => key),
    pairs.map(({ value }) => (great ? value : -value)),
    rule,
  );
}

function total(pairs: ReadonlyArray<{ readonly value: number }>): number {
  return pairs.reduce((sum, { value }) => sum + value, 0);
}
