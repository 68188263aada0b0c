import type { z } from 'zod';
import { CovolveError, OutageError } from '../../core/errors.js';
import { Rng } from '../../core/rng.js';
import { pending } from './protocol.js';

/** The server understood a request and won't do it; asking again doesn't help. */
export class TinkerRefusal extends CovolveError {
  override name = 'TinkerRefusal';
  constructor(
    readonly status: number,
    readonly path: string,
    readonly detail: string,
  ) {
    super(`the Tinker server refuses ${path} (${status}): ${detail}`);
  }
}

export interface TransportOptions {
  readonly baseUrl: string;
  /** Sent as `X-API-Key`; null where the server asks for none. */
  readonly apiKey: string | null;
  /** Seconds for which a server that doesn't answer is asked again before the run pauses. */
  readonly patience: number;
  /** Seconds after which one request is given up and sent again. */
  readonly requestTimeout: number;
  /** Seconds before the second try; doubled up to 10. */
  readonly firstDelay: number;
}

/** JSON over HTTP with retries. Requests sent here may be done twice by the server: they must be harmless then. */
export class Transport {
  readonly #jitter: Rng;
  constructor(readonly options: TransportOptions) {
    this.#jitter = Rng.fromSeed(`retries of ${options.baseUrl}`);
  }

  /**
   * Asks until there is an answer. Throws a TinkerRefusal on a 4xx that can't heal, an OutageError when patience ends
   * or the answer isn't what the protocol says.
   */
  async call<T>(path: string, body: object | null, schema: z.ZodType<T>): Promise<T> {
    return this.#patiently(path, schema, () => this.#once(path, body));
  }

  /** The result of a future. One that stays pending is waited for: only silence counts against patience. */
  async future<T>(requestId: string, path: string, schema: z.ZodType<T>): Promise<T> {
    for (;;) {
      const answer = await this.#patiently(path, null, async () => {
        const reply = await this.#once('retrieve_future', { request_id: requestId });
        if (reply.status === 404)
          throw new OutageError(`${path}: the Tinker server no longer knows the request`);
        return reply.status === 408 ? { status: 200, body: { type: 'try_again' } } : reply;
      });
      if (pending.safeParse(answer).success) {
        await this.#pause(this.options.firstDelay);
        continue;
      }
      return parsed(path, schema, answer);
    }
  }

  async #patiently<T>(path: string, schema: z.ZodType<T> | null, ask: () => Promise<Reply>): Promise<T> {
    const until = Date.now() + this.options.patience * 1000;
    let delay = this.options.firstDelay;
    for (;;) {
      let problem: string;
      try {
        const reply = await ask();
        if (reply.status < 300) return schema ? parsed(path, schema, reply.body) : (reply.body as T);
        problem = `${reply.status}: ${detailOf(reply.body)}`;
        if (lostModel(reply))
          throw new OutageError(`${path}: the Tinker server lost the model (${problem}); resume the run`);
        if (!heals(reply.status)) throw new TinkerRefusal(reply.status, path, detailOf(reply.body));
      } catch (cause) {
        if (cause instanceof CovolveError) throw cause;
        problem =
          cause instanceof Error
            ? cause.cause instanceof Error
              ? cause.cause.message
              : cause.message
            : String(cause);
      }
      if (Date.now() + delay * 1000 > until) {
        throw new OutageError(
          `${this.options.baseUrl}: ${path} has failed for ${this.options.patience} s (${problem}); start the server and resume`,
        );
      }
      await this.#pause(delay * this.#jitter.range(0.5, 1));
      delay = Math.min(10, delay * 2);
    }
  }

  async #once(path: string, body: object | null): Promise<Reply> {
    const { baseUrl, apiKey, requestTimeout } = this.options;
    const response = await fetch(`${baseUrl.replace(/\/$/, '')}/api/v1/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        accept: 'application/json',
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(apiKey === null ? {} : { 'x-api-key': apiKey }),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(requestTimeout * 1000),
    });
    const text = await response.text();
    if (response.status >= 300) return { status: response.status, body: loose(text) };
    return { status: response.status, body: JSON.parse(text) as unknown };
  }

  #pause(seconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** 408: still waiting, 425: checkpoint being written, 429: busy; and whatever goes wrong inside the server. */
function heals(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

function lostModel({ status, body }: Reply): boolean {
  return (status === 404 || status === 400) && /(model|session)\b.*not (found|loaded)/i.test(detailOf(body));
}

function loose(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function detailOf(body: unknown): string {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : body;
  const text = typeof detail === 'string' ? detail : (JSON.stringify(detail) ?? '');
  return text.replace(/\s+/g, ' ').slice(0, 300);
}

function parsed<T>(path: string, schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new OutageError(
    `${path}: the server's answer isn't the Tinker protocol's: ${issue?.path.join('.') || '(answer)'}: ${issue?.message}`,
  );
}
