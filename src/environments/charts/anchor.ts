import { numberColumns, isYear, type Table } from './table.js';
import { findRun, mentionsOf, wordsOf, type Mention } from './words.js';

/** The one cell that a question asks for. */
export interface Anchor {
  readonly entity: number;
  /** Position in `table.columns`; a column of numbers. */
  readonly column: number;
  /** `loose` when the entity or the column isn't named word for word. */
  readonly how: Mention['how'];
}

/** Words for one thing that tables and questions choose between. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['female', 'women'],
  ['females', 'women'],
  ['male', 'men'],
  ['males', 'men'],
]);

/** Names that a question speaks of, rows and columns. */
export interface Named {
  readonly words: readonly string[];
  readonly entities: readonly Mention[];
  /** Positions in `table.columns`. */
  readonly columns: readonly Mention[];
  /** Words that are written with a capital inside a sentence: names, or parts of some. */
  readonly capital: readonly boolean[];
}

/** What of a table a question names. A column with another's name and a number (`NET.1`) makes both doubtful: both count. */
export function namedIn(table: Table, question: string): Named {
  const names = table.columns.map(({ name }) => name.replace(/(\.\d+| \(\d+\))$/, ''));
  const known = new Set([...names, ...table.entities].flatMap(wordsOf));
  const words = wordsOf(question).map((word) => {
    const other = SYNONYMS.get(word);
    return other !== undefined && !known.has(word) && known.has(other) ? other : word;
  });
  const entities = mentionsOf(words, table.entities);
  return { words, entities, columns: mentionsOf(words, names), capital: capitals(question, words) };
}

/** Which words of a question begin with a capital, its first word apart. Words that can't be matched up count as small. */
function capitals(question: string, words: readonly string[]): boolean[] {
  const written = question.normalize('NFKC').match(/[\p{L}\p{N}][\p{L}\p{N}'’./&-]*/gu) ?? [];
  let next = 0;
  return words.map((word, i) => {
    const at = written.findIndex((text, k) => k >= next && wordsOf(text)[0] === word);
    if (at < 0) return false;
    next = at + 1;
    return i > 0 && /^\p{Lu}/u.test(written[at] ?? '');
  });
}

/** Whether a name may be a part of a longer one, as Korea is of North Korea: a capital stands right beside it. */
function partOfLonger(entity: Mention, { entities, columns, capital }: Named): boolean {
  const inName = (at: number): boolean =>
    [...entities, ...columns].some((mention) => at >= mention.at && at < mention.at + mention.length);
  return [entity.at - 1, entity.at + entity.length].some((at) => capital[at] === true && !inName(at));
}

/** The cell that a question names by one entity and one column, or why there isn't one. */
export function anchorOf(table: Table, named: Named): Anchor | string {
  const { entities, columns, words } = named;
  if (entities.length === 0) return 'no row is named';
  if (entities.length > 1) return `${entities.length} rows are named`;
  const entity = entities[0] as Mention;
  if (entity.how === 'exact' && partOfLonger(entity, named)) return 'the name may be a part of a longer one';
  const numeric = numberColumns(table);
  if (columns.length > 1) return `${columns.length} columns are named`;
  const only = columns[0];
  if (only) {
    if (table.columns[only.index]?.kind !== 'number') return 'the column named holds text';
    const how = entity.how === 'exact' ? only.how : 'loose';
    return { entity: entity.index, column: only.index, how };
  }
  const single = numeric[0];
  if (!single || table.columns.length !== 1) return 'no column is named, and there are several';
  const asked = words.filter(isYear);
  if (isYear(single.name) && asked.some((year) => findRun(wordsOf(single.name), [year]) < 0)) {
    return 'another year is asked for than the column has';
  }
  return { entity: entity.index, column: table.columns.indexOf(single), how: entity.how };
}
