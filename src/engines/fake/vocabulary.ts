import { DataError } from '../../core/errors.js';

/** The id that ends a completion; words follow from 1. */
export const END = 0;

/** Whole pieces of text with ids: `words[0]` has id 1. */
export interface Vocabulary {
  /** Number of ids, V, the end token included. */
  readonly size: number;
  /** Ids of a text, without the end. Throws a DataError that names the first unknown piece. */
  encode(text: string): Int32Array;
  /** Pieces up to the end token, joined by single spaces. */
  decode(ids: Iterable<number>): string;
}

/**
 * A closed vocabulary. Text is cut into the longest known pieces, never inside a word or a number, and white space between
 * pieces is free. Throws when a word is repeated, empty or begins with white space.
 */
export function fakeVocabulary(words: readonly string[]): Vocabulary {
  const ids = new Map(words.map((word, i) => [word, i + 1]));
  if (ids.size !== words.length) throw new Error('fakeVocabulary: a word is there twice');
  if (words.some((word) => !/^\S/.test(word)))
    throw new Error('fakeVocabulary: a word is empty or begins with white space');
  const pattern = [...words]
    .sort((a, b) => b.length - a.length)
    .map(
      (word) =>
        word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&') + (/[A-Za-z0-9]$/.test(word) ? '(?![A-Za-z0-9])' : ''),
    )
    .join('|');
  return {
    size: words.length + 1,
    encode(text) {
      const piece = new RegExp(`\\s*(?:(${pattern})|(\\S+))`, 'y');
      const out: number[] = [];
      for (let match = piece.exec(text); match; match = piece.exec(text)) {
        const id = match[1] === undefined ? undefined : ids.get(match[1]);
        if (id === undefined) {
          throw new DataError(
            'vocabulary',
            null,
            `the fake engine has no token for ${JSON.stringify(match[2])}`,
          );
        }
        out.push(id);
      }
      return Int32Array.from(out);
    },
    decode(sequence) {
      const pieces: string[] = [];
      for (const id of sequence) {
        if (id === END) break;
        const word = words[id - 1];
        if (word === undefined) throw new Error(`fakeVocabulary: ${id} is no token id`);
        pieces.push(word);
      }
      return pieces.join(' ');
    },
  };
}
