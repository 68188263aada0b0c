/** A column: its heading, and whether its cells are numbers (set to the right). */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

type Rows = ReadonlyArray<readonly string[]>;

/** A table for a terminal: two spaces between columns, a rule under the headings. */
export function textTable(columns: readonly Column[], rows: Rows): string {
  const widths = widthsOf(columns, rows);
  const line = (cells: readonly string[]): string =>
    columns
      .map((column, i) => pad(cells[i] ?? '', widths[i] as number, column.align))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [line(columns.map(({ title }) => title)), rule, ...rows.map(line)].join('\n');
}

/** A table in Markdown. */
export function markdownTable(columns: readonly Column[], rows: Rows): string {
  const widths = widthsOf(columns, rows).map((width) => Math.max(3, width));
  const line = (cells: readonly string[]): string =>
    `| ${columns.map((column, i) => pad(cells[i] ?? '', widths[i] as number, column.align)).join(' | ')} |`;
  const rule = columns.map(({ align }, i) => {
    const dashes = '-'.repeat((widths[i] as number) - (align === 'right' ? 1 : 0));
    return align === 'right' ? `${dashes}:` : dashes;
  });
  return [line(columns.map(({ title }) => title)), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

function widthsOf(columns: readonly Column[], rows: Rows): number[] {
  return columns.map(({ title }, i) => Math.max(title.length, ...rows.map((row) => (row[i] ?? '').length)));
}

function pad(text: string, width: number, align: Column['align']): string {
  return align === 'right' ? text.padStart(width) : text.padEnd(width);
}
