import { parseBoxed, type BoxedReason } from '../../core/boxed.js';
import type { Solution, SolveRequest } from '../../core/environment.js';
import { userPrompt } from '../../core/prompt.js';
import { ok, type Rejection, type Result } from '../../core/result.js';
import type { Role } from '../../core/role.js';

/** The solver of instruction-tuned models: the pictures and the question in, a boxed letter out (EVE, figure 11). */
export const transformSolver: Role<SolveRequest, Solution> & {
  parse(text: string): Result<Solution, Rejection<BoxedReason>>;
} = {
  name: 'solver',
  prompt: ({ task, images }) => userPrompt(`${task.question}\n\nPut the letter in \\boxed{}.`, images),
  parse(text) {
    const boxed = parseBoxed(text);
    if (boxed.ok) return ok({ answer: boxed.value.answer, reasoning: boxed.value.reasoning });
    const tagged = taggedAnswer(text);
    return tagged === null ? boxed : ok({ answer: tagged, reasoning: '' });
  },
};

/** What stands in the last `<answer>...</answer>`, which some models write instead of a box; null when nothing does. */
function taggedAnswer(text: string): string | null {
  const end = text.lastIndexOf('</answer>');
  const begin = end < 0 ? -1 : text.lastIndexOf('<answer>', end);
  return begin < 0 ? null : text.slice(begin + '<answer>'.length, end).trim() || null;
}
