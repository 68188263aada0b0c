import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Realised } from '../../../src/core/environment.js';
import { Rng } from '../../../src/core/rng.js';
import { makeTask } from '../../../src/core/task.js';
import { admit, drawParent, drawSeeds, seedPool, spread } from '../../../src/methods/vico/pool.js';

function realised(name: string): Realised {
  const task = makeTask({
    environment: 'test',
    images: [],
    question: name,
    answer: 'yes',
    answerKind: 'yes-no',
    label: { origin: 'derived', derivation: { seedId: name, actions: [], rule: 'recompute', trace: null } },
    facts: {},
  });
  return { task, images: [], lineage: { seedId: name, actions: [], state: name } };
}

const rates = (pairs: ReadonlyArray<readonly [Realised, number]>): Map<string, number> =>
  new Map(pairs.map(([r, p]) => [r.task.id, p]));

describe('the pool', () => {
  const seeds = ['a', 'b', 'c'].map(realised);
  const pool = seedPool(
    seeds,
    rates([
      [seeds[0] as Realised, 1],
      [seeds[1] as Realised, 0.5],
      [seeds[2] as Realised, 0],
    ]),
  );

  it('keeps every seed, whatever its pass rate, and refuses one that was never measured', () => {
    expect(pool.seeds.map((entry) => entry.passRate)).toEqual([1, 0.5, 0]);
    expect(() => seedPool([realised('d')], new Map())).toThrow(/never measured/);
  });

  it('admits edited tasks that are neither always nor never right, and only once', () => {
    const edited = ['x', 'y', 'z'].map(realised);
    const [x, y, z] = edited as [Realised, Realised, Realised];
    const measured = rates([
      [x, 0],
      [y, 0.25],
      [z, 1],
    ]);
    const grown = admit(pool, edited, measured);
    expect(grown.accepted.map((entry) => entry.realised.task.id)).toEqual([y.task.id]);
    const again = admit(grown, [y], rates([[y, 0.75]]));
    expect(again.accepted.map((entry) => entry.passRate)).toEqual([0.75]);
  });

  it('measures seeds anew when a round asked them', () => {
    const again = admit(pool, [], rates([[seeds[0] as Realised, 0.625]]));
    expect(again.seeds.map((entry) => entry.passRate)).toEqual([0.625, 0.5, 0]);
  });

  it('draws parents from the seeds until something was accepted, then by the share', () => {
    const rng = Rng.fromSeed(1);
    expect(drawParent(pool, 0, rng).isSeed).toBe(true);
    const y = realised('y');
    const grown = admit(pool, [y], rates([[y, 0.5]]));
    const seedsDrawn = Array.from({ length: 400 }, (_, i) => drawParent(grown, 0.25, rng.child(i)).isSeed);
    const share = seedsDrawn.filter(Boolean).length / 400;
    expect(share).toBeGreaterThan(0.17);
    expect(share).toBeLessThan(0.33);
  });

  it('draws seeds evenly', () => {
    const drawn = drawSeeds(pool, 8, Rng.fromSeed(2)).map((entry) => entry.realised.task.id);
    const counts = seeds.map((seed) => drawn.filter((id) => id === seed.task.id).length);
    expect(counts.reduce((a, b) => a + b, 0)).toBe(8);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });
});

describe('spread', () => {
  it('never puts a task twice in a step, and loses none, wherever that is possible', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 6, maxLength: 40 }),
        fc.integer({ min: 1, max: 6 }),
        (multiplicities, stepSize) => {
          const tasks = multiplicities.flatMap((n, i) => Array.from({ length: n }, () => realised(`t${i}`)));
          const steps = Math.ceil(tasks.length / stepSize);
          const lastIsShort = tasks.length % stepSize !== 0;
          fc.pre(steps - (lastIsShort ? 1 : 0) >= 4);
          const out = spread(tasks, stepSize);
          expect(out.map((r) => r.task.id).sort()).toEqual(tasks.map((r) => r.task.id).sort());
          for (let i = 0; i < out.length; i += stepSize) {
            const ids = out.slice(i, i + stepSize).map((r) => r.task.id);
            expect(new Set(ids).size).toBe(ids.length);
          }
        },
      ),
    );
  });

  it('says what to change when a step would have to hold a task twice', () => {
    expect(() => spread(['a', 'a', 'b'].map(realised), 3)).toThrow(
      /vico\.actor\.tasksPerStep = 3: .*smaller steps/,
    );
  });
});
