import { stepLearner } from '../../algorithms/learner.js';
import type { Engine, LearnerRequest, OpenedLearner } from '../../core/engine.js';
import { ConfigError } from '../../core/errors.js';
import type { Policy } from '../../core/policy.js';
import { Rng } from '../../core/rng.js';
import { chatClient, type ChatClient } from './client.js';
import { options, type OpenAiEngineOptions } from './options.js';
import { chatSampler, type Sampler } from './policy.js';

/** Kind of the events that hold what one step of sampling has cost. */
export const USAGE_EVENT = 'openai-usage';

/** Chat-completions servers as a configuration names them: sampling only. */
export const openAiEngine: Engine<OpenAiEngineOptions> = { options, open };

async function open(request: LearnerRequest<OpenAiEngineOptions>): Promise<OpenedLearner> {
  const { role, journal, progress, safePoint, checkpointEvery } = request;
  if (request.trained) throw samplingOnly(role);
  const { model, urls, apiKey } = modelOf(request);
  const client = openClient(request.options, { model, urls, apiKey, note: progress.note.bind(progress) });
  const sampler = openSampler(role, client, request.options, safePoint);
  const origin = `${model} served by chat completions`;
  const learner = await stepLearner({
    role,
    policy: samplingPolicy({
      ...sampler,
      async sample(requests) {
        const began = Date.now();
        const completions = await sampler.sample(requests);
        const seconds = (Date.now() - began) / 1000;
        await journal.recordEvent(USAGE_EVENT, { role, model, seconds, ...sampler.spent() });
        return completions;
      },
    }),
    journal,
    progress,
    safePoint,
    checkpointEvery,
    origin,
  });
  return { learner, origin, dispose: () => sampler.dispose() };
}

/** Who is asked: the servers of one model and the key they want. */
export interface ServedModel {
  readonly model: string;
  readonly urls: readonly string[];
  readonly apiKey: string | null;
  /** One line for the reader when a server goes away or comes back. */
  readonly note: (line: string) => void;
}

/** A client with the options of a configuration. */
export function openClient(
  given: OpenAiEngineOptions,
  { model, urls, apiKey, note }: ServedModel,
): ChatClient {
  const ms = (seconds: number): number => seconds * 1000;
  return chatClient({
    urls,
    model,
    apiKey,
    maxTokensField: given.maxTokensField,
    reasoning: given.reasoning,
    concurrency: given.concurrency,
    connectMs: ms(given.connectSeconds),
    requestMs: ms(given.requestSeconds),
    patienceMs: ms(given.patienceSeconds),
    tries: given.tries,
    backoffMs: ms(given.backoffSeconds),
    breakAfter: given.breakAfter,
    restMs: ms(given.restSeconds),
    // Only pauses come from it; two processes should not pause alike.
    rng: Rng.fromSeed(`pauses ${process.pid} ${Date.now()}`),
    note: (line) => note(`openai: ${line}`),
  });
}

/** A sampler with the options of a configuration. It owns the client. */
export function openSampler(
  name: string,
  client: ChatClient,
  given: OpenAiEngineOptions,
  safePoint: () => void,
): Sampler {
  const { topP, topK, presencePenalty, stop, extra } = given;
  return chatSampler({
    name,
    client,
    sampling: {
      extra,
      ...(topP === undefined ? {} : { topP }),
      ...(topK === undefined ? {} : { topK }),
      ...(presencePenalty === undefined ? {} : { presencePenalty }),
      ...(stop === undefined ? {} : { stop }),
    },
    tokens: given.tokens,
    logprobs: given.logprobs,
    samplesPerRequest: given.samplesPerRequest,
    sendSeed: given.seed,
    constraint: given.constraint,
    imageCheck: given.imageCheck,
    safePoint,
  });
}

function modelOf({
  role,
  options: given,
  secret,
}: LearnerRequest<OpenAiEngineOptions>): Omit<ServedModel, 'note'> {
  const own = given.roles[role] ?? {};
  const apiKeyEnv = own.apiKeyEnv ?? given.apiKeyEnv;
  const apiKey = apiKeyEnv === undefined ? null : secret(apiKeyEnv);
  if (apiKeyEnv !== undefined && (apiKey === null || apiKey === '')) {
    throw new ConfigError(
      'openai.apiKeyEnv',
      apiKeyEnv,
      'this environment variable is not set; set it to the API key, or name another',
    );
  }
  const urls = (own.baseUrls ?? given.baseUrls).map((url) => url.replace(/\/+$/, ''));
  return { model: own.model ?? given.model, urls: [...new Set(urls)], apiKey };
}

/** A sampler where a policy is asked for; all that trains it is refused with a ConfigError. */
export function samplingPolicy(sampler: Pick<Sampler, 'name' | 'sample' | 'dispose'>): Policy {
  const refuse = (): never => {
    throw samplingOnly(sampler.name);
  };
  return {
    name: sampler.name,
    sample: (requests) => sampler.sample(requests),
    dispose: () => sampler.dispose(),
    logprobs: async () => refuse(),
    update: async () => refuse(),
    encode: refuse,
    save: async () => refuse(),
    load: async () => refuse(),
  };
}

/** The error of everything but sampling. */
function samplingOnly(role: string): ConfigError {
  return new ConfigError(
    'engine',
    'openai',
    `samples only and can't train the ${role}; evaluate with the arm that trains nothing (base), or choose an engine that trains`,
  );
}
