import { DataError } from '../../core/errors.js';

/** Ids of the special tokens. */
export const PAD = 0;
export const BEGIN = 1;
export const END = 2;
const SPECIAL = ['<pad>', '<begin>', '<end>'];

/**
 * A closed vocabulary of whole pieces of text. Text is cut greedily into the longest known piece, white space between
 * pieces is free, and pieces are joined by single spaces when written back.
 */
export interface Tokenizer {
  /** All tokens in id order, special ones first. */
  readonly tokens: readonly string[];
  /** Ids of a text, without begin or end. Throws a DataError that names the first unknown piece. */
  encode(text: string): Int32Array;
  /** Text up to the end token; special tokens are left out. */
  decode(ids: ArrayLike<number>): string;
  /** The id of a whole piece; undefined when it isn't one. */
  id(piece: string): number | undefined;
}

export function makeTokenizer(vocabulary: readonly string[]): Tokenizer {
  const tokens = [...SPECIAL, ...vocabulary];
  const ids = new Map(tokens.map((token, id) => [token, id]));
  if (ids.size !== tokens.length) throw new Error('makeTokenizer: the vocabulary repeats a token');
  const byFirst = new Map<string, string[]>();
  for (const token of [...vocabulary].sort((a, b) => b.length - a.length)) {
    const first = token.charAt(0);
    byFirst.set(first, [...(byFirst.get(first) ?? []), token]);
  }
  const wordLike = /[A-Za-z0-9]/;
  const fits = (text: string, at: number, token: string): boolean => {
    if (!text.startsWith(token, at)) return false;
    // A word or number must not be cut in the middle: `no` is no piece of `not`.
    const last = token.charAt(token.length - 1);
    const next = text.charAt(at + token.length);
    return !(wordLike.test(last) && next !== '' && wordLike.test(next));
  };
  return {
    tokens,
    id: (piece) => ids.get(piece),
    encode(text) {
      const out: number[] = [];
      let at = 0;
      for (;;) {
        while (at < text.length && /\s/.test(text.charAt(at))) at++;
        if (at >= text.length) return Int32Array.from(out);
        const piece = byFirst.get(text.charAt(at))?.find((token) => fits(text, at, token));
        if (piece === undefined) {
          const word = text.slice(at).split(/\s/, 1)[0] ?? '';
          throw new DataError('vocabulary', null, `the micro model has no token for ${JSON.stringify(word)}`);
        }
        out.push(ids.get(piece) as number);
        at += piece.length;
      }
    },
    decode(sequence) {
      const pieces: string[] = [];
      for (let i = 0; i < sequence.length; i++) {
        const id = sequence[i] as number;
        if (id === END) break;
        if (id >= SPECIAL.length) pieces.push(tokens[id] as string);
      }
      return pieces.join(' ');
    },
  };
}
