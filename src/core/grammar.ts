import type { Grammar } from './role.js';

/** Every literal of a grammar, each once, in order of first appearance. */
export function grammarLiterals(grammar: Grammar): string[] {
  const literals = new Set<string>();
  const walk = (node: Grammar): void => {
    switch (node.kind) {
      case 'literal':
        literals.add(node.text);
        return;
      case 'sequence':
        node.items.forEach(walk);
        return;
      case 'choice':
        node.options.forEach(walk);
        return;
      case 'repeat':
        walk(node.item);
        return;
      default:
        node satisfies never;
    }
  };
  walk(grammar);
  return [...literals];
}
