import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { StepKey } from '../core/ports.js';
import { conflict, placeName } from './checks.js';
import { fingerprint, packNumber, unpackNumber } from './codec.js';
import type { Connection } from './connection.js';
import { errorCode } from './failure.js';
import { writeFileAtomic } from './files.js';

/**
 * Adds the metrics of a place; NaN and infinities are kept, so that a diverged run shows. Inside a transaction. The same
 * again changes nothing; other metrics of the same place are a StoreError. Returns whether anything was added.
 */
export function insertMetrics(
  db: Connection,
  key: StepKey,
  metrics: Readonly<Record<string, number>>,
  at: number,
): boolean {
  const there = selectMetrics(db, key);
  if (there !== null) {
    if (fingerprint(there) !== fingerprint(metrics)) throw conflict(placeName(key), 'metrics');
    return false;
  }
  db.run('INSERT INTO measurements (round, role, step, at) VALUES (?, ?, ?, ?)', [
    key.round,
    key.role,
    key.step,
    at,
  ]);
  const id = measurementOf(db, key) as number;
  for (const [name, value] of Object.entries(metrics)) {
    db.run('INSERT INTO metrics (measurement, name, value) VALUES (?, ?, ?)', [id, name, packNumber(value)]);
  }
  return true;
}

function measurementOf(db: Connection, key: StepKey): number | null {
  const sql = 'SELECT id FROM measurements WHERE round = ? AND role = ? AND step = ?';
  return db.get<{ id: number }>(sql, [key.round, key.role, key.step])?.id ?? null;
}

/** The metrics of a place by name, in the order recorded; null when none were. */
export function selectMetrics(db: Connection, key: StepKey): Record<string, number> | null {
  const id = measurementOf(db, key);
  if (id === null) return null;
  const sql = 'SELECT name, value FROM metrics WHERE measurement = ? ORDER BY id';
  const rows = db.all<{ name: string; value: number | string }>(sql, [id]);
  return Object.fromEntries(rows.map(({ name, value }) => [name, unpackNumber(value)]));
}

/**
 * `metrics.jsonl`: one line `{round, role, step, at, metrics}` for every place with metrics, in the order of recording, for
 * `tail -f` and for plotting without SQL. The database is the truth; what a crash or a full disk took from the file is put
 * back from there. NaN and infinities, which JSON lacks, are null.
 */
export class MetricsMirror {
  private stale = false;

  constructor(
    private readonly directory: string,
    private readonly db: Connection,
    private readonly note: (line: string) => void,
  ) {}

  /** Appends the newest place. Never throws: a mirror is no reason to stop a run. */
  async append(key: StepKey, metrics: Readonly<Record<string, number>>, at: number): Promise<void> {
    if (this.stale) return this.repair();
    try {
      appendFileSync(this.file, mirrorLine(key, metrics, at));
    } catch (cause) {
      this.fail(cause);
    }
  }

  /** Compares the file with the database and writes it anew where it differs. */
  async repair(): Promise<void> {
    try {
      const lines = this.expected();
      if (readIfThere(this.file) !== lines) await writeFileAtomic(this.file, lines);
      this.stale = false;
    } catch (cause) {
      this.fail(cause);
    }
  }

  private get file(): string {
    return path.join(this.directory, 'metrics.jsonl');
  }

  private fail(cause: unknown): void {
    if (!this.stale) {
      this.note(
        `${this.file} can't be written (${errorCode(cause) ?? (cause as Error).message}); it will be repaired`,
      );
    }
    this.stale = true;
  }

  private expected(): string {
    const sql = 'SELECT id, round, role, step, at FROM measurements ORDER BY id';
    const places = this.db.all<StepKey & { id: number; at: number }>(sql);
    return places.map((place) => mirrorLine(place, selectMetrics(this.db, place) ?? {}, place.at)).join('');
  }
}

function mirrorLine(key: StepKey, metrics: Readonly<Record<string, number>>, at: number): string {
  const { round, role, step } = key;
  return `${JSON.stringify({ round, role, step, at: new Date(at).toISOString(), metrics })}\n`;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return '';
    throw cause;
  }
}
