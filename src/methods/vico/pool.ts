import type { Realised } from '../../core/environment.js';
import { ConfigError } from '../../core/errors.js';
import type { Json } from '../../core/json.js';
import type { Rng } from '../../core/rng.js';

/** A task that edits may start from, with how often the actor was last right on it. */
export interface PoolEntry<State extends Json> {
  readonly realised: Realised<State>;
  readonly passRate: number;
  readonly isSeed: boolean;
}

/** The growing pool: the seeds, always, and every accepted task with 0 < p < 1. A value: `admit` gives a new one. */
export interface Pool<State extends Json> {
  readonly seeds: readonly PoolEntry<State>[];
  readonly accepted: readonly PoolEntry<State>[];
}

/** Seeds with the pass rates that round 0 measured; order kept. */
export function seedPool<State extends Json>(
  seeds: readonly Realised<State>[],
  passRates: ReadonlyMap<string, number>,
): Pool<State> {
  return {
    seeds: seeds.map((realised) => ({ realised, passRate: rateOf(passRates, realised), isSeed: true })),
    accepted: [],
  };
}

/** The pool after a round: new tasks join when the actor was sometimes right and sometimes not; known ones are re-measured. */
export function admit<State extends Json>(
  pool: Pool<State>,
  edited: readonly Realised<State>[],
  passRates: ReadonlyMap<string, number>,
): Pool<State> {
  const again = (entry: PoolEntry<State>): PoolEntry<State> => ({
    ...entry,
    passRate: passRates.get(entry.realised.task.id) ?? entry.passRate,
  });
  const known = new Set(pool.accepted.map((entry) => entry.realised.task.id));
  const fresh = edited
    .filter(({ task }) => !known.has(task.id))
    .map((realised) => ({ realised, passRate: rateOf(passRates, realised), isSeed: false }))
    .filter(({ passRate }) => passRate > 0 && passRate < 1);
  return { seeds: pool.seeds.map(again), accepted: [...pool.accepted.map(again), ...fresh] };
}

/** A parent for one edit: a seed with probability `seedShare`, else an accepted task (a seed while there is none). */
export function drawParent<State extends Json>(
  pool: Pool<State>,
  seedShare: number,
  rng: Rng,
): PoolEntry<State> {
  const fromSeeds = pool.accepted.length === 0 || rng.chance(seedShare);
  return rng.pick(fromSeeds ? pool.seeds : pool.accepted);
}

/** `count` seeds in random order, every one as often as the others give or take one. */
export function drawSeeds<State extends Json>(
  pool: Pool<State>,
  count: number,
  rng: Rng,
): PoolEntry<State>[] {
  const out: PoolEntry<State>[] = [];
  for (let pass = 0; out.length < count; pass++) out.push(...rng.child('pass', pass).shuffle(pool.seeds));
  return out.slice(0, count);
}

/**
 * Tasks in an order in which no step of `stepSize` holds one twice, since a step's rollouts are known by their task. Tasks
 * keep their order but for those that have to wait. Throws a ConfigError when there are too few different tasks for that.
 */
export function spread<State extends Json>(
  tasks: readonly Realised<State>[],
  stepSize: number,
): Realised<State>[] {
  const out: Realised<State>[] = [];
  let waiting = [...tasks];
  while (waiting.length > 0) {
    const step = new Set<string>();
    const later: Realised<State>[] = [];
    for (const realised of waiting) {
      if (step.size < stepSize && !step.has(realised.task.id)) {
        step.add(realised.task.id);
        out.push(realised);
      } else {
        later.push(realised);
      }
    }
    if (step.size < stepSize && later.length > 0) {
      throw new ConfigError(
        'vico.actor.tasksPerStep',
        stepSize,
        `a step has to hold different tasks, and only ${step.size} are left; take a smaller step or more seeds`,
      );
    }
    waiting = later;
  }
  return out;
}

function rateOf(passRates: ReadonlyMap<string, number>, { task }: Realised): number {
  const rate = passRates.get(task.id);
  if (rate === undefined) throw new Error(`task ${task.id} was never measured`);
  return rate;
}
