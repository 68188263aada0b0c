import type { Grammar } from '../../core/role.js';

/** A grammar over token ids: what may still be written. */
export type TokenGrammar =
  | { readonly kind: 'tokens'; readonly ids: readonly number[] }
  | { readonly kind: 'sequence'; readonly items: readonly TokenGrammar[] }
  | { readonly kind: 'choice'; readonly options: readonly TokenGrammar[] }
  | { readonly kind: 'repeat'; readonly item: TokenGrammar; readonly min: number; readonly max: number };

/** Turns the literals of a grammar into token ids; `encode` throws on one that isn't made of known tokens. */
export function overTokens(grammar: Grammar, encode: (text: string) => Iterable<number>): TokenGrammar {
  switch (grammar.kind) {
    case 'literal':
      return { kind: 'tokens', ids: [...encode(grammar.text)] };
    case 'sequence':
      return { kind: 'sequence', items: grammar.items.map((item) => overTokens(item, encode)) };
    case 'choice':
      return { kind: 'choice', options: grammar.options.map((option) => overTokens(option, encode)) };
    case 'repeat':
      return { ...grammar, item: overTokens(grammar.item, encode) };
    default:
      return grammar satisfies never;
  }
}

/** Whether the text may stop here. */
export function mayStop(grammar: TokenGrammar): boolean {
  switch (grammar.kind) {
    case 'tokens':
      return grammar.ids.length === 0;
    case 'sequence':
      return grammar.items.every(mayStop);
    case 'choice':
      return grammar.options.some(mayStop);
    case 'repeat':
      return grammar.min === 0 || mayStop(grammar.item);
    default:
      return grammar satisfies never;
  }
}

/** Ids that may come next, each once. */
export function mayFollow(grammar: TokenGrammar): Set<number> {
  switch (grammar.kind) {
    case 'tokens':
      return new Set(grammar.ids.slice(0, 1));
    case 'sequence':
      return new Set(reachable(grammar.items).flatMap((item) => [...mayFollow(item)]));
    case 'choice':
      return new Set(grammar.options.flatMap((option) => [...mayFollow(option)]));
    case 'repeat':
      return grammar.max > 0 ? mayFollow(grammar.item) : new Set();
    default:
      return grammar satisfies never;
  }
}

/**
 * The grammar of what may follow behind `token` (Brzozowski's derivative); null when `token` may not come next.
 */
export function behind(grammar: TokenGrammar, token: number): TokenGrammar | null {
  switch (grammar.kind) {
    case 'tokens':
      return grammar.ids[0] === token ? { kind: 'tokens', ids: grammar.ids.slice(1) } : null;
    case 'sequence':
      return either(
        reachable(grammar.items).map((item, i) => {
          const rest = behind(item, token);
          return rest && { kind: 'sequence', items: [rest, ...grammar.items.slice(i + 1)] };
        }),
      );
    case 'choice':
      return either(grammar.options.map((option) => behind(option, token)));
    case 'repeat': {
      const rest = grammar.max > 0 ? behind(grammar.item, token) : null;
      const { min, max } = grammar;
      const again: TokenGrammar = { ...grammar, min: Math.max(0, min - 1), max: max - 1 };
      return rest && { kind: 'sequence', items: [rest, again] };
    }
    default:
      return grammar satisfies never;
  }
}

/** Items that a next token may belong to: up to the first that can't be empty. */
function reachable(items: readonly TokenGrammar[]): readonly TokenGrammar[] {
  const stop = items.findIndex((item) => !mayStop(item));
  return stop < 0 ? items : items.slice(0, stop + 1);
}

function either(options: readonly (TokenGrammar | null)[]): TokenGrammar | null {
  const live = options.filter((option) => option !== null);
  return live.length > 1 ? { kind: 'choice', options: live } : (live[0] ?? null);
}
