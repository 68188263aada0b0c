import type { Solution, SolveRequest } from '../../../core/environment.js';
import { userPrompt } from '../../../core/prompt.js';
import type { Role } from '../../../core/role.js';
import { parseSolution } from '../../../core/solution.js';
import { COLORS, MATERIALS, SHAPES, SIZES } from '../scene.js';
import { microQuestion } from './micro.js';

export { parseSolution, SOLUTION_REJECTIONS, type SolutionReason } from '../../../core/solution.js';

/** How prompts are worded: for an instruction-tuned VLM, or in the closed vocabulary of the micro model. */
export type PromptStyle = 'full' | 'micro';

/** The actor of VICO: sees picture and question, writes its thoughts and an answer. */
export function clevrSolver(style: PromptStyle): Role<SolveRequest, Solution> {
  return {
    name: 'solver',
    prompt: ({ task, images }) =>
      userPrompt(style === 'micro' ? microQuestion(task.question) : fullPrompt(task.question), images),
    parse: (text) => parseSolution(text),
  };
}

function fullPrompt(question: string): string {
  return `The picture shows a few simple objects on a plain grey ground.
Shapes: ${SHAPES.join(', ')}. Sizes: ${SIZES.join(', ')}. Colors: ${COLORS.join(', ')}. Materials: ${MATERIALS.join(' (matt), ')} (shiny).

Question: ${question}

First look closely and reason step by step between <think> and </think>. Then give the final answer alone between <answer> and </answer>: yes or no, a whole number in digits, or one of the words above. Write nothing outside these tags.`;
}
