import type { ChallengeRequest, Solution, SolveRequest } from '../../../core/environment.js';
import type { Image } from '../../../core/image.js';
import { userPrompt } from '../../../core/prompt.js';
import type { Role } from '../../../core/role.js';
import { parseProgram } from '../challenge.js';
import { codeOf } from '../programs.js';
import { pythonLiteral, type Wording } from '../questions.js';
import { transformSolver } from '../solver.js';
import type { TransformAction, TransformState } from '../state.js';
import { linesOf, scriptedProgram } from './scripted.js';
import { IMPORTS } from './vocabulary.js';
import { Rng } from '../../../core/rng.js';

/** Side of one picture as the micro roles see it, pixels. */
export const CELL = 24;
const COLUMNS = 3;
const ROWS = 2;
const GREY = 128;

/** Size of the one picture that the micro solver looks at. */
export const MOSAIC = { width: COLUMNS * CELL, height: ROWS * CELL };

/** Where image_0 to image_4 stand in the mosaic: the original at the left, what was made of it beside it. */
const PLACES = [
  [0, 0],
  [1, 0],
  [2, 0],
  [1, 1],
  [2, 1],
] as const;

/** The micro challenger: a picture and example code in, a program in pieces of Python out. */
export const microChallenger: Role<ChallengeRequest<TransformState>, TransformAction> = {
  name: 'challenger',
  prompt({ images, examples }) {
    const code = examples.map((program) => shownCode(codeOf({ program })));
    return userPrompt(
      code.join(' ? '),
      images.slice(0, 1).map((image) => mosaic([image], 1, 1)),
    );
  },
  parse: (text) => parseProgram(linesOf(text)),
};

/** The micro solver: all pictures as one mosaic and the question's words in, a boxed letter out. */
export const microSolver: Role<SolveRequest, Solution> = {
  name: 'solver',
  prompt: ({ task, images }) => userPrompt(task.question, [mosaic(images, COLUMNS, ROWS)]),
  parse: (text) => transformSolver.parse(text),
};

/** Questions in the words of the micro solver. */
export const microWording: Wording = (kind, { code, args }, listed, choices) => {
  const sets = listed.map((i) => pythonLiteral(args[i] ?? {}));
  if (kind === 'arguments-to-image') return `${shownCode(code)} args ${sets[0]} ?`;
  if (kind === 'image-to-arguments') {
    return `${shownCode(code)} ? ${choices.map((choice, i) => `${'ABCD'.charAt(i)}. ${choice}`).join(' ')}`;
  }
  throw new Error('the micro solver is not asked to match all four');
};

/** Code without what every program says, in one line. */
export function shownCode(code: string): string {
  return code.replace(IMPORTS, '').replace(/\s+/g, ' ').trim();
}

/** Programs that open the micro queue: one each of turning, moving pieces, cutting out and drawing a box. */
export const MICRO_SEED_PROGRAMS: readonly TransformAction[] = ['rotate', 'offset', 'crop', 'box'].map(
  (name) => {
    for (let i = 0; ; i++) {
      const made = scriptedProgram(Rng.fromSeed('micro seed programs').child(name, i));
      if (made.name !== name || made.text.includes('ImageOps.')) continue;
      const program = parseProgram(linesOf(made.text));
      if (!program.ok) throw new Error(`a scripted program doesn't parse: ${program.error.detail}`);
      return program.value;
    }
  },
);

/** Pictures in the cells of a grid, each scaled to fit its cell and centred on grey. */
function mosaic(images: readonly Image[], columns: number, rows: number): Image {
  const [width, height] = [columns * CELL, rows * CELL];
  const rgb = new Uint8Array(3 * width * height).fill(GREY);
  images.forEach((image, i) => {
    const [column, row] = columns === 1 ? [0, 0] : (PLACES[i] ?? [0, 0]);
    const scale = CELL / Math.max(image.width, image.height);
    const [w, h] = [image.width, image.height].map((n) => Math.max(1, Math.round(n * scale))) as [
      number,
      number,
    ];
    const [left, top] = [column * CELL + ((CELL - w) >> 1), row * CELL + ((CELL - h) >> 1)];
    for (let y = 0; y < h; y++) {
      const from = Math.min(image.height - 1, Math.floor(((y + 0.5) * image.height) / h));
      for (let x = 0; x < w; x++) {
        const at =
          3 * (from * image.width + Math.min(image.width - 1, Math.floor(((x + 0.5) * image.width) / w)));
        const to = 3 * ((top + y) * width + left + x);
        for (let c = 0; c < 3; c++) rgb[to + c] = image.rgb[at + c] as number;
      }
    }
  });
  return { width, height, rgb };
}
