import path from 'node:path';
import type { Image } from '../core/image.js';
import type { Json } from '../core/json.js';
import type { Metric, Proposal, StepKey, StoredTask } from '../core/ports.js';
import type { Group } from '../core/reward.js';
import { selectCheckpoints, type CheckpointInfo } from './checkpoints.js';
import { unpackNumber } from './codec.js';
import type { Connection } from './connection.js';
import { openDatabase, type RunInfo } from './directory.js';
import { runDigest } from './digest.js';
import { readCheckpoint, readImage } from './files.js';
import { readLock, writerState, type Writer, type WriterState } from './lock.js';
import { selectGroups, selectGroupsOfTask } from './rollouts.js';
import { readTask, selectProposals, selectTasks, TASK_COLUMNS, type TaskRow } from './tasks.js';

/** Tasks are read this many at a time. */
const PAGE = 256;

/** Which tasks: all of them when nothing is named. */
export interface TaskFilter {
  readonly round?: number;
  readonly parentTaskId?: string;
}

/** How often proposals of a round were refused for a reason. */
export interface RejectionCount {
  readonly round: number;
  readonly origin: string;
  readonly reason: string;
  readonly count: number;
}

/** How often a policy was right on a task at one place. */
export interface TaskPassRate extends StepKey {
  readonly taskId: string;
  /** correct / K as recorded, in [0, 1]. */
  readonly passRate: number;
  /** K. */
  readonly rollouts: number;
}

/** The rollouts of a step in numbers; means are over its rollouts and null when it has none. */
export interface StepSummary extends StepKey {
  readonly groups: number;
  readonly rollouts: number;
  /** Share of right answers, in [0, 1]. */
  readonly correct: number | null;
  readonly meanReward: number | null;
  /** In tokens. */
  readonly meanLength: number | null;
  /** Share that reached the longest length, in [0, 1]. */
  readonly truncated: number | null;
  /** When it was recorded, milliseconds since 1970. */
  readonly at: number;
}

/** Something that happened beside the rounds. */
export interface RunEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: string;
  readonly detail: Json;
}

/** How much a run holds. */
export interface RunCounts {
  readonly tasks: number;
  readonly images: number;
  readonly proposals: number;
  readonly accepted: number;
  readonly steps: number;
  readonly groups: number;
  readonly rollouts: number;
  readonly checkpoints: number;
  readonly events: number;
}

/**
 * A run as report, status, verify and compare see it. Takes no lock and changes nothing, so it works while another process
 * writes, and on a read-only disk. Each call sees what was recorded when it was made; iterators hold nothing open between
 * their pages. Owns a database connection until `close`.
 */
export class RunReader {
  private constructor(
    private readonly opened: RunInfo,
    private readonly db: Connection,
  ) {}

  /** Throws a StoreError that says what is wrong with the directory: no run, half-made, another version, damaged. */
  static open(directory: string): RunReader {
    const { db, info } = openDatabase(path.resolve(directory), false);
    return new RunReader(info, db);
  }

  /** What the run is, with the time of its last write as of now. */
  info(): RunInfo {
    const row = this.db.get<{ active_at: number }>('SELECT active_at FROM run');
    return { ...this.opened, activeAt: row?.active_at ?? this.opened.activeAt };
  }

  /** Who writes the run; null when nobody does. A writer that is `gone` was killed: the run can be resumed. */
  writer(): (Writer & { readonly state: WriterState }) | null {
    const writer = readLock(this.opened.directory);
    return writer === null ? null : { ...writer, state: writerState(writer) };
  }

  /** Every round that something was recorded in, ascending (0 holds seeds and what was measured before round 1). */
  rounds(): number[] {
    const sql =
      'SELECT round FROM rounds UNION SELECT round FROM steps UNION SELECT round FROM measurements ' +
      'UNION SELECT round FROM tasks UNION SELECT round FROM checkpoints ORDER BY round';
    return this.db.all<{ round: number }>(sql).map(({ round }) => round);
  }

  /** Tasks in the order of recording, a page at a time. */
  *tasks(filter: TaskFilter = {}): Generator<StoredTask, void> {
    const conditions = ['position > ?'];
    const values: Array<string | number> = [];
    if (filter.round !== undefined) {
      conditions.push('round = ?');
      values.push(filter.round);
    }
    if (filter.parentTaskId !== undefined) {
      conditions.push('parent = ?');
      values.push(filter.parentTaskId);
    }
    const sql =
      `SELECT ${TASK_COLUMNS} FROM tasks WHERE ${conditions.join(' AND ')} ` +
      `ORDER BY position LIMIT ${PAGE}`;
    for (let after = 0; ; ) {
      const page = this.db.all<TaskRow>(sql, [after, ...values]);
      for (const row of page) yield readTask(row);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.position;
    }
  }

  /** A task by its id; null when it isn't there. */
  task(id: string): StoredTask | null {
    if (this.db.get('SELECT 1 FROM tasks WHERE id = ?', [id]) === null) return null;
    return selectTasks(this.db, [id])[0] ?? null;
  }

  /** The pixels of a stored image; null when the run has no such image. Throws a StoreError when its file is damaged. */
  async image(hash: string): Promise<Image | null> {
    const known = this.db.get('SELECT 1 FROM images WHERE hash = ?', [hash]) !== null;
    return known ? readImage(this.opened.directory, hash) : null;
  }

  /** Rounds whose proposals are recorded, ascending. */
  proposalRounds(): number[] {
    return this.db
      .all<{ round: number }>('SELECT round FROM rounds ORDER BY round')
      .map(({ round }) => round);
  }

  /** A round's proposals by index, with what became of them; empty when none are recorded. */
  proposals(round: number): Proposal[] {
    return selectProposals(this.db, round) ?? [];
  }

  /** Rejections counted by round, origin and reason. */
  rejections(): RejectionCount[] {
    return this.db
      .all<RejectionCount>(
        'SELECT round, origin, reason, count(*) AS count FROM proposals WHERE reason IS NOT NULL ' +
          'GROUP BY round, origin, reason ORDER BY round, origin, count(*) DESC, reason',
      )
      .map(({ round, origin, reason, count }) => ({ round, origin, reason, count }));
  }

  /** Steps whose rollouts are recorded, in that order, with their numbers. */
  steps(): StepSummary[] {
    const sql =
      'SELECT s.round, s.role, s.step, s.at, ' +
      '(SELECT count(*) FROM groups g WHERE g.round = s.round AND g.role = s.role AND g.step = s.step) AS groups, ' +
      'count(r.id) AS rollouts, avg(r.correct) AS correct, avg(r.reward) AS meanReward, ' +
      "avg(length(r.tokens) / 4) AS meanLength, avg(r.finish = 'length') AS truncated " +
      'FROM steps s LEFT JOIN rollouts r ON r.round = s.round AND r.role = s.role AND r.step = s.step ' +
      'GROUP BY s.id ORDER BY s.id';
    return this.db.all<StepSummary>(sql);
  }

  /** A step's groups exactly as recorded; null when the step isn't there. */
  groups(key: StepKey): Group[] | null {
    return selectGroups(this.db, key);
  }

  /** Every group of a task with all its rollouts, in the order of recording. */
  groupsOfTask(taskId: string): Array<StepKey & { readonly group: Group }> {
    const stored = this.task(taskId);
    return stored === null ? [] : selectGroupsOfTask(this.db, stored.task);
  }

  /** Pass rates without the rollouts, in the order of recording. */
  passRates(filter: { readonly round?: number; readonly role?: string } = {}): TaskPassRate[] {
    const conditions = ['1'];
    const values: Array<string | number> = [];
    if (filter.round !== undefined) {
      conditions.push('g.round = ?');
      values.push(filter.round);
    }
    if (filter.role !== undefined) {
      conditions.push('g.role = ?');
      values.push(filter.role);
    }
    const sql =
      'SELECT g.round, g.role, g.step, g.task, g.pass_rate, (SELECT count(*) FROM rollouts r WHERE r.round = g.round ' +
      'AND r.role = g.role AND r.step = g.step AND r.task = g.task AND r.position = g.position) AS rollouts ' +
      `FROM groups g WHERE ${conditions.join(' AND ')} ORDER BY g.id`;
    interface Row extends StepKey {
      readonly task: string;
      readonly pass_rate: number;
      readonly rollouts: number;
    }
    return this.db.all<Row>(sql, values).map(({ round, role, step, task, pass_rate, rollouts }) => ({
      round,
      role,
      step,
      taskId: task,
      passRate: pass_rate,
      rollouts,
    }));
  }

  /** Names of all metrics, in the order in which they first appeared. */
  metricNames(): string[] {
    return this.db
      .all<{ name: string }>('SELECT name FROM metrics GROUP BY name ORDER BY min(id)')
      .map(({ name }) => name);
  }

  /** All values of a metric, in the order of recording. */
  metrics(name: string): Metric[] {
    interface Row extends StepKey {
      readonly value: number | string;
    }
    const rows = this.db.all<Row>(
      'SELECT p.round, p.role, p.step, m.value FROM metrics m JOIN measurements p ON p.id = m.measurement ' +
        'WHERE m.name = ? ORDER BY m.id',
      [name],
    );
    return rows.map(({ round, role, step, value }) => ({
      round,
      role,
      step,
      name,
      value: unpackNumber(value),
    }));
  }

  /** All checkpoints in the order of recording. */
  checkpoints(): CheckpointInfo[] {
    return selectCheckpoints(this.db);
  }

  /** The bytes of a checkpoint, or what is wrong with its file. */
  async checkpoint(hash: string): Promise<{ readonly state: Uint8Array } | { readonly damage: string }> {
    return readCheckpoint(this.opened.directory, hash);
  }

  /** All events in the order of recording. */
  events(): RunEvent[] {
    return this.db
      .all<{ at: number; kind: string; detail: string }>('SELECT at, kind, detail FROM events ORDER BY id')
      .map(({ at, kind, detail }) => ({ at, kind, detail: JSON.parse(detail) as Json }));
  }

  counts(): RunCounts {
    const count = (from: string): number =>
      this.db.get<{ n: number }>(`SELECT count(*) AS n FROM ${from}`)?.n ?? 0;
    return {
      tasks: count('tasks'),
      images: count('images'),
      proposals: count('proposals'),
      accepted: count("proposals WHERE outcome = 'accepted'"),
      steps: count('steps'),
      groups: count('groups'),
      rollouts: count('rollouts'),
      checkpoints: count('checkpoints'),
      events: count('events'),
    };
  }

  /**
   * SHA-256 over all that the run holds but times, events and which checkpoint files are left: equal for a run that was
   * interrupted and one that wasn't. `ignore` leaves metrics out by name (rates, seconds).
   */
  digest(ignore: (metric: string) => boolean = () => false): string {
    return runDigest(this.db, ignore);
  }

  /** What SQLite and the foreign keys say about the file: empty when it is whole. */
  problems(): string[] {
    const check = this.db.all<{ integrity_check: string }>('PRAGMA integrity_check');
    const lines = check.map((row) => row.integrity_check).filter((line) => line !== 'ok');
    const dangling = this.db.all<{ table: string; parent: string }>('PRAGMA foreign_key_check');
    return [...lines, ...dangling.map((row) => `${row.table} refers to a missing row of ${row.parent}`)];
  }

  close(): void {
    this.db.close();
  }
}
