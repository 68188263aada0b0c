import { bleuMatrix } from './bleu.js';
import { averageLinkage, clusterShares } from './cluster.js';

/** Words, numbers and single marks of a text, lower case: what BLEU counts. */
export function tokensOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/**
 * Share of each text's cluster among all texts, in [1/n, 1]: average linkage on 1 - BLEU-4 under `cut` (EVE: 0.5; MM-Zero:
 * 0.25). BLEU isn't symmetric: the earlier text is the hypothesis, the later one the reference. Empty for no texts.
 */
export function similarityShares(texts: readonly (readonly string[])[], cut: number): Float64Array {
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
  return clusterShares(averageLinkage(distances, n, cut));
}

/**
 * EVE's diversity term of the G programs of one image: -(p_i - min p) / (max p - min p) of their clusters' shares, in [-1, 0]; 0
 * for all when the shares are equal. `cut` as in `similarityShares`.
 */
export function eveDiversity(programs: readonly string[], cut: number = 0.5): Float64Array {
  const shares = similarityShares(programs.map(tokensOf), cut);
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  return shares.map((share) => (most > least ? -(share - least) / (most - least) + 0 : 0));
}

/** The three texts of a proposal that MM-Zero compares. */
export interface ProposalTexts {
  readonly caption: string;
  readonly easyQuestion: string;
  readonly hardQuestion: string;
}

/** Weights of the three, and the bounds of the term (MM-Zero's published code). */
const FIELDS = [
  ['caption', 0.45],
  ['easyQuestion', 0.2],
  ['hardQuestion', 0.35],
] as const;
const MOST = 0.5;

/**
 * MM-Zero's diversity term of each proposal of a batch, in [-0.5, 0]: captions, easy and hard questions are clustered apart; what
 * a cluster's share exceeds 1/n by costs -clamp(0.5 n (0.45 caption + 0.20 easy + 0.35 hard), 0, 0.5). `cut` is 0.25 there.
 */
export function mmZeroDiversity(batch: readonly ProposalTexts[], cut: number = 0.25): Float64Array {
  const n = batch.length;
  const sums = new Float64Array(n);
  for (const [field, weight] of FIELDS) {
    const shares = similarityShares(
      batch.map((proposal) => tokensOf(proposal[field])),
      cut,
    );
    shares.forEach((share, i) => (sums[i] = (sums[i] ?? 0) + weight * (share - 1 / n)));
  }
  return sums.map((sum) => -Math.max(0, Math.min(MOST, 0.5 * n * sum)) + 0);
}
