import { z } from 'zod';

/** A piece of a model's input as the Tinker protocol carries it. */
export type Chunk =
  | { readonly type: 'encoded_text'; readonly tokens: readonly number[] }
  | {
      readonly type: 'image';
      /** Base64 of the encoded file. */
      readonly data: string;
      readonly format: 'png' | 'jpeg';
      /** Tokens that the image takes in the sequence; the server checks its own count against it. */
      readonly expected_tokens: number;
    };

export interface TensorData {
  readonly data: readonly number[];
  readonly dtype: 'int64' | 'float32';
  readonly shape: readonly [number];
}

/** One sequence to learn from; every tensor is as long as the input is in tokens, images included. */
export interface Datum {
  readonly model_input: { readonly chunks: readonly Chunk[] };
  readonly loss_fn_inputs: Readonly<Record<string, TensorData>>;
}

export type LossName = 'cross_entropy' | 'importance_sampling' | 'ppo';

export interface AdamParams {
  readonly learning_rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weight_decay: number;
}

export interface SamplingParams {
  readonly max_tokens: number;
  readonly temperature: number;
  readonly top_k: number;
  readonly top_p: number;
  readonly seed: number;
  readonly stop: readonly number[];
}

const requestId = z.object({ request_id: z.string() });

/** Answers of the server; unknown fields are let through, since servers differ in them. */
export const answers = {
  session: z.object({ session_id: z.string().min(1) }),
  heartbeat: z.object({}),
  future: requestId,
  model: requestId.extend({ model_id: z.string().min(1).nullish() }),
  capabilities: z.object({ supported_models: z.array(z.object({ model_name: z.string().nullish() })) }),
  info: z.object({
    model_id: z.string(),
    model_data: z.object({
      base_model: z.string().nullish(),
      lora_config: z.object({ rank: z.int() }).nullish(),
    }),
  }),
  created: z.object({ model_id: z.string().nullish() }),
  pass: z.object({
    loss_fn_outputs: z.array(z.object({ logprobs: z.object({ data: z.array(z.number()) }) })),
  }),
  optim: z.object({ metrics: z.record(z.string(), z.number()).nullish() }),
  sample: z.object({
    sequences: z
      .array(
        z.object({
          tokens: z.array(z.int().min(0)),
          logprobs: z.array(z.number()),
          stop_reason: z.enum(['stop', 'length']),
        }),
      )
      .min(1),
  }),
  saved: z.object({ path: z.string().min(1) }),
  done: z.unknown(),
};

/** What a server says about a future that isn't ready, in words of the official service. */
export const pending = z.object({ type: z.literal('try_again') });
