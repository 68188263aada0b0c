import { chatClient, type ChatClient, type ClientSettings } from '../../../src/engines/openai/client.js';
import { chatSampler, type Sampler, type SamplerSettings } from '../../../src/engines/openai/policy.js';
import type { ChatRequest } from '../../../src/engines/openai/wire.js';
import type { Image } from '../../../src/core/image.js';
import type { SampleRequest } from '../../../src/core/policy.js';
import { userPrompt } from '../../../src/core/prompt.js';
import { Rng } from '../../../src/core/rng.js';

/** A client with short pauses; what it told the reader is in `notes`. */
export function testClient(
  urls: readonly string[],
  settings: Partial<ClientSettings> = {},
): { readonly client: ChatClient; readonly notes: string[] } {
  const notes: string[] = [];
  const client = chatClient({
    urls,
    model: 'tiny',
    apiKey: null,
    maxTokensField: 'max_tokens',
    reasoning: 'refuse',
    concurrency: 8,
    connectMs: 1000,
    requestMs: 5000,
    patienceMs: 5000,
    tries: 3,
    backoffMs: 5,
    breakAfter: 3,
    restMs: 20,
    rng: Rng.fromSeed('pauses'),
    note: (line) => notes.push(line),
    ...settings,
  });
  return { client, notes };
}

export function testSampler(
  client: ChatClient,
  settings: Partial<Omit<SamplerSettings, 'client'>> = {},
): Sampler {
  return chatSampler({
    name: 'actor',
    client,
    sampling: {},
    tokens: 'ids',
    logprobs: 'raw',
    samplesPerRequest: 8,
    sendSeed: true,
    constraint: 'response-format',
    imageCheck: 'every',
    safePoint: () => undefined,
    ...settings,
  });
}

export function chatRequest(more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    messages: [{ role: 'user', content: 'what is it ?' }],
    n: 1,
    maxTokens: 8,
    temperature: 1,
    seed: null,
    fields: {},
    tokens: 'logprobs',
    ...more,
  };
}

/** A picture of one colour. */
export function picture(red = 0, width = 8, height = 4): Image {
  return { width, height, rgb: new Uint8Array(3 * width * height).fill(red) };
}

export function sampleRequest(text: string, more: Partial<SampleRequest> = {}): SampleRequest {
  return {
    prompt: userPrompt(text, [picture()]),
    n: 2,
    maxTokens: 8,
    temperature: 1,
    rng: Rng.fromSeed(text),
    ...more,
  };
}
