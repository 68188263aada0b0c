/** Longest n-gram counted; all orders weigh the same (Papineni et al. 2002). */
const ORDERS = 4;

/** What method 1 of Chen and Cherry (2014) puts in place of a count of 0. */
const EPSILON = 0.1;

/** Texts with their n-grams as numbers. */
interface Counted {
  /** Distinct n-grams of text i are entries [starts[i], starts[i + 1]) of the three lists below. */
  readonly starts: Int32Array;
  /** Number of the n-gram among all n-grams of all texts, from 0. */
  readonly ids: Int32Array;
  readonly counts: Int32Array;
  /** Order of the n-gram less 1. */
  readonly orders: Uint8Array;
  /** In how many texts n-gram g occurs; as long as there are distinct n-grams. */
  readonly occurrences: Int32Array;
}

/**
 * BLEU-4 of a hypothesis against one reference, in [0, 1], smoothed by method 1: exp of the mean log of the clipped n-gram
 * precisions, n = 1 to 4, where a precision with no match counts 0.1 matches and one with no n-gram at all has denominator 1,
 * times the brevity penalty exp(1 - r/h) when the hypothesis (h tokens) isn't longer than the reference (r tokens). 0 when they
 * share no token. Equal to NLTK's `sentence_bleu` with `SmoothingFunction().method1`. Not symmetric; under 1 for a text of fewer
 * than four tokens against itself.
 */
export function bleu(hypothesis: readonly string[], reference: readonly string[]): number {
  return bleuMatrix([hypothesis, reference])[1] ?? 0;
}

/**
 * BLEU of every text against every other: entry i n + j (row-major, n x n) has text i as hypothesis and text j as reference.
 * Clipped matches are the same both ways and are found through an index from n-gram to texts, so that only what a pair shares
 * costs time: 256 programs of 70 tokens take tens of milliseconds.
 */
export function bleuMatrix(texts: readonly (readonly string[])[]): Float64Array {
  const n = texts.length;
  const { starts, ids, counts, orders, occurrences } = countNgrams(texts);
  const scores = new Float64Array(n * n);
  // Texts that hold n-gram g, with its count there, are entries [first[g], filled[g]): those before the text at hand.
  const first = new Int32Array(occurrences.length);
  for (let g = 1; g < first.length; g++) first[g] = (first[g - 1] as number) + (occurrences[g - 1] as number);
  const filled = Int32Array.from(first);
  const holders = new Int32Array(ids.length);
  const held = new Int32Array(ids.length);
  // Clipped matches of the text at hand with text j at 4 j + order.
  const matches = new Int32Array(ORDERS * n);
  const logs = logTable(texts);
  for (let i = 0; i < n; i++) {
    matches.fill(0, 0, ORDERS * (i + 1));
    for (let k = starts[i] as number, end = starts[i + 1] as number; k < end; k++) {
      const gram = ids[k] as number;
      const own = counts[k] as number;
      const at = filled[gram] as number;
      holders[at] = i;
      held[at] = own;
      filled[gram] = at + 1;
      for (let e = first[gram] as number; e <= at; e++) {
        const slot = ORDERS * (holders[e] as number) + (orders[k] as number);
        const other = held[e] as number;
        matches[slot] = (matches[slot] as number) + (own < other ? own : other);
      }
    }
    const length = texts[i]?.length ?? 0;
    for (let j = 0; j <= i; j++) {
      const other = texts[j]?.length ?? 0;
      scores[i * n + j] = score(matches, ORDERS * j, length, other, logs);
      scores[j * n + i] = score(matches, ORDERS * j, other, length, logs);
    }
  }
  return scores;
}

/**
 * Distances 1 - BLEU for clustering, n x n, symmetric, 0 on the diagonal. Since BLEU isn't symmetric, a pair is measured with
 * the earlier text as hypothesis and the later one as reference (EVE's published code).
 */
export function bleuDistances(texts: readonly (readonly string[])[]): Float64Array {
  const n = texts.length;
  const scores = bleuMatrix(texts);
  const distances = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const distance = 1 - (scores[i * n + j] ?? 0);
      distances[i * n + j] = distance;
      distances[j * n + i] = distance;
    }
  }
  return distances;
}

/** Numbers every n-gram: one of order m is the pair (the n-gram of order m - 1 before it, its last token). */
function countNgrams(texts: readonly (readonly string[])[]): Counted {
  const tokenIds = new Map<string, number>();
  const pairIds = new Map<number, number>();
  const lists = { starts: [0], ids: [] as number[], counts: [] as number[], orders: [] as number[] };
  let distinct = 0;
  for (const text of texts) {
    const tokens = text.map((token) => {
      const id = tokenIds.get(token) ?? distinct++;
      tokenIds.set(token, id);
      return id;
    });
    let previous = tokens;
    for (let order = 0; order < ORDERS && previous.length > 0; order++) {
      const tally = new Map<number, number>();
      for (const id of previous) tally.set(id, (tally.get(id) ?? 0) + 1);
      for (const [id, count] of tally) {
        lists.ids.push(id);
        lists.counts.push(count);
        lists.orders.push(order);
      }
      previous = previous.slice(0, -1).map((prefix, at) => {
        // Exact while there are fewer than 2^26 distinct n-grams, far more than a batch can hold.
        const pair = prefix * 2 ** 26 + (tokens[at + order + 1] ?? 0);
        const id = pairIds.get(pair) ?? distinct++;
        pairIds.set(pair, id);
        return id;
      });
    }
    lists.starts.push(lists.ids.length);
  }
  const occurrences = new Int32Array(distinct);
  for (const id of lists.ids) occurrences[id] = (occurrences[id] as number) + 1;
  return {
    starts: Int32Array.from(lists.starts),
    ids: Int32Array.from(lists.ids),
    counts: Int32Array.from(lists.counts),
    orders: Uint8Array.from(lists.orders),
    occurrences,
  };
}

/** Natural logarithms of 0 (of what stands for it) to the greatest length: a matrix asks for few numbers very often. */
function logTable(texts: readonly (readonly string[])[]): Float64Array {
  const longest = texts.reduce((most, text) => Math.max(most, text.length), 1);
  return Float64Array.from({ length: longest + 1 }, (_, count) => Math.log(count || EPSILON));
}

function score(
  matches: Int32Array,
  at: number,
  hypothesisLength: number,
  referenceLength: number,
  logs: Float64Array,
): number {
  if (matches[at] === 0) return 0;
  let logSum = 0;
  for (let order = 0; order < ORDERS; order++) {
    const total = Math.max(1, hypothesisLength - order);
    logSum += (logs[matches[at + order] as number] as number) - (logs[total] as number);
  }
  const brevity = hypothesisLength > referenceLength ? 0 : 1 - referenceLength / hypothesisLength;
  return Math.exp(brevity + logSum / ORDERS);
}
