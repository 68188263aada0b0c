import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grammarText, inLanguage, wireConstraint } from '../../../src/engines/openai/constraint.js';
import { editListGrammar } from '../../../src/environments/clevr/roles/grammar.js';
import { editListSchema } from '../../../src/environments/clevr/schema.js';
import { choice, constrain, grammars, inGrammar, literal, sequence } from '../grammars.js';
import { readGrammar } from './ebnf.js';

const WORDS = ['red', 'blue', 'cube', 'a"b', '\\'];

describe('a grammar on the wire', () => {
  it('is read back as the same language', () => {
    fc.assert(
      fc.property(
        grammars(WORDS, 6),
        fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }),
        (grammar, list) => {
          const text = list.join(' ');
          const inside = inGrammar(grammar, text);
          expect(inLanguage(grammar, text)).toBe(inside);
          expect(inLanguage(readGrammar(grammarText(grammar)), text)).toBe(inside);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('has white space free between literals and at both ends', () => {
    const grammar = sequence(literal('['), literal('1'), literal(']'));
    for (const text of ['[1]', ' [ 1\n] ']) expect(inLanguage(grammar, text)).toBe(true);
    for (const text of ['[1', '[11]', '[1]]', '']) expect(inLanguage(grammar, text)).toBe(false);
  });

  it('names a subtree that is there several times once', () => {
    const item = choice(...WORDS.map(literal));
    const twice = grammarText(sequence(item, item));
    expect(twice.split(' ::= ')).toHaveLength(3);
  });
});

describe("CLEVR's edits", () => {
  const limits = { objects: 3, maxEdits: 2, extent: 3 };
  const constraint = { grammar: editListGrammar(limits), jsonSchema: editListSchema(limits) };
  const right = [
    '[{"edit":"remove_object","object":0}]',
    '[{"edit":"change_attribute","object":2,"color":"red"}]',
  ];
  const wrong = [
    '[]',
    '[{"edit":"remove_object","object":7}]',
    '[{"edit":"paint","object":0}]',
    '{"edit":"remove_object","object":0}',
    'remove the cube',
    `[${Array<string>(3).fill('{"edit":"remove_object","object":0}').join()}]`,
  ];
  it.each(['response-format', 'vllm-json', 'vllm-grammar', 'llama-grammar'] as const)(
    'are told from other texts under %s',
    (form) => {
      const wire = wireConstraint(constraint, form);
      expect(right.filter((text) => wire?.accepts(text) !== true)).toEqual([]);
      expect(wrong.filter((text) => wire?.accepts(text) !== false)).toEqual([]);
    },
  );
});

it('nothing constrains where no constraint is given, or none is to be sent', () => {
  expect(wireConstraint(undefined, 'vllm-json')).toBeNull();
  expect(wireConstraint(constrain(literal('x')), 'none')).toBeNull();
});
