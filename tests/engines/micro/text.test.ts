import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DataError } from '../../../src/core/errors.js';
import { userPrompt } from '../../../src/core/prompt.js';
import type { Grammar } from '../../../src/core/role.js';
import {
  behind,
  mayFollow,
  mayStop,
  overTokens,
  type TokenGrammar,
} from '../../../src/engines/fake/grammar.js';
import { fakeVocabulary } from '../../../src/engines/fake/vocabulary.js';
import { compileGrammar } from '../../../src/engines/micro/grammar.js';
import { chooseShape, packByPrompt, promptArrays } from '../../../src/engines/micro/packing.js';
import { writePatches } from '../../../src/engines/micro/patches.js';
import { END, makeTokenizer } from '../../../src/engines/micro/tokenizer.js';
import { choice, grammars, inGrammar, literal, repeat, sequence } from '../grammars.js';
import { noise, TINY } from './tiny.js';

const WORDS = [
  'no',
  'not',
  'noon',
  '1',
  '10',
  '-1',
  '-1.5',
  '{"a":',
  '{"a":1',
  ',',
  '}',
  '<think>',
  'no-one',
];

describe('tokenizer', () => {
  const tokenizer = makeTokenizer(WORDS);
  const ids = fc.array(fc.integer({ min: END + 1, max: WORDS.length + END }));

  it('takes the longest piece, and none that would end inside a word or a number', () => {
    const pieces = (text: string): string[] =>
      Array.from(tokenizer.encode(text), (id) => tokenizer.tokens[id] as string);
    expect(pieces('no not noon')).toEqual(['no', 'not', 'noon']);
    expect(pieces('{"a":1}')).toEqual(['{"a":1', '}']);
    expect(pieces('{"a":10}')).toEqual(['{"a":', '10', '}']);
    expect(pieces('no-one,-1.5')).toEqual(['no-one', ',', '-1.5']);
    expect(pieces('  no\n\t1 ')).toEqual(['no', '1']);
    expect(pieces('')).toEqual([]);
    for (const text of ['nothing', '100', 'no notes', 'yes'])
      expect(() => tokenizer.encode(text)).toThrow(DataError);
    expect(() => tokenizer.encode('no notes here')).toThrow('"notes"');
  });

  it('reads what it writes, up to the end token', () => {
    fc.assert(
      fc.property(ids, ids, (before, after) => {
        const text = tokenizer.decode([...before, END, ...after]);
        expect([...tokenizer.encode(text)]).toEqual(before);
      }),
    );
  });

  it('cuts text as the tokenizer of the fake engine does, which is written another way', () => {
    const other = fakeVocabulary(WORDS);
    const glued = fc.array(fc.constantFrom(...WORDS, ' ', 'x')).map((list) => list.join(''));
    const cut = (encode: (text: string) => Int32Array, text: string, special: number): number[] | string => {
      try {
        return Array.from(encode(text), (id) => id - special);
      } catch (error) {
        if (error instanceof DataError) return 'unknown';
        throw error;
      }
    };
    fc.assert(
      fc.property(glued, (text) => {
        expect(cut(other.encode, text, 1)).toEqual(cut(tokenizer.encode, text, END + 1));
      }),
      { numRuns: 500 },
    );
  });

  it('refuses a vocabulary with a repeated word', () => {
    expect(() => makeTokenizer(['a', 'b', 'a'])).toThrow('repeats');
  });
});

describe('grammar', () => {
  const words = ['a', 'b', 'c', 'd'];
  const tokenizer = makeTokenizer(words);

  it('allows at every step what the derivative of the grammar allows, and ends on texts of the grammar', () => {
    fc.assert(
      fc.property(grammars(words, 12), fc.infiniteStream(fc.nat()), (grammar, choices) => {
        const automaton = compileGrammar(grammar, tokenizer);
        let rest: TokenGrammar = overTokens(grammar, tokenizer.encode);
        let state = automaton.start;
        const written: number[] = [];
        for (;;) {
          const allowed = [...automaton.allowed(state)];
          const other = [...mayFollow(rest), ...(mayStop(rest) ? [END] : [])].sort((a, b) => a - b);
          expect(allowed).toEqual(other);
          expect(allowed.includes(END)).toBe(inGrammar(grammar, tokenizer.decode(written)));
          const token = allowed[choices.next().value % allowed.length] as number;
          if (token === END) return;
          written.push(token);
          state = automaton.next(state, token);
          rest = behind(rest, token) as TokenGrammar;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('throws on a token that was not allowed, and where nothing is', () => {
    const automaton = compileGrammar(sequence(literal('a'), choice()), tokenizer);
    const [a, b] = tokenizer.encode('a b') as unknown as [number, number];
    expect(() => automaton.next(automaton.start, b)).toThrow('allowed');
    expect(() => automaton.allowed(automaton.next(automaton.start, a))).toThrow('nothing');
  });

  it('refuses literals that the vocabulary cannot write', () => {
    const grammar: Grammar = repeat(literal('a purple b'), 0, 1);
    expect(() => compileGrammar(grammar, tokenizer)).toThrow(DataError);
  });
});

describe('packing', () => {
  it('puts rows of one prompt object together, K to a block, and loses none', () => {
    const prompts = [userPrompt('a'), userPrompt('a'), userPrompt('b')];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 5 }))),
        fc.integer({ min: 1, max: 4 }),
        (entries, K) => {
          let next = 0;
          const rows = entries.map(([p, n]) => ({
            prompt: prompts[p] as (typeof prompts)[number],
            rows: Array.from({ length: n }, () => next++),
          }));
          const blocks = packByPrompt(rows, K);
          expect(blocks.flatMap((b) => b.rows).sort((a, b) => a - b)).toEqual(
            Array.from({ length: next }, (_, i) => i),
          );
          for (const prompt of prompts) {
            const wanted = rows.filter((r) => r.prompt === prompt).flatMap((r) => r.rows);
            const mine = blocks.filter((b) => b.prompt === prompt);
            expect(mine.flatMap((b) => b.rows)).toEqual(wanted);
            // Full blocks but for the last: no more calls than needed.
            expect(mine).toHaveLength(Math.ceil(wanted.length / K));
          }
        },
      ),
    );
  });

  it('takes the narrowest shape that holds the largest group, else the widest', () => {
    const shapes = [
      { B: 1, K: 8 },
      { B: 9, K: 1 },
      { B: 4, K: 4 },
    ];
    expect([1, 2, 4, 5, 8, 20].map((n) => chooseShape(shapes, n).K)).toEqual([1, 4, 4, 8, 8, 8]);
    expect(() => chooseShape([], 1)).toThrow('shape');
  });

  it('pads prompts on the left and never cuts one', () => {
    const tokenizer = makeTokenizer(TINY.vocabulary);
    const picture = [noise(0)];
    const { ids, mask } = promptArrays([userPrompt('red cube', picture)], TINY, tokenizer, 2);
    expect([...mask]).toEqual([0, 0, 1, 1, 0, 0, 0, 1]);
    expect(tokenizer.decode(ids.slice(0, 4))).toBe('red cube');
    expect(() => promptArrays([userPrompt('red red red red red')], TINY, tokenizer, 1)).toThrow('never cut');
  });
});

describe('patches', () => {
  it('holds in each window the pixels around its patch, zero outside the picture', () => {
    const image = noise(3, 8, 8);
    const { stride, window } = TINY.vision;
    const size = window * window * 3;
    const out = new Float32Array(4 * size);
    writePatches(image, TINY.vision, out, 0);
    for (let patch = 0; patch < 4; patch++) {
      const left = (patch % 2) * stride - (window - stride) / 2;
      const top = Math.floor(patch / 2) * stride - (window - stride) / 2;
      for (let at = 0; at < size; at++) {
        const channel = at % 3;
        const x = left + (Math.floor(at / 3) % window);
        const y = top + Math.floor(at / 3 / window);
        const inside = x >= 0 && y >= 0 && x < 8 && y < 8;
        const level = inside ? ((image.rgb[(y * 8 + x) * 3 + channel] as number) / 255 - 0.5) * 2.5 : 0;
        expect(out[patch * size + at]).toBeCloseTo(level, 6);
      }
    }
  });
});
