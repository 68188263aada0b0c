import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { StoreError } from '../core/errors.js';
import type { Image } from '../core/image.js';
import type { Json } from '../core/json.js';
import type { PolicyState } from '../core/policy.js';
import type { Proposal, RunJournal, StepKey, StoredTask } from '../core/ports.js';
import type { Group } from '../core/reward.js';
import { checkCount, checkGroups, checkPlace, checkProposals, placeName } from './checks.js';
import {
  giveUpNewer,
  insertCheckpoint,
  isCheckpointReferred,
  keepCheckpoint,
  loadNewest,
  needsBlob,
  removeBlobs,
} from './checkpoints.js';
import { Connection } from './connection.js';
import { databaseFile, databaseKind, openDatabase, type RunInfo } from './directory.js';
import { storeFailure } from './failure.js';
import { checkpointFile, readImage, sha256, sweep, writeFileAtomic, writeImages } from './files.js';
import { releaseLock, takeLock } from './lock.js';
import { insertMetrics, MetricsMirror, selectMetrics } from './metrics.js';
import { insertGroups, selectGroups } from './rollouts.js';
import { APPLICATION_ID, FORMAT_VERSION, SCHEMA } from './schema.js';
import { insertImages, insertProposals, insertTasks, selectProposals, selectTasks } from './tasks.js';

/** What a new run is. */
export interface NewRun {
  /** The whole resolved configuration. */
  readonly config: Json;
  readonly seed: number | string;
  readonly preset: string;
  /** Covolve's own version. */
  readonly version: string;
}

/** How a store behaves; nothing here changes what a run holds. */
export interface StoreSettings {
  /** How many checkpoints of a role keep their bytes, beside those marked to keep; at least 1. Default 2. */
  readonly newestCheckpoints?: number;
  /** One line for the user about something unusual (a stale lock, a damaged checkpoint). */
  readonly note?: (line: string) => void;
  /** Milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/**
 * A run on disk: SQLite (write-ahead log) for what is asked about, files by content hash for pictures and checkpoints. One
 * process writes at a time (the lock); any number may read meanwhile (RunReader). Everything recorded is durable when the
 * call returns; a process killed at any instant leaves a store that opens, with every record whole or absent.
 *
 * Disk trouble is a StoreError of one line (what, where, remedy); the store stays usable and the call may be repeated.
 * `close` gives the lock back.
 */
export class RunStore implements RunJournal {
  private readonly mirror: MetricsMirror;
  private readonly newest: number;
  private readonly note: (line: string) => void;
  private readonly now: () => number;
  private queue: Promise<unknown> = Promise.resolve();
  private closed = false;

  private constructor(
    readonly info: RunInfo,
    private readonly db: Connection,
    private readonly writable: boolean,
    settings: StoreSettings,
  ) {
    this.newest = newestOf(settings);
    this.note = settings.note ?? (() => undefined);
    this.now = settings.now ?? Date.now;
    this.mirror = new MetricsMirror(info.directory, db, this.note);
  }

  /**
   * Makes a run in a directory that is new, empty, or left by a creation that was interrupted, and locks it. Throws a
   * StoreError when there is something else.
   */
  static async create(directory: string, run: NewRun, settings: StoreSettings = {}): Promise<RunStore> {
    newestOf(settings);
    const now = settings.now ?? Date.now;
    const root = path.resolve(directory);
    prepareDirectory(root);
    const db = new Connection(databaseFile(root), 'write');
    let locked = false;
    try {
      if (databaseKind(db) === 'foreign') throw new StoreError(`${root}: holds a database of something else`);
      db.useWal();
      db.transaction(() => {
        if (databaseKind(db) === 'run') {
          throw new StoreError(`${root}: already holds a run; resume it, or name a new directory`);
        }
        const at = now();
        takeLock(root, at);
        locked = true;
        db.exec(SCHEMA);
        db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
        db.exec(`PRAGMA user_version = ${FORMAT_VERSION}`);
        const { version, preset, seed, config } = run;
        db.run('INSERT INTO run VALUES (1, ?, ?, ?, ?, ?, ?)', [
          version,
          preset,
          seed,
          JSON.stringify(config),
          at,
          at,
        ]);
        insertEvent(db, at, 'created', { version, pid: process.pid });
      });
    } catch (cause) {
      db.close();
      if (locked) releaseLock(root);
      throw cause;
    }
    db.close();
    // Opened anew, so that a new run and a resumed one take the same way; the lock is this process's already.
    makeFolders(root);
    const opened = openDatabase(root, true);
    return new RunStore(opened.info, opened.db, true, settings);
  }

  /**
   * Opens a run that is there. To write, the run must not be written by another process; what a killed writer left behind
   * (a stale lock, unfinished files, a torn line of metrics) is put right. To read, nothing is locked or changed, and
   * every `record*` throws. Throws a StoreError.
   */
  static async open(
    directory: string,
    mode: { readonly write: boolean },
    settings: StoreSettings = {},
  ): Promise<RunStore> {
    newestOf(settings);
    const root = path.resolve(directory);
    const { db, info } = openDatabase(root, mode.write);
    const store = new RunStore(info, db, mode.write, settings);
    if (!mode.write) return store;
    try {
      makeFolders(root);
      db.transaction(() => {
        const at = store.now();
        const { replaced } = takeLock(root, at);
        insertEvent(db, at, 'opened', { pid: process.pid });
        if (replaced) insertEvent(db, at, 'lock-taken-over', { pid: replaced.pid, host: replaced.host });
        if (replaced) store.note(`took over from process ${replaced.pid}, which ended without closing the run`);
      });
    } catch (cause) {
      db.close();
      throw cause;
    }
    await sweep(root, (hash) => isCheckpointReferred(db, hash));
    await store.mirror.repair();
    return store;
  }

  /** Writes `config.yaml`: the configuration as a person would edit it. For the reader only; `info.config` is what counts. */
  async writeConfigFile(yaml: string): Promise<void> {
    await this.exclusively(() => writeFileAtomic(path.join(this.info.directory, 'config.yaml'), yaml));
  }

  async findProposals(round: number): Promise<readonly Proposal[] | null> {
    return selectProposals(this.db, round);
  }

  async recordProposals(
    round: number,
    proposals: readonly Proposal[],
    tasks: readonly StoredTask[],
    images: readonly Image[],
  ): Promise<void> {
    checkProposals(round, proposals);
    await this.exclusively(async () => {
      const stored = await writeImages(this.info.directory, images);
      this.commit((at) => {
        insertImages(this.db, stored);
        insertProposals(this.db, round, proposals, tasks, at);
      });
    });
  }

  async findTasks(ids: readonly string[]): Promise<readonly StoredTask[]> {
    return selectTasks(this.db, ids);
  }

  async recordTasks(tasks: readonly StoredTask[], images: readonly Image[]): Promise<void> {
    await this.exclusively(async () => {
      const stored = await writeImages(this.info.directory, images);
      this.commit(() => {
        insertImages(this.db, stored);
        insertTasks(this.db, tasks);
      });
    });
  }

  async findImage(hash: string): Promise<Image | null> {
    const known = this.db.get('SELECT 1 FROM images WHERE hash = ?', [hash]) !== null;
    return known ? readImage(this.info.directory, hash) : null;
  }

  async findGroups(key: StepKey): Promise<readonly Group[] | null> {
    return selectGroups(this.db, key);
  }

  async recordGroups(key: StepKey, groups: readonly Group[]): Promise<void> {
    checkGroups(key, groups);
    await this.exclusively(async () => this.commit((at) => insertGroups(this.db, key, groups, at)));
  }

  async findMetrics(key: StepKey): Promise<Readonly<Record<string, number>> | null> {
    return selectMetrics(this.db, key);
  }

  async recordMetrics(key: StepKey, metrics: Readonly<Record<string, number>>): Promise<void> {
    checkPlace(key);
    await this.exclusively(async () => {
      let recordedAt: number | null = null;
      this.commit((at) => {
        if (insertMetrics(this.db, key, metrics, at)) recordedAt = at;
      });
      if (recordedAt !== null) await this.mirror.append(key, metrics, recordedAt);
    });
  }

  /**
   * The newest checkpoint whose bytes are whole. Damaged ones are passed over with a note and an event, and may then be
   * recorded again. Throws a StoreError when all that are there are damaged.
   */
  async latestCheckpoint(
    role: string,
  ): Promise<{ readonly updates: number; readonly state: PolicyState } | null> {
    return this.exclusively(async () => {
      const loaded = await loadNewest(this.db, this.info.directory, role);
      if (loaded === null) return null;
      const { info, state, damaged } = loaded;
      for (const { info: bad, damage } of damaged) {
        this.note(
          `the checkpoint of ${placeName(bad)} is damaged (${damage}); going back to that of ${placeName(info)}`,
        );
      }
      if (damaged.length > 0 && this.writable) {
        this.commit((at) => {
          giveUpNewer(this.db, info);
          for (const { info: bad, damage } of damaged) {
            const { round, step, hash } = bad;
            insertEvent(this.db, at, 'checkpoint-damaged', { role, round, step, hash, damage });
          }
        });
      }
      return { updates: info.updates, state };
    });
  }

  async recordCheckpoint(
    checkpoint: StepKey & { readonly updates: number; readonly parent: string | null },
    state: PolicyState,
  ): Promise<void> {
    checkPlace(checkpoint);
    checkCount('updates', checkpoint.updates);
    const { directory } = this.info;
    await this.exclusively(async () => {
      const blob = { hash: sha256(state), size: state.length };
      if (await needsBlob(this.db, directory, checkpoint, blob.hash)) {
        await writeFileAtomic(checkpointFile(directory, blob.hash), state);
      }
      const unneeded = this.commit((at) => insertCheckpoint(this.db, checkpoint, blob, this.newest, at));
      await removeBlobs(directory, unneeded);
    });
  }

  /** Marks a checkpoint so that its bytes stay when newer ones come. Throws a StoreError when they are gone. */
  async keepCheckpoint(key: StepKey): Promise<void> {
    await this.exclusively(async () => this.commit(() => keepCheckpoint(this.db, key)));
  }

  async recordEvent(kind: string, detail: Json): Promise<void> {
    await this.exclusively(async () => this.commit((at) => insertEvent(this.db, at, kind, detail)));
  }

  async findEvents(kind: string): Promise<readonly Json[]> {
    const sql = 'SELECT detail FROM events WHERE kind = ? ORDER BY id';
    return this.db.all<{ detail: string }>(sql, [kind]).map(({ detail }) => JSON.parse(detail) as Json);
  }

  /** Waits for what is being recorded, closes the database and gives the lock back. Harmless when called again. */
  async close(): Promise<void> {
    await this.queue;
    if (this.closed) return;
    this.closed = true;
    this.db.close();
    if (this.writable) releaseLock(this.info.directory);
  }

  /** One transaction, with the time that it is recorded under. */
  private commit<T>(work: (at: number) => T): T {
    if (!this.writable) {
      throw new StoreError(`${this.info.directory}: opened for reading; open it for writing to record anything`);
    }
    const at = this.now();
    return this.db.transaction(() => {
      const result = work(at);
      this.db.run('UPDATE run SET active_at = ?', [at]);
      return result;
    });
  }

  /** Runs one call after the other, in the order they were made: files are only ever written by one of them. */
  private exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.queue.then(() => {
      if (this.closed) throw new StoreError(`${this.info.directory}: the run was closed`);
      return work();
    });
    this.queue = result.catch(() => undefined);
    return result;
  }
}

function newestOf(settings: StoreSettings): number {
  const newest = settings.newestCheckpoints ?? 2;
  if (!Number.isInteger(newest) || newest < 1) {
    throw new RangeError(`newestCheckpoints must be a whole number from 1, got ${newest}`);
  }
  return newest;
}

function insertEvent(db: Connection, at: number, kind: string, detail: Json): void {
  db.run('INSERT INTO events (at, kind, detail) VALUES (?, ?, ?)', [at, kind, JSON.stringify(detail)]);
}

/** What an interrupted creation may have left. */
const OWN_NAMES = /^(run\.sqlite(-wal|-shm|-journal)?|blobs|checkpoints|lock(\.tmp)?)$/;

function prepareDirectory(root: string): void {
  let foreign: string | undefined;
  try {
    makeDirectory(root);
    foreign = readdirSync(root).find((name) => !OWN_NAMES.test(name));
    if (readdirSync(root).includes('run.sqlite')) return;
    if (foreign === undefined) return makeFolders(root);
  } catch (cause) {
    throw storeFailure("can't make the run directory", root, cause);
  }
  throw new StoreError(`${root}: not empty (it holds ${foreign}), and no run; name a new directory`);
}

/** Like `mkdir -p`, which in Node hides why it failed on a read-only disk. */
function makeDirectory(directory: string): void {
  if (!existsSync(directory)) {
    makeDirectory(path.dirname(directory));
    mkdirSync(directory);
  }
}

function makeFolders(root: string): void {
  for (const name of ['blobs', 'checkpoints']) {
    try {
      mkdirSync(path.join(root, name), { recursive: true });
    } catch (cause) {
      throw storeFailure("can't write", root, cause);
    }
  }
}
