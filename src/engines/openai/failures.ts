import { ConfigError, OutageError, type CovolveError } from '../../core/errors.js';
import { reject, type Rejection } from '../../core/result.js';

/** Why one request to a server gave no completions. */
export const FAILURES = [
  /** No connection: refused, no such host, TLS. */
  'unreachable',
  /** No whole answer within the time that a request has, or no connection within its own. */
  'time-out',
  /** The connection broke before the answer was whole. */
  'cut-off',
  /** The answer is larger than any answer can be. */
  'too-large',
  /** 429, or 503 with Retry-After: the server lives and asks for patience. */
  'busy',
  /** 5xx, 408, 409 or 425. */
  'server-error',
  /** Any other status that isn't success: the same request will fail again. */
  'refused',
  /** The answer isn't JSON. */
  'malformed-json',
  /** The answer is JSON, but no chat completion. */
  'malformed-answer',
  /** Fewer or more choices than were asked for. */
  'wrong-count',
  /** A choice without any text and without any token. */
  'empty',
  /** A choice that ended for another reason than its end or its length (a content filter, a tool call). */
  'finish-reason',
  /** A finished choice that isn't in the language it was constrained to. */
  'unconstrained',
  /** The server took the thoughts out of the text. */
  'hidden-reasoning',
  /** The answer doesn't say how many tokens the prompt had, and images are to be checked. */
  'no-usage',
  /** The server counted no tokens for images. */
  'image-not-seen',
] as const;

export type FailureReason = (typeof FAILURES)[number];

/** A failed request: the reason, one line, and what the server said about when to come back. */
export interface Failure extends Rejection<FailureReason> {
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** Milliseconds from now that the server asked to wait. */
  readonly retryAfterMs?: number;
}

/**
 * What heals a failure. `wait`: the server is away or overloaded, so others are tried and it is left alone for a while.
 * `retry`: it answers, but wrongly; a few more tries. `never`: the same request fails again whatever is done.
 */
export const HEALED_BY = {
  unreachable: 'wait',
  'time-out': 'wait',
  'cut-off': 'wait',
  'too-large': 'retry',
  busy: 'wait',
  'server-error': 'wait',
  refused: 'never',
  'malformed-json': 'retry',
  'malformed-answer': 'retry',
  'wrong-count': 'retry',
  empty: 'retry',
  'finish-reason': 'retry',
  unconstrained: 'retry',
  'hidden-reasoning': 'never',
  'no-usage': 'never',
  'image-not-seen': 'never',
} as const satisfies Record<FailureReason, 'wait' | 'retry' | 'never'>;

/** A failure as a result. */
export function fail(
  reason: FailureReason,
  detail: string,
  more: Omit<Failure, 'reason' | 'detail'> = {},
): { readonly ok: false; readonly error: Failure } {
  const { error } = reject(reason, detail);
  return { ok: false, error: { ...error, ...more } };
}

/** What to do about a server that goes on answering wrongly. */
const REMEDIES: Partial<Record<FailureReason, string>> = {
  'wrong-count': 'set openai.samplesPerRequest=1 for a server that ignores n',
  unconstrained: 'set openai.constraint to a form that the server knows',
  'finish-reason': 'it filters or rewrites what the model says; serve the model without that',
  empty: 'look at its log',
  'malformed-answer': 'is openai.baseUrls the base of a chat-completions API, with its /v1?',
  'malformed-json': 'is openai.baseUrls the base of a chat-completions API, with its /v1?',
};

/**
 * What ends the run when a failure can't be waited out: a ConfigError for what only the user can mend, an OutageError for a server
 * that is away or broken. One line; nothing is scored either way.
 */
export function endOf(failure: Failure, url: string, tries: number): CovolveError {
  switch (failure.reason) {
    case 'refused':
      return refusal(failure, url);
    case 'hidden-reasoning':
      return new ConfigError(
        'openai.reasoning',
        'refuse',
        `${url} took the thoughts out of the text (${failure.detail}); serve without a reasoning parser, or set openai.reasoning=join`,
      );
    case 'no-usage':
      return new ConfigError(
        'openai.imageCheck',
        'on',
        `${url} doesn't say how many tokens a prompt had, so nobody knows whether it saw the images; set openai.imageCheck=off to trust it`,
      );
    case 'image-not-seen':
      return new ConfigError(
        'openai.baseUrls',
        url,
        `${failure.detail}; serve a model that sees, with its processor`,
      );
    default: {
      const remedy = REMEDIES[failure.reason];
      const what = `${url}: ${failure.detail} (${failure.reason}, ${tries} ${tries === 1 ? 'try' : 'tries'})`;
      return new OutageError(
        `${what}${remedy === undefined ? '' : `; ${remedy}`}; resume the run when it answers`,
      );
    }
  }
}

function refusal({ status, detail }: Failure, url: string): ConfigError {
  if (status === 401 || status === 403) {
    return new ConfigError(
      'openai.apiKeyEnv',
      status,
      `${url} refuses the key: ${detail}; name the variable that holds a valid one`,
    );
  }
  if (status === 404) {
    return new ConfigError(
      'openai.model',
      status,
      `${url} knows no such model or path: ${detail}; name a model it serves, and the base with its /v1`,
    );
  }
  return new ConfigError(
    'openai.baseUrls',
    url,
    `the server refuses the request with status ${status}: ${detail}`,
  );
}
