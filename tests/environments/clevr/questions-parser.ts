import type { ProgramNode } from '../../../src/environments/clevr/program.js';

/**
 * Reads wording 0 back into a program: an independent derivation, written from the grammar of English rather than from
 * the generator's forms. A term is a function with argument terms; flattening it in post-order gives the program.
 */
interface Term {
  readonly fn: string;
  readonly value?: string;
  readonly args: readonly Term[];
}

const KINDS: readonly (readonly [string, readonly string[]])[] = [
  ['size', ['small', 'large']],
  ['color', ['gray', 'red', 'blue', 'green', 'brown', 'purple', 'cyan', 'yellow']],
  ['material', ['rubber', 'metal']],
];

const HEADS: Readonly<Record<string, string>> = {
  cube: 'cube',
  cubes: 'cube',
  sphere: 'sphere',
  spheres: 'sphere',
  cylinder: 'cylinder',
  cylinders: 'cylinder',
  thing: '',
  things: '',
};

class Reader {
  readonly #words: string[];
  constructor(text: string) {
    if (!/^[A-Z][a-z ]*\?$/.test(text)) throw new Error(`not one sentence: ${text}`);
    this.#words = text.slice(0, -1).toLowerCase().split(' ');
  }

  /** Takes the given words if they come next. */
  take(words: string): boolean {
    const wanted = words.split(' ');
    if (!wanted.every((w, i) => this.#words[i] === w)) return false;
    this.#words.splice(0, wanted.length);
    return true;
  }

  must(words: string): void {
    if (!this.take(words)) throw new Error(`expected "${words}" before "${this.#words.join(' ')}"`);
  }

  next(): string {
    const word = this.#words.shift();
    if (word === undefined) throw new Error('the sentence ended early');
    return word;
  }

  peek(): string | undefined {
    return this.#words[0];
  }
}

export function parseQuestion(text: string): ProgramNode[] {
  const r = new Reader(text);
  const term = sentence(r);
  if (r.peek() !== undefined) throw new Error(`left over: ${r.peek()}`);
  const nodes: ProgramNode[] = [];
  flatten(term, nodes);
  return nodes;
}

function sentence(r: Reader): Term {
  if (r.take('how many')) {
    const kind = adjectives(r);
    if (r.take('are there')) return { fn: 'count', args: [kind(scene())] };
    if (r.take('have')) return { fn: 'count', args: [kind(sameAs(r))] };
    r.must('are');
    const spot = where(r);
    if (spot) return { fn: 'count', args: [kind(spot)] };
    const first = crowd(r);
    r.must('or');
    return { fn: 'count', args: [kind({ fn: 'union', args: [first, crowd(r)] })] };
  }
  if (r.take('are there any')) return { fn: 'exist', args: [adjectives(r)(scene())] };
  if (r.take('are any')) {
    const kind = adjectives(r);
    const spot = where(r);
    if (!spot) throw new Error('are any, but where?');
    return { fn: 'exist', args: [kind(spot)] };
  }
  if (r.take('do any')) {
    const kind = adjectives(r);
    r.must('have');
    return { fn: 'exist', args: [kind(sameAs(r))] };
  }
  if (r.take('are there exactly as many')) return counts(r, 'equal_integer', 'as');
  if (r.take('are there fewer')) return counts(r, 'less_than', 'than');
  if (r.take('are there more')) return counts(r, 'greater_than', 'than');
  if (r.take('does')) {
    const first = single(r);
    r.must('have the same');
    const attribute = r.next();
    r.must('as');
    const second = single(r);
    const args = [first, second].map((one) => ({ fn: `query_${attribute}`, args: [one] }));
    return { fn: `equal_${attribute}`, args };
  }
  r.must('what');
  const attribute = r.next();
  r.must('is');
  return { fn: `query_${attribute}`, args: [single(r)] };
}

function counts(r: Reader, fn: string, between: string): Term {
  const first = crowd(r);
  r.must(between);
  return { fn, args: [first, crowd(r)].map((set) => ({ fn: 'count', args: [set] })) };
}

function scene(): Term {
  return { fn: 'scene', args: [] };
}

/** A plural noun phrase with its place. */
function crowd(r: Reader): Term {
  const kind = adjectives(r);
  return kind(where(r) ?? scene());
}

/** "the ..." */
function single(r: Reader): Term {
  r.must('the');
  const kind = adjectives(r);
  const from = r.take('with') ? sameAs(r) : (where(r) ?? scene());
  return { fn: 'unique', args: [kind(from)] };
}

function sameAs(r: Reader): Term {
  r.must('the same');
  const fn = `same_${r.next()}`;
  r.must('as');
  return { fn, args: [single(r)] };
}

function where(r: Reader): Term | null {
  const first = relation(r);
  if (!first) return null;
  if (!r.take('and')) return first;
  const second = relation(r);
  if (!second) throw new Error('and where?');
  return { fn: 'intersect', args: [first, second] };
}

function relation(r: Reader): Term | null {
  for (const [words, value] of [
    ['left of', 'left'],
    ['right of', 'right'],
    ['in front of', 'front'],
    ['behind', 'behind'],
  ] as const) {
    if (r.take(words)) return { fn: 'relate', value, args: [single(r)] };
  }
  return null;
}

function adjectives(r: Reader): (from: Term) => Term {
  r.take('other');
  const filters: [string, string][] = [];
  for (const [attribute, values] of KINDS) {
    if (values.includes(r.peek() ?? '')) filters.push([`filter_${attribute}`, r.next()]);
  }
  const head = HEADS[r.next()];
  if (head === undefined) throw new Error('a noun was expected');
  if (head !== '') filters.push(['filter_shape', head]);
  return (from) => filters.reduce<Term>((arg, [fn, value]) => ({ fn, value, args: [arg] }), from);
}

function flatten(term: Term, nodes: ProgramNode[]): number {
  const inputs = term.args.map((arg) => flatten(arg, nodes));
  nodes.push({
    function: term.fn,
    inputs,
    ...(term.value === undefined ? {} : { value: term.value }),
  } as ProgramNode);
  return nodes.length - 1;
}

const NOUN = '((?:[a-z]+ )*?(?:thing|cube|sphere|cylinder)s)';

/** Rewrites of every other wording as wording 0, each tried once in this order; `$1s` makes a plural. */
const REWRITES: readonly (readonly [RegExp, string])[] = [
  [/\bto the (left|right) of\b/g, '$1 of'],
  [/^what is the (size|color|material|shape) of (.*)$/, 'what $1 is $2'],
  [/^(what material is .*) made of$/, '$1'],
  [/^is the number of (.*) the same as the number of (.*)$/, 'are there exactly as many $1 as $2'],
  [/^is the number of (.*) less than the number of (.*)$/, 'are there fewer $1 than $2'],
  [/^is the number of (.*) greater than the number of (.*)$/, 'are there more $1 than $2'],
  [/^is the (\w+) of (.*) the same as the \1 of (.*)$/, 'does $2 have the same $1 as $3'],
  [/^do (the .*) and (the .*) have the same (\w+)$/, 'does $1 have the same $3 as $2'],
  [/^is there another ((?:[a-z]+ )*?(?:thing|cube|sphere|cylinder))\b/, 'are there any other $1s'],
  [/^is there a ((?:[a-z]+ )*?(?:thing|cube|sphere|cylinder))\b/, 'are there any $1s'],
  [new RegExp(`^are there any ${NOUN} with (.*)$`), 'do any $1 have $2'],
  [new RegExp(`^are there any ${NOUN}(?: that are)? (.+)$`), 'are any $1 $2'],
  [new RegExp(`^what is the number of ${NOUN}(.*)$`), 'how many $1 are there$2'],
  [/^what number of/, 'how many'],
  [new RegExp(`^how many ${NOUN} are there with (.*)$`), 'how many $1 have $2'],
  [new RegExp(`^how many ${NOUN} are there(?: that are)? (.+)$`), 'how many $1 are $2'],
  [new RegExp(`^how many ${NOUN} are either (.*)$`), 'how many $1 are $2'],
];

/** Reads any wording back into a program, by way of wording 0. */
export function parseParaphrase(text: string): ProgramNode[] {
  const plain = REWRITES.reduce(
    (words, [from, to]) => words.replace(from, to),
    text.slice(0, -1).toLowerCase(),
  );
  return parseQuestion(`${plain.charAt(0).toUpperCase()}${plain.slice(1)}?`);
}
