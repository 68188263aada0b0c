import { readTable, type TableWarning } from './read.js';
import type { Table } from './table.js';
import { tierOf, TIERS, type Tier } from './tier.js';

/** A question of ChartQA's layout. */
export interface ChartQuestion {
  /** Name of the picture, `NAME.png`; its table is `NAME.csv`. */
  readonly imgname: string;
  readonly query: string;
  readonly label: string;
}

/** What was found out about one question; the fields of ChartQA's own, then ours. */
export interface QuestionRecord extends ChartQuestion {
  /** Null when there is no table to hold it against. */
  readonly tier: Tier | null;
  readonly entity: string | null;
  readonly column: string | null;
  readonly derived: string | null;
  readonly agrees: boolean | null;
  readonly reason: string;
}

/** A table that was read with reservations, or not at all. */
export interface TableFinding {
  readonly table: string;
  /** Null when it was read. */
  readonly problem: string | null;
  readonly warnings: readonly TableWarning[];
}

/** What `covolve check charts` reports. JSON-serialisable. */
export interface ChartsCheck {
  readonly tables: number;
  readonly questions: number;
  readonly tiers: Readonly<Record<Tier, number>>;
  /** Questions whose answer the table gives too, and those where it gives another. */
  readonly agreed: number;
  readonly contradicted: number;
  /** Questions without a table. */
  readonly unmatched: number;
  readonly findings: readonly TableFinding[];
  readonly records: readonly QuestionRecord[];
}

/** Tables by name without `.csv`, as text. */
export type TableSource = (name: string) => string | null;

/**
 * Reads every table, tiers every question and derives every answer that a rule covers. `tables` names all tables there are;
 * `source` gives their text.
 */
export function checkCharts(
  tables: readonly string[],
  source: TableSource,
  questions: readonly ChartQuestion[],
): ChartsCheck {
  const read = new Map<string, Table>();
  const findings: TableFinding[] = [];
  for (const name of tables) {
    const result = readTable(source(name) ?? '');
    if (!result.ok) {
      findings.push({ table: name, problem: `${result.error.reason}: ${result.error.detail}`, warnings: [] });
      continue;
    }
    read.set(name, result.value.table);
    if (result.value.warnings.length > 0) {
      findings.push({ table: name, problem: null, warnings: result.value.warnings });
    }
  }
  const records = questions.map((question) => recordOf(question, read));
  const count = (keep: (record: QuestionRecord) => boolean): number => records.filter(keep).length;
  return {
    tables: tables.length,
    questions: questions.length,
    tiers: Object.fromEntries(TIERS.map((tier) => [tier, count((r) => r.tier === tier)])) as Record<
      Tier,
      number
    >,
    agreed: count(({ agrees }) => agrees === true),
    contradicted: count(({ agrees }) => agrees === false),
    unmatched: count(({ tier }) => tier === null),
    findings,
    records,
  };
}

function recordOf(
  { imgname, query, label }: ChartQuestion,
  tables: ReadonlyMap<string, Table>,
): QuestionRecord {
  const name = tableName(imgname);
  const table = tables.get(name);
  if (!table) {
    const nothing = { tier: null, entity: null, column: null, derived: null, agrees: null };
    return { imgname, query, label, ...nothing, reason: `there is no table ${name}.csv that could be read` };
  }
  return { imgname, query, label, ...tierOf(table, query, label) };
}

/** `multi_col_803.png` to `multi_col_803`. */
export function tableName(imgname: string): string {
  return imgname.replace(/\.(png|jpe?g|svg|webp)$/i, '');
}

/** Whether nothing contradicts its table and every table and question could be read. */
export function chartsPassed({ contradicted, unmatched, findings }: ChartsCheck): boolean {
  return contradicted === 0 && unmatched === 0 && findings.every(({ problem }) => problem === null);
}

const FIRST = 10;

/** The findings in words, a line each. */
export function describeChartsCheck(check: ChartsCheck): string[] {
  const { tables, questions, tiers, agreed, contradicted, unmatched, findings, records } = check;
  const underived = questions - agreed - contradicted - unmatched;
  const lines = [
    `${tables} tables, ${questions} questions: tier 1 ${tiers['1']}, tier 2 ${tiers['2']}, visual ${tiers.visual}, noise ${tiers.noise}`,
    `answers: ${agreed} agree with their table, ${contradicted} contradict it, ${underived} follow no rule that is known${unmatched > 0 ? `, ${unmatched} have no table` : ''}`,
  ];
  const bad = records.filter(({ agrees, tier }) => agrees === false || tier === null);
  for (const { imgname, query, label, reason } of bad.slice(0, FIRST)) {
    lines.push(`  ${imgname}: ${JSON.stringify(query)} = ${JSON.stringify(label)}: ${reason}`);
  }
  if (bad.length > FIRST) lines.push(`  ... and ${bad.length - FIRST} more`);
  const warned = findings.reduce((sum, { warnings }) => sum + warnings.length, 0);
  if (warned > 0) lines.push(`${warned} warnings in ${findings.length} tables`);
  for (const { table, problem, warnings } of findings.slice(0, FIRST)) {
    if (problem !== null) lines.push(`  ${table}.csv: ${problem}`);
    else lines.push(`  ${table}.csv: ${summary(warnings)}`);
  }
  return lines;
}

function summary(warnings: readonly TableWarning[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of warnings) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const first = warnings[0];
  const where = first
    ? ` (first: ${first.row === null ? '' : `line ${first.row}, `}${first.column ?? 'row'}: ${first.detail})`
    : '';
  return `${[...counts].map(([kind, n]) => `${kind} ${n}`).join(', ')}${where}`;
}
