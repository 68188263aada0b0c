import { ok, reject, type Rejection, type Result } from '../../core/result.js';
import type { ChartEdit, ChartLook, ChartReason } from './edit.js';
import { nameKey } from './read.js';
import type { Column, NumberColumn, Table } from './table.js';

/** A chart before it is drawn. */
export interface ChartState {
  readonly table: Table;
  readonly style: ChartLook;
}

type Edited<T> = Result<T, Rejection<ChartReason>>;

/** One edit applied; the state is left as it was. Refused with a reason when it can't be done or changes nothing. */
export function applyChartEdit(state: ChartState, edit: ChartEdit): Edited<ChartState> {
  if (edit.edit === 'restyle') return restyled(state, edit.style);
  const table = editTable(state.table, edit);
  return table.ok ? ok({ ...state, table: table.value }) : table;
}

/** Edits in order, each on what the one before left. The first refusal refuses all of them. */
export function applyChartEdits(state: ChartState, edits: readonly ChartEdit[]): Edited<ChartState> {
  let edited = state;
  for (const edit of edits) {
    const next = applyChartEdit(edited, edit);
    if (!next.ok) return next;
    edited = next.value;
  }
  return ok(edited);
}

function restyled(state: ChartState, style: ChartLook): Edited<ChartState> {
  const changed = Object.entries(style).some(([key, value]) => state.style[key] !== value);
  return changed
    ? ok({ ...state, style: { ...state.style, ...style } })
    : reject('no-effect', 'restyle: it looks like that already');
}

function editTable(table: Table, edit: Exclude<ChartEdit, { edit: 'restyle' }>): Edited<Table> {
  switch (edit.edit) {
    case 'set_value':
      return setValue(table, edit);
    case 'insert_row':
      return insertRow(table, edit);
    case 'remove_row':
      return removeRow(table, edit.entity);
    case 'reorder_rows':
      return reorderRows(table, edit.entities);
    case 'add_column':
      return addColumn(table, edit);
    case 'drop_column':
      return dropColumn(table, edit.column);
    default:
      return edit satisfies never;
  }
}

/** Where a row stands; refused when it isn't there, or when several could be meant. */
export function rowOf(table: Table, entity: string): Edited<number> {
  return placeOf(table.entities, entity, 'unknown-row', 'row');
}

/** Where a column of numbers stands in `table.columns`. */
export function columnOf(table: Table, column: string): Edited<number> {
  const place = placeOf(
    table.columns.map(({ name }) => name),
    column,
    'unknown-column',
    'column',
  );
  if (place.ok && table.columns[place.value]?.kind !== 'number') {
    return reject('unknown-column', `column ${JSON.stringify(column)} holds no numbers`);
  }
  return place;
}

function placeOf(names: readonly string[], name: string, unknown: ChartReason, what: string): Edited<number> {
  const key = nameKey(name);
  const places = names.flatMap((other, i) => (nameKey(other) === key ? [i] : []));
  const [first] = places;
  if (first === undefined) return reject(unknown, `there is no ${what} ${JSON.stringify(name)}`);
  return places.length === 1
    ? ok(first)
    : reject('not-unique', `${places.length} ${what}s could be ${JSON.stringify(name)}`);
}

function setValue(table: Table, edit: Extract<ChartEdit, { edit: 'set_value' }>): Edited<Table> {
  const row = rowOf(table, edit.entity);
  if (!row.ok) return row;
  const at = columnOf(table, edit.column);
  if (!at.ok) return at;
  const column = table.columns[at.value] as NumberColumn;
  const fits = fitting(column, edit.value);
  if (!fits.ok) return fits;
  if (column.values[row.value] === edit.value)
    return reject('no-effect', 'set_value: the cell holds that already');
  return ok(withColumn(table, at.value, { ...column, values: column.values.with(row.value, edit.value) }));
}

function insertRow(table: Table, edit: Extract<ChartEdit, { edit: 'insert_row' }>): Edited<Table> {
  const { at, entity, values } = edit;
  if (at > table.entities.length)
    return reject('malformed', `insert_row: there are only ${table.entities.length} rows`);
  if (placeOf(table.entities, entity, 'unknown-row', 'row').ok || hasTwin(table.entities, entity)) {
    return reject('not-unique', `there is a row ${JSON.stringify(entity)} already`);
  }
  const numeric = table.columns.filter(({ kind }) => kind === 'number');
  if (values.length !== numeric.length) {
    return reject(
      'malformed',
      `insert_row: ${values.length} values for ${numeric.length} columns of numbers`,
    );
  }
  let next = 0;
  const columns: Column[] = [];
  for (const column of table.columns) {
    if (column.kind === 'text') {
      columns.push({ ...column, values: column.values.toSpliced(at, 0, '') });
      continue;
    }
    const value = values[next++] ?? null;
    const fits = value === null ? ok(null) : fitting(column, value);
    if (!fits.ok) return fits;
    columns.push({ ...column, values: column.values.toSpliced(at, 0, value) });
  }
  return ok({ ...table, entities: table.entities.toSpliced(at, 0, entity), columns });
}

function hasTwin(names: readonly string[], name: string): boolean {
  return names.some((other) => nameKey(other) === nameKey(name));
}

function removeRow(table: Table, entity: string): Edited<Table> {
  const row = rowOf(table, entity);
  if (!row.ok) return row;
  if (table.entities.length === 1) return reject('empty', 'remove_row: it is the last row');
  return ok(withRows(table, [...table.entities.keys()].toSpliced(row.value, 1)));
}

function reorderRows(table: Table, entities: readonly string[]): Edited<Table> {
  if (entities.length !== table.entities.length) {
    return reject('malformed', `reorder_rows: ${entities.length} names for ${table.entities.length} rows`);
  }
  const order: number[] = [];
  for (const entity of entities) {
    const row = rowOf(table, entity);
    if (!row.ok) return row;
    if (order.includes(row.value))
      return reject('malformed', `reorder_rows: ${JSON.stringify(entity)} is there twice`);
    order.push(row.value);
  }
  if (order.every((row, i) => row === i)) return reject('no-effect', 'reorder_rows: that is the order');
  return ok(withRows(table, order));
}

function addColumn(table: Table, edit: Extract<ChartEdit, { edit: 'add_column' }>): Edited<Table> {
  const { at, column: name, values } = edit;
  if (at > table.columns.length)
    return reject('malformed', `add_column: there are only ${table.columns.length} columns`);
  if (values.length !== table.entities.length) {
    return reject('malformed', `add_column: ${values.length} values for ${table.entities.length} rows`);
  }
  const names = [table.entityLabel, ...table.columns.map((column) => column.name)];
  if (hasTwin(names, name)) return reject('not-unique', `there is a column ${JSON.stringify(name)} already`);
  const model = table.columns.find((column): column is NumberColumn => column.kind === 'number');
  const column: NumberColumn = {
    kind: 'number',
    name,
    unit: edit.unit === undefined ? (model?.unit ?? null) : edit.unit,
    decimals: edit.decimals ?? model?.decimals ?? 0,
    values,
  };
  for (const value of values) {
    const fits = value === null ? ok(null) : fitting(column, value);
    if (!fits.ok) return fits;
  }
  return ok({ ...table, columns: table.columns.toSpliced(at, 0, column) });
}

function dropColumn(table: Table, name: string): Edited<Table> {
  const at = columnOf(table, name);
  if (!at.ok) return at;
  if (table.columns.filter(({ kind }) => kind === 'number').length === 1) {
    return reject('empty', 'drop_column: it is the last column of numbers');
  }
  return ok({ ...table, columns: table.columns.toSpliced(at.value, 1) });
}

/** A value that a column shows whole: finite, and with no more digits than its cells have. */
function fitting(column: NumberColumn, value: number): Edited<number> {
  const shown = Number(value.toFixed(Math.min(20, column.decimals)));
  if (Number.isFinite(value) && shown === value) return ok(value);
  return reject(
    'bad-value',
    `${value} has more than the ${column.decimals} decimals of ${JSON.stringify(column.name)}`,
  );
}

function withColumn(table: Table, at: number, column: Column): Table {
  return { ...table, columns: table.columns.with(at, column) };
}

function withRows(table: Table, order: readonly number[]): Table {
  const pick = <T>(values: readonly T[]): T[] => order.map((row) => values[row] as T);
  const columns = table.columns.map((column): Column =>
    column.kind === 'number'
      ? { ...column, values: pick(column.values) }
      : { ...column, values: pick(column.values) },
  );
  return { ...table, entities: pick(table.entities), columns };
}

/**
 * The edits that take `applyChartEdit(state, edit)` back to `state`, exactly but for cells of text in a row that was removed,
 * which no edit can write. Refused when the edit itself would be.
 */
export function inverseChartEdit(state: ChartState, edit: ChartEdit): Edited<ChartEdit> {
  const applied = applyChartEdit(state, edit);
  if (!applied.ok) return applied;
  const { table } = state;
  switch (edit.edit) {
    case 'set_value':
      return inverseOfSet(table, edit);
    case 'insert_row':
      return ok({ edit: 'remove_row', entity: edit.entity });
    case 'remove_row': {
      const at = rowOf(table, edit.entity);
      if (!at.ok) return at;
      const values = table.columns.flatMap((column) =>
        column.kind === 'number' ? [column.values[at.value] ?? null] : [],
      );
      return ok({ edit: 'insert_row', at: at.value, entity: table.entities[at.value] ?? '', values });
    }
    case 'reorder_rows':
      return ok({ edit: 'reorder_rows', entities: [...table.entities] });
    case 'add_column':
      return ok({ edit: 'drop_column', column: edit.column });
    case 'drop_column':
      return inverseOfDrop(table, edit.column);
    case 'restyle': {
      const before = Object.keys(edit.style).map((key) => [key, state.style[key]] as const);
      const unknown = before.find(([, value]) => value === undefined);
      if (unknown) return reject('malformed', `restyle: ${unknown[0]} had no value to go back to`);
      return ok({ edit: 'restyle', style: Object.fromEntries(before) as ChartLook });
    }
    default:
      return edit satisfies never;
  }
}

function inverseOfSet(table: Table, edit: Extract<ChartEdit, { edit: 'set_value' }>): Edited<ChartEdit> {
  const row = rowOf(table, edit.entity);
  if (!row.ok) return row;
  const at = columnOf(table, edit.column);
  if (!at.ok) return at;
  const column = table.columns[at.value] as NumberColumn;
  const value = column.values[row.value];
  if (value === null || value === undefined) return reject('missing-value', 'set_value: the cell was empty');
  return ok({ ...edit, value });
}

function inverseOfDrop(table: Table, name: string): Edited<ChartEdit> {
  const at = columnOf(table, name);
  if (!at.ok) return at;
  const column = table.columns[at.value] as NumberColumn;
  const { unit, decimals, values } = column;
  return ok({ edit: 'add_column', at: at.value, column: column.name, values: [...values], unit, decimals });
}

/** As `inverseChartEdit` for a list: the inverses in reverse order. */
export function inverseChartEdits(state: ChartState, edits: readonly ChartEdit[]): Edited<ChartEdit[]> {
  const inverses: ChartEdit[] = [];
  let edited = state;
  for (const edit of edits) {
    const inverse = inverseChartEdit(edited, edit);
    if (!inverse.ok) return inverse;
    inverses.unshift(inverse.value);
    const next = applyChartEdit(edited, edit);
    if (!next.ok) return next;
    edited = next.value;
  }
  return ok(inverses);
}
