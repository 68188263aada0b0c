import type { ChartTaskState, Operation, Table } from '../../../src/environments/charts/index.js';

/** Cells as text by `row|column` in lower case without footnote marks; the table is written out and read line by line. */
function written(table: Table): { cells: Map<string, string>; rows: string[] } {
  const key = (name: string): string => name.toLowerCase().replaceAll('*', '').replace(/\s+/g, ' ').trim();
  const cells = new Map<string, string>();
  for (const column of table.columns) {
    if (column.kind !== 'number') continue;
    table.entities.forEach((entity, row) => {
      const value = column.values[row];
      const at = `${key(entity)}|${key(column.name)}`;
      const text = value === null || value === undefined ? '' : value.toFixed(column.decimals);
      cells.set(at, cells.has(at) ? 'twice' : text);
    });
  }
  return { cells, rows: [...table.entities] };
}

const SCALE = 14;

/** A decimal text as an integer of 10^-14. */
function integer(text: string): bigint {
  const [whole = '', rest = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + rest.padEnd(SCALE, '0'));
  return text.startsWith('-') ? -size : size;
}

function said(value: bigint): string {
  const size = (value < 0n ? -value : value).toString().padStart(SCALE + 1, '0');
  const text = `${size.slice(0, -SCALE)}.${size.slice(-SCALE)}`.replace(/0+$/, '').replace(/\.$/, '');
  return (value < 0n && /[1-9]/.test(text) ? '-' : '') + text;
}

/** `a / b` to so many places by long division, digit after digit; null where the rest is exactly a half. */
function division(a: bigint, b: bigint, places: number): string | null {
  if (b === 0n) return null;
  const negative = a < 0n !== b < 0n;
  const [top, bottom] = [a < 0n ? -a : a, b < 0n ? -b : b];
  let digits = (top / bottom).toString();
  let rest = top % bottom;
  for (let i = 0; i < places; i++) {
    rest *= 10n;
    digits += (rest / bottom).toString();
    rest %= bottom;
  }
  if (rest * 2n === bottom) return null;
  const rounded = BigInt(digits) + (rest * 2n > bottom ? 1n : 0n);
  return said((negative ? -rounded : rounded) * 10n ** BigInt(SCALE - places));
}

/** The answer found another way than the environment does; null where there is none. */
export function secondOpinion({
  table,
  question,
}: Pick<ChartTaskState, 'table' | 'question'>): string | null {
  const { cells, rows } = written(table);
  const key = (name: string): string => name.toLowerCase().replaceAll('*', '').replace(/\s+/g, ' ').trim();
  const cell = (entity: string, column: string): bigint => {
    const text = cells.get(`${key(entity)}|${key(column)}`);
    if (text === undefined || text === '' || text === 'twice') throw new RangeError('no cell');
    return integer(text);
  };
  const all = (column: string, names: readonly string[] | null): bigint[] =>
    (names ?? rows).map((row) => cell(row, column));
  try {
    return answer(question.operation, cell, all, rows);
  } catch (cause) {
    if (cause instanceof RangeError) return null;
    throw cause;
  }
}

function answer(
  operation: Operation,
  cell: (entity: string, column: string) => bigint,
  all: (column: string, names: readonly string[] | null) => bigint[],
  rows: readonly string[],
): string | null {
  switch (operation.op) {
    case 'cell':
      return said(cell(operation.cell.entity, operation.cell.column));
    case 'extremum': {
      const values = all(operation.column, null);
      let best = 0;
      for (let i = 1; i < values.length; i++) {
        const [a, b] = [values[i] as bigint, values[best] as bigint];
        if (operation.which === 'greatest' ? a > b : a < b) best = i;
      }
      const value = values[best] as bigint;
      if (values.filter((other) => other === value).length > 1) return null;
      return operation.asks === 'name' ? (rows[best] as string) : said(value);
    }
    case 'difference': {
      const [a, b] = operation.cells.map(({ entity, column }) => cell(entity, column)) as [bigint, bigint];
      return said(a > b ? a - b : b - a);
    }
    case 'sum':
      return said(all(operation.column, operation.entities).reduce((a, b) => a + b));
    case 'average': {
      const values = all(operation.column, operation.entities);
      const total = values.reduce((a, b) => a + b);
      return division(total, BigInt(values.length) * 10n ** BigInt(SCALE), operation.places);
    }
    case 'ratio': {
      const [a, b] = operation.cells.map(({ entity, column }) => cell(entity, column)) as [bigint, bigint];
      return division(a, b, operation.places);
    }
    case 'count': {
      const bound = integer(operation.bound.toFixed(SCALE).replace(/0+$/, '') || '0');
      const values = all(operation.column, null);
      return String(values.filter((v) => (operation.side === 'above' ? v > bound : v < bound)).length);
    }
    case 'compare': {
      const [a, b] = operation.cells.map(({ entity, column }) => cell(entity, column)) as [bigint, bigint];
      if (a === b) return null;
      return a > b ? 'yes' : 'no';
    }
    case 'trend': {
      const [a, b] = [cell(operation.from, operation.column), cell(operation.to, operation.column)];
      if (a === b) return null;
      return b > a ? 'increase' : 'decrease';
    }
    case 'given':
      return operation.answer;
    default:
      return operation satisfies never;
  }
}
