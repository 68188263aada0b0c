import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Rng } from '../../src/core/rng.js';
import { RunReader, RunStore } from '../../src/runs/index.js';
import { startWriter, stopWriters } from './child.js';
import { NEW_RUN, STEPS_A_ROUND, TASKS, temporaryDirectory, writeSteps } from './fixtures.js';

const KILLS = 32;

/** How many steps are there, checked to be whole: a prefix of the sequence, each with all its rollouts, none twice. */
function wholeSteps(directory: string): number {
  const reader = RunReader.open(directory);
  try {
    expect(reader.problems()).toEqual([]);
    const steps = reader.steps();
    const order = steps.map(({ round, step }) => (round - 1) * STEPS_A_ROUND + step);
    expect(order).toEqual(order.map((_, i) => i));
    for (const step of steps) expect([step.groups, step.rollouts]).toEqual([TASKS, 8 * TASKS]);
    const { proposals, tasks, rollouts } = reader.counts();
    const rounds = reader.proposalRounds().length;
    expect(rollouts).toBe(8 * TASKS * steps.length);
    expect([proposals, tasks]).toEqual([3 * rounds, steps.length + rounds === 0 ? tasks : TASKS + 2 * rounds]);
    return steps.length;
  } finally {
    reader.close();
  }
}

describe('kill -9', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => {
    stopWriters();
    directory.remove();
  });

  it(`at ${KILLS} random instants loses nothing that was recorded and doubles nothing`, { timeout: 600_000 }, async () => {
    const rng = Rng.fromSeed('kill instants');
    const run = `${directory.path}/run`;
    const first = startWriter('write', run, 1);
    expect(await first.ended).toBe(0);
    let acknowledged = 0;
    let kills = 0;
    let takeovers = 0;
    while (kills < KILLS) {
      const writer = startWriter('write', run, 1_000_000);
      // Some die while they open the store, most a few steps further than the one before.
      await writer.said(kills % 8 === 0 ? 'started' : 'opened');
      if (kills % 8 !== 0) await writer.said(`recorded ${acknowledged + rng.int(3)}`);
      await new Promise((resolve) => setTimeout(resolve, rng.float() * 25));
      writer.kill();
      expect(await writer.ended, writer.lines.at(-1)).toBeNull();
      kills++;
      takeovers += writer.lines.filter((line) => line.startsWith('note took over')).length;
      const said = writer.lines.filter((line) => line.startsWith('recorded ')).map((line) => Number(line.slice(9)));
      acknowledged = Math.max(acknowledged, ...said.map((step) => step + 1));
      expect(wholeSteps(run)).toBeGreaterThanOrEqual(acknowledged);
    }
    expect(takeovers).toBeGreaterThan(KILLS / 2);
    expect(acknowledged).toBeGreaterThan(KILLS / 2);

    // Gone on with to the end, it equals a run that was never stopped.
    const until = wholeSteps(run) + 3;
    const resumed = await RunStore.open(run, { write: true });
    await writeSteps(resumed, until);
    await resumed.close();
    const straight = await RunStore.create(`${directory.path}/straight`, NEW_RUN);
    await writeSteps(straight, until);
    await straight.close();
    const readers = [run, `${directory.path}/straight`].map((path) => RunReader.open(path));
    const [a, b] = readers.map((reader) => reader.digest());
    readers.forEach((reader) => reader.close());
    expect(a).toBe(b);
  });

  it('while a run is being made leaves a directory in which it can be made', { timeout: 300_000 }, async () => {
    const rng = Rng.fromSeed('kill creation');
    for (let attempt = 0; attempt < 8; attempt++) {
      const run = `${directory.path}/run-${attempt}`;
      const writer = startWriter('hold', run);
      await writer.said('started');
      await new Promise((resolve) => setTimeout(resolve, rng.float() * 15));
      writer.kill();
      await writer.ended;
      const store = await RunStore.create(run, NEW_RUN).catch(() => RunStore.open(run, { write: true }));
      await writeSteps(store, 1);
      await store.close();
      expect(wholeSteps(run)).toBe(1);
    }
  });
});
