import { RELATIONS, type Relation } from '../scene.js';
import { ATTRIBUTE_VALUES, ATTRIBUTES, type Attribute, type Filter } from './phrases.js';
import type { CountTest, Form, NounPhrase, Place, RelationPhrase } from './phrases.js';

const SHORT_RELATIONS: Readonly<Record<Relation, string>> = {
  left: 'left of',
  right: 'right of',
  front: 'in front of',
  behind: 'behind',
};

const LONG_RELATIONS: Readonly<Record<Relation, string>> = {
  ...SHORT_RELATIONS,
  left: 'to the left of',
  right: 'to the right of',
};

const COMPARISONS: Readonly<Record<CountTest, readonly [string, string]>> = {
  equal_integer: ['exactly as many', 'as'],
  less_than: ['fewer', 'than'],
  greater_than: ['more', 'than'],
};

const NUMBER_COMPARISONS: Readonly<Record<CountTest, string>> = {
  equal_integer: 'the same as',
  less_than: 'less than',
  greater_than: 'greater than',
};

/** Every wording draws its choices from here: `choose(n)` is an integer in [0, n); always 0 gives the shortest wording. */
export type Choose = (n: number) => number;

/** Writes one question in one style; the style is fixed once so that a sentence doesn't mix relation wordings. */
class Writer {
  readonly #relations: Readonly<Record<Relation, string>>;

  constructor(readonly choose: Choose) {
    this.#relations = choose(2) === 0 ? SHORT_RELATIONS : LONG_RELATIONS;
  }

  question(form: Form): string {
    const { choose } = this;
    switch (form.ask) {
      case 'count':
        return pickOf(choose, this.#count(form.set));
      case 'exist':
        return pickOf(choose, this.#exist(form.set));
      case 'query':
        return pickOf(choose, this.#query(form.attribute, this.#the(form.one)));
      case 'count_either': {
        const whole = noun(form.filters, true);
        const a = this.#phrase(form.first, true);
        const b = this.#phrase(form.second, true);
        return pickOf(choose, [
          `how many ${whole} are ${a} or ${b}`,
          `how many ${whole} are either ${a} or ${b}`,
          `what is the number of ${whole} that are ${a} or ${b}`,
        ]);
      }
      case 'compare_counts': {
        const a = this.#phrase(form.first, true);
        const b = this.#phrase(form.second, true);
        const [before, between] = COMPARISONS[form.test];
        return pickOf(choose, [
          `are there ${before} ${a} ${between} ${b}`,
          `is the number of ${a} ${NUMBER_COMPARISONS[form.test]} the number of ${b}`,
        ]);
      }
      case 'compare_attribute': {
        const a = this.#the(form.first);
        const b = this.#the(form.second);
        return pickOf(choose, [
          `does ${a} have the same ${form.attribute} as ${b}`,
          `do ${a} and ${b} have the same ${form.attribute}`,
          `is the ${form.attribute} of ${a} the same as the ${form.attribute} of ${b}`,
        ]);
      }
    }
  }

  #count(set: NounPhrase): readonly string[] {
    const many = this.#bare(set, true);
    const place = this.#place(set.place);
    switch (set.place.kind) {
      case 'scene':
        return [
          `how many ${many} are there`,
          `what is the number of ${many}`,
          `what number of ${many} are there`,
        ];
      case 'same':
        return [
          `how many ${many} have ${place}`,
          `how many ${many} are there with ${place}`,
          `what is the number of ${many} with ${place}`,
        ];
      default:
        return [
          `how many ${many} are ${place}`,
          `how many ${many} are there ${place}`,
          `what is the number of ${many} ${place}`,
        ];
    }
  }

  #exist(set: NounPhrase): readonly string[] {
    const many = this.#bare(set, true);
    const place = this.#place(set.place);
    const one = needsOther(set) ? `another ${noun(set.filters, false)}` : `a ${noun(set.filters, false)}`;
    switch (set.place.kind) {
      case 'scene':
        return [`are there any ${many}`, `is there a ${noun(set.filters, false)}`];
      case 'same':
        return [
          `do any ${many} have ${place}`,
          `is there ${one} with ${place}`,
          `are there any ${many} with ${place}`,
        ];
      default:
        return [
          `are any ${many} ${place}`,
          `is there ${one} ${place}`,
          `are there any ${many} that are ${place}`,
        ];
    }
  }

  #query(attribute: Attribute, the: string): readonly string[] {
    const wordings = [`what ${attribute} is ${the}`, `what is the ${attribute} of ${the}`];
    return attribute === 'material' ? [...wordings, `what material is ${the} made of`] : wordings;
  }

  /** "the small red cube left of the sphere". */
  #the(phrase: NounPhrase): string {
    return `the ${this.#phrase(phrase, false)}`;
  }

  #phrase(phrase: NounPhrase, plural: boolean): string {
    const bare = this.#bare(phrase, plural);
    if (phrase.place.kind === 'scene') return bare;
    return `${bare} ${phrase.place.kind === 'same' ? 'with ' : ''}${this.#place(phrase.place)}`;
  }

  #bare(phrase: NounPhrase, plural: boolean): string {
    return `${needsOther(phrase) ? 'other ' : ''}${noun(phrase.filters, plural)}`;
  }

  #place(place: Place): string {
    switch (place.kind) {
      case 'scene':
        return '';
      case 'relate':
        return this.#relation(place);
      case 'both':
        return `${this.#relation(place.first)} and ${this.#relation(place.second)}`;
      case 'same':
        return `the same ${place.attribute} as ${this.#the(place.as)}`;
    }
  }

  #relation(phrase: RelationPhrase): string {
    return `${this.#relations[phrase.relation]} ${this.#the(phrase.of)}`;
  }
}

/**
 * "other" is said where the words alone could mean the reference itself: always after `same_*`, which leaves it out,
 * unless some filter contradicts it ("cubes with the same size as the sphere").
 */
function needsOther(phrase: NounPhrase): boolean {
  if (phrase.place.kind !== 'same') return false;
  const as = phrase.place.as.filters;
  return !phrase.filters.some((f) => as.some((g) => g.attribute === f.attribute && g.value !== f.value));
}

function noun(filters: readonly Filter[], plural: boolean): string {
  const words = filters.map((f) => f.value as string);
  const head = filters.at(-1)?.attribute === 'shape' ? (words.pop() as string) : 'thing';
  return [...words, plural ? `${head}s` : head].join(' ');
}

function pickOf(choose: Choose, wordings: readonly string[]): string {
  return wordings[choose(wordings.length)] as string;
}

/**
 * The words of a form: a capital first letter, one space between words, a question mark at the end. A phrase after a
 * noun belongs to the noun right before it; "and" joins two relations of one noun.
 */
export function formText(form: Form, choose: Choose): string {
  const text = new Writer(choose).question(form);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}?`;
}

/** The tokens of a question: lower-case words, with `?` and `,` on their own. */
export function questionTokens(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+|[?,]/g) ?? [];
}

const VALUE_WORDS: readonly string[] = ATTRIBUTES.flatMap((a) => ATTRIBUTE_VALUES[a]);

const FRAME_WORDS =
  'a and another any are as behind do does either exactly fewer front greater have how in is less made many more number of or other same than that the there thing things to what with';

/** Every token that a generated question can hold, `?` included, without repeats. Wording 0 uses a part of it. */
export const QUESTION_WORDS: readonly string[] = [
  ...new Set([
    '?',
    ...FRAME_WORDS.split(' '),
    ...ATTRIBUTES,
    ...VALUE_WORDS,
    ...ATTRIBUTE_VALUES.shape.map((shape) => `${shape}s`),
    ...RELATIONS,
  ]),
];
