import type { Rng } from '../../core/rng.js';
import { backoffMs } from './backoff.js';
import { HEALED_BY, type Failure } from './failures.js';
import { openConnections, type Connections } from './http.js';

export interface PoolSettings {
  /** Base URLs of servers of one and the same model, without a slash at the end. */
  readonly urls: readonly string[];
  /** Requests that one server is given at a time. */
  readonly concurrency: number;
  /** Failures in a row after which a server is left alone for a while. */
  readonly breakAfter: number;
  /** Milliseconds that it is left alone at first; doubles up to 30 s while it goes on failing. */
  readonly restMs: number;
  readonly rng: Rng;
  /** One line for the reader when a server goes away or comes back. */
  readonly note: (line: string) => void;
}

/** One place at a server; give it back with `release`. */
export interface Lease {
  readonly url: string;
  readonly connections: Connections;
}

/** Shares requests out over servers: the least busy first, none more than its concurrency, none that is being left alone. */
export interface ServerPool {
  /** Waits for a place, at another server than `avoid` where there is one. Rejects with the signal's reason. */
  acquire(signal: AbortSignal, avoid?: string): Promise<Lease>;
  /** Gives a place back: the server answered, failed, or wasn't waited for. */
  release(lease: Lease, outcome: 'answered' | 'stopped' | Failure): void;
  /** Whether every server is being left alone or was tried in vain last. */
  away(): boolean;
  close(): void;
}

interface Server {
  readonly url: string;
  readonly connections: Connections;
  busy: number;
  failuresInRow: number;
  /** Rests in a row; requests that were under way when one began don't lengthen it. */
  rests: number;
  /** Milliseconds since 1970 before which it gets nothing. */
  restsUntil: number;
  /** Whether the reader was told that it is away. */
  told: boolean;
}

interface Waiter {
  readonly avoid: string | undefined;
  readonly take: (server: Server) => void;
}

/** A pool whose circuits are all closed. */
export function serverPool(settings: PoolSettings): ServerPool {
  const { urls, concurrency, breakAfter, restMs, rng, note } = settings;
  const servers = urls.map((url): Server => {
    const connections = openConnections(concurrency);
    return { url, connections, busy: 0, failuresInRow: 0, rests: 0, restsUntil: 0, told: false };
  });
  const waiting: Waiter[] = [];
  let timer: NodeJS.Timeout | undefined;

  const broken = (server: Server): boolean => server.failuresInRow >= breakAfter;
  /** After its rest a broken server is given one request to show that it is back. */
  const places = (server: Server): number => (broken(server) ? 1 : concurrency);
  const free = (server: Server, now: number): boolean =>
    server.restsUntil <= now && server.busy < places(server);

  const choose = (avoid: string | undefined): Server | undefined => {
    const now = Date.now();
    const cost = (server: Server): number => server.busy + (server.url === avoid ? concurrency : 0);
    return servers.filter((server) => free(server, now)).sort((a, b) => cost(a) - cost(b))[0];
  };

  const pump = (): void => {
    clearTimeout(timer);
    while (waiting.length > 0) {
      const server = choose(waiting[0]?.avoid);
      if (!server) break;
      waiting.shift()?.take(server);
    }
    const rests = servers.map((server) => server.restsUntil - Date.now()).filter((ms) => ms > 0);
    if (waiting.length > 0 && rests.length > 0) timer = setTimeout(pump, Math.min(...rests) + 1);
  };

  const tell = (server: Server, failure: Failure): void => {
    if (server.told) return;
    server.told = true;
    const left = servers.filter((other) => !broken(other)).length;
    const rest =
      left === 0 ? 'no server is left, the run waits' : `${left} of ${servers.length} servers left`;
    note(`${server.url} is away: ${failure.detail}; ${rest}`);
  };

  return {
    acquire: (signal, avoid) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        const abort = (): void => {
          waiting.splice(waiting.indexOf(waiter), 1);
          reject(signal.reason as Error);
        };
        const waiter: Waiter = {
          avoid,
          take(server) {
            signal.removeEventListener('abort', abort);
            server.busy++;
            resolve(server);
          },
        };
        signal.addEventListener('abort', abort);
        waiting.push(waiter);
        pump();
      }),
    release(lease, outcome) {
      const server = servers.find(({ url }) => url === lease.url);
      if (!server) throw new Error(`${lease.url} is no server of this pool`);
      server.busy--;
      const failure = typeof outcome === 'string' ? null : outcome;
      if (failure === null || HEALED_BY[failure.reason] !== 'wait') {
        if (outcome === 'stopped') return;
        if (server.told) note(`${server.url} answers again`);
        Object.assign(server, { failuresInRow: 0, rests: 0, restsUntil: 0, told: false });
      } else if (failure.retryAfterMs !== undefined) {
        server.restsUntil = Math.max(server.restsUntil, Date.now() + failure.retryAfterMs);
      } else {
        server.failuresInRow++;
        if (broken(server) && server.restsUntil <= Date.now()) {
          server.restsUntil = Date.now() + backoffMs(++server.rests, restMs, rng);
          tell(server, failure);
        }
      }
      pump();
    },
    away: () => servers.every((server) => broken(server) || server.restsUntil > Date.now()),
    close() {
      clearTimeout(timer);
      for (const { connections } of servers) connections.close();
    },
  };
}
