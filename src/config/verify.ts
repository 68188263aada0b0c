import { replay, type Lineage, type SolvableEnvironment } from '../core/environment.js';
import { imageRef } from '../core/image.js';
import { canonicalJson, contentHash, type Json } from '../core/json.js';
import type { StoredTask } from '../core/ports.js';
import type { Group } from '../core/reward.js';
import type { Task, TaskContent } from '../core/task.js';
import { grade } from '../rewards/grading.js';
import type { RunReader } from '../runs/index.js';

/** What was found to differ, closed so that it can be counted. */
export const DIFFERENCES = [
  /** The seed that a derivation names isn't in the run. */
  'seed-missing',
  /** The environment refuses what was recorded as accepted. */
  'rejected',
  'answer',
  'image',
  'state',
  'derivation',
  /** The id isn't the hash of the stored content, or not that of the task made again. */
  'id',
  /** The stored picture's pixels aren't those of its hash, or are gone. */
  'stored-image',
  /** The task's actions aren't those of its parent and the accepted proposal. */
  'lineage',
  /** A rollout is recorded right and grades wrong, or the reverse. */
  'grade',
  'pass-rate',
  /** SQLite finds the file damaged, or a record refers to nothing. */
  'store',
] as const;

export type DifferenceKind = (typeof DIFFERENCES)[number];

/** One thing that isn't what it was recorded as. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** A task's id, or a place in the run. */
  readonly where: string;
  readonly detail: string;
}

/** What `verifyRun` went through and found. Survives JSON unchanged. */
export interface Verification {
  readonly run: string;
  /** Tasks whose derivation was replayed. */
  readonly derived: number;
  /** Tasks with a label that is a vote or a claim, which can't be replayed. Requests to generators have none. */
  readonly pseudo: number;
  /** Distinct stored pictures compared with their hash. */
  readonly images: number;
  readonly proposals: number;
  readonly rollouts: number;
  readonly differences: readonly Difference[];
}

/** What a verification reads and whom it tells. */
export interface VerifySetup {
  readonly reader: RunReader;
  readonly environment: SolvableEnvironment;
  readonly progress: (stage: string, done: number, total: number, unit: string) => void;
  /** Called between items; may throw to stop. */
  readonly safePoint: () => void;
}

/**
 * Makes every derived task of a run again from its seed and actions (apply, draw, label) and compares answer, picture, state and
 * id; compares lineages with proposals and stored pictures with their hashes; grades every stored rollout again. Takes no
 * lock and changes nothing.
 */
export async function verifyRun(setup: VerifySetup): Promise<Verification> {
  const { reader } = setup;
  const differences: Difference[] = reader
    .problems()
    .map((detail) => ({ kind: 'store', where: 'run.sqlite', detail }));
  const add = (kind: DifferenceKind, where: string, detail: string): void => {
    differences.push({ kind, where, detail });
  };
  const tasks = await verifyTasks(setup, add);
  const proposals = verifyProposals(setup, add);
  const rollouts = verifyRollouts(setup, add);
  return { run: reader.info().directory, ...tasks, proposals, rollouts, differences };
}

type Add = (kind: DifferenceKind, where: string, detail: string) => void;

async function verifyTasks(
  setup: VerifySetup,
  add: Add,
): Promise<Pick<Verification, 'derived' | 'pseudo' | 'images'>> {
  const { reader, progress, safePoint } = setup;
  const total = reader.counts().tasks;
  const seeds = new Map<string, Lineage>();
  for (const { lineage } of reader.tasks()) {
    if (lineage.actions.length === 0 && !seeds.has(lineage.seedId)) seeds.set(lineage.seedId, lineage);
  }
  const images = new Set<string>();
  let derived = 0;
  let pseudo = 0;
  let looked = 0;
  for (const stored of reader.tasks()) {
    safePoint();
    if (stored.task.label.origin === 'derived') {
      derived++;
      await verifyTask(setup, stored, seeds, add);
    } else if (stored.task.label.origin === 'pseudo') pseudo++;
    looked++;
    for (const { hash } of stored.task.images) {
      if (images.has(hash)) continue;
      images.add(hash);
      await verifyImage(reader, hash, add);
    }
    progress('replaying derivations', looked, total, 'tasks');
  }
  return { derived, pseudo, images: images.size };
}

async function verifyTask(
  { environment }: VerifySetup,
  stored: StoredTask,
  seeds: ReadonlyMap<string, Lineage>,
  add: Add,
): Promise<void> {
  const { task, lineage } = stored;
  const { id, ...content } = task;
  if (contentHash(content satisfies TaskContent) !== id)
    add('id', id, 'the id is not the hash of the content');
  // Two seeds may share a name where none was edited; a task without actions is its own seed.
  const seed =
    lineage.actions.length === 0 ? lineage : (seeds.get(lineage.seedId) ?? recoverSeed(environment, lineage));
  if (!seed) return add('seed-missing', id, `seed ${lineage.seedId} is not in the run`);
  const state = environment.parseState(seed.state);
  if (!state.ok) return add('state', id, `the seed's state: ${state.error.detail}`);
  const start = { seedId: seed.seedId, actions: [], state: state.value };
  const made = await replay(environment, start, lineage.actions);
  if (!made.ok) return add('rejected', id, `${made.error.reason}: ${made.error.detail}`);
  const again = made.value.find(({ task: other }) => other.id === id) ?? made.value[0];
  if (!again) return add('rejected', id, 'the replay gave no task');
  compareTasks(task, again.task, add);
  if (!same(lineage.state, again.lineage.state))
    add('state', id, 'the stored state is not that of the replay');
}

/** The seed of a lineage whose environment keeps it in every state; null where it doesn't. */
function recoverSeed(environment: SolvableEnvironment, lineage: Lineage): Lineage | null {
  const state = environment.parseState(lineage.state);
  if (!environment.seedOf || !state.ok) return null;
  return environment.seedOf({ ...lineage, state: state.value });
}

function compareTasks(task: Task, again: Task, add: Add): void {
  const { id } = task;
  if (task.answer !== again.answer) add('answer', id, `stored ${task.answer}, derived ${again.answer}`);
  if (!same(task.images as unknown as Json, again.images as unknown as Json)) {
    add('image', id, `stored ${task.images[0]?.hash}, drawn ${again.images[0]?.hash}`);
  }
  if (!same(task.label as unknown as Json, again.label as unknown as Json)) {
    add('derivation', id, 'the stored derivation is not that of the replay');
  }
  if (again.id !== id) add('id', id, `the task made again is ${again.id}`);
}

async function verifyImage(reader: RunReader, hash: string, add: Add): Promise<void> {
  try {
    const image = await reader.image(hash);
    if (image === null) add('stored-image', hash, 'the picture is not in the run');
    else if (imageRef(image).hash !== hash)
      add('stored-image', hash, `its pixels hash to ${imageRef(image).hash}`);
  } catch (cause) {
    add('stored-image', hash, cause instanceof Error ? cause.message : String(cause));
  }
}

/** Every accepted proposal's action must be the last of its task, after those of its parent. Gives how many were looked at. */
function verifyProposals({ reader, safePoint }: VerifySetup, add: Add): number {
  let count = 0;
  for (const round of reader.proposalRounds()) {
    for (const proposal of reader.proposals(round)) {
      safePoint();
      count++;
      if (proposal.outcome.kind !== 'accepted') continue;
      const { taskId } = proposal.outcome;
      const task = reader.task(taskId);
      const parent = reader.task(proposal.parentTaskId);
      if (!task || !parent) {
        add(
          'lineage',
          taskId,
          `round ${round}, proposal ${proposal.index}: its task or parent is not in the run`,
        );
        continue;
      }
      // A task that two parents lead to keeps the lineage under which it came first.
      if (task.parentTaskId !== proposal.parentTaskId || task.round !== round) continue;
      const expected = [...parent.lineage.actions, proposal.action];
      if (!same(task.lineage.actions, expected)) {
        add(
          'lineage',
          taskId,
          `its actions are not its parent's and those of round ${round}, proposal ${proposal.index}`,
        );
      }
    }
  }
  return count;
}

/** Grades every rollout again; gives how many. */
function verifyRollouts({ reader, environment, progress, safePoint }: VerifySetup, add: Add): number {
  const steps = reader.steps();
  const total = reader.counts().rollouts;
  let count = 0;
  for (const { round, role, step } of steps) {
    safePoint();
    const place = `round ${round} ${role} step ${step}`;
    for (const group of reader.groups({ round, role, step }) ?? []) {
      verifyGroup(environment, group, place, add);
      count += group.rollouts.length;
    }
    progress('grading rollouts', count, total, 'rollouts');
  }
  return count;
}

function verifyGroup(environment: SolvableEnvironment, group: Group, place: string, add: Add): void {
  const { task, rollouts, passRate } = group;
  let right = 0;
  for (const { sample, completion, score } of rollouts) {
    const solution = environment.solver.parse(completion.text, { task, images: [] });
    const correct = solution.ok && grade(solution.value.answer, task);
    if (correct) right++;
    if (correct !== score.correct) {
      const said = solution.ok ? solution.value.answer : solution.error.reason;
      const noted = score.correct ? 'right' : 'wrong';
      add(
        'grade',
        `${place}, task ${task.id}, sample ${sample}`,
        `${said} for ${task.answer} is recorded ${noted}`,
      );
    }
  }
  if (rollouts.length > 0 && passRate !== right / rollouts.length) {
    add('pass-rate', `${place}, task ${task.id}`, `stored ${passRate}, graded ${right}/${rollouts.length}`);
  }
}

function same(a: Json, b: Json): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
