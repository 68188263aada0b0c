import type { Grammar } from '../../core/role.js';
import { END, type Tokenizer } from './tokenizer.js';

/**
 * A grammar over tokens as a deterministic automaton, built as it is walked. States are small integers; `start` is 0.
 */
export interface TokenAutomaton {
  readonly start: number;
  /** Ids that may come next, ascending; the end token among them where the text may stop. */
  allowed(state: number): Int32Array;
  /** The state behind `token`; throws when the token wasn't allowed. */
  next(state: number, token: number): number;
}

interface NfaState {
  readonly silent: number[];
  readonly steps: Array<{ token: number; to: number }>;
}

/** Compiles a grammar for a tokenizer. Throws when one of its literals isn't made of known tokens. */
export function compileGrammar(grammar: Grammar, tokenizer: Tokenizer): TokenAutomaton {
  const nfa: NfaState[] = [];
  const fresh = (): number => nfa.push({ silent: [], steps: [] }) - 1;
  const state = (id: number): NfaState => nfa[id] as NfaState;

  /** Lays `node` out from state `from` and gives the state where it ends. */
  const lay = (node: Grammar, from: number): number => {
    switch (node.kind) {
      case 'literal': {
        let at = from;
        for (const token of tokenizer.encode(node.text)) {
          const to = fresh();
          state(at).steps.push({ token, to });
          at = to;
        }
        return at;
      }
      case 'sequence':
        return node.items.reduce((at, item) => lay(item, at), from);
      case 'choice': {
        const end = fresh();
        for (const option of node.options) {
          const begin = fresh();
          state(from).silent.push(begin);
          state(lay(option, begin)).silent.push(end);
        }
        return end;
      }
      case 'repeat': {
        let at = from;
        const end = fresh();
        for (let i = 0; i < node.max; i++) {
          if (i >= node.min) state(at).silent.push(end);
          at = lay(node.item, at);
        }
        state(at).silent.push(end);
        return end;
      }
      default:
        return node satisfies never;
    }
  };
  const start = fresh();
  const accept = lay(grammar, start);
  return determinise(nfa, start, accept);
}

function determinise(nfa: readonly NfaState[], start: number, accept: number): TokenAutomaton {
  const sets: number[][] = [];
  const known = new Map<string, number>();
  const allowedOf: Array<Int32Array | undefined> = [];
  const moves: Array<Map<number, number>> = [];
  const intern = (seeds: readonly number[]): number => {
    const closure = new Set<number>();
    const open = [...seeds];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (closure.has(id)) continue;
      closure.add(id);
      open.push(...(nfa[id] as NfaState).silent);
    }
    const set = [...closure].sort((a, b) => a - b);
    const key = set.join(',');
    const found = known.get(key);
    if (found !== undefined) return found;
    const id = sets.push(set) - 1;
    known.set(key, id);
    moves.push(new Map());
    return id;
  };
  intern([start]);
  const stepsFrom = (id: number): Array<{ token: number; to: number }> =>
    (sets[id] as number[]).flatMap((s) => (nfa[s] as NfaState).steps);
  return {
    start: 0,
    allowed(id) {
      let allowed = allowedOf[id];
      if (!allowed) {
        const tokens = new Set(stepsFrom(id).map((step) => step.token));
        if ((sets[id] as number[]).includes(accept)) tokens.add(END);
        if (tokens.size === 0) throw new Error('grammar: nothing may be written here, not even an end');
        allowed = Int32Array.from(tokens).sort();
        allowedOf[id] = allowed;
      }
      return allowed;
    },
    next(id, token) {
      const cached = (moves[id] as Map<number, number>).get(token);
      if (cached !== undefined) return cached;
      const targets = stepsFrom(id).filter((step) => step.token === token);
      if (targets.length === 0) throw new Error(`grammar: token ${token} isn't allowed in state ${id}`);
      const to = intern(targets.map((step) => step.to));
      (moves[id] as Map<number, number>).set(token, to);
      return to;
    },
  };
}
