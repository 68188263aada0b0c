import type { Json } from '../../core/json.js';
import type { SampleRequest } from '../../core/policy.js';
import type { TokenDetail } from './wire.js';

/** How completions are drawn, beside what a method asks for (temperature, length, number). */
export interface Sampling {
  readonly topP?: number;
  readonly topK?: number;
  readonly presencePenalty?: number;
  readonly stop?: readonly string[];
  /** Further fields of the body, as the server knows them, e.g. `chat_template_kwargs`. */
  readonly extra?: Readonly<Record<string, Json>>;
}

/** The sampling as fields of a request's body; what isn't set is the server's to choose. */
export function samplingFields({ topP, topK, presencePenalty, stop, extra }: Sampling): Record<string, Json> {
  return {
    ...extra,
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: topK }),
    ...(presencePenalty === undefined ? {} : { presence_penalty: presencePenalty }),
    ...(stop === undefined ? {} : { stop: [...stop] }),
  };
}

/**
 * What a server's log-probabilities are of: `raw`, the model's own distribution (vLLM's and SGLang's default), or `processed`, the
 * distribution drawn from (vLLM with `--logprobs-mode processed_logprobs`).
 */
export type LogprobKind = 'raw' | 'processed';

/** Whether a server's log-probabilities are those of the distribution that a completion was drawn from, as `Completion` has them. */
export function drawnFrom(
  kind: LogprobKind,
  request: Pick<SampleRequest, 'temperature' | 'constraint'>,
  sampling: Sampling,
): boolean {
  if (kind === 'processed') return true;
  const { topP = 1, topK = 0, presencePenalty = 0 } = sampling;
  const plain = topP === 1 && topK <= 0 && presencePenalty === 0 && !request.constraint;
  return plain && (request.temperature === 0 || request.temperature === 1);
}

/** One HTTP request of several that a request for n completions is cut into. */
export interface Part {
  /** Position of its first completion. */
  readonly from: number;
  readonly n: number;
  readonly seed: number;
}

const SEEDS = 2 ** 31 - 1;

/**
 * Cuts a request into parts of at most `most` completions. Part seeds come from `rng.child(from)`. A greedy request is asked once,
 * however many copies are wanted: servers refuse more.
 */
export function partsOf(request: SampleRequest, most: number): Part[] {
  const n = request.temperature === 0 ? Math.min(1, request.n) : request.n;
  return Array.from({ length: Math.ceil(n / most) }, (_, i) => {
    const from = i * most;
    return { from, n: Math.min(most, n - from), seed: request.rng.child(from).int(SEEDS) };
  });
}

/** Most completions that one HTTP request may ask for. Without log-probabilities only a request for one tells its length. */
export function mostAtOnce(samplesPerRequest: number, tokens: TokenDetail): number {
  return tokens === 'count' ? 1 : samplesPerRequest;
}
