/** The data behind a chart. */

/** A column of numbers. `values` stand in the order of the table's entities; null where there is none. */
export type NumberColumn = {
  readonly kind: 'number';
  readonly name: string;
  /** `%` or a currency sign that every cell with a number carries; null when they carry none. */
  readonly unit: string | null;
  /** Most digits behind the decimal point of any cell. */
  readonly decimals: number;
  readonly values: readonly (number | null)[];
};

/** A column that isn't all numbers: its cells as written. */
export type TextColumn = {
  readonly kind: 'text';
  readonly name: string;
  readonly values: readonly string[];
};

export type Column = NumberColumn | TextColumn;

/** A typed table: one row an entity (a name, a year, a group), one column a series. */
export type Table = {
  /** Header of the first column, e.g. `Country`. */
  readonly entityLabel: string;
  readonly entities: readonly string[];
  readonly columns: readonly Column[];
};

/** The columns of numbers. */
export function numberColumns({ columns }: Table): readonly NumberColumn[] {
  return columns.filter((column): column is NumberColumn => column.kind === 'number');
}

/** Whether a name is a year, `1000` to `2999`, alone or as a span such as `2019/20`; footnote marks don't count. */
export function isYear(name: string): boolean {
  return /^[12]\d{3}([/–-]\d{2}(\d{2})?)?$/.test(name.replace(/[*†‡\s]+$/u, '').trim());
}
