import { createHash } from 'node:crypto';
import { canonicalJson } from '../core/json.js';
import type { Connection } from './connection.js';

/**
 * What identifies a run's content, a line of SQL each, in an order that doesn't depend on when a row came in. Rollouts are
 * read step by step, so that no more than one is in memory. (Row numbers, times and events are left out: they tell how
 * the run was made.)
 */
const CONTENT = [
  'SELECT preset, seed, config FROM run',
  'SELECT id, round, parent, content, lineage FROM tasks ORDER BY id',
  'SELECT hash, width, height FROM images ORDER BY hash',
  'SELECT round, position, parent, parent_pass_rate, origin, text, tokens, logprobs, action, outcome, task, reason, detail ' +
    'FROM proposals ORDER BY round, position',
  'SELECT round, role, step, position, task, pass_rate FROM groups ORDER BY round, role, step, position',
  'SELECT role, round, step, updates, parent, hash FROM checkpoints ORDER BY role, round, step',
];

const ROLLOUTS =
  'SELECT position, task, sample, text, tokens, logprobs, reward, terms, correct, advantage, finish FROM rollouts ' +
  'WHERE round = ? AND role = ? AND step = ? ORDER BY task, sample';

const METRICS =
  'SELECT round, role, step, name, value FROM metrics JOIN measurements ON measurements.id = measurement ' +
  'ORDER BY round, role, step, name';

/** SHA-256 (64 hex digits) of a run's content; `ignore` leaves metrics out by name. */
export function runDigest(db: Connection, ignore: (metric: string) => boolean): string {
  const hash = createHash('sha256');
  const add = (rows: ReadonlyArray<Record<string, unknown>>): void => {
    for (const row of rows) hash.update(`${canonicalJson(printable(row))}\n`);
    hash.update('\n');
  };
  for (const sql of CONTENT) add(db.all(sql));
  const steps = db.all<{ round: number; role: string; step: number }>(
    'SELECT round, role, step FROM steps ORDER BY round, role, step',
  );
  for (const step of steps) {
    add([{ ...step }]);
    add(db.all(ROLLOUTS, [step.round, step.role, step.step]));
  }
  add(db.all<{ name: string }>(METRICS).filter(({ name }) => !ignore(name)));
  return hash.digest('hex');
}

/** A row with its blobs in hexadecimal. */
function printable(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof ArrayBuffer ? Buffer.from(value).toString('hex') : value,
    ]),
  );
}
