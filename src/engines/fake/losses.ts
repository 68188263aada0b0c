import type { Objective } from '../../core/policy.js';
import { logSoftmax } from './model.js';

/** One token to learn from. */
export interface TokenCase {
  readonly logits: Float64Array;
  readonly token: number;
  /** Advantage or weight. */
  readonly weight: number;
  readonly behaviour: number;
  /** Log-probability under the reference at temperature 1; unused when the KL coefficient is 0. */
  readonly reference: number;
  readonly allowed: ReadonlySet<number> | null;
}

/** A token's part of the loss, its gradient by the V logits, and what is reported about it. */
export interface TokenLoss {
  readonly loss: number;
  readonly byLogits: Float64Array;
  readonly clipped: number;
  readonly k3: number;
  readonly entropy: number;
}

/** Loss of one token, not yet divided by the number of tokens; see `Objective` for the formulas. */
export function tokenLoss(objective: Objective, given: TokenCase): TokenLoss {
  if (objective.name === 'cross-entropy') return crossEntropy(given);
  const { token, weight, behaviour, allowed, logits } = given;
  const { temperature, clipLow, clipHigh } = objective;
  const plain = logSoftmax(logits, 1, allowed);
  const tempered = logSoftmax(logits, temperature, allowed);
  const ratio = Math.exp(bounded((tempered[token] as number) - behaviour));
  const free = ratio * weight;
  const held = Math.min(Math.max(ratio, 1 - clipLow), 1 + clipHigh) * weight;
  const clipped = held < free;
  const distance = objective.kl === 0 ? 0 : bounded(given.reference - (plain[token] as number));
  const k3 = Math.exp(distance) - distance - 1;
  const entropy = tempered.reduce((h, l) => (l === -Infinity ? h : h - Math.exp(l) * l), 0);
  const byLogits = logits.map((_, j) => {
    const l = tempered[j] as number;
    if (l === -Infinity) return 0;
    const p = Math.exp(l);
    const here = j === token ? 1 : 0;
    const surrogate = clipped ? 0 : (free * (here - p)) / temperature;
    const drift = (1 - Math.exp(distance)) * (here - Math.exp(plain[j] as number));
    const spread = (-p * (l + entropy)) / temperature;
    return -surrogate + objective.kl * drift - objective.entropy * spread;
  });
  const loss = -Math.min(free, held) + objective.kl * k3 - objective.entropy * entropy;
  return { loss, byLogits, clipped: clipped ? 1 : 0, k3, entropy };
}

function crossEntropy({ logits, token, weight }: TokenCase): TokenLoss {
  const logp = logSoftmax(logits, 1, null);
  const byLogits = logp.map((l, j) => weight * (Math.exp(l) - (j === token ? 1 : 0)));
  return { loss: -weight * (logp[token] as number), byLogits, clipped: 0, k3: 0, entropy: 0 };
}

function bounded(x: number): number {
  return Math.min(Math.max(x, -20), 20);
}
