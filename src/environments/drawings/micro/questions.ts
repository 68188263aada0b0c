import type { Rng } from '../../../core/rng.js';
import { COLOURS, type Colour, type Figure, type Mark, type Shape } from './figure.js';

/** What can be asked about a micro picture. */
export type Question =
  | { readonly form: 'value' | 'shape' | 'after'; readonly colour: Colour }
  | { readonly form: 'plus' | 'more' | 'between'; readonly colours: readonly [Colour, Colour] }
  | { readonly form: 'colour' | 'count'; readonly shape: Shape }
  | { readonly form: 'largest' | 'smallest' | 'first' | 'last' | 'corners' };

export type QuestionForm = Question['form'];

/** How each form is asked: pieces of text with the colours or the shape between them. */
const WORDING: Readonly<Record<QuestionForm, readonly string[]>> = {
  value: ['what is the value of', '?'],
  shape: ['what shape is', '?'],
  after: ['what comes after', '?'],
  plus: ['what is', 'plus', '?'],
  more: ['how much more is', 'than', '?'],
  between: ['how many come between', 'and', '?'],
  colour: ['what colour is the', '?'],
  count: ['how many', 'are there ?'],
  largest: ['which is the largest ?'],
  smallest: ['which is the smallest ?'],
  first: ['what is first ?'],
  last: ['what is last ?'],
  corners: ['how many corners in all ?'],
};

const PLURALS: Readonly<Record<Shape, string>> = {
  circle: 'circles',
  square: 'squares',
  triangle: 'triangles',
  pentagon: 'pentagons',
};

/** Every piece of text that questions are made of. */
export const QUESTION_WORDS: readonly string[] = [
  ...new Set([...Object.values(WORDING).flat(), ...Object.values(PLURALS)]),
];

export function questionText(question: Question): string {
  const slots = slotsOf(question);
  return WORDING[question.form]
    .flatMap((piece, i) => [piece, slots[i] ?? ''])
    .join(' ')
    .trim();
}

function slotsOf(question: Question): readonly string[] {
  switch (question.form) {
    case 'value':
    case 'shape':
    case 'after':
      return [question.colour];
    case 'plus':
    case 'more':
    case 'between':
      return question.colours;
    case 'count':
      return [PLURALS[question.shape]];
    case 'colour':
      return [question.shape];
    default:
      return [];
  }
}

const ALL: ReadonlyMap<string, Question> = new Map(
  everyQuestion().map((question) => [questionText(question), question]),
);

function everyQuestion(): Question[] {
  const shapes = Object.keys(PLURALS) as Shape[];
  return [
    ...COLOURS.flatMap((colour) =>
      (['value', 'shape', 'after'] as const).map((form): Question => ({ form, colour })),
    ),
    ...COLOURS.flatMap((a) =>
      COLOURS.flatMap((b) =>
        (['plus', 'more', 'between'] as const).map((form): Question => ({ form, colours: [a, b] })),
      ),
    ),
    ...shapes.flatMap((shape) => (['colour', 'count'] as const).map((form): Question => ({ form, shape }))),
    ...(['largest', 'smallest', 'first', 'last', 'corners'] as const).map((form): Question => ({ form })),
  ];
}

/** The question that a text asks; null for any other text. */
export function parseQuestion(text: string): Question | null {
  return ALL.get(text) ?? null;
}

const CORNERS: Readonly<Record<Shape, number>> = { circle: 0, square: 4, triangle: 3, pentagon: 5 };

/** The right answer, and what is read off the picture on the way to it; null where the picture doesn't settle the question. */
export interface Derived {
  readonly answer: string;
  readonly steps: readonly string[];
}

export function derive({ kind, marks }: Figure, question: Question): Derived | null {
  const find = (colour: Colour): Mark | undefined => marks.find((mark) => mark.colour === colour);
  const plain = (answer: string | number | undefined): Derived | null =>
    answer === undefined ? null : { answer: String(answer), steps: [] };
  switch (question.form) {
    case 'value':
      return plain(find(question.colour)?.value);
    case 'shape':
      return plain(find(question.colour)?.shape);
    case 'plus':
    case 'more':
      return arithmetic(question.form, question.colours, marks);
    case 'largest':
    case 'smallest':
      return plain(extreme(question.form, marks)?.colour);
    case 'colour': {
      const shown = marks.filter(({ shape }) => shape === question.shape);
      return shown.length === 1 ? plain(shown[0]?.colour) : null;
    }
    case 'count': {
      const count = marks.filter(({ shape }) => shape === question.shape).length;
      return kind === 'diagram' && count > 0 ? plain(count) : null;
    }
    case 'corners': {
      if (kind !== 'geometry') return null;
      const corners = marks.map(({ shape }) => CORNERS[shape ?? 'circle']);
      return { answer: String(corners.reduce((a, b) => a + b, 0)), steps: corners.map(String) };
    }
    default:
      return kind === 'timeline' ? inTime(question, marks) : null;
  }
}

function arithmetic(
  form: 'plus' | 'more',
  [a, b]: readonly [Colour, Colour],
  marks: readonly Mark[],
): Derived | null {
  const left = marks.find(({ colour }) => colour === a)?.value;
  const right = marks.find(({ colour }) => colour === b)?.value;
  if (a === b || left === undefined || right === undefined) return null;
  if (form === 'more' && left <= right) return null;
  return {
    answer: String(form === 'plus' ? left + right : left - right),
    steps: [String(left), String(right)],
  };
}

function extreme(form: 'largest' | 'smallest', marks: readonly Mark[]): Mark | null {
  const sign = form === 'largest' ? -1 : 1;
  const ranked = marks
    .filter(({ value }) => value !== undefined)
    .sort((a, b) => sign * ((a.value ?? 0) - (b.value ?? 0)));
  const [best, next] = ranked;
  return best && best.value !== next?.value ? best : null;
}

function inTime(question: Question, marks: readonly Mark[]): Derived | null {
  const place = (colour: Colour): number => marks.findIndex((mark) => mark.colour === colour);
  const one = (mark: Mark | undefined): Derived | null => (mark ? { answer: mark.colour, steps: [] } : null);
  switch (question.form) {
    case 'first':
      return one(marks[0]);
    case 'last':
      return one(marks.at(-1));
    case 'after':
      return place(question.colour) < 0 ? null : one(marks[place(question.colour) + 1]);
    case 'between': {
      const [a, b] = question.colours.map(place) as [number, number];
      return a < 0 || b < 0 || a === b ? null : { answer: String(Math.abs(a - b) - 1), steps: [] };
    }
    default:
      return null;
  }
}

/** Forms that are read off directly, and forms that take several steps, by kind of picture. */
export const FORMS: Readonly<
  Record<Figure['kind'], { readonly easy: readonly QuestionForm[]; readonly hard: readonly QuestionForm[] }>
> = {
  bars: { easy: ['value', 'largest', 'smallest'], hard: ['plus', 'more'] },
  table: { easy: ['value', 'largest', 'smallest'], hard: ['plus', 'more'] },
  geometry: { easy: ['shape'], hard: ['corners'] },
  timeline: { easy: ['first', 'last'], hard: ['after', 'between'] },
  diagram: { easy: ['colour', 'shape'], hard: ['count'] },
};

/** A random question of a form about a picture that has an answer; null when none was met in twenty draws. */
export function sampleQuestion(rng: Rng, figure: Figure, forms: readonly QuestionForm[]): Question | null {
  for (let attempt = 0; attempt < 20; attempt++) {
    const form = rng.pick(forms);
    const [a, b] = rng.shuffle(figure.marks);
    if (!a || !b) return null;
    const question = fill(form, a, b);
    if (question && derive(figure, question)) return question;
  }
  return null;
}

function fill(form: QuestionForm, a: Mark, b: Mark): Question | null {
  switch (form) {
    case 'value':
    case 'shape':
    case 'after':
      return { form, colour: a.colour };
    case 'plus':
    case 'more':
    case 'between':
      return { form, colours: [a.colour, b.colour] };
    case 'colour':
    case 'count':
      return a.shape ? { form, shape: a.shape } : null;
    default:
      return { form };
  }
}
