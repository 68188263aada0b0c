/** Positions at least `apart` from one another and within bounds, in the same order along the line, near the wanted ones; null when they don't fit. */
export function spread(
  wanted: readonly number[],
  apart: number | readonly number[],
  low: number,
  high: number,
): number[] | null {
  const half = (i: number): number => (typeof apart === 'number' ? apart : (apart[i] as number)) / 2;
  const order = [...wanted.keys()].sort((a, b) => (wanted[a] as number) - (wanted[b] as number) || a - b);
  const out = [...wanted];
  let edge = low;
  for (const i of order) {
    out[i] = Math.max(wanted[i] as number, edge + half(i));
    edge = out[i] + half(i);
  }
  edge = high;
  for (const i of order.toReversed()) {
    out[i] = Math.min(out[i] as number, edge - half(i));
    edge = out[i] - half(i);
  }
  return edge >= low - 1e-9 ? out : null;
}
