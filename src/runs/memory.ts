import { imageRef, type Image } from '../core/image.js';
import type { Json } from '../core/json.js';
import type { PolicyState } from '../core/policy.js';
import type { Proposal, RunJournal, StepKey, StoredTask } from '../core/ports.js';
import type { Group } from '../core/reward.js';
import {
  checkCount,
  checkGroups,
  checkPlace,
  checkProposals,
  conflict,
  missingImage,
  placeName,
  sameContent,
  taskConflict,
  taskContent,
  unknownTask,
} from './checks.js';
import { fingerprint } from './codec.js';
import { inOrder } from './tasks.js';

interface Checkpoint extends StepKey {
  readonly updates: number;
  readonly parent: string | null;
  readonly state: PolicyState;
}

/**
 * A journal that forgets everything when the process ends: for tests, and for programs that need no run directory. Says
 * and refuses exactly what {@link RunStore} does; what goes in and comes out is copied.
 */
export class MemoryJournal implements RunJournal {
  /** What was recorded beside the rounds, in order. */
  readonly events: Array<{ readonly kind: string; readonly detail: Json }> = [];
  private readonly tasks = new Map<string, StoredTask>();
  private readonly images = new Map<string, Image>();
  private readonly proposals = new Map<number, readonly Proposal[]>();
  private readonly groups = new Map<string, readonly Group[]>();
  private readonly metrics = new Map<string, Readonly<Record<string, number>>>();
  private readonly checkpoints: Checkpoint[] = [];

  async findProposals(round: number): Promise<readonly Proposal[] | null> {
    return structuredClone(this.proposals.get(round) ?? null);
  }

  async recordProposals(
    round: number,
    proposals: readonly Proposal[],
    tasks: readonly StoredTask[],
    images: readonly Image[],
  ): Promise<void> {
    checkProposals(round, proposals);
    const there = this.proposals.get(round);
    if (there) {
      const same = fingerprint(there) === fingerprint(inOrder(proposals));
      const known = tasks.every(({ task }) => this.tasks.has(task.id));
      if (!same || !known) throw conflict(`round ${round}`, 'proposals');
    }
    const added = this.newTasks(tasks, images);
    for (const { index, outcome } of there ? [] : proposals) {
      if (outcome.kind === 'accepted' && !this.tasks.has(outcome.taskId) && !added.has(outcome.taskId)) {
        throw unknownTask(`round ${round}, proposal ${index}`, outcome.taskId);
      }
    }
    this.add(added, images);
    if (!there) this.proposals.set(round, structuredClone(inOrder(proposals)));
  }

  async findTasks(ids: readonly string[]): Promise<readonly StoredTask[]> {
    return ids.map((id) => {
      const stored = this.tasks.get(id);
      if (!stored) throw unknownTask('findTasks', id);
      return copyTask(stored);
    });
  }

  async recordTasks(tasks: readonly StoredTask[], images: readonly Image[]): Promise<void> {
    this.add(this.newTasks(tasks, images), images);
  }

  async findImage(hash: string): Promise<Image | null> {
    return structuredClone(this.images.get(hash) ?? null);
  }

  async findGroups(key: StepKey): Promise<readonly Group[] | null> {
    return this.groups.get(placeName(key))?.map(copyGroup) ?? null;
  }

  async recordGroups(key: StepKey, groups: readonly Group[]): Promise<void> {
    checkGroups(key, groups);
    const place = placeName(key);
    for (const { task } of groups) {
      const stored = this.tasks.get(task.id);
      if (!stored) throw unknownTask(place, task.id);
      if (!sameContent(taskContent(stored.task), taskContent(task))) throw taskConflict(task.id);
    }
    const there = this.groups.get(place);
    if (!there) this.groups.set(place, groups.map(copyGroup));
    else if (fingerprint(there) !== fingerprint(groups)) throw conflict(place, 'rollouts');
  }

  async findMetrics(key: StepKey): Promise<Readonly<Record<string, number>> | null> {
    return structuredClone(this.metrics.get(placeName(key)) ?? null);
  }

  async recordMetrics(key: StepKey, metrics: Readonly<Record<string, number>>): Promise<void> {
    checkPlace(key);
    const there = this.metrics.get(placeName(key));
    if (!there) this.metrics.set(placeName(key), { ...metrics });
    else if (fingerprint(there) !== fingerprint(metrics)) throw conflict(placeName(key), 'metrics');
  }

  async latestCheckpoint(
    role: string,
  ): Promise<{ readonly updates: number; readonly state: PolicyState } | null> {
    const found = this.checkpoints.findLast((checkpoint) => checkpoint.role === role);
    return found ? { updates: found.updates, state: found.state.slice() } : null;
  }

  async recordCheckpoint(
    checkpoint: StepKey & { readonly updates: number; readonly parent: string | null },
    state: PolicyState,
  ): Promise<void> {
    checkPlace(checkpoint);
    checkCount('updates', checkpoint.updates);
    const { round, role, step, updates, parent } = checkpoint;
    const place = placeName(checkpoint);
    const there = this.checkpoints.find((other) => placeName(other) === place);
    const recorded = { round, role, step, updates, parent, state: Uint8Array.from(state) };
    if (!there) this.checkpoints.push(recorded);
    else if (fingerprint(there) !== fingerprint(recorded)) throw conflict(place, `${role}'s weights`);
  }

  async recordEvent(kind: string, detail: Json): Promise<void> {
    this.events.push({ kind, detail: structuredClone(detail) });
  }

  async findEvents(kind: string): Promise<readonly Json[]> {
    return structuredClone(this.events.filter((event) => event.kind === kind).map(({ detail }) => detail));
  }

  /** Those tasks that aren't there yet. Throws a StoreError, having changed nothing, when one can't be added. */
  private newTasks(tasks: readonly StoredTask[], images: readonly Image[]): Map<string, StoredTask> {
    const given = new Map(images.map((image) => [imageRef(image).hash, image]));
    const added = new Map<string, StoredTask>();
    for (const stored of tasks) {
      const { task, round } = stored;
      checkCount('round', round);
      const there = this.tasks.get(task.id) ?? added.get(task.id);
      if (there && !sameContent(taskContent(there.task), taskContent(task))) throw taskConflict(task.id);
      if (there) continue;
      for (const ref of task.images) {
        const image = given.get(ref.hash) ?? this.images.get(ref.hash);
        if (image?.width !== ref.width || image.height !== ref.height) throw missingImage(task.id, ref);
      }
      added.set(task.id, copyTask(stored));
    }
    return added;
  }

  private add(tasks: ReadonlyMap<string, StoredTask>, images: readonly Image[]): void {
    for (const image of images) {
      const { width, height, rgb } = image;
      this.images.set(imageRef(image).hash, { width, height, rgb: rgb.slice() });
    }
    for (const [id, stored] of tasks) this.tasks.set(id, stored);
  }
}

function copyTask(stored: StoredTask): StoredTask {
  const { task, lineage, parentTaskId, round } = stored;
  return {
    task: Object.freeze(structuredClone(task)),
    lineage: structuredClone(lineage),
    parentTaskId,
    round,
  };
}

function copyGroup(group: Group): Group {
  const { task, ...rest } = group;
  return { task: Object.freeze(structuredClone(task)), ...structuredClone(rest) };
}
