import { z } from 'zod';
import type { Json } from '../../core/json.js';
import type { Completion } from '../../core/policy.js';
import { ok, type Result } from '../../core/result.js';
import { fail, type Failure } from './failures.js';

/** What an answer is asked to tell about its tokens; see `tokens` in the engine's options. */
export type TokenDetail = 'ids' | 'logprobs' | 'count';

/** A message as chat-completions servers take it. */
export interface WireMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string | readonly WirePart[];
}

export type WirePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

/** What one request asks for. */
export interface ChatRequest {
  readonly messages: readonly WireMessage[];
  readonly n: number;
  readonly maxTokens: number;
  readonly temperature: number;
  /** Null leaves the choice to the server. */
  readonly seed: number | null;
  /** Further fields of the body, e.g. those of a constraint. */
  readonly fields: Readonly<Record<string, Json>>;
  readonly tokens: TokenDetail;
}

/** Tokens that a server counted. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Those of the prompt's images, where the server tells them apart. */
  readonly imageTokens: number | null;
}

/** `n` completions in the order of their indices, and what they cost. */
export interface ChatAnswer {
  /** Token ids that the server didn't tell are -1, log-probabilities NaN; lengths are right. */
  readonly completions: readonly Completion[];
  /** Null when the server doesn't count. */
  readonly usage: Usage | null;
}

/** The body of a request. */
export function chatBody(model: string, maxTokensField: string, request: ChatRequest): string {
  const { messages, n, maxTokens, temperature, seed, fields, tokens } = request;
  return JSON.stringify({
    model,
    messages,
    [maxTokensField]: maxTokens,
    temperature,
    n,
    stream: false,
    ...(seed === null ? {} : { seed }),
    ...(tokens === 'count' ? {} : { logprobs: true }),
    ...(tokens === 'ids' ? { return_token_ids: true } : {}),
    ...fields,
  });
}

const count = z.int().min(0);

const choiceSchema = z.object({
  index: count,
  message: z.object({
    content: z.string().nullish(),
    reasoning_content: z.string().nullish(),
    reasoning: z.string().nullish(),
  }),
  finish_reason: z.string().nullish(),
  logprobs: z.object({ content: z.array(z.object({ logprob: z.number() })).nullish() }).nullish(),
  token_ids: z.array(z.int()).nullish(),
});

const answerSchema = z.object({
  choices: z.array(choiceSchema),
  usage: z
    .object({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
});

type Choice = z.infer<typeof choiceSchema>;

/** How thoughts that a server took out of the text are treated; see the engine's options. */
export type ReasoningMode = 'refuse' | 'join';

/** Reads the body of a successful answer to `request`. Every way in which it can be wrong has its reason. */
export function readAnswer(
  body: string,
  request: ChatRequest,
  reasoning: ReasoningMode,
): Result<ChatAnswer, Failure> {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return fail('malformed-json', `${body.length} characters that aren't JSON: ${excerpt(body)}`);
  }
  const parsed = answerSchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue?.path.join('.') || 'the answer';
    return fail('malformed-answer', `${where}: ${issue?.message ?? 'wrong'}; got ${excerpt(body)}`);
  }
  const choices = [...parsed.data.choices].sort((a, b) => a.index - b.index);
  if (choices.length !== request.n || choices.some(({ index }, i) => index !== i)) {
    return fail('wrong-count', `${choices.length} choices instead of ${request.n}`);
  }
  const usage = usageOf(parsed.data.usage);
  const completions: Completion[] = [];
  for (const choice of choices) {
    const read = completionOf(choice, request, reasoning, request.n === 1 ? usage : null);
    if (!read.ok) return read;
    completions.push(read.value);
  }
  return ok({ completions, usage });
}

function completionOf(
  choice: Choice,
  { tokens: detail }: ChatRequest,
  reasoning: ReasoningMode,
  usage: Usage | null,
): Result<Completion, Failure> {
  const { message, finish_reason: finish } = choice;
  if (finish !== 'stop' && finish !== 'length') {
    return fail('finish-reason', `choice ${choice.index} ended with ${String(finish)}`);
  }
  const thoughts = message.reasoning_content ?? message.reasoning ?? '';
  if (thoughts !== '' && reasoning === 'refuse') {
    return fail('hidden-reasoning', `${thoughts.length} characters of thoughts apart from the text`);
  }
  const said = message.content ?? '';
  const text = thoughts === '' ? said : `<think>${thoughts}</think>${said}`;
  const told = tokensOf(choice, detail, usage);
  if (!told.ok) return told;
  if (text === '' && told.value.tokens.length === 0) {
    return fail('empty', `choice ${choice.index} has neither text nor tokens`);
  }
  return ok({ text, finish, ...told.value });
}

function tokensOf(
  choice: Choice,
  detail: TokenDetail,
  usage: Usage | null,
): Result<Pick<Completion, 'tokens' | 'logprobs'>, Failure> {
  if (detail === 'count') {
    if (!usage) return fail('malformed-answer', 'it has no usage, so the length of the text is unknown');
    const length = usage.completionTokens;
    return ok({ tokens: new Int32Array(length).fill(-1), logprobs: new Float32Array(length).fill(NaN) });
  }
  const logprobs = choice.logprobs?.content;
  if (!logprobs) return fail('malformed-answer', 'it has no log-probabilities (set openai.tokens=count)');
  const ids = choice.token_ids;
  if (detail === 'ids' && !ids) {
    return fail('malformed-answer', 'it has no token ids (set openai.tokens=logprobs)');
  }
  if (ids && ids.length !== logprobs.length) {
    return fail('malformed-answer', `${ids.length} tokens with ${logprobs.length} log-probabilities`);
  }
  return ok({
    tokens: ids ? Int32Array.from(ids) : new Int32Array(logprobs.length).fill(-1),
    logprobs: Float32Array.from(logprobs, ({ logprob }) => logprob),
  });
}

/** Names under which servers tell the tokens of a prompt's images. */
const IMAGE_COUNTS = ['image_tokens', 'multimodal_tokens', 'vision_tokens'];

function usageOf(usage: z.infer<typeof answerSchema>['usage']): Usage | null {
  if (!usage) return null;
  const told = IMAGE_COUNTS.map((name) => usage.prompt_tokens_details?.[name]).find(
    (value): value is number => typeof value === 'number',
  );
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    imageTokens: told ?? null,
  };
}

const errorSchema = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
]);

/** What an error answer says, in at most one line of 200 characters. */
export function errorText(body: string): string {
  try {
    const parsed = errorSchema.safeParse(JSON.parse(body));
    if (parsed.success) return excerpt(parsed.data);
  } catch {
    // Not every proxy answers in JSON; its text serves as well.
  }
  return excerpt(body);
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return '(nothing)';
  return line.length > 200 ? `${line.slice(0, 197)}...` : line;
}
