import * as fc from 'fast-check';
import type { Grammar, OutputConstraint } from '../../src/core/role.js';

export const literal = (text: string): Grammar => ({ kind: 'literal', text });
export const sequence = (...items: Grammar[]): Grammar => ({ kind: 'sequence', items });
export const choice = (...options: Grammar[]): Grammar => ({ kind: 'choice', options });
export const repeat = (item: Grammar, min: number, max: number): Grammar => ({
  kind: 'repeat',
  item,
  min,
  max,
});

export function constrain(grammar: Grammar): OutputConstraint {
  return { grammar, jsonSchema: {} };
}

/**
 * Whether a text of words is in a grammar, by a regular expression: nothing of it is shared with the engines' automata.
 * Words must be joined by single spaces.
 */
export function inGrammar(grammar: Grammar, text: string): boolean {
  return new RegExp(`^(?:${pattern(grammar)})$`).test(text === '' ? '' : `${text} `);
}

function pattern(grammar: Grammar): string {
  switch (grammar.kind) {
    case 'literal':
      return grammar.text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&') + ' ';
    case 'sequence':
      return grammar.items.map(pattern).join('');
    case 'choice':
      return `(?:${grammar.options.map(pattern).join('|')})`;
    case 'repeat':
      return `(?:${pattern(grammar.item)}){${grammar.min},${grammar.max}}`;
  }
}

/** Words of the longest text in a grammar. */
export function longestText(grammar: Grammar): number {
  switch (grammar.kind) {
    case 'literal':
      return grammar.text.split(' ').length;
    case 'sequence':
      return grammar.items.reduce((sum, item) => sum + longestText(item), 0);
    case 'choice':
      return Math.max(...grammar.options.map(longestText));
    case 'repeat':
      return grammar.max * longestText(grammar.item);
  }
}

/** Random grammars over the given words, no text longer than `longest` words. */
export function grammars(words: readonly string[], longest: number): fc.Arbitrary<Grammar> {
  const { grammar } = fc.letrec<{ grammar: Grammar }>((tie) => ({
    grammar: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc
        .array(fc.constantFrom(...words), { minLength: 1, maxLength: 2 })
        .map((list) => literal(list.join(' '))),
      fc.array(tie('grammar'), { minLength: 1, maxLength: 3 }).map((items) => sequence(...items)),
      fc.array(tie('grammar'), { minLength: 1, maxLength: 3 }).map((options) => choice(...options)),
      fc
        .tuple(tie('grammar'), fc.nat({ max: 2 }), fc.nat({ max: 2 }))
        .map(([item, min, more]) => repeat(item, min, Math.max(1, min + more))),
    ),
  }));
  return grammar.filter((g) => longestText(g) <= longest);
}
