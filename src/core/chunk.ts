/** `items` in runs of `size`; the last run may be shorter. Throws when `size` is below 1. */
export function chunk<T>(items: readonly T[], size: number): T[][] {
  if (!(size >= 1)) throw new Error(`chunk: a run needs at least one item, got ${size}`);
  const out: T[][] = [];
  for (let i = 0; i < items.length; i += size) out.push(items.slice(i, i + size));
  return out;
}
