/** Pairs up two lists. Throws when the lengths differ: a silent cut would pair rewards with the wrong rollouts. */
export function strictZip<A, B>(a: readonly A[], b: readonly B[]): Array<readonly [A, B]> {
  if (a.length !== b.length) {
    throw new Error(`strictZip: lengths differ (${a.length} and ${b.length})`);
  }
  return a.map((left, i) => [left, b[i] as B] as const);
}
