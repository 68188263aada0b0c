import type { ChartEdit, ChartLook } from './edit.js';
import type { Operation } from './operation.js';
import type { Table } from './table.js';

/** A question with what it asks for; the operation decides the answer, never the words. */
export type ChartAsk = {
  readonly text: string;
  readonly operation: Operation;
};

/** Where a chart task stands. */
export type ChartTaskState = {
  /** Above the chart; empty for none. */
  readonly title: string;
  /** What the numbers are, where the columns are called after something else (years, names); empty where their names say it. */
  readonly measure: string;
  readonly table: Table;
  /** A value for every key of the renderer's style. */
  readonly style: ChartLook;
  readonly question: ChartAsk;
};

/** What a generator does to a chart task: edit table and style, or (text-only arm) ask another question about it. */
export type ChartAction =
  | { readonly kind: 'edits'; readonly edits: readonly ChartEdit[] }
  | { readonly kind: 'ask'; readonly question: ChartAsk };
