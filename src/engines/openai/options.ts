import { z } from 'zod';
import { CONSTRAINT_FORMS } from './constraint.js';

const seconds = z.number().positive();
const urls = z.array(z.url({ protocol: /^https?$/ })).min(1);

/** Another model for one role. */
const roleOptions = z.strictObject({
  baseUrls: urls.optional(),
  model: z.string().min(1).optional(),
  apiKeyEnv: z.string().min(1).optional(),
});

export const options = z.strictObject({
  /** Bases of chat-completions APIs, with their `/v1`; all serve the same model. */
  baseUrls: urls,
  model: z.string().min(1),
  /** The environment variable that holds the API key; no key is sent without it. */
  apiKeyEnv: z.string().min(1).optional(),
  /** Other models by role: `openai.roles={rewriter: {model: other}}`. */
  roles: z.record(z.string(), roleOptions).default({}),
  topP: z.number().gt(0).max(1).optional(),
  topK: z.int().min(1).optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  stop: z.array(z.string().min(1)).min(1).max(4).optional(),
  /** Further fields of every request, e.g. `{chat_template_kwargs: {enable_thinking: false}}`. */
  extra: z.record(z.string(), z.json()).default({}),
  /** Whether requests carry a seed; some hosted models refuse it. */
  seed: z.boolean().default(true),
  /** `ids`: token ids and log-probabilities (vLLM); `logprobs`: without ids; `count`: lengths only, one completion a request. */
  tokens: z.enum(['ids', 'logprobs', 'count']).default('logprobs'),
  /** What the server's log-probabilities are of: the model (`raw`) or the distribution drawn from (`processed`). */
  logprobs: z.enum(['raw', 'processed']).default('raw'),
  /** Completions of one prompt that one request asks for; 1 for servers that ignore `n`. */
  samplesPerRequest: z.int().min(1).default(8),
  /** How a role's grammar or JSON schema is sent. */
  constraint: z.enum(CONSTRAINT_FORMS).default('response-format'),
  /** Thoughts that the server takes out of the text: an error, or put back as `<think>...</think>`. */
  reasoning: z.enum(['refuse', 'join']).default('refuse'),
  /** Which answers are looked at for image tokens. */
  imageCheck: z.enum(['every', 'first', 'off']).default('every'),
  maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
  /** Requests that one server is given at a time. */
  concurrency: z.int().min(1).default(32),
  connectSeconds: seconds.default(10),
  /** One request, from the start to the last byte of the answer. */
  requestSeconds: seconds.default(1200),
  /** How long a request's servers may be away before the run stops. */
  patienceSeconds: z.number().min(0).default(600),
  /** Tries of a request that is answered wrongly. */
  tries: z.int().min(1).default(4),
  /** Before the first retry; doubles, jittered, up to 30 s. */
  backoffSeconds: seconds.default(0.5),
  /** Failures in a row after which a server is left alone for a while. */
  breakAfter: z.int().min(1).default(3),
  /** How long it is left alone at first. */
  restSeconds: seconds.default(2),
});

/** The openai engine's section of a configuration. */
export type OpenAiEngineOptions = z.infer<typeof options>;
