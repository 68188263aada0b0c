import { rm } from 'node:fs/promises';
import { StoreError } from '../core/errors.js';
import type { PolicyState } from '../core/policy.js';
import type { StepKey } from '../core/ports.js';
import { conflict, placeName } from './checks.js';
import type { Connection } from './connection.js';
import { checkpointFile, readCheckpoint } from './files.js';

/** Where a checkpoint comes from and what it holds; everything but its bytes. */
export interface CheckpointInfo extends StepKey {
  /** Optimiser updates it holds. */
  readonly updates: number;
  /** What it was initialised from, as the method named it; null for nothing. */
  readonly parent: string | null;
  /** SHA-256 of its bytes, 64 hex digits. */
  readonly hash: string;
  /** In bytes. */
  readonly size: number;
  /** Whether its bytes stay when newer ones come. */
  readonly keep: boolean;
  /** `deleted`: newer ones took its place; `damaged`: it couldn't be loaded, or training went back to before it. */
  readonly blob: 'live' | 'deleted' | 'damaged';
  /** When it was recorded, milliseconds since 1970. */
  readonly at: number;
}

interface CheckpointRow extends Omit<CheckpointInfo, 'keep'> {
  readonly id: number;
  readonly keep: number;
}

const COLUMNS = 'id, round, role, step, updates, parent, hash, size, keep, blob, at';

/** All checkpoints in the order of recording; the bytes of some are gone (see `blob`). */
export function selectCheckpoints(db: Connection): CheckpointInfo[] {
  const rows = db.all<CheckpointRow>(`SELECT ${COLUMNS} FROM checkpoints ORDER BY id`);
  return rows.map(({ id: _id, keep, ...rest }) => ({ ...rest, keep: keep === 1 }));
}

/** Whether a blob has to stay: some row says its bytes are there, or keeps it as evidence of damage. */
export function isCheckpointReferred(db: Connection, hash: string): boolean {
  return db.get("SELECT 1 FROM checkpoints WHERE hash = ? AND blob <> 'deleted'", [hash]) !== null;
}

/**
 * Whether recording a checkpoint has to write its bytes: not when the same is recorded already and its file is whole, or
 * was given up for newer ones. (A method that starts again records much that is there.)
 */
export async function needsBlob(
  db: Connection,
  directory: string,
  { role, round, step }: StepKey,
  hash: string,
): Promise<boolean> {
  const there = db.get<{ blob: string }>(
    "SELECT blob FROM checkpoints WHERE role = ? AND round = ? AND step = ? AND hash = ? AND blob <> 'damaged'",
    [role, round, step, hash],
  );
  if (there === null) return true;
  return there.blob === 'live' && !('state' in (await readCheckpoint(directory, hash)));
}

/**
 * Adds a checkpoint whose blob is written, and marks the bytes of all but the role's newest `newest` (and those to keep) as
 * deleted. Inside a transaction. The same again changes nothing; another at the same place is a StoreError, unless the
 * one that is there was damaged. Returns the hashes whose files nobody needs any more.
 */
export function insertCheckpoint(
  db: Connection,
  checkpoint: StepKey & { readonly updates: number; readonly parent: string | null },
  blob: { readonly hash: string; readonly size: number },
  newest: number,
  at: number,
): string[] {
  const { round, role, step, updates, parent } = checkpoint;
  const there = db.get<CheckpointRow>(
    `SELECT ${COLUMNS} FROM checkpoints WHERE role = ? AND round = ? AND step = ?`,
    [role, round, step],
  );
  if (there !== null && there.blob !== 'damaged') {
    const same = there.hash === blob.hash && there.updates === updates && there.parent === parent;
    if (!same) throw conflict(placeName(checkpoint), `${role}'s weights`);
    return [];
  }
  // A damaged one is replaced by a new row: it is the newest again.
  if (there !== null) db.run('DELETE FROM checkpoints WHERE id = ?', [there.id]);
  db.run(
    'INSERT INTO checkpoints (id, round, role, step, updates, parent, hash, size, keep, at) ' +
      'VALUES ((SELECT coalesce(max(id), 0) + 1 FROM checkpoints), ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    [round, role, step, updates, parent, blob.hash, blob.size, there?.keep ?? 0, at],
  );
  const old = db.all<{ id: number; hash: string }>(
    "SELECT id, hash FROM checkpoints WHERE role = ? AND blob = 'live' AND keep = 0 AND id NOT IN " +
      "(SELECT id FROM checkpoints WHERE role = ? AND blob = 'live' ORDER BY id DESC LIMIT ?)",
    [role, role, newest],
  );
  for (const { id } of old) db.run("UPDATE checkpoints SET blob = 'deleted' WHERE id = ?", [id]);
  const replaced = there === null ? [] : [there.hash];
  return [...old.map(({ hash }) => hash), ...replaced].filter((hash) => !isCheckpointReferred(db, hash));
}

/** Marks a checkpoint to stay, whatever comes after it. Inside a transaction. Throws a StoreError when its bytes are gone. */
export function keepCheckpoint(db: Connection, key: StepKey): void {
  const place = [key.role, key.round, key.step];
  const where = "role = ? AND round = ? AND step = ? AND blob = 'live'";
  if (db.get(`SELECT 1 FROM checkpoints WHERE ${where}`, place) === null) {
    throw new StoreError(`${placeName(key)}: there is no checkpoint to keep`);
  }
  db.run(`UPDATE checkpoints SET keep = 1 WHERE ${where}`, place);
}

/** A checkpoint that was loaded and found whole, and those newer ones that weren't. */
export interface LoadedCheckpoint {
  readonly info: CheckpointInfo;
  readonly state: PolicyState;
  readonly damaged: ReadonlyArray<{ readonly info: CheckpointInfo; readonly damage: string }>;
}

/**
 * The newest checkpoint of a role whose bytes have their hash; null when the role has none. Throws a StoreError when it has
 * some and every one is damaged: starting over in silence would be worse.
 */
export async function loadNewest(
  db: Connection,
  directory: string,
  role: string,
): Promise<LoadedCheckpoint | null> {
  const candidates = selectCheckpoints(db).filter((info) => info.role === role && info.blob === 'live');
  const damaged: Array<{ info: CheckpointInfo; damage: string }> = [];
  for (const info of candidates.reverse()) {
    const read = await readCheckpoint(directory, info.hash);
    if ('state' in read) return { info, state: read.state, damaged };
    damaged.push({ info, damage: read.damage });
  }
  const last = damaged[0];
  if (last === undefined) return null;
  throw new StoreError(
    `${checkpointFile(directory, last.info.hash)}: damaged (${last.damage}), and ${role} has no older checkpoint; ` +
      'restore the file from a copy, or start a new run',
  );
}

/**
 * Gives up every checkpoint of a role that is newer than a place, because training goes on from there: they may be
 * recorded again, with whatever content. Inside a transaction.
 */
export function giveUpNewer(db: Connection, key: StepKey): void {
  db.run(
    "UPDATE checkpoints SET blob = 'damaged' WHERE role = ? AND id > " +
      '(SELECT id FROM checkpoints WHERE role = ? AND round = ? AND step = ?)',
    [key.role, key.role, key.round, key.step],
  );
}

/** Removes the files of checkpoints whose rows say that they are deleted. What can't be removed is left for the next sweep. */
export async function removeBlobs(directory: string, hashes: readonly string[]): Promise<void> {
  for (const hash of hashes) await rm(checkpointFile(directory, hash), { force: true }).catch(() => undefined);
}
