import { setTimeout as sleep } from 'node:timers/promises';
import { OutageError } from '../../core/errors.js';
import { err, type Result } from '../../core/result.js';
import type { Rng } from '../../core/rng.js';
import { backoffMs, retryAfterMs } from './backoff.js';
import { endOf, fail, HEALED_BY, type Failure } from './failures.js';
import type { HttpReply } from './http.js';
import { serverPool, type Lease, type PoolSettings } from './servers.js';
import {
  chatBody,
  errorText,
  readAnswer,
  type ChatAnswer,
  type ChatRequest,
  type ReasoningMode,
} from './wire.js';

export interface ClientSettings extends Omit<PoolSettings, 'rng'> {
  readonly model: string;
  readonly apiKey: string | null;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  readonly reasoning: ReasoningMode;
  readonly connectMs: number;
  /** Milliseconds that one request may take. */
  readonly requestMs: number;
  /** Milliseconds that a request's servers may be away before the run gives up. */
  readonly patienceMs: number;
  /** Tries of a request that is answered wrongly. */
  readonly tries: number;
  /** Milliseconds before the first retry. */
  readonly backoffMs: number;
  /** For the jitter of pauses only. */
  readonly rng: Rng;
}

/** A completed request: the answer, who gave it, and how often it was asked. */
export interface Asked {
  readonly answer: ChatAnswer;
  readonly url: string;
  readonly tries: number;
}

/** A further look at an answer; what it refuses counts as that server's failure. */
export type AnswerCheck = (answer: ChatAnswer, url: string) => Failure | null;

/** Completions from one of several servers of one model. */
export interface ChatClient {
  /**
   * Asks until it is answered. Throws a ConfigError on what only the user can mend, an OutageError when servers stay away longer
   * than the patience or go on answering wrongly; rejects with the signal's reason. Never gives an invented answer.
   */
  complete(request: ChatRequest, signal: AbortSignal, check?: AnswerCheck): Promise<Asked>;
  /** Whether no server is there at the moment. */
  away(): boolean;
  /** Most requests that can be under way at once. */
  readonly places: number;
  close(): void;
}

/** Opens no connection yet. */
export function chatClient(settings: ClientSettings): ChatClient {
  const { urls, concurrency, rng, patienceMs, tries: mostTries } = settings;
  const pool = serverPool(settings);

  async function complete(request: ChatRequest, signal: AbortSignal, check?: AnswerCheck): Promise<Asked> {
    const body = chatBody(settings.model, settings.maxTokensField, request);
    let awaySince: number | null = null;
    let wrong = 0;
    let avoid: string | undefined;
    for (let tries = 1; ; tries++) {
      const lease = await pool.acquire(signal, avoid);
      const result = await attempt(lease, body, request, signal, check);
      if (result.ok) return { answer: result.value, url: lease.url, tries };
      const failure = result.error;
      const healed = HEALED_BY[failure.reason];
      if (healed === 'never' || (healed === 'retry' && ++wrong >= mostTries)) {
        throw endOf(failure, lease.url, tries);
      }
      if (healed === 'wait') {
        awaySince ??= Date.now();
        const waited = Date.now() - awaySince;
        if (waited + (failure.retryAfterMs ?? 0) >= patienceMs) {
          throw outage(failure, lease.url, tries, waited, patienceMs);
        }
      }
      avoid = lease.url;
      // A server that named a time is left alone until then by everyone; another may take the request at once.
      if (failure.retryAfterMs === undefined) await pause(backoffMs(tries, settings.backoffMs, rng), signal);
    }
  }

  async function attempt(
    lease: Lease,
    body: string,
    request: ChatRequest,
    signal: AbortSignal,
    check: AnswerCheck | undefined,
  ): Promise<Result<ChatAnswer, Failure>> {
    let outcome: 'answered' | 'stopped' | Failure = 'stopped';
    try {
      const reply = await lease.connections.send(`${lease.url}/chat/completions`, body, {
        headers: settings.apiKey === null ? {} : { authorization: `Bearer ${settings.apiKey}` },
        connectMs: settings.connectMs,
        totalMs: settings.requestMs,
        signal,
      });
      const read = reply.ok ? readReply(reply.value, request, settings.reasoning) : reply;
      const refused = read.ok ? (check?.(read.value, lease.url) ?? null) : null;
      const result = refused ? err(refused) : read;
      outcome = result.ok ? 'answered' : result.error;
      return result;
    } finally {
      pool.release(lease, outcome);
    }
  }

  return {
    complete,
    away: () => pool.away(),
    places: urls.length * concurrency,
    close: () => pool.close(),
  };
}

/** A reply as an answer, or as the failure that its status says it is. */
function readReply(
  { status, retryAfter, body }: HttpReply,
  request: ChatRequest,
  reasoning: ReasoningMode,
): Result<ChatAnswer, Failure> {
  if (status >= 200 && status < 300) return readAnswer(body, request, reasoning);
  const detail = `status ${status}: ${errorText(body)}`;
  const wait = retryAfterMs(retryAfter, Date.now());
  const more = { status, ...(wait === null ? {} : { retryAfterMs: wait }) };
  if (status === 429 || (status === 503 && wait !== null)) return fail('busy', detail, more);
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return fail('server-error', detail, more);
  }
  return fail('refused', errorText(body), more);
}

function outage(
  failure: Failure,
  url: string,
  tries: number,
  waited: number,
  patienceMs: number,
): OutageError {
  const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;
  const asked = failure.retryAfterMs;
  const why =
    asked !== undefined && waited < patienceMs
      ? `asks to wait ${seconds(asked)}, longer than openai.patienceSeconds allows`
      : `was away for ${seconds(waited)}`;
  return new OutageError(
    `${url} ${why}: ${failure.detail} (${failure.reason}, ${tries} ${tries === 1 ? 'try' : 'tries'}); resume the run when it answers`,
  );
}

/** Sleeps; rejects with the signal's reason. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (cause) {
    throw signal.aborted ? signal.reason : cause;
  }
}
