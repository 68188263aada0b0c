import { setMaxListeners } from 'node:events';
import type { Completion, Policy, SampleRequest } from '../../core/policy.js';
import type { SafePoint } from '../../core/ports.js';
import { promptImages, type Prompt } from '../../core/prompt.js';
import type { Asked, ChatClient } from './client.js';
import { wireConstraint, type ConstraintForm } from './constraint.js';
import { fail } from './failures.js';
import { imageCheck, type ImageCheckMode } from './imageCheck.js';
import { wireMessages } from './messages.js';
import {
  drawnFrom,
  mostAtOnce,
  partsOf,
  samplingFields,
  type LogprobKind,
  type Part,
  type Sampling,
} from './sampling.js';
import type { TokenDetail, WireMessage } from './wire.js';

export interface SamplerSettings {
  readonly name: string;
  readonly client: ChatClient;
  readonly sampling: Sampling;
  readonly tokens: TokenDetail;
  readonly logprobs: LogprobKind;
  readonly samplesPerRequest: number;
  readonly sendSeed: boolean;
  readonly constraint: ConstraintForm;
  readonly imageCheck: ImageCheckMode;
  /** Asked while no server is there, so that a waiting run can be stopped. */
  readonly safePoint: SafePoint;
}

/** What sampling has cost so far, as the servers counted it. */
export interface Spent {
  /** HTTP requests that were answered, and all that were made. */
  readonly requests: number;
  readonly tries: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of the prompts' images, as far as they were looked at. */
  readonly imageTokens: number;
}

/** A model behind chat-completions servers: it can be sampled, and nothing else. */
export interface Sampler extends Pick<Policy, 'name' | 'sample' | 'dispose'> {
  /** What was spent since this was last called. */
  spent(): Spent;
}

/** One part of one request. */
interface Job {
  readonly at: number;
  readonly request: SampleRequest;
  readonly part: Part;
}

const NOTHING: Spent = { requests: 0, tries: 0, promptTokens: 0, completionTokens: 0, imageTokens: 0 };

/** How often a run that waits for servers asks whether it should stop, in milliseconds. */
const LISTEN = 250;

/**
 * Samples through a client, which it closes when disposed. Completions are those of the servers or there are none: `sample` throws a
 * ConfigError, an OutageError, or what the safe point throws.
 */
export function chatSampler(settings: SamplerSettings): Sampler {
  const { name, client, sampling, tokens, safePoint } = settings;
  let spent = NOTHING;
  const record = ({ answer, tries }: Asked): void => {
    spent = {
      ...spent,
      requests: spent.requests + 1,
      tries: spent.tries + tries,
      promptTokens: spent.promptTokens + (answer.usage?.promptTokens ?? 0),
      completionTokens: spent.completionTokens + (answer.usage?.completionTokens ?? 0),
    };
  };

  const seen = imageCheck(settings.imageCheck, async (messages, signal) => {
    const asked = await client.complete(
      {
        messages,
        n: 1,
        maxTokens: 1,
        temperature: 0,
        seed: null,
        tokens: 'count',
        fields: { ...sampling.extra },
      },
      signal,
    );
    record(asked);
    return asked.answer.usage?.promptTokens ?? null;
  });

  async function ask(
    { request, part }: Job,
    messages: readonly WireMessage[],
    signal: AbortSignal,
  ): Promise<readonly Completion[]> {
    const { temperature, maxTokens, constraint, topK, presencePenalty } = request;
    // What a method asks for goes before the server's settings.
    const drawn = {
      ...sampling,
      ...(topK === undefined ? {} : { topK }),
      ...(presencePenalty === undefined ? {} : { presencePenalty }),
    };
    const wire = wireConstraint(constraint, settings.constraint);
    const asked = await client.complete(
      {
        messages,
        n: part.n,
        maxTokens,
        temperature,
        seed: settings.sendSeed ? part.seed : null,
        tokens,
        fields: { ...samplingFields(drawn), ...wire?.fields },
      },
      signal,
      ({ completions }) => {
        const outside = completions.find(
          ({ finish, text }) => finish === 'stop' && wire?.accepts(text) === false,
        );
        if (!outside) return null;
        const said = JSON.stringify(outside.text.slice(0, 80));
        return fail('unconstrained', `a finished text outside of what may be written: ${said}`).error;
      },
    );
    record(asked);
    const images = await seen(messages, promptImages(request.prompt).length, asked, signal);
    spent = { ...spent, imageTokens: spent.imageTokens + (images ?? 0) };
    if (drawnFrom(settings.logprobs, request, drawn)) return asked.answer.completions;
    return asked.answer.completions.map((completion) => ({
      ...completion,
      logprobs: new Float32Array(completion.logprobs.length).fill(NaN),
    }));
  }

  return {
    name,
    async sample(requests) {
      const tooShort = requests.find(({ maxTokens }) => !(maxTokens >= 1));
      if (tooShort) throw new Error(`${name}: maxTokens must be at least 1, got ${tooShort.maxTokens}`);
      const most = mostAtOnce(settings.samplesPerRequest, tokens);
      const jobs = requests.flatMap((request, at) =>
        partsOf(request, most).map((part): Job => ({ at, request, part })),
      );
      const results = requests.map(({ n }) => new Array<Completion | undefined>(n));
      const prompts = sharedMessages(jobs);
      const control = new AbortController();
      // Every request under way listens to it.
      setMaxListeners(0, control.signal);
      const listening = setInterval(() => {
        if (!client.away()) return;
        try {
          safePoint();
        } catch (cause) {
          control.abort(cause);
        }
      }, LISTEN);
      try {
        await inParallel(jobs, client.places, control, async (job) => {
          const said = await ask(job, await prompts.take(job.request.prompt), control.signal);
          prompts.done(job.request.prompt);
          said.forEach((completion, k) => {
            (results[job.at] as Array<Completion | undefined>)[job.part.from + k] = completion;
          });
        });
      } finally {
        clearInterval(listening);
      }
      return requests.map((request, i) => whole(request, results[i] ?? [], name));
    },
    spent() {
      const since = spent;
      spent = NOTHING;
      return since;
    },
    dispose: () => client.close(),
  };
}

/** The completions of a request; a greedy one is copied as often as asked for. */
function whole(
  request: SampleRequest,
  said: ReadonlyArray<Completion | undefined>,
  name: string,
): Completion[] {
  return Array.from({ length: request.n }, (_, k) => {
    const completion = said[request.temperature === 0 ? 0 : k];
    if (!completion) throw new Error(`${name}: completion ${k} of ${request.n} is missing`);
    if (request.temperature !== 0 || k === 0) return completion;
    return { ...completion, tokens: completion.tokens.slice(), logprobs: completion.logprobs.slice() };
  });
}

/** Prompts in their wire form, made when the first part needs them and dropped after the last. */
function sharedMessages(jobs: readonly Job[]): {
  take(prompt: Prompt): Promise<readonly WireMessage[]>;
  done(prompt: Prompt): void;
} {
  const left = new Map<Prompt, number>();
  for (const { request } of jobs) left.set(request.prompt, (left.get(request.prompt) ?? 0) + 1);
  const made = new Map<Prompt, Promise<readonly WireMessage[]>>();
  return {
    take(prompt) {
      const messages = made.get(prompt) ?? wireMessages(prompt);
      made.set(prompt, messages);
      return messages;
    },
    done(prompt) {
      const parts = (left.get(prompt) ?? 0) - 1;
      left.set(prompt, parts);
      if (parts === 0) made.delete(prompt);
    },
  };
}

/** Works through jobs, `width` at a time. The first failure stops the others and is thrown once they have ended. */
async function inParallel<T>(
  jobs: readonly T[],
  width: number,
  control: AbortController,
  work: (job: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < jobs.length && !control.signal.aborted) {
      try {
        await work(jobs[next++] as T);
      } catch (cause) {
        control.abort(cause);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, jobs.length) }, worker));
  if (control.signal.aborted) throw control.signal.reason;
}
