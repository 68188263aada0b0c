import { ok, reject, type Rejection, type Result } from '../../core/result.js';
import type { AnswerKind } from '../../core/task.js';
import {
  absoluteDifference,
  addDecimals,
  compareDecimals,
  decimal,
  decimalText,
  quotient,
  type Decimal,
} from './decimal.js';
import type { ChartReason } from './edit.js';
import { columnOf, rowOf } from './edits.js';
import type { CellAnchor } from './label.js';
import type { NumberColumn, Table } from './table.js';

/** What a question asks of a table. Rows and columns are named. */
export type Operation =
  /** The value of one cell: tier 1, everything else is tier 2. */
  | { readonly op: 'cell'; readonly cell: CellAnchor }
  /** The row with the greatest or least value of a column: its name or its value. */
  | {
      readonly op: 'extremum';
      readonly column: string;
      readonly which: 'greatest' | 'least';
      readonly asks: 'name' | 'value';
    }
  /** Of two cells, without sign. */
  | { readonly op: 'difference'; readonly cells: readonly [CellAnchor, CellAnchor] }
  /** Of some rows of a column, or of all. */
  | { readonly op: 'sum'; readonly column: string; readonly entities: readonly string[] | null }
  | {
      readonly op: 'average';
      readonly column: string;
      readonly entities: readonly string[] | null;
      readonly places: number;
    }
  /** The first cell by the second. */
  | { readonly op: 'ratio'; readonly cells: readonly [CellAnchor, CellAnchor]; readonly places: number }
  | {
      readonly op: 'count';
      readonly column: string;
      readonly side: 'above' | 'below';
      readonly bound: number;
    }
  /** Whether the first cell is greater than the second. */
  | { readonly op: 'compare'; readonly cells: readonly [CellAnchor, CellAnchor] }
  /** Whether a column rose or fell between two rows. */
  | { readonly op: 'trend'; readonly column: string; readonly from: string; readonly to: string }
  /** A question of someone else's, with its answer: only its words are known. */
  | { readonly op: 'given'; readonly answer: string; readonly kind: AnswerKind };

/** Kinds of questions that programs ask. */
export const CHART_FAMILIES = [
  'cell',
  'extremum',
  'difference',
  'sum',
  'average',
  'ratio',
  'count',
  'compare',
  'trend',
] as const;

export type ChartFamily = (typeof CHART_FAMILIES)[number];

/** A cell that an answer was made from. */
export type UsedCell = CellAnchor & { readonly value: number };

/** An answer with everything that it was made from, in order. */
export interface ChartAnswer {
  readonly answer: string;
  readonly kind: AnswerKind;
  readonly used: readonly UsedCell[];
}

type Answered = Result<ChartAnswer, Rejection<ChartReason>>;
/** A cell with its value as written. */
type Read = UsedCell & { readonly exact: Decimal };

/**
 * The answer to a question from the table, by exact decimal arithmetic. Refused where a row, column or value isn't there, and
 * where there is no single answer: two rows share the extremum, a quotient lies half way between two roundings.
 */
export function answerOf(table: Table, operation: Operation): Answered {
  switch (operation.op) {
    case 'cell': {
      const cell = readCells(table, [operation.cell]);
      return cell.ok ? number(cell.value, (cell.value[0] as Read).exact) : cell;
    }
    case 'extremum':
      return extremum(table, operation);
    case 'difference': {
      const cells = readCells(table, operation.cells);
      if (!cells.ok) return cells;
      const [a, b] = cells.value as [Read, Read];
      return number(cells.value, absoluteDifference(a.exact, b.exact));
    }
    case 'sum': {
      const cells = readRows(table, operation.column, operation.entities);
      return cells.ok ? number(cells.value, addDecimals(cells.value.map(({ exact }) => exact))) : cells;
    }
    case 'average': {
      const cells = readRows(table, operation.column, operation.entities);
      if (!cells.ok) return cells;
      const total = addDecimals(cells.value.map(({ exact }) => exact));
      return divided(cells.value, total, decimal(cells.value.length, 0), operation.places);
    }
    case 'ratio': {
      const cells = readCells(table, operation.cells);
      if (!cells.ok) return cells;
      const [a, b] = cells.value as [Read, Read];
      return divided(cells.value, a.exact, b.exact, operation.places);
    }
    case 'count': {
      const cells = readRows(table, operation.column, null);
      if (!cells.ok) return cells;
      const { side, bound } = operation;
      const within = cells.value.filter(({ value }) => (side === 'above' ? value > bound : value < bound));
      return number(cells.value, decimal(within.length, 0));
    }
    case 'compare': {
      const order = compared(table, operation.cells);
      if (!order.ok) return order;
      const { used, sign } = order.value;
      return ok({ answer: sign > 0 ? 'yes' : 'no', kind: 'yes-no', used: used.map(plain) });
    }
    case 'trend': {
      const { column, from, to } = operation;
      const order = compared(table, [
        { entity: from, column },
        { entity: to, column },
      ]);
      if (!order.ok) return order;
      const { used, sign } = order.value;
      return ok({ answer: sign < 0 ? 'increase' : 'decrease', kind: 'word', used: used.map(plain) });
    }
    case 'given':
      return ok({ answer: operation.answer, kind: operation.kind, used: [] });
    default:
      return operation satisfies never;
  }
}

function plain({ entity, column, value }: Read): UsedCell {
  return { entity, column, value };
}

function number(used: readonly Read[], value: Decimal): Answered {
  return ok({ answer: decimalText(value), kind: 'number', used: used.map(plain) });
}

function divided(used: readonly Read[], top: Decimal, bottom: Decimal, places: number): Answered {
  const value = quotient(top, bottom, places);
  return value
    ? number(used, value)
    : reject('no-answer', `the quotient has no one value with ${places} decimals`);
}

function readCells(
  table: Table,
  anchors: readonly CellAnchor[],
): Result<readonly Read[], Rejection<ChartReason>> {
  const cells: Read[] = [];
  for (const anchor of anchors) {
    const row = rowOf(table, anchor.entity);
    if (!row.ok) return row;
    const at = columnOf(table, anchor.column);
    if (!at.ok) return at;
    const column = table.columns[at.value] as NumberColumn;
    const value = column.values[row.value];
    if (value === null || value === undefined) {
      return reject('missing-value', `${anchor.entity}, ${anchor.column}: there is no number`);
    }
    const entity = table.entities[row.value] as string;
    cells.push({ entity, column: column.name, value, exact: decimal(value, column.decimals) });
  }
  return ok(cells);
}

function readRows(
  table: Table,
  column: string,
  entities: readonly string[] | null,
): Result<readonly Read[], Rejection<ChartReason>> {
  return readCells(
    table,
    (entities ?? table.entities).map((entity) => ({ entity, column })),
  );
}

function extremum(table: Table, { column, which, asks }: Extract<Operation, { op: 'extremum' }>): Answered {
  const cells = readRows(table, column, null);
  if (!cells.ok) return cells;
  const ordered = [...cells.value].sort(
    (a, b) => compareDecimals(a.exact, b.exact) * (which === 'greatest' ? -1 : 1),
  );
  const [best, next] = ordered as [Read, Read | undefined];
  if (next && compareDecimals(best.exact, next.exact) === 0) {
    return reject('no-answer', `${best.entity} and ${next.entity} share the ${which} value`);
  }
  if (asks === 'value') return number(cells.value, best.exact);
  return ok({ answer: best.entity, kind: 'word', used: cells.value.map(plain) });
}

function compared(
  table: Table,
  pair: readonly [CellAnchor, CellAnchor],
): Result<{ readonly used: readonly Read[]; readonly sign: number }, Rejection<ChartReason>> {
  const cells = readCells(table, pair);
  if (!cells.ok) return cells;
  const [a, b] = cells.value as [Read, Read];
  const sign = compareDecimals(a.exact, b.exact);
  return sign === 0
    ? reject('no-answer', `${a.entity} and ${b.entity} are equal`)
    : ok({ used: cells.value, sign });
}
