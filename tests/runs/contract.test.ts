import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../src/core/errors.js';
import { imageRef } from '../../src/core/image.js';
import type { RunJournal, StepKey } from '../../src/core/ports.js';
import type { Group } from '../../src/core/reward.js';
import { Rng } from '../../src/core/rng.js';
import { MemoryJournal, RunStore } from '../../src/runs/index.js';
import { NEW_RUN, sampleGroup, sampleImage, sampleProposal, sampleTask, temporaryDirectory } from './fixtures.js';

interface Kind {
  readonly name: string;
  readonly open: () => Promise<{ journal: RunJournal; reopen: () => Promise<RunJournal>; close: () => Promise<void> }>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'memory',
    open: async () => {
      const journal = new MemoryJournal();
      return { journal, reopen: async () => journal, close: async () => undefined };
    },
  },
  {
    name: 'store',
    open: async () => {
      const directory = temporaryDirectory();
      let store = await RunStore.create(directory.path, NEW_RUN);
      return {
        journal: store,
        reopen: async () => {
          await store.close();
          store = await RunStore.open(directory.path, { write: true });
          return store;
        },
        close: async () => {
          await store.close();
          directory.remove();
        },
      };
    },
  },
];

const KEY: StepKey = { round: 3, role: 'actor', step: 2 };
const seeds = [0, 1, 2].map((index) => sampleTask('contract', index));
const tasks = seeds.map(({ stored }) => stored);
const images = seeds.map(({ image }) => image);
const [first, second] = tasks as [(typeof tasks)[0], (typeof tasks)[0]];
const rng = Rng.fromSeed('contract');

describe.each(KINDS)('journal in $name', ({ open }) => {
  let journal: RunJournal;
  let opened: Awaited<ReturnType<Kind['open']>>;
  const reopen = async (): Promise<void> => {
    journal = await opened.reopen();
  };
  beforeEach(async () => {
    opened = await open();
    journal = opened.journal;
  });
  afterEach(() => opened.close());

  it('gives tasks and pixels back as they were, in the order asked for', async () => {
    await journal.recordTasks(tasks, images);
    await reopen();
    expect(await journal.findTasks([second.task.id, first.task.id])).toStrictEqual([second, first]);
    const found = await journal.findTasks([first.task.id]);
    expect(JSON.stringify(found[0])).toBe(JSON.stringify(first));
    expect(Object.isFrozen(found[0]?.task)).toBe(true);
    for (const image of images) expect(await journal.findImage(imageRef(image).hash)).toStrictEqual(image);
    expect(await journal.findImage('0'.repeat(64))).toBeNull();
  });

  it('leaves equal tasks as they are and refuses another of the same id', async () => {
    await journal.recordTasks(tasks, images);
    await journal.recordTasks([{ ...first, round: 9, parentTaskId: 'x' }], []);
    expect(await journal.findTasks([first.task.id])).toStrictEqual([first]);
    const forged = { ...first, task: { ...first.task, answer: 'other' } };
    await expect(journal.recordTasks([forged], [])).rejects.toThrow(StoreError);
    await expect(journal.findTasks(['unknown'])).rejects.toThrow(/unknown isn't in the store/);
  });

  it('adds none of the tasks when one has no image', async () => {
    await expect(journal.recordTasks(tasks, images.slice(0, 2))).rejects.toThrow(/its image .* neither/);
    await expect(journal.findTasks([first.task.id])).rejects.toThrow(StoreError);
    await journal.recordTasks(tasks, images);
  });

  it('gives groups back exactly as recorded, in the order of the batch', async () => {
    await journal.recordTasks(tasks, images);
    const groups = [second, first].map((stored, i) => sampleGroup(rng.child('exact', i), stored));
    // Samples out of order, and the same task twice in a batch with other samples.
    const shuffled: Group = {
      ...sampleGroup(rng.child('more'), second, 4),
      rollouts: [11, 9, 10].map((sample) => ({ ...groups[0]!.rollouts[0]!, sample, advantage: -0 })),
    };
    const all = [...groups, shuffled, { task: first.task, rollouts: [], passRate: 0 }];
    expect(await journal.findGroups(KEY)).toBeNull();
    await journal.recordGroups(KEY, all);
    await reopen();
    expect(await journal.findGroups(KEY)).toStrictEqual(all);
    expect(await journal.findGroups({ ...KEY, step: 3 })).toBeNull();
    expect(await journal.findGroups({ ...KEY, role: 'rewriter' })).toBeNull();
  });

  it('keeps every bit of any log-probability, token, text and score', async () => {
    await journal.recordTasks(tasks, images);
    let step = 0;
    const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    const property = fc.asyncProperty(
      fc.array(word, { maxLength: 20 }),
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
      number,
      fc.dictionary(fc.string({ minLength: 1 }), number, { noNullPrototype: true }),
      async (words, text, value, terms) => {
        // Log-probabilities from raw bits: NaN payloads, denormals, both zeros.
        const tokens = Int32Array.from(words);
        const logprobs = new Float32Array(Int32Array.from(words).buffer);
        const key = { ...KEY, step: step++ };
        const rollout = {
          sample: 0,
          completion: { text, tokens, logprobs, finish: 'stop' as const },
          score: { total: value, terms, correct: true },
          advantage: value,
        };
        await journal.recordGroups(key, [{ task: first.task, rollouts: [rollout], passRate: 1 }]);
        const found = (await journal.findGroups(key))?.[0]?.rollouts[0];
        expect(new Int32Array(found!.completion.logprobs.slice().buffer)).toStrictEqual(tokens);
        expect(found!.completion.tokens).toStrictEqual(tokens);
        expect(found!.completion.text).toBe(text);
        expect(found!.score).toStrictEqual(rollout.score);
        expect(Object.keys(found!.score.terms)).toStrictEqual(Object.keys(terms));
        expect(found!.advantage).toBe(value);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('takes typed arrays that are windows into larger ones', async () => {
    await journal.recordTasks(tasks, images);
    const tokens = Int32Array.from([1, 2, 3, 4]).subarray(1, 3);
    const logprobs = Float32Array.from([-1, -2, -3, -4]).subarray(1, 3);
    const [rollout] = sampleGroup(rng, first, 1).rollouts;
    const completion = { ...rollout!.completion, tokens, logprobs };
    await journal.recordGroups(KEY, [{ task: first.task, rollouts: [{ ...rollout!, completion }], passRate: 0 }]);
    // What the caller does with its arrays afterwards changes nothing.
    tokens.fill(0);
    const found = (await journal.findGroups(KEY))?.[0]?.rollouts[0]?.completion;
    expect([...found!.tokens]).toEqual([2, 3]);
    expect([...found!.logprobs]).toEqual([-2, -3]);
  });

  it('takes the same groups again and refuses others', async () => {
    await journal.recordTasks(tasks, images);
    const group = sampleGroup(rng.child('again'), first);
    await journal.recordGroups(KEY, [group]);
    await journal.recordGroups(KEY, [structuredClone(group)]);
    const [rollout, ...others] = group.rollouts as [Group['rollouts'][0], ...Group['rollouts']];
    const changed = { ...rollout, advantage: rollout.advantage + 1e-12 };
    const conflict = /round 3, actor, step 2: rollouts are already recorded and differ/;
    await expect(journal.recordGroups(KEY, [{ ...group, rollouts: [changed, ...others] }])).rejects.toThrow(conflict);
    await expect(journal.recordGroups(KEY, [{ ...group, rollouts: others }])).rejects.toThrow(conflict);
    await expect(journal.recordGroups(KEY, [])).rejects.toThrow(StoreError);
    expect(await journal.findGroups(KEY)).toStrictEqual([group]);
  });

  it('refuses rollouts that would poison a run, and records nothing of the batch', async () => {
    await journal.recordTasks(tasks, images);
    const group = sampleGroup(rng, first, 2);
    const [a] = group.rollouts as [Group['rollouts'][0]];
    const nan = { ...a, sample: 1, score: { ...a.score, total: NaN } };
    await expect(journal.recordGroups(KEY, [{ ...group, rollouts: [a, a] }])).rejects.toThrow(/there twice/);
    await expect(journal.recordGroups(KEY, [{ ...group, rollouts: [a, nan] }])).rejects.toThrow(/reward must be/);
    const stranger = sampleTask('contract', 99).stored.task;
    await expect(journal.recordGroups(KEY, [group, { ...group, task: stranger }])).rejects.toThrow(
      new RegExp(`task ${stranger.id} isn't in the store`),
    );
    await expect(journal.recordGroups({ ...KEY, step: -1 }, [group])).rejects.toThrow(RangeError);
    expect(await journal.findGroups(KEY)).toBeNull();
    await journal.recordGroups(KEY, []);
    expect(await journal.findGroups(KEY)).toStrictEqual([]);
  });

  it('records a round of proposals with its tasks, all or nothing', async () => {
    await journal.recordTasks(tasks, images);
    const child = sampleTask('contract', 5, 1, first.task.id);
    const accepted = sampleProposal(rng.child(0), 1, first.task.id, { kind: 'accepted', taskId: child.stored.task.id });
    const rejected = sampleProposal(rng.child(1), 0, second.task.id, {
      kind: 'rejected',
      reason: 'overlap',
      detail: 'object "\0" overlaps',
    });
    const proposals = [accepted, rejected];
    expect(await journal.findProposals(1)).toBeNull();
    await expect(journal.recordProposals(1, proposals, [], [])).rejects.toThrow(/isn't in the store/);
    await expect(journal.recordProposals(1, proposals, [child.stored], [])).rejects.toThrow(/its image/);
    expect(await journal.findProposals(1)).toBeNull();
    await expect(journal.findTasks([child.stored.task.id])).rejects.toThrow(StoreError);
    await journal.recordProposals(1, proposals, [child.stored], [child.image]);
    await reopen();
    expect(await journal.findProposals(1)).toStrictEqual([rejected, accepted]);
    expect(await journal.findTasks([child.stored.task.id])).toStrictEqual([child.stored]);
    await journal.recordProposals(1, proposals, [child.stored], [child.image]);
    await expect(journal.recordProposals(1, [accepted], [], [])).rejects.toThrow(/proposals are already recorded/);
    await expect(journal.recordProposals(2, [accepted, accepted], [], [])).rejects.toThrow(/there twice/);
    await journal.recordProposals(2, [], [], []);
    expect(await journal.findProposals(2)).toStrictEqual([]);
  });

  it('keeps metrics by name, a diverged one too', async () => {
    const metrics = { loss: 0.1, kl: NaN, zero: -0, big: Infinity, 'accuracy/held-out': 1 / 3 };
    expect(await journal.findMetrics(KEY)).toBeNull();
    await journal.recordMetrics(KEY, metrics);
    await reopen();
    const found = await journal.findMetrics(KEY);
    expect(found).toStrictEqual(metrics);
    expect(Object.keys(found!)).toStrictEqual(Object.keys(metrics));
    await journal.recordMetrics(KEY, { ...metrics });
    await expect(journal.recordMetrics(KEY, { ...metrics, loss: 0.2 })).rejects.toThrow(/metrics are already/);
    await journal.recordMetrics({ ...KEY, step: 5 }, {});
    expect(await journal.findMetrics({ ...KEY, step: 5 })).toStrictEqual({});
  });

  it("loads a role's newest checkpoint", async () => {
    const state = (byte: number): Uint8Array => new Uint8Array(50_000).fill(byte);
    expect(await journal.latestCheckpoint('actor')).toBeNull();
    for (const step of [0, 1, 2, 3]) {
      await journal.recordCheckpoint({ round: 1, role: 'actor', step, updates: step + 1, parent: 'base' }, state(step));
    }
    await journal.recordCheckpoint({ round: 1, role: 'rewriter', step: 0, updates: 7, parent: null }, state(9));
    await reopen();
    expect(await journal.latestCheckpoint('actor')).toStrictEqual({ updates: 4, state: state(3) });
    expect(await journal.latestCheckpoint('rewriter')).toStrictEqual({ updates: 7, state: state(9) });
    const again = { round: 1, role: 'actor', step: 3, updates: 4, parent: 'base' };
    await journal.recordCheckpoint(again, state(3));
    await expect(journal.recordCheckpoint(again, state(4))).rejects.toThrow(/weights are already recorded/);
    await expect(journal.recordCheckpoint({ ...again, updates: 5 }, state(3))).rejects.toThrow(StoreError);
    // Not the newest any more, its bytes may be gone: still the same, still no conflict.
    await journal.recordCheckpoint({ ...again, step: 0, updates: 1 }, state(0));
    expect(await journal.latestCheckpoint('actor')).toStrictEqual({ updates: 4, state: state(3) });
  });

  it('takes calls that are made at once, and events', async () => {
    const image = sampleImage(rng.child('shared'));
    const shared = [...images, image, image];
    await Promise.all([
      journal.recordTasks(tasks, shared),
      journal.recordTasks([...tasks].reverse(), shared),
      journal.recordEvent('paused', { why: ['outage', null] }),
    ]);
    await journal.recordEvent('other', {});
    await journal.recordEvent('paused', { why: [] });
    await reopen();
    expect(await journal.findEvents('paused')).toStrictEqual([{ why: ['outage', null] }, { why: [] }]);
    expect(await journal.findEvents('never')).toStrictEqual([]);
    expect(await journal.findTasks(tasks.map(({ task }) => task.id))).toStrictEqual(tasks);
    expect(await journal.findImage(imageRef(image).hash)).toStrictEqual(image);
  });
});
