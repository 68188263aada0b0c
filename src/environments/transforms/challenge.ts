import type { ChallengeRequest } from '../../core/environment.js';
import { userPrompt } from '../../core/prompt.js';
import { ok, reject, type Result } from '../../core/result.js';
import type { Role } from '../../core/role.js';
import { commentLine } from './comments.js';
import type { TransformRejection } from './rejections.js';
import type { TransformAction, TransformState } from './state.js';

/** The challenger of instruction-tuned models: a picture and example programs in, a program out (EVE, figure 10). */
export const challenger: Role<ChallengeRequest<TransformState>, TransformAction> & {
  parse(text: string): Result<TransformAction, TransformRejection>;
} = {
  name: 'challenger',
  prompt: ({ images, examples }) =>
    userPrompt(
      `Write a Python program that edits this picture in four different ways.

It consists of its imports, a function \`edit_image(img, ...)\` that takes a PIL image and named arguments and returns a PIL image, and a list \`args_list\` of exactly 4 different dictionaries of these arguments, written out as literals.

- The four results must look clearly different from one another, and it must be possible to tell from looking which arguments made which.
- Fit the arguments to what this picture shows; don't take them over from the examples.
- Pillow and NumPy are there; no files, no network, no randomness, no other modules but \`math\`.
- No comments. At most 2,000 characters.
${examples.map((example, i) => `\nExample ${i + 1}, for the form only:\n\`\`\`python\n${example.trim()}\n\`\`\`\n`).join('')}
Think inside <thinking>...</thinking>. Then write the program in a code fence:
\`\`\`python
...
\`\`\``,
      images,
    ),
  parse: (text) => parseProgram(text),
};

const FENCE = /^[ \t]*```[ \t]*([A-Za-z0-9_+-]*)[ \t]*$/;

/**
 * Reads the one program of a completion: the code fence behind the thoughts. Fences inside `<thinking>` don't count, nor do empty
 * ones or those that say they hold something else (`json`, `text`). Code with comments is refused here, since they cost the
 * challenger its format reward (EVE, section 3.2). Never throws, linear in the text's length.
 */
export function parseProgram(text: string): Result<TransformAction, TransformRejection> {
  const thought = text.lastIndexOf('</thinking>');
  const said = thought < 0 ? text : text.slice(thought + '</thinking>'.length);
  const blocks: string[] = [];
  let open: { readonly python: boolean; readonly lines: string[] } | null = null;
  for (const line of said.split(/\r\n|\r|\n/)) {
    const fence = FENCE.exec(line);
    if (!fence) {
      open?.lines.push(line);
    } else if (open) {
      if (open.python && open.lines.some((l) => l.trim() !== '')) blocks.push(open.lines.join('\n'));
      open = null;
    } else {
      open = { python: /^(python[0-9.]*|py[0-9]?)?$/i.test(fence[1] ?? ''), lines: [] };
    }
  }
  if (open) return reject('no-code', 'the code fence is never closed');
  const [first, second] = blocks;
  if (first === undefined) return reject('no-code', 'there is no code fence with Python in it');
  if (second !== undefined) return reject('two-blocks', `there are ${blocks.length} blocks of code`);
  const program = `${first.trim()}\n`;
  const line = commentLine(program);
  return line === null ? ok({ program }) : reject('comments', `line ${line} of the code has a comment`);
}
