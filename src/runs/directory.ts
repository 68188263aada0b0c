import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { StoreError } from '../core/errors.js';
import type { Json } from '../core/json.js';
import { Connection, type Access } from './connection.js';
import { errorCode, storeFailure } from './failure.js';
import { APPLICATION_ID, FORMAT_VERSION } from './schema.js';

/** What a run was started with. */
export interface RunInfo {
  readonly directory: string;
  /** Of Covolve, when the run was made. */
  readonly version: string;
  readonly preset: string;
  readonly seed: number | string;
  /** The whole resolved configuration. */
  readonly config: Json;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Last write, milliseconds since 1970. */
  readonly activeAt: number;
}

/** The database of a run directory. */
export function databaseFile(directory: string): string {
  return path.join(directory, 'run.sqlite');
}

/**
 * Opens the database of a run that is there. Throws a StoreError that says what is wrong: no such directory, none of
 * Covolve's, half-made, of another version, damaged, not allowed.
 */
export function openDatabase(directory: string, write: boolean): { db: Connection; info: RunInfo } {
  const file = databaseFile(directory);
  checkFile(directory, file, write);
  let db = connect(file, write ? 'write' : 'read');
  try {
    return { db, info: readInfo(db, directory) };
  } catch (cause) {
    db.close();
    // Where nothing can be written, the log can't be opened; without a log the file alone is the whole database.
    const unopened = errorCode(cause instanceof StoreError ? cause.cause : cause);
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
    if (write || !unopened || !/CANTOPEN|READONLY|IOERR/.test(unopened) || (log && log.size > 0)) throw cause;
    db = connect(file, 'immutable');
  }
  try {
    return { db, info: readInfo(db, directory) };
  } catch (cause) {
    db.close();
    throw cause;
  }
}

function connect(file: string, access: Access): Connection {
  const db = new Connection(file, access);
  try {
    if (access === 'write') db.useWal();
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}

/**
 * Finds out in words what SQLite would only call "unable to open". Never opens the file itself: closing any descriptor of it
 * would drop the locks that this process's connections hold on it, and another process would then take away their log.
 */
function checkFile(directory: string, file: string, write: boolean): void {
  try {
    if (!statSync(directory).isDirectory()) {
      throw new StoreError(
        `${directory}: a file, not a run directory; name a directory made by \`covolve run\``,
      );
    }
    if (!existsSync(file)) {
      throw new StoreError(
        `${directory}: no run in this directory (it has no run.sqlite); name a directory made by \`covolve run\``,
      );
    }
    if (!statSync(file).isFile()) throw new StoreError(`${file}: not a file, so there is no run here`);
    accessSync(file, write ? constants.R_OK | constants.W_OK : constants.R_OK);
    if (write) accessSync(directory, constants.W_OK);
  } catch (cause) {
    throw storeFailure("can't open", directory, cause);
  }
}

interface InfoRow {
  readonly version: string;
  readonly preset: string;
  readonly seed: number | string;
  readonly config: string;
  readonly created_at: number;
  readonly active_at: number;
}

function readInfo(db: Connection, directory: string): RunInfo {
  const file = databaseFile(directory);
  const kind = databaseKind(db);
  if (kind === 'empty') {
    throw new StoreError(
      `${directory}: this run was stopped while it was being made, and holds nothing; delete the directory and start it again`,
    );
  }
  if (kind === 'foreign') throw new StoreError(`${file}: a database, but not of a Covolve run`);
  const format = db.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
  if (format !== FORMAT_VERSION) {
    throw new StoreError(
      `${directory}: format ${format} of the run store, and this version of Covolve reads format ${FORMAT_VERSION}; ` +
        `use the version of Covolve that made the run`,
    );
  }
  const row = db.get<InfoRow>('SELECT version, preset, seed, config, created_at, active_at FROM run');
  if (row === null) throw new StoreError(`${file}: damaged, it doesn't say what run it is`);
  return {
    directory,
    version: row.version,
    preset: row.preset,
    seed: row.seed,
    config: JSON.parse(row.config) as Json,
    createdAt: row.created_at,
    activeAt: row.active_at,
  };
}

/** Whose database it is; `empty` when it was never filled. */
export function databaseKind(db: Connection): 'run' | 'empty' | 'foreign' {
  const id = db.get<{ application_id: number }>('PRAGMA application_id')?.application_id;
  if (id === APPLICATION_ID) return 'run';
  return db.get('SELECT 1 FROM sqlite_master LIMIT 1') === null ? 'empty' : 'foreign';
}
