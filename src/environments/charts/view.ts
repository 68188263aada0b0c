import type { Rejection, Result } from '../../core/result.js';
import {
  readStyle,
  type ChartSpec,
  type ChartView,
  type Queried,
  type ReadingNeeds,
} from '../../render/index.js';
import { nameKey } from './read.js';
import type { UsedCell } from './operation.js';
import type { ChartTaskState } from './state.js';
import { numberColumns, type Table } from './table.js';
import type { AnswerKind } from '../../core/task.js';

/** How charts are drawn and how well they have to be readable. */
export interface ChartDrawing {
  readonly view: ChartView;
  /** Fixed ends of the value axis, for micro charts, which have no numbers on it; null elsewhere. */
  readonly range: { readonly min: number; readonly max: number } | null;
  /** Relative error that reading a value from the picture may have, e.g. 0.05 for relaxed accuracy; 0 asks for labels or whole steps. */
  readonly tolerance: number;
}

/** What a renderer draws for a chart. Text columns aren't drawn. */
export function chartSpec(
  { title, measure, table, style }: Omit<ChartTaskState, 'question'>,
  range: ChartDrawing['range'],
): Result<ChartSpec, Rejection<'bad-style'>> {
  const look = readStyle(style);
  if (!look.ok) return look;
  const columns = numberColumns(table);
  const only = columns.length === 1 ? columns[0] : undefined;
  return {
    ok: true,
    value: {
      title,
      categoryLabel: table.entityLabel,
      valueLabel: measure === '' ? (only?.name ?? '') : measure,
      categories: table.entities,
      series: columns.map(({ name, unit, decimals, values }) => ({ name, unit, decimals, values })),
      style: look.value,
      range,
    },
  };
}

/** Half a step of whole numbers, short of the next one. */
const WHOLE_SLACK = 0.49;

/**
 * What a reader has to find out for an answer: the values that a number is made from, to the tolerance (to the nearest one where
 * they are whole); the marks alone where the answer is a name or yes or no. A question of unknown making needs every value.
 */
export function readingNeeds(
  table: Table,
  used: readonly UsedCell[],
  kind: AnswerKind,
  tolerance: number,
): ReadingNeeds {
  const columns = numberColumns(table);
  const all = columns.flatMap(({ name, values }) =>
    values.flatMap((value, i) =>
      value === null ? [] : [{ entity: table.entities[i] as string, column: name, value }],
    ),
  );
  const needed = used.length > 0 ? used : all;
  const rows = new Map(table.entities.map((name, i) => [nameKey(name), i]));
  const series = new Map(columns.map(({ name }, i) => [nameKey(name), i]));
  const queried = needed.map(({ entity, column }): Queried => ({
    series: series.get(nameKey(column)) as number,
    category: rows.get(nameKey(entity)) as number,
  }));
  if (kind !== 'number') return { queried, tolerance: 1, slack: Infinity };
  const whole = columns.every(({ decimals }) => decimals === 0);
  return { queried, tolerance, ...(whole ? { slack: WHOLE_SLACK } : {}) };
}
