import { StoreError } from '../core/errors.js';
import type { ImageRef } from '../core/image.js';
import { canonicalJson } from '../core/json.js';
import type { Proposal, StepKey } from '../core/ports.js';
import type { Group } from '../core/reward.js';
import type { Task, TaskContent } from '../core/task.js';

// What every journal refuses, whatever it keeps its records in.

/** A place in words: `round 3, actor, step 7`. */
export function placeName(key: StepKey): string {
  return `round ${key.round}, ${key.role}, step ${key.step}`;
}

/** Throws a RangeError on a place that can't be one: that is a bug of the caller. */
export function checkPlace(key: StepKey): void {
  checkCount('round', key.round);
  checkCount('step', key.step);
  if (key.role === '') throw new RangeError(`${placeName(key)}: the role has no name`);
}

/** Throws a RangeError on anything but a whole number from 0. */
export function checkCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${name} must be a whole number from 0, got ${value}`);
  }
}

/** Throws a RangeError on proposals that no round could have made. */
export function checkProposals(round: number, proposals: readonly Proposal[]): void {
  checkCount('round', round);
  const seen = new Set<number>();
  for (const proposal of proposals) {
    checkCount('proposal index', proposal.index);
    checkFinite(`round ${round}, proposal ${proposal.index}: parentPassRate`, proposal.parentPassRate);
    if (seen.has(proposal.index)) {
      throw new RangeError(`round ${round}: proposal ${proposal.index} is there twice`);
    }
    seen.add(proposal.index);
  }
}

/** Throws a RangeError on rollouts that would poison a run: one identity twice, or scores that are no numbers. */
export function checkGroups(key: StepKey, groups: readonly Group[]): void {
  checkPlace(key);
  const seen = new Set<string>();
  for (const group of groups) {
    checkFinite(`${placeName(key)}, task ${group.task.id}: passRate`, group.passRate);
    for (const rollout of group.rollouts) {
      const name = `${placeName(key)}, task ${group.task.id}, sample ${rollout.sample}`;
      checkCount('sample', rollout.sample);
      const identity = `${group.task.id} ${rollout.sample}`;
      if (seen.has(identity)) throw new RangeError(`${name}: this rollout is there twice`);
      seen.add(identity);
      checkFinite(`${name}: reward`, rollout.score.total);
      checkFinite(`${name}: advantage`, rollout.advantage);
      for (const [term, value] of Object.entries(rollout.score.terms)) checkFinite(`${name}: ${term}`, value);
    }
  }
}

function checkFinite(name: string, value: number): void {
  if (!Number.isFinite(value)) throw new RangeError(`${name} must be a finite number, got ${value}`);
}

/** Everything of a task but its id. */
export function taskContent(task: Task): TaskContent {
  const { id: _id, ...content } = task;
  return content;
}

/** Whether two tasks say the same, whatever the order of their keys. */
export function sameContent(a: TaskContent, b: TaskContent): boolean {
  return JSON.stringify(a) === JSON.stringify(b) || canonicalJson(a) === canonicalJson(b);
}

/** A record that is already there with other content. */
export function conflict(place: string, what: string): StoreError {
  return new StoreError(
    `${place}: ${what} are already recorded and differ from these; a place is recorded once, so a change of ` +
      'configuration or code needs a new run directory',
  );
}

/** One task id with two contents. */
export function taskConflict(id: string): StoreError {
  return new StoreError(`task ${id}: another task with this id is already recorded`);
}

/** A record that refers to a task that isn't there. */
export function unknownTask(place: string, id: string): StoreError {
  return new StoreError(`${place}: task ${id} isn't in the store; record tasks before what refers to them`);
}

/** A task that refers to an image that isn't there. */
export function missingImage(taskId: string, image: ImageRef): StoreError {
  return new StoreError(
    `task ${taskId}: its image ${image.hash} (${image.width}x${image.height}) is neither in the store nor given with the task`,
  );
}
