import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../../src/core/errors.js';
import type { RunJournal } from '../../../src/core/ports.js';
import type { Group } from '../../../src/core/reward.js';
import {
  EVE_ARMS,
  MEASURE_ROLE,
  ROUND_ROLE,
  STEP_ROLE,
  type EveArm,
  type EveConfig,
} from '../../../src/methods/eve/index.js';
import { MemoryJournal } from '../../../src/runs/index.js';
import { CONFIG, process, world } from './world.js';

/** Counts the calls of a safe point and stops at one of them. */
function stopAt(call: number): { safePoint: () => void; calls: () => number } {
  let calls = 0;
  return {
    safePoint: () => {
      if (calls++ === call) throw new InterruptedError('stopped');
    },
    calls: () => calls,
  };
}

/** The journal of a process that is killed right after its n-th record. */
function killedAfter(journal: MemoryJournal, n: number): { journal: RunJournal; records: () => number } {
  let records = 0;
  const mortal = new Proxy(journal, {
    get(target, name: keyof MemoryJournal) {
      const member: unknown = target[name];
      if (typeof member !== 'function') return member;
      const call = member as (...args: unknown[]) => Promise<unknown>;
      if (!name.startsWith('record')) return call.bind(target);
      return async (...args: unknown[]) => {
        await call.apply(target, args);
        if (++records === n) throw new Error('killed');
      };
    },
  });
  return { journal: mortal, records: () => records };
}

async function whole(config: EveConfig = CONFIG): Promise<MemoryJournal> {
  const journal = new MemoryJournal();
  await process(journal, config);
  return journal;
}

/** Journals hold thousands of numbers: only where they differ is it worth the time to say how. */
async function expectAlike(journal: MemoryJournal, straight: MemoryJournal, when: string): Promise<void> {
  // Nothing here waits for anything, so the test runner would never be heard.
  await setImmediate();
  if (!isDeepStrictEqual(journal, straight)) expect(journal, when).toEqual(straight);
}

const arm = (name: EveArm): EveConfig => ({ ...CONFIG, arm: name });
const steps = [1, 2].flatMap((round) => [0, 1].map((step) => ({ round, step })));

async function groupsOf(journal: MemoryJournal, role: string): Promise<Group[]> {
  const all = await Promise.all(steps.map((place) => journal.findGroups({ ...place, role })));
  return all.flatMap((groups) => groups ?? []);
}

const rollouts = (groups: readonly Group[]): number =>
  groups.reduce((sum, group) => sum + group.rollouts.length, 0);

describe('the loop of EVE', () => {
  it('trains both roles, with programs, questions, queue and bank in the record', async () => {
    const journal = await whole();
    const challenger = await groupsOf(journal, 'challenger');
    expect(rollouts(challenger)).toBe(4 * 2 * 3);
    const proposals = [
      ...((await journal.findProposals(1)) ?? []),
      ...((await journal.findProposals(2)) ?? []),
    ];
    expect(proposals).toHaveLength(24);
    const completions = challenger.flatMap((group) =>
      group.rollouts.map(({ completion }) => completion.text),
    );
    expect(proposals.map(({ text }) => text)).toEqual(completions);
    expect(
      new Set(proposals.map(({ outcome }) => (outcome.kind === 'accepted' ? 'ok' : outcome.reason))),
    ).toEqual(new Set(['ok', 'no-program', 'duplicate']));
    expect((await journal.latestCheckpoint('challenger'))?.updates).toBeGreaterThan(0);
    expect((await journal.latestCheckpoint('solver'))?.updates).toBeGreaterThan(0);
    const round = await journal.findMetrics({ round: 2, role: ROUND_ROLE, step: 0 });
    expect(round).toMatchObject({ programs: 12, challenger_rollouts: 12, tasks: 6, label_accuracy: 1 });
    for (const name of ['code_diversity', 'image_distance', 'difficulty', 'valid_share', 'queue', 'bank']) {
      expect(round?.[name], name).toBeTypeOf('number');
    }
  });

  it('pays 0.2 format + 0.4 valid + 0.4 difficulty + 0.3 diversity, by the accuracy that the frozen solver had', async () => {
    const journal = await whole();
    let judged = 0;
    for (const place of steps) {
      const measured = (await journal.findGroups({ ...place, role: MEASURE_ROLE })) ?? [];
      const accuracy = new Map(measured.map(({ task, passRate }) => [task.question, passRate]));
      const groups = (await journal.findGroups({ ...place, role: 'challenger' })) ?? [];
      for (const { task, rollouts: said } of groups) {
        const ops = said.map(({ completion: { text } }) => text.split(' by ')[0] as string);
        for (const { completion, score } of said) {
          const valid = completion.text.includes(' by ') && completion.text !== 'shift by 1 1 2 3';
          const seed = String(task.facts['seed']);
          const program = completion.text.replace(' by', '');
          const diffs = ['which picture', 'which arguments'].map((kind) => {
            const acc = accuracy.get(`${kind} ${seed} ${program}`);
            return acc === undefined ? 0 : 1 - 2 * Math.abs(acc - 0.5);
          });
          const difficulty = valid ? ((diffs[0] as number) + (diffs[1] as number)) / 2 : 0;
          // Every two-word text has BLEU 0 or less than 1/2 with another, and 0.32 with itself: one cluster each.
          expect(ops.length).toBe(3);
          expect(score.terms['format']).toBe(completion.text.includes(' by ') ? 0.2 : 0);
          expect(score.terms['valid']).toBe(valid ? 0.4 : 0);
          expect(score.terms['difficulty']).toBeCloseTo(0.4 * difficulty, 12);
          const sum = Object.values(score.terms).reduce((a, b) => a + b, 0);
          expect(score.total).toBeCloseTo(sum, 12);
          if (valid) judged++;
        }
      }
    }
    expect(judged).toBeGreaterThan(8);
  });

  it('stopped at any safe point and resumed, ends as it does uninterrupted', async () => {
    const { safePoint, calls } = stopAt(-1);
    const straight = new MemoryJournal();
    await process(straight, CONFIG, safePoint);
    expect(calls()).toBeGreaterThan(12);
    for (let call = 0; call < calls(); call++) {
      const journal = new MemoryJournal();
      await expect(process(journal, CONFIG, stopAt(call).safePoint)).rejects.toThrow('stopped');
      await process(journal, CONFIG);
      await expectAlike(journal, straight, `stopped at safe point ${call}`);
    }
  });

  // The arms record in nearly the same order: each is killed after every third record, and together after every one.
  it.each([
    ['full', 1],
    ['pseudo-label', 2],
    ['templates', 3],
  ] as const)(
    'killed after a record and resumed, ends as it does uninterrupted: %s',
    async (name, first) => {
      const config = arm(name);
      const straight = new MemoryJournal();
      const counting = killedAfter(straight, -1);
      await process(counting.journal, config);
      for (let n = first; n < counting.records(); n += 3) {
        const journal = new MemoryJournal();
        await expect(process(killedAfter(journal, n).journal, config)).rejects.toThrow('killed');
        await process(journal, config);
        await expectAlike(journal, straight, `killed after record ${n}`);
      }
    },
    120_000,
  );

  it('samples nothing and runs no program again when a run that is complete is resumed', async () => {
    const journal = await whole();
    const before = world.runs;
    const { samples } = await process(journal, CONFIG);
    expect(samples).toEqual({ challenger: 0, solver: 0 });
    // One program makes the held-out tasks of this test.
    expect(world.runs - before).toBe(1);
  });
});

describe('the arms', () => {
  it('train the solver on equal numbers of rollouts, and measure with at most as many', async () => {
    for (const name of EVE_ARMS) {
      const journal = await whole(arm(name));
      const trained = rollouts(await groupsOf(journal, 'solver'));
      expect(trained, name).toBe(name === 'base' ? 0 : 4 * 3 * 4);
      const challenger = rollouts(await groupsOf(journal, 'challenger'));
      expect(challenger, name).toBe(name === 'base' || name === 'templates' ? 0 : 4 * 2 * 3);
      const measured = rollouts(await groupsOf(journal, MEASURE_ROLE));
      expect(measured, name).toBeLessThanOrEqual(4 * 2 * 3 * 2 * 4);
      if (name !== 'base') expect(measured, name).toBeGreaterThan(0);
    }
  });

  it('leave out the terms they are named for', async () => {
    const terms = async (name: EveArm): Promise<Record<string, boolean>> => {
      const groups = await groupsOf(await whole({ ...arm(name), diversityCut: 0.9 }), 'challenger');
      const scores = groups.flatMap((group) => group.rollouts.map(({ score }) => score.terms));
      return {
        diversity: scores.some((term) => (term['diversity'] ?? 0) < 0),
        difficulty: scores.some((term) => (term['difficulty'] ?? 0) > 0),
      };
    };
    expect(await terms('full')).toEqual({ diversity: true, difficulty: true });
    expect(await terms('no-div')).toEqual({ diversity: false, difficulty: true });
    expect(await terms('no-div-diff')).toEqual({ diversity: false, difficulty: false });
  });

  it('templates: the seed programs alone, every one on every image', async () => {
    const journal = await whole(arm('templates'));
    const proposals = (await journal.findProposals(1)) ?? [];
    expect(proposals.every(({ origin, text }) => origin === 'template' && text === '')).toBe(true);
    const programs = proposals.map(({ action }) => world.programSource(action as never));
    expect(new Set(programs)).toEqual(new Set(world.seedPrograms.map(world.programSource)));
    expect((await journal.findMetrics({ round: 2, role: STEP_ROLE, step: 1 }))?.['queue']).toBe(2);
  });

  it('pseudo-label: votes are the labels, and execution says how many are right', async () => {
    const journal = await whole(arm('pseudo-label'));
    const trained = await groupsOf(journal, 'solver');
    expect(trained.every(({ task }) => task.label.origin === 'pseudo')).toBe(true);
    const stored = await journal.findTasks(trained.map(({ task }) => task.id));
    const truths = await journal.findTasks(stored.map(({ parentTaskId }) => parentTaskId as string));
    const rights = new Map(
      stored.map(({ task, round }, i) => [
        `${round} ${task.id}`,
        Number(task.answer === truths[i]?.task.answer),
      ]),
    );
    for (const round of [1, 2]) {
      const shares = [...rights].filter(([key]) => key.startsWith(`${round} `)).map(([, right]) => right);
      const metrics = await journal.findMetrics({ round, role: ROUND_ROLE, step: 0 });
      if (round === 1) {
        expect(metrics?.['label_accuracy_trained']).toBeCloseTo(
          shares.reduce((a, b) => a + b, 0) / shares.length,
          12,
        );
      }
      expect(metrics?.['label_accuracy']).toBeGreaterThanOrEqual(0);
      expect(metrics?.['label_accuracy']).toBeLessThanOrEqual(1);
    }
    // The fake is right less than half of the time on many questions: some votes must be wrong.
    expect([...rights.values()]).toContain(0);
    expect([...rights.values()]).toContain(1);
  });

  it('the queue may be as small as its seeds', async () => {
    const journal = await whole({ ...CONFIG, queue: { ...CONFIG.queue, size: 0 } });
    expect((await journal.findMetrics({ round: 2, role: ROUND_ROLE, step: 0 }))?.['queue']).toBe(2);
    const grown = await whole();
    const metrics = await grown.findMetrics({ round: 2, role: ROUND_ROLE, step: 0 });
    expect(metrics?.['queue']).toBeGreaterThan(2);
  });
});
