import type { Rng } from '../../core/rng.js';

/** Longest pause between two tries of the same thing, in milliseconds. */
const LONGEST = 30_000;

/**
 * Milliseconds before try `failures + 1`: doubling from `firstMs` after one failure to 30 s, drawn evenly from the upper half, so
 * that many clients of one server don't come back together.
 */
export function backoffMs(failures: number, firstMs: number, rng: Rng): number {
  const full = Math.min(LONGEST, firstMs * 2 ** Math.max(0, failures - 1));
  return full * rng.range(0.5, 1);
}

/** Milliseconds that a Retry-After header asks for (seconds, or an HTTP date); null when it says nothing that can be read. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
