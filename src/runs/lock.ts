import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { StoreError } from '../core/errors.js';
import { errorCode, storeFailure } from './failure.js';

/** Who writes a run directory. */
export interface Writer {
  readonly pid: number;
  readonly host: string;
  /** When the process started, as the system counts it; tells a process from a later one with the same number. Null where unknown. */
  readonly started: string | null;
  /** When it took the lock, milliseconds since 1970. */
  readonly since: number;
}

/** Whether a writer is still at work; `unknown` when it runs on another host, which can't be asked. */
export type WriterState = 'alive' | 'gone' | 'unknown';

const LOCK = 'lock';

/**
 * Makes this process the only writer of a run directory. Must be called inside a write transaction of the run's database:
 * the system ends that when a process dies, so two processes never decide at the same time. A lock whose process is gone
 * is taken over and returned. Throws a StoreError that names the writer when there is one.
 */
export function takeLock(directory: string, since: number): { readonly replaced: Writer | null } {
  const holder = readLock(directory);
  if (holder !== null) {
    const state = writerState(holder);
    if (state === 'alive') {
      throw new StoreError(
        `${directory}: process ${holder.pid} on ${holder.host} is writing this run; ` +
          'wait for it or stop it (reading with status or report works meanwhile)',
      );
    }
    if (state === 'unknown') {
      throw new StoreError(
        `${directory}: process ${holder.pid} on ${holder.host} is writing this run; if that process is gone, ` +
          `delete ${path.join(directory, LOCK)} and try again`,
      );
    }
  }
  const own: Writer = {
    pid: process.pid,
    host: hostname(),
    started: processStart(process.pid)?.started ?? null,
    since,
  };
  writeLock(directory, own);
  return { replaced: holder };
}

/** Gives the lock back, if this process holds it. */
export function releaseLock(directory: string): void {
  const holder = readLock(directory);
  if (holder?.pid === process.pid && holder.host === hostname()) {
    rmSync(path.join(directory, LOCK), { force: true });
  }
}

/** Who holds the lock; null when nobody does, or when what is there was never finished. */
export function readLock(directory: string): Writer | null {
  const file = path.join(directory, LOCK);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null;
    throw storeFailure("can't read", file, cause);
  }
  return parseWriter(text);
}

function parseWriter(text: string): Writer | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  if (json === null || typeof json !== 'object') return null;
  const { pid, host, started, since } = json as Record<string, unknown>;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0 || typeof host !== 'string') return null;
  return {
    pid,
    host,
    started: typeof started === 'string' ? started : null,
    since: typeof since === 'number' ? since : 0,
  };
}

/** Whether the process that took a lock still runs: same number and, where the system tells, same start. */
export function writerState(writer: Writer): WriterState {
  if (writer.host !== hostname()) return 'unknown';
  const process_ = processStart(writer.pid);
  if (process_ !== null) {
    const other = writer.started !== null && writer.started !== process_.started;
    return process_.ended || other ? 'gone' : 'alive';
  }
  try {
    process.kill(writer.pid, 0);
    return 'alive';
  } catch (cause) {
    return errorCode(cause) === 'ESRCH' ? 'gone' : 'alive';
  }
}

/** From /proc: when a process started (clock ticks since boot), and whether it has ended but wasn't waited for. */
function processStart(pid: number): { readonly started: string; readonly ended: boolean } | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name, in parentheses, may itself hold spaces and parentheses; state is field 3, the start field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const started = fields[19];
  return started === undefined ? null : { started, ended: fields[0] === 'Z' || fields[0] === 'X' };
}

function writeLock(directory: string, writer: Writer): void {
  const file = path.join(directory, LOCK);
  try {
    const descriptor = openSync(`${file}.tmp`, 'w');
    try {
      writeSync(descriptor, `${JSON.stringify(writer)}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(`${file}.tmp`, file);
  } catch (cause) {
    rmSync(`${file}.tmp`, { force: true });
    throw storeFailure("can't write", file, cause);
  }
}
