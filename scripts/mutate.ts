import type { Rng } from '../src/core/rng.js';

/** Marks that trouble readers of any text. */
export const TROUBLE = ['<', '>', '"', '&', '{', '}', '\0', '\ud800', '=', "'", '9'.repeat(400)] as const;

/** One or two of `seeds` after one to six changes: a stretch cut out or doubled, a piece put in, a character exchanged. */
export function mutated(rng: Rng, seeds: readonly string[], pieces: readonly string[]): string {
  let text = rng.pick(seeds) + (rng.chance(0.2) ? rng.pick(seeds) : '');
  for (let i = 0, n = 1 + rng.int(6); i < n; i++) {
    const [a, b] = [rng.int(text.length + 1), rng.int(text.length + 1)];
    const kind = rng.int(4);
    if (kind === 0) text = text.slice(0, Math.min(a, b)) + text.slice(Math.max(a, b));
    else if (kind === 1) text = text.slice(0, a) + rng.pick(pieces) + text.slice(a);
    else if (kind === 2) text = text.slice(0, a) + text.slice(b, b + 40) + text.slice(a);
    else text = text.slice(0, a) + String.fromCharCode(rng.int(0x250)) + text.slice(a + 1);
  }
  return text;
}
