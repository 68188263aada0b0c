/** One merge of the dendrogram: two items that stand for their clusters, and the mean distance between these. */
interface Merge {
  readonly a: number;
  readonly b: number;
  readonly height: number;
}

/**
 * Average-linkage clusters of n items: two clusters join while the mean distance over their pairs is under `cut`, nearest
 * first. `distances` is n x n, row-major, symmetric; it isn't changed. Label i is the cluster of item i, numbered from 0 in the
 * order of the clusters' first items.
 *
 * The partition is that of scikit-learn's `AgglomerativeClustering(n_clusters=None, metric='precomputed', linkage='average',
 * distance_threshold=cut)`, whose own numbering is arbitrary. Nearest-neighbour chains (Murtagh 1983), O(n^2) time and space.
 * Throws when the matrix isn't square or holds something that isn't a number.
 */
export function averageLinkage(distances: Float64Array, n: number, cut: number): Int32Array {
  if (distances.length !== n * n)
    throw new Error(`averageLinkage: ${distances.length} distances for ${n} items`);
  if (distances.some(Number.isNaN)) throw new Error('averageLinkage: a distance is not a number');
  const parent = Int32Array.from({ length: n }, (_, i) => i);
  for (const { a, b, height } of dendrogram(distances, n)) {
    if (height < cut) parent[root(parent, a)] = root(parent, b);
  }
  const numbers = new Map<number, number>();
  return Int32Array.from({ length: n }, (_, i) => {
    const top = root(parent, i);
    const number = numbers.get(top) ?? numbers.size;
    numbers.set(top, number);
    return number;
  });
}

/** Share of each item's cluster among all items, in [1/n, 1]: p_i of EVE's diversity term. */
export function clusterShares(labels: Int32Array): Float64Array {
  const sizes = new Map<number, number>();
  for (const label of labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  return Float64Array.from(labels, (label) => (sizes.get(label) ?? 0) / labels.length);
}

/**
 * All n - 1 merges, in the order in which the chain finds them. Average linkage is reducible, so two clusters that are each
 * other's nearest stay so whatever else merges: a chain of nearest neighbours always ends in such a pair.
 */
function dendrogram(distances: Float64Array, n: number): Merge[] {
  const between = Float64Array.from(distances);
  const sizes = new Int32Array(n).fill(1);
  const chain: number[] = [];
  const merges: Merge[] = [];
  while (merges.length < n - 1) {
    if (chain.length === 0) chain.push(sizes.findIndex((size) => size > 0));
    for (;;) {
      const tip = chain.at(-1) as number;
      const before = chain.at(-2);
      const { item, distance } = nearest(between, sizes, n, tip, before);
      if (item === before) {
        chain.length -= 2;
        const [gone, kept] = tip < item ? [tip, item] : [item, tip];
        merges.push({ a: gone, b: kept, height: distance });
        absorb(between, sizes, n, gone, kept);
        break;
      }
      chain.push(item);
    }
  }
  return merges;
}

/** The living cluster nearest to `tip`; on a tie the one the chain came from (or it would never end), then the first. */
function nearest(
  between: Float64Array,
  sizes: Int32Array,
  n: number,
  tip: number,
  before: number | undefined,
): { readonly item: number; readonly distance: number } {
  let item = before ?? -1;
  let distance = before === undefined ? Infinity : (between[tip * n + before] as number);
  for (let i = 0; i < n; i++) {
    if (i === tip || sizes[i] === 0) continue;
    const candidate = between[tip * n + i] as number;
    if (candidate < distance || item === -1) {
      distance = candidate;
      item = i;
    }
  }
  return { item, distance };
}

/** Adds cluster `gone` to `kept`: distances to the union are means weighted by size. */
function absorb(between: Float64Array, sizes: Int32Array, n: number, gone: number, kept: number): void {
  const sizeGone = sizes[gone] as number;
  const sizeKept = sizes[kept] as number;
  sizes[gone] = 0;
  sizes[kept] = sizeGone + sizeKept;
  for (let i = 0; i < n; i++) {
    if (i === kept || sizes[i] === 0) continue;
    const toGone = between[gone * n + i] as number;
    const toKept = between[kept * n + i] as number;
    const mean = (sizeGone * toGone + sizeKept * toKept) / (sizeGone + sizeKept);
    between[i * n + kept] = mean;
    between[kept * n + i] = mean;
  }
}

function root(parent: Int32Array, item: number): number {
  let at = item;
  while (parent[at] !== at) {
    parent[at] = parent[parent[at] as number] as number;
    at = parent[at] as number;
  }
  return at;
}
