/** At most `n` of a list, from first to last in about equal steps. */
export function evenly<T>(list: readonly T[], n: number): T[] {
  if (list.length <= n) return [...list];
  if (n === 1) return list.slice(0, 1);
  return Array.from({ length: n }, (_, i) => list[Math.round((i * (list.length - 1)) / (n - 1))] as T);
}
