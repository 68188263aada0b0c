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
 * Tasks in an order in which no step of `stepSize` holds one twice, since a step's rollouts are known by their task: tasks
 * that come often are dealt out first, each copy to the emptiest step. Throws a ConfigError when a task comes more often
 * than there are steps with room.
 */
export function spread<State extends Json>(
  tasks: readonly Realised<State>[],
  stepSize: number,
): Realised<State>[] {
  const copies = new Map<string, Realised<State>[]>();
  for (const realised of tasks) {
    const { id } = realised.task;
    copies.set(id, [...(copies.get(id) ?? []), realised]);
  }
  const count = Math.ceil(tasks.length / stepSize);
  const steps = Array.from({ length: count }, (_, i) => ({
    room: Math.min(stepSize, tasks.length - i * stepSize),
    tasks: [] as Realised<State>[],
  }));
  for (const same of [...copies.values()].sort((a, b) => b.length - a.length)) {
    const open = steps.filter((step) => step.room > 0).sort((a, b) => b.room - a.room);
    if (open.length < same.length) {
      throw new ConfigError(
        'vico.actor.tasksPerStep',
        stepSize,
        `a task would come twice in one step; take smaller steps or more seeds`,
      );
    }
    same.forEach((realised, i) => {
      const step = open[i] as (typeof steps)[number];
      step.tasks.push(realised);
      step.room--;
    });
  }
  return steps.flatMap((step) => step.tasks);
}

function rateOf(passRates: ReadonlyMap<string, number>, { task }: Realised): number {
  const rate = passRates.get(task.id);
  if (rate === undefined) throw new Error(`task ${task.id} was never measured`);
  return rate;
}
