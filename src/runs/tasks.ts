import type { ImageRef } from '../core/image.js';
import type { Json } from '../core/json.js';
import type { Proposal, StoredTask } from '../core/ports.js';
import type { Lineage } from '../core/environment.js';
import type { TaskContent } from '../core/task.js';
import {
  checkCount,
  conflict,
  missingImage,
  sameContent,
  taskConflict,
  taskContent,
  unknownTask,
} from './checks.js';
import {
  fingerprint,
  packText,
  packWords,
  unpackLogprobs,
  unpackNumber,
  unpackText,
  unpackTokens,
} from './codec.js';
import type { Connection } from './connection.js';
import type { StoredImage } from './files.js';

/** Notes images whose files are there. Inside a transaction. */
export function insertImages(db: Connection, images: readonly StoredImage[]): void {
  for (const { hash, width, height, bytes } of images) {
    db.run('INSERT INTO images VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING', [hash, width, height, bytes]);
  }
}

function hasImage(db: Connection, image: ImageRef): boolean {
  const sql = 'SELECT 1 FROM images WHERE hash = ? AND width = ? AND height = ?';
  return db.get(sql, [image.hash, image.width, image.height]) !== null;
}

/** A row of `tasks` as it is read. */
export interface TaskRow {
  readonly position: number;
  readonly id: string;
  readonly round: number;
  readonly parent: string | null;
  readonly content: string;
  readonly lineage: string;
}

/** The columns of a {@link TaskRow}. */
export const TASK_COLUMNS = 'position, id, round, parent, content, lineage';

/** A task from its row. */
export function readTask(row: TaskRow): StoredTask {
  const content = JSON.parse(row.content) as TaskContent;
  return {
    task: Object.freeze({ id: row.id, ...content }),
    lineage: JSON.parse(row.lineage) as Lineage,
    parentTaskId: row.parent,
    round: row.round,
  };
}

/** Adds tasks; those already there with the same content are left as they are. Inside a transaction. Throws a StoreError. */
export function insertTasks(db: Connection, tasks: readonly StoredTask[]): void {
  for (const { task, lineage, parentTaskId, round } of tasks) {
    checkCount('round', round);
    const content = taskContent(task);
    const there = findContent(db, task.id);
    if (there !== null) {
      if (!sameContent(there, content)) throw taskConflict(task.id);
      continue;
    }
    for (const image of content.images) if (!hasImage(db, image)) throw missingImage(task.id, image);
    db.run(
      'INSERT INTO tasks (id, round, parent, environment, seed, label, content, lineage) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      [
        task.id,
        round,
        parentTaskId,
        content.environment,
        lineage.seedId,
        content.label.origin,
        JSON.stringify(content),
        JSON.stringify(lineage),
      ],
    );
  }
}

/** The content of a stored task; null when it isn't there. */
export function findContent(db: Connection, id: string): TaskContent | null {
  const row = db.get<{ content: string }>('SELECT content FROM tasks WHERE id = ?', [id]);
  return row === null ? null : (JSON.parse(row.content) as TaskContent);
}

/** Tasks in the order asked for. Throws a StoreError on an id that isn't there. */
export function selectTasks(db: Connection, ids: readonly string[]): StoredTask[] {
  return ids.map((id) => {
    const row = db.get<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks WHERE id = ?`, [id]);
    if (row === null) throw unknownTask('findTasks', id);
    return readTask(row);
  });
}

/**
 * Adds a round's proposals with the tasks that were accepted. Inside a transaction. The same proposals again change
 * nothing; others for the same round are a StoreError.
 */
export function insertProposals(
  db: Connection,
  round: number,
  proposals: readonly Proposal[],
  tasks: readonly StoredTask[],
  at: number,
): void {
  const there = selectProposals(db, round);
  if (there !== null) {
    const same = fingerprint(there) === fingerprint(inOrder(proposals));
    const known = tasks.every(({ task }) => findContent(db, task.id) !== null);
    if (!same || !known) throw conflict(`round ${round}`, 'proposals');
  }
  insertTasks(db, tasks);
  if (there !== null) return;
  db.run('INSERT INTO rounds VALUES (?, ?, ?)', [round, proposals.length, at]);
  for (const proposal of proposals) insertProposal(db, round, proposal);
}

/** Proposals by index: the order in which they come back. */
export function inOrder(proposals: readonly Proposal[]): Proposal[] {
  return [...proposals].sort((a, b) => a.index - b.index);
}

function insertProposal(db: Connection, round: number, proposal: Proposal): void {
  const { outcome } = proposal;
  const accepted = outcome.kind === 'accepted';
  if (accepted && findContent(db, outcome.taskId) === null) {
    throw unknownTask(`round ${round}, proposal ${proposal.index}`, outcome.taskId);
  }
  db.run(
    'INSERT INTO proposals (round, position, parent, parent_pass_rate, origin, text, tokens, logprobs, action, outcome, task, reason, detail) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    [
      round,
      proposal.index,
      proposal.parentTaskId,
      proposal.parentPassRate,
      proposal.origin,
      packText(proposal.text),
      packWords(proposal.tokens),
      packWords(proposal.logprobs),
      proposal.action === null ? null : JSON.stringify(proposal.action),
      outcome.kind,
      accepted ? outcome.taskId : null,
      accepted ? null : outcome.reason,
      accepted ? null : packText(outcome.detail),
    ],
  );
}

interface ProposalRow {
  readonly position: number;
  readonly parent: string;
  readonly parent_pass_rate: number | string;
  readonly origin: string;
  readonly text: string | ArrayBuffer;
  readonly tokens: ArrayBuffer;
  readonly logprobs: ArrayBuffer;
  readonly action: string | null;
  readonly task: string | null;
  readonly reason: string | null;
  readonly detail: string | ArrayBuffer | null;
}

/** A round's proposals by index; null when none were recorded (none made is an empty list). */
export function selectProposals(db: Connection, round: number): Proposal[] | null {
  if (db.get('SELECT 1 FROM rounds WHERE round = ?', [round]) === null) return null;
  const sql =
    'SELECT position, parent, parent_pass_rate, origin, text, tokens, logprobs, action, task, reason, detail ' +
    'FROM proposals WHERE round = ? ORDER BY position';
  return db.all<ProposalRow>(sql, [round]).map((row) => ({
    index: row.position,
    parentTaskId: row.parent,
    parentPassRate: unpackNumber(row.parent_pass_rate),
    origin: row.origin,
    text: unpackText(row.text),
    tokens: unpackTokens(row.tokens),
    logprobs: unpackLogprobs(row.logprobs),
    action: row.action === null ? null : (JSON.parse(row.action) as Json),
    outcome:
      row.task === null
        ? { kind: 'rejected', reason: row.reason ?? '', detail: unpackText(row.detail ?? '') }
        : { kind: 'accepted', taskId: row.task },
  }));
}
