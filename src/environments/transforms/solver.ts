import { parseBoxed } from '../../core/boxed.js';
import type { Solution, SolveRequest } from '../../core/environment.js';
import { userPrompt } from '../../core/prompt.js';
import { ok } from '../../core/result.js';
import type { Role } from '../../core/role.js';

/** The solver of instruction-tuned models: the pictures and the question in, a boxed letter out (EVE, figure 11). */
export const transformSolver: Role<SolveRequest, Solution> = {
  name: 'solver',
  prompt: ({ task, images }) => userPrompt(`${task.question}\n\nPut the letter in \\boxed{}.`, images),
  parse(text) {
    const boxed = parseBoxed(text);
    if (!boxed.ok) return boxed;
    const { answer, reasoning } = boxed.value;
    return ok({ answer, reasoning });
  },
};
