import { closedWords } from '../../../core/closedText.js';
import type { Solution, SolveRequest } from '../../../core/environment.js';
import { userPrompt } from '../../../core/prompt.js';
import type { Role } from '../../../core/role.js';
import { parseSolution } from '../../../core/solution.js';
import type { ChartAnswer } from '../operation.js';

/** How prompts are worded: for an instruction-tuned VLM, or in the closed vocabulary of the micro model. */
export type ChartPromptStyle = 'full' | 'micro';

/** The actor: sees chart and question, writes its thoughts and an answer. */
export function chartsSolver(style: ChartPromptStyle): Role<SolveRequest, Solution> {
  return {
    name: 'solver',
    prompt: ({ task, images }) =>
      userPrompt(style === 'micro' ? closedWords(task.question) : fullPrompt(task.question), images),
    parse: (text) => parseSolution(text),
  };
}

function fullPrompt(question: string): string {
  return `The picture shows a chart.

Question: ${question}

First read the values that you need off the chart and reason step by step between <think> and </think>. Then give the final answer alone between <answer> and </answer>: a number in digits without its unit, yes or no, or a name as the chart has it. Write nothing outside these tags.`;
}

/** What the micro actor is taught to write: the values that it needs, where there are one or two beside the answer. */
export function chartsTarget({ answer, used }: ChartAnswer, op: string): string {
  const own = used.filter(({ entity, value }) => entity === answer || String(value) === answer).slice(0, 1);
  const shown = op === 'extremum' ? own : used;
  const steps = op === 'cell' ? [] : shown.slice(0, 2).map(({ value }) => String(value));
  return ['<think>', ...steps, '</think>', '<answer>', answer, '</answer>'].join(' ');
}
