import { ConfigError } from '../../core/errors.js';
import type { Objective } from '../../core/policy.js';
import type { Capabilities } from './capabilities.js';
import type { LossName } from './protocol.js';

/** A sample as losses see it; all arrays have one entry a token. */
export interface Case {
  readonly weight: number;
  readonly behaviour: Float32Array;
  /** Under the policy before the step; only where `needs` asks for it. */
  readonly current: Float32Array | null;
  readonly reference: Float32Array | null;
  readonly length: number;
}

/** How an objective is put to a server. */
export interface Plan {
  readonly loss: LossName;
  readonly config: Readonly<Record<string, number>> | null;
  /** Whether the log-probabilities before the step have to be computed first. */
  readonly current: boolean;
  readonly reference: boolean;
  /** What differs from the objective, for the user; null when nothing does. */
  readonly note: string | null;
}

/** The nearest loss that the server has. Throws a ConfigError on an objective that can't be honoured. */
export function planLoss(objective: Objective, server: Capabilities, weights: readonly number[]): Plan {
  const plain = { config: null, reference: false, note: null } as const;
  const has = (loss: LossName): boolean => server.losses.has(loss);
  if (objective.name === 'cross-entropy') {
    const equal = weights.every((weight) => weight === weights[0]);
    if (has('cross_entropy') && (server.reduction === 'sum' || equal)) {
      const note =
        server.reduction === 'sum' ? null : 'this server averages cross-entropy by sequence, not by token';
      return { ...plain, loss: 'cross_entropy', current: false, note };
    }
    if (!has('importance_sampling')) {
      throw new ConfigError(
        'engine.tinker',
        'cross-entropy',
        'the server cannot weigh sequences; use one with importance_sampling',
      );
    }
    const note =
      'this server drops the weights of sequences; weighted cross-entropy is learned by importance_sampling at ratio 1';
    return { ...plain, loss: 'importance_sampling', current: true, note };
  }
  if (objective.temperature !== 1) {
    throw new ConfigError(
      'temperature',
      objective.temperature,
      'losses of the Tinker protocol are at temperature 1; set 1',
    );
  }
  if (objective.entropy !== 0) {
    throw new ConfigError('entropy', objective.entropy, 'the Tinker protocol has no entropy bonus; set 0');
  }
  const kl = objective.kl !== 0;
  const klNote = kl ? 'KL to the reference is folded into the advantages' : null;
  if (has('ppo')) {
    const config = { clip_low_threshold: 1 - objective.clipLow, clip_high_threshold: 1 + objective.clipHigh };
    return { loss: 'ppo', config, current: kl, reference: kl, note: klNote };
  }
  if (!has('importance_sampling')) {
    throw new ConfigError(
      'engine.tinker',
      'policy-gradient',
      'the server has neither ppo nor importance_sampling; use another server',
    );
  }
  const note = [
    'this server has no ppo loss; clipped tokens are taken out before importance_sampling',
    klNote,
  ];
  return {
    ...plain,
    loss: 'importance_sampling',
    current: true,
    reference: kl,
    note: note.filter(Boolean).join('; '),
  };
}

/** The tensors that a loss takes for each sample, so scaled that the server's sum or mean gives the objective's mean. */
export function lossInputs(
  objective: Objective,
  plan: Plan,
  server: Capabilities,
  cases: readonly Case[],
): Array<Record<string, number[]>> {
  const gradient = objective.name === 'policy-gradient';
  const total = cases.reduce((sum, c) => sum + c.length * (gradient ? 1 : c.weight), 0);
  return cases.map((c) => {
    const scale = (server.reduction === 'sum' ? 1 : c.length * cases.length) / (total || 1);
    const ones = new Array<number>(c.length).fill(1);
    if (plan.loss === 'cross_entropy') {
      return { weights: server.reduction === 'sum' ? ones.map(() => c.weight * scale) : ones };
    }
    const advantages = ones.map(
      (_, t) => scale * (gradient ? tokenAdvantage(objective, plan, c, t) : c.weight),
    );
    const logprobs = Array.from(gradient ? c.behaviour : (c.current as Float32Array));
    return { ...(server.reduction === 'sum' ? {} : { weights: ones }), logprobs, advantages };
  });
}

/** Advantage of a token with the gradient of the k3 estimate of KL in it; 0 of a clipped one where nobody else clips. */
function tokenAdvantage(
  objective: Extract<Objective, { readonly name: 'policy-gradient' }>,
  plan: Plan,
  { weight, behaviour, current, reference }: Case,
  t: number,
): number {
  const now = (current ?? behaviour)[t] as number;
  const ratio = Math.exp(bounded(now - (behaviour[t] as number)));
  const out = weight > 0 ? ratio > 1 + objective.clipHigh : ratio < 1 - objective.clipLow;
  const own = plan.loss === 'importance_sampling' && out ? 0 : weight;
  // The loss multiplies by the ratio, the gradient of KL has none: it is divided out.
  return reference
    ? own - (objective.kl * (1 - Math.exp(bounded((reference[t] as number) - now)))) / ratio
    : own;
}

export interface Measured {
  readonly loss: number;
  readonly clipFraction?: number;
  readonly kl?: number;
}

/** The objective's value from the log-probabilities that the step began with, `now[i][t]`. */
export function measure(
  objective: Objective,
  cases: readonly Case[],
  now: readonly ArrayLike<number>[],
): Measured {
  let [loss, clipped, k3, count] = [0, 0, 0, 0];
  for (const [i, c] of cases.entries()) {
    for (let t = 0; t < c.length; t++) {
      const logp = now[i]?.[t] as number;
      if (objective.name === 'cross-entropy') {
        loss -= c.weight * logp;
        count += c.weight;
        continue;
      }
      const ratio = Math.exp(bounded(logp - (c.behaviour[t] as number)));
      const held = Math.min(Math.max(ratio, 1 - objective.clipLow), 1 + objective.clipHigh) * c.weight;
      const distance = c.reference ? bounded((c.reference[t] as number) - logp) : 0;
      const drift = Math.exp(distance) - distance - 1;
      loss += -Math.min(ratio * c.weight, held) + objective.kl * drift;
      clipped += held < ratio * c.weight ? 1 : 0;
      k3 += drift;
      count++;
    }
  }
  const over = count || 1;
  if (objective.name === 'cross-entropy') return { loss: loss / over };
  return {
    loss: loss / over,
    clipFraction: clipped / over,
    ...(objective.kl === 0 ? {} : { kl: k3 / over }),
  };
}

function bounded(x: number): number {
  return Math.min(Math.max(x, -20), 20);
}
