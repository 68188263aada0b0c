import { ok, type Rejection, type Result } from '../../core/result.js';
import type { ChartReason } from './edit.js';
import { labelChart } from './label.js';
import { answerOf, type ChartAnswer } from './operation.js';
import type { ChartTaskState } from './state.js';

/**
 * The answer after an action (methods.md, "Label rules"): a cell is looked up anew by its names; any other answer stays, which
 * asks for a table that is bit for bit the same.
 */
export function answerAfter(
  before: ChartTaskState,
  after: ChartTaskState,
): Result<ChartAnswer, Rejection<ChartReason>> {
  const { operation } = after.question;
  const answer = answerOf(after.table, operation);
  if (operation.op === 'cell') {
    const label = labelChart(before, after, { rule: 'recompute', anchor: operation.cell });
    if (!label.ok) return label;
    return answer.ok ? ok({ ...answer.value, answer: label.value }) : answer;
  }
  if (!answer.ok) return answer;
  const label = labelChart(before, after, { rule: 'preserve', answer: answer.value.answer });
  return label.ok ? answer : label;
}
