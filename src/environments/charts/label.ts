import { ok, reject, type Rejection, type Result } from '../../core/result.js';
import type { ChartReason } from './edit.js';
import { columnOf, rowOf, type ChartState } from './edits.js';
import type { NumberColumn, Table } from './table.js';
import { shownAnswer } from './tier.js';

/** What a tier-1 question asks for, by name. */
export type CellAnchor = {
  readonly entity: string;
  readonly column: string;
};

/** How the answer to a question about a chart follows its edits (VICO, charts). */
export type ChartRule =
  /** Tier 1: the answer is the cell at the anchor, looked up anew. */
  | { readonly rule: 'recompute'; readonly anchor: CellAnchor }
  /** Tier 2: the answer stays, since no value may change. */
  | { readonly rule: 'preserve'; readonly answer: string };

/**
 * The answer after an edit. A lookup finds the row and the column by name, so that rows put in, taken out or reordered don't
 * shift it; it is refused when either is gone, could be another, or holds no number. A preserved answer is refused when any cell,
 * name or order differs.
 */
export function labelChart(
  before: ChartState,
  after: ChartState,
  rule: ChartRule,
): Result<string, Rejection<ChartReason>> {
  if (rule.rule === 'preserve') {
    return sameTable(before.table, after.table)
      ? ok(rule.answer)
      : reject('data-changed', 'a question about several cells allows changes of style only');
  }
  const { entity, column } = rule.anchor;
  const row = rowOf(after.table, entity);
  if (!row.ok) return row.error.reason === 'not-unique' ? row : reject('anchor-lost', row.error.detail);
  const at = columnOf(after.table, column);
  if (!at.ok) return at.error.reason === 'not-unique' ? at : reject('anchor-lost', at.error.detail);
  const value = (after.table.columns[at.value] as NumberColumn).values[row.value];
  if (value === null || value === undefined) {
    return reject('missing-value', `${entity}, ${column}: there is no number`);
  }
  return ok(shownAnswer(value));
}

/** Whether two tables hold the same names, units and values, bit for bit, in the same order. */
export function sameTable(a: Table, b: Table): boolean {
  const same = (x: unknown, y: unknown): boolean => Object.is(x, y);
  const all = <T>(x: readonly T[], y: readonly T[]): boolean =>
    x.length === y.length && x.every((value, i) => same(value, y[i]));
  return (
    a.entityLabel === b.entityLabel &&
    all(a.entities, b.entities) &&
    a.columns.length === b.columns.length &&
    a.columns.every((column, i) => {
      const other = b.columns[i];
      if (column.kind !== other?.kind || column.name !== other.name) return false;
      if (column.kind === 'number' && other.kind === 'number') {
        if (column.unit !== other.unit || column.decimals !== other.decimals) return false;
      }
      return all<unknown>(column.values, other.values);
    })
  );
}
