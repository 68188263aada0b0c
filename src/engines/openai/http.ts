import { request as requestHttp, Agent as HttpAgent, type ClientRequest } from 'node:http';
import { request as requestHttps, Agent as HttpsAgent } from 'node:https';
import type { Result } from '../../core/result.js';
import { fail, type Failure } from './failures.js';

/** An answer of a server, whatever its status. */
export interface HttpReply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

export interface HttpOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds to a connection. */
  readonly connectMs: number;
  /** Milliseconds from the start to the last byte of the answer. */
  readonly totalMs: number;
  /** Ends the request; its promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Kept connections to one server. Node's `fetch` gives up after five silent minutes, which a long completion may take. */
export interface Connections {
  /** Sends JSON (or asks with GET, when there is none) and reads the whole answer. */
  send(url: string, json: string | null, options: HttpOptions): Promise<Result<HttpReply, Failure>>;
  close(): void;
}

/** Largest answer that is read, in bytes. */
const LARGEST = 64 * 2 ** 20;

/** Opens nothing yet; at most `sockets` connections are held at a time. */
export function openConnections(sockets: number): Connections {
  const settings = { keepAlive: true, maxSockets: sockets, keepAliveMsecs: 10_000 };
  const http = new HttpAgent(settings);
  const https = new HttpsAgent(settings);
  return {
    send: (url, json, options) => send(url, json, options, url.startsWith('https:') ? https : http),
    close() {
      http.destroy();
      https.destroy();
    },
  };
}

function send(
  url: string,
  json: string | null,
  { headers, connectMs, totalMs, signal }: HttpOptions,
  agent: HttpAgent | HttpsAgent,
): Promise<Result<HttpReply, Failure>> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error);
    const start = url.startsWith('https:') ? requestHttps : requestHttp;
    const payload = json === null ? null : Buffer.from(json);
    const outgoing: ClientRequest = start(url, {
      method: payload === null ? 'GET' : 'POST',
      agent,
      headers: {
        accept: 'application/json',
        ...(payload === null
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(payload.length) }),
        ...headers,
      },
    });
    const whole = setTimeout(
      () => settle(fail('time-out', `no whole answer in ${totalMs / 1000} s`)),
      totalMs,
    );
    let connecting: NodeJS.Timeout | undefined;
    const settle = (result: Result<HttpReply, Failure>): void => {
      clearTimeout(whole);
      clearTimeout(connecting);
      signal?.removeEventListener('abort', abort);
      resolve(result);
      if (!result.ok) outgoing.destroy();
    };
    const abort = (): void => {
      reject(signal?.reason as Error);
      settle(fail('cut-off', 'stopped'));
    };
    signal?.addEventListener('abort', abort);

    let connected = false;
    outgoing.on('socket', (socket) => {
      if (!socket.connecting) {
        connected = true;
        return;
      }
      connecting = setTimeout(
        () => settle(fail('time-out', `no connection in ${connectMs / 1000} s`)),
        connectMs,
      );
      socket.once('connect', () => {
        connected = true;
        clearTimeout(connecting);
      });
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const why = error.code ?? error.message;
      settle(
        connected
          ? fail('cut-off', `the connection broke (${why})`)
          : fail('unreachable', `no connection (${why})`),
      );
    });
    outgoing.on('response', (incoming) => {
      const parts: Buffer[] = [];
      let size = 0;
      incoming.on('data', (part: Buffer) => {
        size += part.length;
        if (size > LARGEST) settle(fail('too-large', `an answer of more than ${LARGEST} bytes`));
        else parts.push(part);
      });
      incoming.on('error', () => settle(fail('cut-off', `the answer broke off after ${size} bytes`)));
      incoming.on('end', () => {
        const { 'retry-after': retryAfter = null } = incoming.headers;
        settle({
          ok: true,
          value: {
            status: incoming.statusCode ?? 0,
            retryAfter,
            body: Buffer.concat(parts).toString('utf8'),
          },
        });
      });
    });
    outgoing.end(payload);
  });
}
