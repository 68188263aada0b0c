import type { Grammar } from '../../../src/core/role.js';

/**
 * Reads the part of EBNF that the engine writes: rules of literals, names, alternatives and counted groups. The optional spaces
 * between literals are left out, as our grammars have white space free.
 */
export function readGrammar(text: string): Grammar {
  const sources = new Map(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(' ::= ', 2) as [string, string]),
  );
  const readRule = (name: string): Grammar => {
    const source = sources.get(name);
    if (source === undefined) throw new Error(`no rule ${name}`);
    const tokens = source.match(/"(?:[^"\\]|\\.)*"\??|[a-z]\w*|[|()]|\{\d+,\d+\}/g) ?? [];
    let at = 0;
    const alternatives = (): Grammar => {
      const options = [series()];
      while (tokens[at] === '|') {
        at++;
        options.push(series());
      }
      return options.length === 1 ? (options[0] as Grammar) : { kind: 'choice', options };
    };
    const series = (): Grammar => {
      const items: Grammar[] = [];
      for (let token = tokens[at]; token !== undefined && !['|', ')'].includes(token); token = tokens[at]) {
        at++;
        if (token === '" "?' || token === '""') continue;
        if (token.startsWith('"')) items.push({ kind: 'literal', text: JSON.parse(token) as string });
        else if (token === '(') {
          const item = alternatives();
          const [min, max] = (tokens[at + 1] ?? '').slice(1, -1).split(',').map(Number);
          at += 2;
          items.push({ kind: 'repeat', item, min: min as number, max: max as number });
        } else items.push(readRule(token));
      }
      return items.length === 1 ? (items[0] as Grammar) : { kind: 'sequence', items };
    };
    return alternatives();
  };
  return readRule('root');
}
