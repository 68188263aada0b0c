import type { Rng } from '../../core/rng.js';
import type { ChartEdit, ChartLook } from './edit.js';
import { applyChartEdit } from './edits.js';
import { nameKey } from './read.js';
import type { ChartTaskState } from './state.js';
import { numberColumns, type NumberColumn } from './table.js';

/** Where names, numbers and looks of random edits come from. */
export interface Drafter {
  /** A name for a new row, like the one that the question asks about where there is one; null when there is none left. */
  name(table: ChartTaskState['table'], near: string | null, rng: Rng): string | null;
  /** A value for a column, like the one given where there is one. */
  value(column: NumberColumn, near: number | null, rng: Rng): number;
  /** Keys of the style with other values than they have; null when none could be drawn. */
  restyle(state: Pick<ChartTaskState, 'table' | 'style'>, rng: Rng): ChartLook | null;
  /** How often each kind of edit is drawn, as weights. */
  readonly steps: Readonly<Record<Step, number>>;
}

export type Step = 'value' | 'insert' | 'remove' | 'reorder' | 'column' | 'style';

/** What a random draft keeps to. */
export interface DraftOptions {
  readonly rows: { readonly min: number; readonly max: number };
  readonly maxEdits: number;
}

const MOST_EDITS = 3;
const STEP_TRIES = 8;

/**
 * A random list of 1 to 3 edits, each of which can be applied. A question about one cell allows all kinds and keeps its row and
 * column; any other question allows changes of style only. Null when nothing could be done.
 */
export function draftChartEdits(
  state: ChartTaskState,
  rng: Rng,
  drafter: Drafter,
  options: DraftOptions,
): ChartEdit[] | null {
  const { operation } = state.question;
  const anchor = operation.op === 'cell' ? operation.cell : null;
  const kinds = Object.keys(drafter.steps) as Step[];
  const bag = kinds.flatMap((step) => Array.from({ length: drafter.steps[step] }, () => step));
  const length = 1 + rng.int(Math.min(MOST_EDITS, options.maxEdits));
  const edits: ChartEdit[] = [];
  let edited = state;
  for (let i = 0; i < length; i++) {
    const stream = rng.child('edit', i);
    for (let attempt = 0; attempt < STEP_TRIES; attempt++) {
      const draw = stream.child(attempt);
      const edit = drawEdit(edited, state, anchor ? draw.pick(bag) : 'style', draw, drafter, options);
      const next = edit && applyChartEdit(edited, edit);
      if (!edit || !next?.ok) continue;
      edits.push(edit);
      edited = { ...edited, ...next.value };
      break;
    }
  }
  return edits.length > 0 ? edits : null;
}

function drawEdit(
  state: ChartTaskState,
  original: ChartTaskState,
  step: Step,
  rng: Rng,
  drafter: Drafter,
  { rows }: DraftOptions,
): ChartEdit | null {
  const { table } = state;
  const { operation } = state.question;
  const anchor = operation.op === 'cell' ? operation.cell : null;
  const columns = numberColumns(table);
  const isAnchor = (name: string): boolean => anchor !== null && nameKey(name) === nameKey(anchor.entity);
  const valueAt = (column: NumberColumn): number | null =>
    column.values[table.entities.findIndex(isAnchor)] ?? null;
  // A rewriter can't name what it has only just added.
  const entities = table.entities.filter((entity) => original.table.entities.includes(entity));
  switch (step) {
    case 'style': {
      const style = drafter.restyle(state, rng);
      return style && { edit: 'restyle', style };
    }
    case 'value': {
      const column = rng.pick(columns);
      const entity = anchor && rng.chance(0.4) ? anchor.entity : rng.pick(entities);
      return {
        edit: 'set_value',
        entity,
        column: column.name,
        value: drafter.value(column, valueAt(column), rng),
      };
    }
    case 'insert': {
      const entity = drafter.name(table, anchor?.entity ?? null, rng);
      if (entity === null || table.entities.length >= rows.max) return null;
      const values = columns.map((column) => drafter.value(column, valueAt(column), rng));
      return { edit: 'insert_row', at: rng.int(original.table.entities.length + 1), entity, values };
    }
    case 'remove': {
      const others = entities.filter((name) => !isAnchor(name));
      if (others.length === 0 || table.entities.length <= rows.min) return null;
      return { edit: 'remove_row', entity: rng.pick(others) };
    }
    case 'reorder':
      return { edit: 'reorder_rows', entities: rng.shuffle(table.entities) };
    case 'column': {
      const others = columns.filter(
        ({ name }) => anchor === null || nameKey(name) !== nameKey(anchor.column),
      );
      return others.length > 0 ? { edit: 'drop_column', column: rng.pick(others).name } : null;
    }
    default:
      return step satisfies never;
  }
}
