import { parse } from 'csv-parse/sync';
import { ok, reject, type Rejection, type Result } from '../../core/result.js';
import { readCell, type Cell } from './cells.js';
import type { Column, Table } from './table.js';

/** Something in a file that was read, but not as it stands. */
export const TABLE_WARNINGS = [
  /** Two columns have one name; the later one was given a number. */
  'duplicate-header',
  /** A column has no name. */
  'empty-header',
  /** A row has fewer or more cells than there are columns. */
  'ragged-row',
  /** A row without a name, left out. */
  'empty-entity',
  /** Two rows have one name, or names that differ by case, spacing or footnote marks only. */
  'duplicate-entity',
  /** A cell without a number in a column of numbers. */
  'missing-value',
  /** A column holds numbers and text. */
  'mixed-column',
  /** Cells of one column carry different units. */
  'mixed-units',
] as const;

export type TableWarningKind = (typeof TABLE_WARNINGS)[number];

/** A warning with its place: line of the file (from 1, the header's is 1) and column name where there is one. */
export interface TableWarning {
  readonly kind: TableWarningKind;
  readonly row: number | null;
  readonly column: string | null;
  readonly detail: string;
}

export interface ReadTable {
  readonly table: Table;
  readonly warnings: readonly TableWarning[];
}

/** Why a file is no table. */
export type TableProblem = 'not-csv' | 'no-rows' | 'no-columns';

/**
 * Reads a table in ChartQA's layout: a header, then one row an entity. Any line ends, a byte order mark, quoted fields. What
 * can't be taken as it stands is warned of, and never guessed at.
 */
export function readTable(text: string): Result<ReadTable, Rejection<TableProblem>> {
  let rows: string[][];
  try {
    rows = parse(text, { bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true });
  } catch (cause) {
    return reject('not-csv', cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause));
  }
  const [header, ...body] = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  if (!header || header.length < 2)
    return reject('no-columns', 'a header with two or more columns is needed');
  const warnings: TableWarning[] = [];
  const names = columnNames(header, warnings);
  const kept = namedRows(body, header.length, warnings);
  if (kept.length === 0) return reject('no-rows', 'there is no row under the header');
  const columns = names.slice(1).map((name, i) =>
    readColumn(
      name,
      kept.map(({ cells, line }) => ({ line, source: cells[i + 1] ?? '' })),
      warnings,
    ),
  );
  const table = {
    entityLabel: names[0] ?? '',
    entities: kept.map(({ cells }) => (cells[0] ?? '').trim()),
    columns,
  };
  return ok({ table, warnings });
}

function columnNames(header: readonly string[], warnings: TableWarning[]): string[] {
  const seen = new Map<string, number>();
  return header.map((cell, i) => {
    const name = cell.normalize('NFC').replace(/\s+/g, ' ').trim();
    if (name === '' && i > 0) {
      const detail = `column ${i + 1} has no name`;
      warnings.push({ kind: 'empty-header', row: 1, column: null, detail });
    }
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    if (times === 1 || i === 0) return name;
    const given = `${name} (${times})`;
    warnings.push({
      kind: 'duplicate-header',
      row: 1,
      column: name,
      detail: `column ${i + 1} is called ${JSON.stringify(given)} here`,
    });
    return given;
  });
}

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

function namedRows(body: readonly string[][], width: number, warnings: TableWarning[]): Row[] {
  const seen = new Map<string, string>();
  return body.flatMap((cells, i): Row[] => {
    const line = i + 2;
    if (cells.length !== width) {
      const detail = `${cells.length} cells, ${width} columns`;
      warnings.push({ kind: 'ragged-row', row: line, column: null, detail });
    }
    const entity = (cells[0] ?? '').trim();
    if (entity === '') {
      warnings.push({
        kind: 'empty-entity',
        row: line,
        column: null,
        detail: 'a row without a name was left out',
      });
      return [];
    }
    const key = nameKey(entity);
    const before = seen.get(key);
    if (before !== undefined) {
      const detail = `${JSON.stringify(entity)} and ${JSON.stringify(before)} can't be told apart`;
      warnings.push({ kind: 'duplicate-entity', row: line, column: null, detail });
    }
    seen.set(key, entity);
    return [{ line, cells }];
  });
}

/** Names are one when they differ by case, spacing, footnote marks or letter composition only. */
export function nameKey(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[*†‡]+(?=\s|$)/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function readColumn(
  name: string,
  sources: ReadonlyArray<{ readonly line: number; readonly source: string }>,
  warnings: TableWarning[],
): Column {
  const cells = sources.map(({ source }) => readCell(source));
  const numbers = cells.filter((cell): cell is Cell & { kind: 'number' } => cell.kind === 'number');
  const texts = cells.filter((cell) => cell.kind === 'text').length;
  const warn = (kind: TableWarningKind, row: number | null, detail: string): void => {
    warnings.push({ kind, row, column: name, detail });
  };
  if (texts > 0) {
    if (numbers.length > 0) warn('mixed-column', null, `${numbers.length} numbers beside ${texts} texts`);
    return { kind: 'text', name, values: sources.map(({ source }) => source.trim()) };
  }
  cells.forEach((cell, i) => {
    if (cell.kind === 'missing') warn('missing-value', sources[i]?.line ?? null, 'no number');
  });
  const units = new Set(numbers.map(({ unit }) => unit));
  if (units.size > 1) warn('mixed-units', null, [...units].map((unit) => unit ?? 'none').join(', '));
  return {
    kind: 'number',
    name,
    unit: units.size === 1 ? (numbers[0]?.unit ?? null) : null,
    decimals: Math.max(0, ...numbers.map(({ decimals }) => decimals)),
    values: cells.map((cell) => (cell.kind === 'number' ? cell.value : null)),
  };
}
