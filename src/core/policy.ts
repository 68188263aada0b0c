import type { Prompt } from './prompt.js';
import type { Rng } from './rng.js';
import type { OutputConstraint } from './role.js';

/**
 * What narrows a draw. Log-probabilities stay those of the tempered distribution without it, which is what a trainer works
 * out again. An engine that can't must refuse it.
 */
export interface SamplingLimits {
  /** Draw among the k likeliest tokens only; all when not given. */
  readonly topK?: number;
  /** Taken off the logit of every token that the completion holds already; 0 when not given. */
  readonly presencePenalty?: number;
}

export interface SampleRequest extends SamplingLimits {
  readonly prompt: Prompt;
  /** How many completions. Requests that hold the very same prompt object share its work. */
  readonly n: number;
  /** Longest completion in tokens; one that reaches it without an end ends with `length`. */
  readonly maxTokens: number;
  /** 0 is greedy. Log-probabilities are those of the tempered distribution drawn from (of temperature 1 when greedy). */
  readonly temperature: number;
  /** Sample i draws from `rng.child(i)`, so a group doesn't depend on what is sampled beside it. */
  readonly rng: Rng;
  readonly constraint?: OutputConstraint;
}

/**
 * What a policy wrote. Owned by the receiver. An engine that only samples may not know everything: token ids are then -1,
 * log-probabilities NaN.
 */
export interface Completion {
  readonly text: string;
  /** Token ids, the end token included when `finish` is `stop`; length T. */
  readonly tokens: Int32Array;
  /** Log-probability of each token under the distribution it was drawn from; length T. */
  readonly logprobs: Float32Array;
  readonly finish: 'stop' | 'length';
}

/** One completion to learn from. */
export interface TrainSample {
  readonly tokens: Int32Array;
  /** Behaviour log-probabilities of the tokens, as sampled; unused by `cross-entropy`. */
  readonly logprobs: Float32Array;
  /** Advantage (policy gradient) or weight (cross-entropy) of every token of the sample. */
  readonly weight: number;
}

/** Completions of one prompt; the prompt is computed once for all of them. */
export interface TrainGroup {
  readonly prompt: Prompt;
  readonly samples: readonly TrainSample[];
  readonly constraint?: OutputConstraint;
}

/** A named loss with its constants. */
export type Objective =
  | {
      /** GRPO and DAPO: clipped ratio, averaged over all tokens of the batch (methods.md, "Common ground"). */
      readonly name: 'policy-gradient';
      readonly temperature: number;
      readonly clipLow: number;
      readonly clipHigh: number;
      /** Coefficient of KL(policy || reference), low-variance estimator; 0 leaves the reference unused. */
      readonly kl: number;
      /** Coefficient of the entropy bonus, averaged over all tokens of the batch. */
      readonly entropy: number;
    }
  | {
      /** Weighted negative log-likelihood (SFT with weight 1, RWR with its weights), averaged over all weighted tokens. */
      readonly name: 'cross-entropy';
    };

export interface UpdateMetrics {
  readonly loss: number;
  /** Euclidean norm of the gradient before clipping. */
  readonly gradNorm: number;
  readonly learningRate: number;
  /** Mean over tokens; policy gradient only. */
  readonly clipFraction?: number;
  /** Mean k3 estimate of KL(policy || reference); only when its coefficient isn't 0. */
  readonly kl?: number;
  /** Mean entropy of the token distributions in nats; policy gradient only. */
  readonly entropy?: number;
}

/** Bytes that hold a policy (weights, optimiser, step count): restoring them restores everything `update` depends on. */
export type PolicyState = Uint8Array;

/** One trainable model behind a role, in the manner of step-level engines (sample, update, save). */
export interface Policy {
  readonly name: string;
  /** Result [i][k] is completion k of request i. */
  sample(requests: readonly SampleRequest[]): Promise<Completion[][]>;
  /** Why it can't read a prompt (too long, say), in one line; null when it can. Absent where that only shows when it is asked. */
  refuses?(prompt: Prompt): string | null;
  /** Log-probabilities (temperature 1) of given completions; result [i][k] has one entry a token. */
  logprobs(groups: readonly TrainGroup[]): Promise<Float32Array[][]>;
  /** One optimiser step on the whole batch. The learning rate is the caller's: schedules belong to the method. */
  update(batch: readonly TrainGroup[], objective: Objective, learningRate: number): Promise<UpdateMetrics>;
  /** Token ids of a text as this policy would write it, the end token included. Throws a DataError on an unknown word. */
  encode(text: string): Int32Array;
  save(): Promise<PolicyState>;
  load(state: PolicyState): Promise<void>;
  /** Frees what the policy holds. It can't be used afterwards. */
  dispose(): void;
}
