import type { RewriteRequest } from '../../../core/environment.js';
import { CHART_TYPES, type ChartType } from '../../../render/index.js';
import type { ChartTaskState } from '../state.js';
import type { ChartRewriterOptions } from './rewriter.js';

/** Keys of the style that a rewriter is told about, with what they take. */
const STYLE_KEYS: Readonly<Record<string, string>> = {
  type: (CHART_TYPES satisfies readonly ChartType[]).join(', '),
  palette: 'tableau, okabe, statista, office, dark2, pastel, earth, blues, greys',
  theme: 'white, cream, panel, fog, sky, mint, dark, slate',
  fontSize: '9 to 22',
  legend: 'top, bottom, left, right',
  legendOrder: 'data, reversed',
  grid: 'none, value, both',
  ticks: 'none, outside, inside',
  tickCount: '3 to 12',
  valueLabels: 'none, outside, inside',
  aspect: 'view, wide, square, tall',
  axisRange: 'zero, data',
  barOrder: 'data, ascending, descending',
  barGap: '0.05 to 0.75',
};

/** The rewriter's prompt for an instruction-tuned model. */
export function rewriterPrompt(
  { lineage: { state }, passRate }: RewriteRequest<ChartTaskState>,
  { rows, maxEdits }: ChartRewriterOptions,
): string {
  const cell = state.question.operation.op === 'cell' ? state.question.operation.cell : null;
  const percent = Math.round(passRate * 100);
  const wish =
    passRate > 0.5
      ? 'That is too easy: edit the chart so that the question becomes harder.'
      : passRate < 0.5
        ? 'That is too hard: edit the chart so that the question becomes easier.'
        : 'Keep it about that hard, with a chart that is new.';
  const look = Object.fromEntries(Object.keys(STYLE_KEYS).map((key) => [key, state.style[key] ?? null]));
  return `You design training tasks for a model that answers questions about charts. A task is best when the model is right about half of the time.

The table behind the chart, as CSV:
${csv(state.table)}

Its style: ${JSON.stringify(look)}

Question about the chart: ${state.question.text}

The model was right in ${percent}% of its tries. ${wish}

Edits you can make:
{"edit":"restyle","style":{KEY:VALUE,...}}
${cell === null ? '' : DATA_EDITS}where a KEY of the style and its VALUE are among:
${Object.entries(STYLE_KEYS)
  .map(([key, values]) => `${key}: ${values}`)
  .join('\n')}
Types bar, horizontal-bar, pie and donut show one column of numbers, the grouped and stacked ones two or more, scatter exactly two.

Rules:
${
  cell === null
    ? '- The question is about several cells, so no name, number or order of the table may change: only the style.'
    : `- The row ${JSON.stringify(cell.entity)} and the column ${JSON.stringify(cell.column)} stay; the answer is what stands there in the end. Rows with similar names and similar values make good distractors.
- ${rows.min} to ${rows.max} rows in the end. No two names that differ by case or spacing only. Numbers have no more decimals than their column.`
}
- The chart must stay readable: texts don't overlap, colours are told apart, the values that are asked for can be read.

Reply with a JSON array of 1 to ${maxEdits} edits and nothing else.`;
}

const DATA_EDITS = `{"edit":"set_value","entity":ROW,"column":COLUMN,"value":NUMBER}
{"edit":"insert_row","at":POSITION,"entity":NAME,"values":[one for each column of numbers]}
{"edit":"remove_row","entity":ROW}
{"edit":"reorder_rows","entities":[all rows in a new order]}
{"edit":"add_column","at":POSITION,"column":NAME,"values":[one for each row]}
{"edit":"drop_column","column":COLUMN}
`;

function csv({ entityLabel, entities, columns }: ChartTaskState['table']): string {
  const field = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const cells = entities.map((entity, i) => [
    entity,
    ...columns.map(({ values }) => String(values[i] ?? '')),
  ]);
  const header = [entityLabel, ...columns.map(({ name }) => name)];
  return [header, ...cells].map((row) => row.map(field).join(',')).join('\n');
}
