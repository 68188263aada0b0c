import type { TinkerClient } from './client.js';
import { datum } from './datums.js';
import type { LossName } from './protocol.js';
import { TinkerRefusal } from './transport.js';

/** What a server was found to do. */
export interface Capabilities {
  readonly losses: ReadonlySet<LossName>;
  /**
   * How it adds up the losses of a batch: the plain sum over tokens (the protocol's own definition), or the mean over
   * sequences of each one's mean over its weighted tokens, in which a constant weight cancels (SkyRL's JAX back end).
   */
  readonly reduction: 'sum' | 'sequence-mean';
  /** Whether that was measured; servers that report no gradient norm are taken at the protocol's word. */
  readonly measured: boolean;
}

const STILL = { learning_rate: 0, beta1: 0.9, beta2: 0.95, eps: 1e-8, weight_decay: 0 };

/**
 * Asks a server by small training requests to a model that is never changed (learning rate 0): each loss once, then
 * the gradient norm of one weight against its double.
 */
export async function askCapabilities(
  client: TinkerClient,
  modelId: string,
  token: number,
): Promise<Capabilities> {
  const prompt = { chunks: [{ type: 'encoded_text', tokens: [token] }], length: 1 } as const;
  const tokens = Int32Array.of(token, token);
  const losses = new Set<LossName>();
  for (const loss of ['cross_entropy', 'importance_sampling', 'ppo'] as const) {
    const inputs =
      loss === 'cross_entropy'
        ? { weights: [1, 1] }
        : { weights: [1, 1], logprobs: [-1, -1], advantages: [1, 1] };
    const config = loss === 'ppo' ? { clip_low_threshold: 0.8, clip_high_threshold: 1.28 } : null;
    try {
      await client.forwardBackward(modelId, [datum({ prompt, tokens, inputs })], loss, config);
      losses.add(loss);
    } catch (cause) {
      if (!(cause instanceof TinkerRefusal)) throw cause;
    }
  }
  await client.optimStep(modelId, STILL);
  const norm = async (weight: number): Promise<number | null> => {
    const row = { prompt, tokens, inputs: { weights: [weight, weight] } };
    await client.forwardBackward(modelId, [datum(row)], 'cross_entropy', null);
    return gradientNorm(await client.optimStep(modelId, STILL));
  };
  const [one, two] = [await norm(1), await norm(2)];
  if (!one || !two) return { losses, reduction: 'sum', measured: false };
  return { losses, reduction: two / one > 1.5 ? 'sum' : 'sequence-mean', measured: true };
}

/** The gradient norm among a server's metrics, whatever it is prefixed with; null where there is none. */
export function gradientNorm(metrics: Readonly<Record<string, number>>): number | null {
  return (
    Object.entries(metrics).find(([name]) => /grad(ient)?_norm/.test(name) && !/mhc/.test(name))?.[1] ?? null
  );
}
