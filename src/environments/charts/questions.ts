import type { Rng } from '../../core/rng.js';
import type { CellAnchor } from './label.js';
import { answerOf, type ChartFamily, type Operation } from './operation.js';
import { wordingOf } from './phrases.js';
import type { ChartAsk } from './state.js';
import { isYear, numberColumns, type NumberColumn, type Table } from './table.js';

export interface QuestionOptions {
  /** Vary the wording; else the first wording of each kind. */
  readonly paraphrase: boolean;
  /** What the numbers are, where the columns' names don't say it; empty or absent where they do. */
  readonly measure?: string;
}

type Asked = Exclude<Operation, { op: 'given' }>;

const TRIES = 12;
/** Least distance, as a share of the column's largest value, between values that a question compares. */
const MARGIN = 0.04;
/** Decimals of ratios; averages have one more than their column. */
const RATIO_PLACES = 2;
/** Columns with more decimals than this hold computed numbers that nobody reads off a chart. */
const MOST_DECIMALS = 4;

/**
 * A question of a kind about a table, with one answer that doesn't hang on a hair: values that are compared, and bounds, keep a
 * distance. Columns that hold years are never asked about. Null where the table has none of the kind.
 */
export function askQuestion(
  table: Table,
  family: ChartFamily,
  rng: Rng,
  { paraphrase, measure = '' }: QuestionOptions,
): ChartAsk | null {
  const columns = numberColumns(table).filter(isQuantity);
  if (columns.length === 0) return null;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const stream = rng.child(attempt);
    const operation = drawOperation(table, columns, family, stream.child('operation'));
    if (!operation || !answerOf(table, operation).ok) continue;
    return {
      text: wordingOf(table, measure, operation, paraphrase ? stream.child('words') : null),
      operation,
    };
  }
  return null;
}

/** Up to `count` different questions about a table, the kinds in turn from a random one on; the order is random. */
export function askQuestions(
  table: Table,
  families: readonly ChartFamily[],
  count: number,
  rng: Rng,
  options: QuestionOptions,
): ChartAsk[] {
  const turn = rng.child('families').shuffle(families);
  const asked = new Map<string, ChartAsk>();
  for (let i = 0; asked.size < count && i < 4 * count; i++) {
    const question = askQuestion(table, turn[i % turn.length] as ChartFamily, rng.child(i), options);
    if (question) asked.set(JSON.stringify(question.operation), question);
  }
  return rng.child('order').shuffle([...asked.values()]);
}

/** Whether a column's numbers are quantities that can be read off a chart: years aren't, whatever the column is called. */
export function isQuantity({ name, values, decimals, unit }: NumberColumn): boolean {
  if (/\b(year|date)s?\b/i.test(name) || decimals > MOST_DECIMALS) return false;
  const known = values.filter((value) => value !== null);
  const calendar = decimals === 0 && unit === null && known.every((value) => value >= 1800 && value <= 2100);
  return known.length > 0 && !calendar;
}

function drawOperation(
  table: Table,
  columns: readonly NumberColumn[],
  family: ChartFamily,
  rng: Rng,
): Asked | null {
  const column = rng.pick(columns);
  const name = column.name;
  switch (family) {
    case 'cell': {
      const cell = rng.pick(cellsOf(table, column));
      return { op: 'cell', cell };
    }
    case 'extremum': {
      const which = rng.pick(['greatest', 'least'] as const);
      return clearExtremum(column, which)
        ? { op: 'extremum', column: name, which, asks: rng.pick(['name', 'name', 'value'] as const) }
        : null;
    }
    case 'difference': {
      const cells = apart(table, columns, column, rng);
      return cells && { op: 'difference', cells };
    }
    case 'compare': {
      const cells = apart(table, columns, column, rng);
      return cells && { op: 'compare', cells };
    }
    case 'ratio': {
      const cells = apart(table, columns, column, rng);
      const places = RATIO_PLACES;
      return cells && positive(columns, table, cells) ? { op: 'ratio', cells, places } : null;
    }
    case 'sum':
      return { op: 'sum', column: name, entities: someRows(table, column, rng) };
    case 'average': {
      const places = column.decimals + 1;
      return { op: 'average', column: name, entities: someRows(table, column, rng), places };
    }
    case 'count': {
      const bound = clearBound(column, rng);
      const side = rng.pick(['above', 'below'] as const);
      return bound === null ? null : { op: 'count', column: name, side, bound };
    }
    case 'trend': {
      const years = cellsOf(table, column).filter(({ entity }) => isYear(entity));
      if (years.length < 2) return null;
      const [from, to] = rng
        .shuffle([...years.keys()])
        .slice(0, 2)
        .sort((a, b) => a - b)
        .map((i) => years[i]?.entity as string) as [string, string];
      const pair = [from, to].map((entity) => ({ entity, column: name }));
      return from < to && distant(table, columns, pair) ? { op: 'trend', column: name, from, to } : null;
    }
    default:
      return family satisfies never;
  }
}

/** Cells of a column that hold a number. */
function cellsOf({ entities }: Table, { name, values }: NumberColumn): CellAnchor[] {
  return entities.flatMap((entity, i) => (typeof values[i] === 'number' ? [{ entity, column: name }] : []));
}

/** Two cells of one column or, one time in three where there are more, of one row, whose values are well apart. */
function apart(
  table: Table,
  columns: readonly NumberColumn[],
  column: NumberColumn,
  rng: Rng,
): readonly [CellAnchor, CellAnchor] | null {
  const across = columns.filter((other) => other.unit === column.unit);
  if (across.length > 1 && rng.chance(1 / 3)) {
    const entity = rng.pick(table.entities);
    const pair = rng.shuffle(across).slice(0, 2);
    const cells = pair.map(({ name }) => ({ entity, column: name })) as [CellAnchor, CellAnchor];
    return distant(table, columns, cells) ? cells : null;
  }
  const cells = rng.shuffle(cellsOf(table, column)).slice(0, 2);
  const [a, b] = cells;
  return a && b && distant(table, columns, cells) ? [a, b] : null;
}

/** Half of the time all rows, where every one holds a number; else two or three. */
function someRows(table: Table, column: NumberColumn, rng: Rng): readonly string[] | null {
  const cells = rng.shuffle(cellsOf(table, column)).map(({ entity }) => entity);
  if (cells.length === table.entities.length && cells.length > 2 && rng.chance(0.5)) return null;
  return cells.slice(0, 2 + rng.int(2));
}

function known({ values }: NumberColumn): number[] {
  return values.filter((value) => value !== null);
}

function leastGap(columns: readonly NumberColumn[]): number {
  return MARGIN * Math.max(...columns.flatMap(known).map(Math.abs));
}

function valuesAt(columns: readonly NumberColumn[], table: Table, cells: readonly CellAnchor[]): number[] {
  return cells.map(({ entity, column }) => {
    const value = columns.find(({ name }) => name === column)?.values[table.entities.indexOf(entity)];
    return value ?? NaN;
  });
}

function distant(table: Table, columns: readonly NumberColumn[], cells: readonly CellAnchor[]): boolean {
  const [a = NaN, b = NaN] = valuesAt(columns, table, cells);
  return Math.abs(a - b) >= leastGap(columns) && a !== b;
}

function positive(columns: readonly NumberColumn[], table: Table, cells: readonly CellAnchor[]): boolean {
  return valuesAt(columns, table, cells).every((value) => value > 0);
}

function clearExtremum(column: NumberColumn, which: 'greatest' | 'least'): boolean {
  const ordered = known(column).sort((a, b) => (which === 'greatest' ? b - a : a - b));
  const [best = NaN, next = NaN] = ordered;
  return ordered.length > 1 && Math.abs(best - next) >= leastGap([column]) && best !== next;
}

/** A round number between two values of a column, well apart from both; where it lies among them is uniform. */
function clearBound(column: NumberColumn, rng: Rng): number | null {
  const ordered = [...new Set(known(column))].sort((a, b) => a - b);
  const gap = leastGap([column]);
  const between = ordered.flatMap((low, i) => {
    const high = ordered[i + 1];
    return high !== undefined && high - low >= 2 * gap ? [[low, high] as const] : [];
  });
  if (between.length === 0) return null;
  const [low, high] = rng.pick(between);
  return roundBetween(low + gap / 2, high - gap / 2);
}

/** The number of fewest digits in an interval nearest to its middle. */
function roundBetween(low: number, high: number): number | null {
  for (let power = 12; power >= -6; power--) {
    const step = 10 ** power;
    const middle = Math.round((low + high) / 2 / step);
    const value = Number((power < 0 ? middle / 10 ** -power : middle * step).toPrecision(12));
    if (value > low && value < high) return value;
  }
  return null;
}
