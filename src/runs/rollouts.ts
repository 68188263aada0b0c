import type { StepKey } from '../core/ports.js';
import type { Group, Rollout } from '../core/reward.js';
import type { Task, TaskContent } from '../core/task.js';
import { conflict, placeName, sameContent, taskConflict, taskContent, unknownTask } from './checks.js';
import {
  fingerprint,
  packTerms,
  packText,
  packWords,
  unpackLogprobs,
  unpackNumber,
  unpackTerms,
  unpackText,
  unpackTokens,
  type SqlValue,
} from './codec.js';
import type { Connection } from './connection.js';
import { findContent } from './tasks.js';

/**
 * Adds all groups of a step. Inside a transaction. The same groups again change nothing; others for the same step, or of a
 * task that isn't stored, are a StoreError.
 */
export function insertGroups(db: Connection, key: StepKey, groups: readonly Group[], at: number): void {
  for (const { task } of groups) {
    const stored = findContent(db, task.id);
    if (stored === null) throw unknownTask(placeName(key), task.id);
    if (!sameContent(stored, taskContent(task))) throw taskConflict(task.id);
  }
  const there = selectGroups(db, key);
  if (there !== null) {
    if (fingerprint(there) !== fingerprint(groups)) throw conflict(placeName(key), 'rollouts');
    return;
  }
  const place = [key.round, key.role, key.step];
  db.run('INSERT INTO steps (round, role, step, at) VALUES (?, ?, ?, ?)', [...place, at]);
  const rows: SqlValue[][] = [];
  groups.forEach((group, position) => {
    db.run('INSERT INTO groups (round, role, step, position, task, pass_rate) VALUES (?, ?, ?, ?, ?, ?)', [
      ...place,
      position,
      group.task.id,
      group.passRate,
    ]);
    for (const rollout of group.rollouts) rows.push([...place, position, group.task.id, ...rolloutValues(rollout)]);
  });
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
    const batch = rows.slice(from, from + ROWS_A_STATEMENT);
    db.run(insertRollouts(batch.length), batch.flat());
  }
}

/** Several rows a statement are twice as fast as one. */
const ROWS_A_STATEMENT = 32;

function insertRollouts(rows: number): string {
  const row = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
  return `INSERT INTO rollouts (round, role, step, position, task, ${VALUE_COLUMNS}) VALUES ${Array(rows).fill(row).join(', ')}`;
}

const VALUE_COLUMNS = 'sample, text, tokens, logprobs, finish, reward, terms, correct, advantage';

/** The values of {@link VALUE_COLUMNS}. */
function rolloutValues({ sample, completion, score, advantage }: Rollout): SqlValue[] {
  return [
    sample,
    packText(completion.text),
    packWords(completion.tokens),
    packWords(completion.logprobs),
    completion.finish,
    score.total,
    packTerms(score.terms),
    score.correct ? 1 : 0,
    advantage,
  ];
}

interface GroupRow {
  readonly position: number;
  readonly task: string;
  readonly pass_rate: number | string;
  readonly content: string;
}

interface RolloutRow {
  readonly position: number;
  readonly sample: number;
  readonly text: string | ArrayBuffer;
  readonly tokens: ArrayBuffer;
  readonly logprobs: ArrayBuffer;
  readonly finish: 'stop' | 'length';
  readonly reward: number | string;
  readonly terms: string;
  readonly correct: number;
  readonly advantage: number | string;
}

const ROLLOUT_COLUMNS = `position, ${VALUE_COLUMNS}`;

/** A step's groups, in the order of the batch and exactly as recorded; null when the step isn't there. */
export function selectGroups(db: Connection, key: StepKey): Group[] | null {
  const place = [key.round, key.role, key.step];
  if (db.get('SELECT 1 FROM steps WHERE round = ? AND role = ? AND step = ?', place) === null) return null;
  const tasks = new Map<string, Task>();
  const groups = db.all<GroupRow>(
    'SELECT groups.position, task, pass_rate, content FROM groups JOIN tasks ON tasks.id = groups.task ' +
      'WHERE groups.round = ? AND role = ? AND step = ? ORDER BY groups.position',
    place,
  );
  const rollouts = groups.map((): Rollout[] => []);
  const sql = `SELECT ${ROLLOUT_COLUMNS} FROM rollouts WHERE round = ? AND role = ? AND step = ? ORDER BY id`;
  for (const row of db.all<RolloutRow>(sql, place)) rollouts[row.position]?.push(readRollout(row));
  return groups.map((row) => {
    const task =
      tasks.get(row.task) ?? Object.freeze({ id: row.task, ...(JSON.parse(row.content) as TaskContent) });
    tasks.set(row.task, task);
    return {
      task,
      rollouts: rollouts[row.position] ?? [],
      passRate: unpackNumber(row.pass_rate),
    };
  });
}

/** Every group of a task, in the order of recording, with the place where it was sampled. */
export function selectGroupsOfTask(db: Connection, task: Task): Array<StepKey & { readonly group: Group }> {
  const rows = db.all<StepKey & Pick<GroupRow, 'position' | 'pass_rate'>>(
    'SELECT round, role, step, position, pass_rate FROM groups WHERE task = ? ORDER BY id',
    [task.id],
  );
  return rows.map(({ round, role, step, position, pass_rate }) => {
    // A batch may hold two groups of one task, so the position decides.
    const rollouts = db.all<RolloutRow>(
      `SELECT ${ROLLOUT_COLUMNS} FROM rollouts ` +
        'WHERE round = ? AND role = ? AND step = ? AND task = ? AND position = ? ORDER BY id',
      [round, role, step, task.id, position],
    );
    const group = { task, rollouts: rollouts.map(readRollout), passRate: unpackNumber(pass_rate) };
    return { round, role, step, group };
  });
}

function readRollout(row: RolloutRow): Rollout {
  return {
    sample: row.sample,
    completion: {
      text: unpackText(row.text),
      tokens: unpackTokens(row.tokens),
      logprobs: unpackLogprobs(row.logprobs),
      finish: row.finish,
    },
    score: {
      total: unpackNumber(row.reward),
      terms: unpackTerms(row.terms),
      correct: row.correct === 1,
    },
    advantage: unpackNumber(row.advantage),
  };
}
