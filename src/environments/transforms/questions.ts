import type { Json } from '../../core/json.js';
import { contentHash } from '../../core/json.js';
import { Rng } from '../../core/rng.js';
import type { ArgumentSet, QuestionKind } from './state.js';

/** One question about a program's outputs, before it is made a task. */
export interface TransformQuestion {
  readonly kind: QuestionKind;
  /** Which outputs are shown behind image_0, in order, by their index in the program's `args_list`. */
  readonly shown: readonly number[];
  /** The argument sets as they are listed, by index; one for `arguments-to-image`, four otherwise. */
  readonly listed: readonly number[];
  /** What may be answered, in the order of their letters. */
  readonly choices: readonly string[];
  /** The right letter. */
  readonly answer: string;
  readonly text: string;
}

const LETTERS = ['A', 'B', 'C', 'D'] as const;

/**
 * Builds one question. What is chosen and how options are shuffled depends on picture, program and kind alone, so the same
 * program on the same picture asks the same. The code shown holds no argument sets, and `image-to-arguments` shows image_0 and the
 * one chosen output only: either would give the answer away.
 */
export function buildQuestion(
  kind: QuestionKind,
  of: {
    readonly seedId: string;
    readonly program: string;
    readonly code: string;
    readonly args: readonly ArgumentSet[];
  },
  wording: Wording = fullWording,
): TransformQuestion {
  const rng = Rng.fromSeed(contentHash({ seedId: of.seedId, program: of.program, kind }));
  const all = of.args.map((_, i) => i);
  const chosen = rng.child('chosen').int(all.length);
  const order = rng.child('order').shuffle(all);
  switch (kind) {
    case 'arguments-to-image': {
      const choices = order.map((_, i) => `image_${i + 1}`);
      const answer = letter(order.indexOf(chosen));
      return {
        kind,
        shown: order,
        listed: [chosen],
        choices,
        answer,
        text: wording(kind, of, [chosen], choices),
      };
    }
    case 'image-to-arguments': {
      const choices = order.map((i) => pythonLiteral(of.args[i] as ArgumentSet));
      const answer = letter(order.indexOf(chosen));
      return {
        kind,
        shown: [chosen],
        listed: order,
        choices,
        answer,
        text: wording(kind, of, order, choices),
      };
    }
    case 'match': {
      const listed = rng.child('listed').shuffle(all);
      const right = listed.map((i) => order.indexOf(i));
      const options = rng.child('options').shuffle([right, ...otherOrders(right, rng.child('others'))]);
      const choices = options.map((images) => images.map((at) => `image_${at + 1}`).join(', '));
      const answer = letter(options.indexOf(right));
      return { kind, shown: order, listed, choices, answer, text: wording(kind, of, listed, choices) };
    }
    default:
      return kind satisfies never;
  }
}

/** Three other orders of the same numbers, distinct. */
function otherOrders(right: readonly number[], rng: Rng): number[][] {
  const seen = new Set([right.join()]);
  const others: number[][] = [];
  for (let i = 0; others.length < LETTERS.length - 1; i++) {
    const order = rng.child(i).shuffle(right);
    if (seen.has(order.join())) continue;
    seen.add(order.join());
    others.push(order);
  }
  return others;
}

function letter(index: number): string {
  const found = LETTERS[index];
  if (found === undefined) throw new Error(`no letter for option ${index}`);
  return found;
}

/** Puts a question into words: its kind, the program's code and arguments, those listed, and what may be answered. */
export type Wording = (
  kind: QuestionKind,
  of: { readonly code: string; readonly args: readonly ArgumentSet[] },
  listed: readonly number[],
  choices: readonly string[],
) => string;

/** For instruction-tuned models. */
export const fullWording: Wording = (kind, { code, args }, listed, choices) => {
  const sets = listed.map((i) => pythonLiteral(args[i] as ArgumentSet));
  const outputs =
    kind === 'image-to-arguments'
      ? 'The pictures are image_0 and image_1, in this order. image_1 is what the function below made of image_0.'
      : 'The pictures are image_0 to image_4, in this order. image_1 to image_4 are what the function below made of image_0, each with arguments of its own.';
  const question = {
    'arguments-to-image': `Which picture does \`edit_image(image_0, **${sets[0]})\` give?`,
    'image-to-arguments': 'With which arguments does `edit_image` turn image_0 into image_1?',
    match: `Which pictures do these arguments give, in this order?\n${sets.map((set, i) => `${i + 1}. ${set}`).join('\n')}`,
  }[kind];
  const options = choices.map((choice, i) => `${letter(i)}. ${choice}`).join('\n');
  return `${outputs}\n\n\`\`\`python\n${code}\n\`\`\`\n\n${question}\n${options}\n\nWork out what the code does, look closely at the pictures, and answer with one letter.`;
};

/** JSON as a Python literal. */
export function pythonLiteral(json: Json): string {
  if (json === null) return 'None';
  if (typeof json === 'boolean') return json ? 'True' : 'False';
  if (typeof json === 'number') return String(json);
  if (typeof json === 'string') return JSON.stringify(json);
  if (Array.isArray(json)) return `[${json.map((item) => pythonLiteral(item as Json)).join(', ')}]`;
  const entries = Object.entries(json as Readonly<Record<string, Json>>);
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}: ${pythonLiteral(value)}`).join(', ')}}`;
}
