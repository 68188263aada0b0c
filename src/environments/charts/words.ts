/** Questions and names as lists of words, and which names a question speaks of. */

/**
 * Words of a text: lower case, no footnote marks, possessive `'s` apart; `2019/20`, `4g`, `0.5`, `<10` stay whole. Characters that
 * were lost on the way (U+FFFD) end a word.
 */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]s\b/g, '')
    .replace(/(?<=\d),(?=\d{3}\b)/g, '')
    .replace(/[−–—]/g, '-')
    .replace(/[*†‡\ufffd]+/g, ' ')
    .split(/[^\p{L}\p{N}%$€£<>+./&-]+/u)
    .map((word) => word.replace(/^[./&-]+(?!\d)|[./&-]+$/g, ''))
    .filter(Boolean);
}

/** Words that say nothing by themselves. */
const EMPTY_WORDS = new Set(
  'a an the of and or in on at to for by with from as is are was were be been do does did has have had'.split(
    ' ',
  ),
);

/** Words of a name that tell it from others. */
export function contentWords(words: readonly string[]): string[] {
  return words.filter((word) => !EMPTY_WORDS.has(word));
}

/** Whether `part` stands in `whole` as one run of words, and where; -1 when it doesn't. */
export function findRun(whole: readonly string[], part: readonly string[]): number {
  if (part.length === 0) return -1;
  for (let at = 0; at + part.length <= whole.length; at++) {
    if (part.every((word, i) => whole[at + i] === word)) return at;
  }
  return -1;
}

/** How a question names something: `exact` word for word, `loose` by all words that tell it apart. */
export interface Mention {
  /** Position in the list of names. */
  readonly index: number;
  readonly how: 'exact' | 'loose';
  /** First word of the question that it stands on, and how many; none when it is loose. */
  readonly at: number;
  readonly length: number;
}

/**
 * The names that a question speaks of. A name counts where it stands word for word and no longer name holds it there (`Korea` is
 * not mentioned in `South Korea`). Only when none does, a name of two or more telling words counts when all of them occur.
 */
export function mentionsOf(question: readonly string[], names: readonly string[]): Mention[] {
  const words = names.map(wordsOf);
  const taken = question.map(() => false);
  const order = words.map((_, index) => index).sort((a, b) => length(words, b) - length(words, a));
  const exact: Mention[] = [];
  for (const index of order) {
    const part = words[index] as string[];
    const at = findFree(question, part, taken);
    if (at < 0) continue;
    // Equal names are both mentioned, so that neither is taken for the one.
    const twins = order.filter((other) => sameWords(words[other] as string[], part));
    for (let i = 0; i < part.length; i++) taken[at + i] = true;
    for (const twin of twins) {
      if (!exact.some((mention) => mention.index === twin)) {
        exact.push({ index: twin, how: 'exact', at, length: part.length });
      }
    }
  }
  if (exact.length > 0) return exact.sort((a, b) => a.index - b.index);
  const pool = new Set(question.flatMap((word) => [word, ...word.split(/[/-]/)]));
  return words.flatMap((part, index): Mention[] => {
    const content = contentWords(part);
    const all = content.length >= 2 && content.every((word) => pool.has(word));
    return all ? [{ index, how: 'loose', at: -1, length: 0 }] : [];
  });
}

function length(words: readonly string[][], index: number): number {
  return words[index]?.length ?? 0;
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}

function findFree(whole: readonly string[], part: readonly string[], taken: readonly boolean[]): number {
  for (let from = 0; from < whole.length;) {
    const at = findRun(whole.slice(from), part);
    if (at < 0) return -1;
    const start = from + at;
    if (!part.some((_, i) => taken[start + i])) return start;
    from = start + 1;
  }
  return -1;
}
