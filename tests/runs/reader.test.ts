import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Rng } from '../../src/core/rng.js';
import { RunReader, RunStore } from '../../src/runs/index.js';
import { NEW_RUN, sampleGroup, sampleProposal, sampleTask, temporaryDirectory } from './fixtures.js';

describe('reading a run', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let store: RunStore;
  let reader: RunReader;
  let time: number;
  beforeEach(async () => {
    directory = temporaryDirectory();
    time = 1_000;
    store = await RunStore.create(directory.path, NEW_RUN, { now: () => time });
    reader = RunReader.open(directory.path);
  });
  afterEach(async () => {
    reader.close();
    await store.close();
    directory.remove();
  });
  const rng = Rng.fromSeed('reader');
  const seeds = [0, 1, 2].map((index) => sampleTask('reader', index));
  const tasks = seeds.map(({ stored }) => stored);
  const images = seeds.map(({ image }) => image);
  const [first, second] = tasks as [(typeof tasks)[0], (typeof tasks)[0]];

  it('sees what a writer records, as it is recorded', async () => {
    expect(reader.info()).toMatchObject({ ...NEW_RUN, createdAt: 1_000, activeAt: 1_000 });
    expect(reader.counts().tasks).toBe(0);
    time = 2_000;
    await store.recordTasks(tasks, images);
    expect(reader.counts()).toMatchObject({ tasks: 3, images: 3, rollouts: 0 });
    expect(reader.info().activeAt).toBe(2_000);
    time = 3_000;
    await store.recordEvent('paused', { why: 'outage' });
    expect(reader.events()).toEqual([
      { at: 1_000, kind: 'created', detail: { version: '0.0.0', pid: process.pid } },
      { at: 3_000, kind: 'paused', detail: { why: 'outage' } },
    ]);
  });

  it('streams tasks in pages, also by round and by parent, while more come in', async () => {
    const many = Array.from({ length: 700 }, (_, index) => sampleTask('many', index, index % 2, index % 7 === 0 ? 'p' : null));
    const stored = many.map((made) => made.stored);
    await store.recordTasks(
      stored,
      many.map(({ image }) => image),
    );
    expect([...reader.tasks()]).toStrictEqual(stored);
    expect([...reader.tasks({ round: 1 })]).toStrictEqual(stored.filter(({ round }) => round === 1));
    expect([...reader.tasks({ parentTaskId: 'p', round: 0 })]).toStrictEqual(
      stored.filter((_, index) => index % 14 === 0),
    );
    let seen = 0;
    for (const _ of reader.tasks()) if (seen++ === 0) await store.recordTasks(tasks, images);
    expect(seen).toBe(703);
    expect(reader.task(first.task.id)).toStrictEqual(first);
    expect(reader.task('unknown')).toBeNull();
    expect(await reader.image(first.task.images[0]!.hash)).toStrictEqual(images[0]);
    expect(await reader.image('unknown')).toBeNull();
  });

  it('tells what became of proposals', async () => {
    await store.recordTasks(tasks, images);
    const outcomes = ['overlap', 'hidden', 'overlap', null];
    for (const round of [1, 2]) {
      const proposals = outcomes.slice(round - 1).map((reason, index) =>
        sampleProposal(
          rng.child(round, index),
          index,
          first.task.id,
          reason === null
            ? { kind: 'accepted', taskId: second.task.id }
            : { kind: 'rejected', reason, detail: `${reason} ${index}` },
        ),
      );
      await store.recordProposals(round, proposals, [], []);
      expect(reader.proposals(round)).toStrictEqual(proposals);
    }
    expect(reader.proposals(3)).toEqual([]);
    expect(reader.proposalRounds()).toEqual([1, 2]);
    expect(reader.rejections()).toEqual([
      { round: 1, origin: 'rewriter', reason: 'overlap', count: 2 },
      { round: 1, origin: 'rewriter', reason: 'hidden', count: 1 },
      { round: 2, origin: 'rewriter', reason: 'hidden', count: 1 },
      { round: 2, origin: 'rewriter', reason: 'overlap', count: 1 },
    ]);
    expect(reader.counts()).toMatchObject({ proposals: 7, accepted: 2 });
  });

  it('finds the groups of a task wherever they were sampled, and adds steps up', async () => {
    await store.recordTasks(tasks, images);
    const places = [
      { round: 1, role: 'actor', step: 0 },
      { round: 1, role: 'actor', step: 1 },
      { round: 2, role: 'measure', step: 0 },
    ];
    const groups = places.map((_, i) => [
      sampleGroup(rng.child('a', i), first),
      sampleGroup(rng.child('b', i), second),
    ]);
    for (const [i, key] of places.entries()) await store.recordGroups(key, groups[i]!);
    await store.recordGroups({ round: 3, role: 'actor', step: 0 }, []);
    expect(reader.groupsOfTask(first.task.id)).toStrictEqual(
      places.map((key, i) => ({ ...key, group: groups[i]![0] })),
    );
    expect(reader.groupsOfTask('unknown')).toEqual([]);
    expect(reader.groups(places[1]!)).toStrictEqual(groups[1]);
    expect(reader.passRates({ role: 'measure' })).toEqual(
      groups[2]!.map(({ task, passRate }) => ({ ...places[2], taskId: task.id, passRate, rollouts: 8 })),
    );
    expect(reader.passRates({ round: 1 })).toHaveLength(4);
    expect(reader.passRates()).toHaveLength(6);

    const steps = reader.steps();
    expect(steps.map(({ round, role, step }) => ({ round, role, step }))).toEqual([
      ...places,
      { round: 3, role: 'actor', step: 0 },
    ]);
    const rollouts = groups[0]!.flatMap((group) => group.rollouts);
    const mean = (values: number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
    expect(steps[0]).toMatchObject({ groups: 2, rollouts: 16, at: 1_000 });
    expect(steps[0]?.correct).toBeCloseTo(mean(rollouts.map(({ score }) => Number(score.correct))), 12);
    expect(steps[0]?.meanReward).toBeCloseTo(mean(rollouts.map(({ score }) => score.total)), 12);
    expect(steps[0]?.meanLength).toBeCloseTo(mean(rollouts.map(({ completion }) => completion.tokens.length)), 12);
    expect(steps[0]?.truncated).toBeCloseTo(mean(rollouts.map(({ completion }) => Number(completion.finish === 'length'))), 12);
    expect(steps[3]).toMatchObject({ groups: 0, rollouts: 0, correct: null, meanReward: null });
    expect(reader.rounds()).toEqual([0, 1, 2, 3]);
  });

  it('gives metrics as series by name', async () => {
    await store.recordMetrics({ round: 1, role: 'actor', step: 0 }, { loss: 2, kl: NaN });
    await store.recordMetrics({ round: 1, role: 'rewriter', step: 0 }, { loss: 3 });
    await store.recordMetrics({ round: 2, role: 'actor', step: 0 }, { kl: 0.5 });
    expect(reader.metricNames()).toEqual(['loss', 'kl']);
    expect(reader.metrics('loss')).toEqual([
      { round: 1, role: 'actor', step: 0, name: 'loss', value: 2 },
      { round: 1, role: 'rewriter', step: 0, name: 'loss', value: 3 },
    ]);
    expect(reader.metrics('kl').map(({ value }) => value)).toEqual([NaN, 0.5]);
    expect(reader.metrics('none')).toEqual([]);
  });

  it('has a digest of the content, not of when or in what order it came', async () => {
    const other = temporaryDirectory();
    const late = await RunStore.create(other.path, NEW_RUN, { now: () => 77 });
    await store.recordTasks(tasks, images);
    await late.recordTasks([...tasks].reverse(), images);
    const key = { round: 1, role: 'actor', step: 0 };
    const group = sampleGroup(rng.child('digest'), first);
    await store.recordGroups(key, [group]);
    await store.recordMetrics(key, { loss: 1, seconds: 4 });
    await late.recordMetrics(key, { loss: 1, seconds: 5 });
    await late.recordEvent('paused', null);
    await late.recordGroups(key, [group]);
    const reading = RunReader.open(other.path);
    const ignore = (name: string): boolean => name === 'seconds';
    expect(reading.digest(ignore)).toBe(reader.digest(ignore));
    expect(reading.digest()).not.toBe(reader.digest());
    await late.recordGroups({ ...key, step: 1 }, [group]);
    expect(reading.digest(ignore)).not.toBe(reader.digest(ignore));
    reading.close();
    await late.close();
    other.remove();
  });

  it('records rollouts in batches of 512 far faster than any policy samples them', async () => {
    const pool = Array.from({ length: 64 }, (_, index) => sampleTask('rate', index));
    await store.recordTasks(
      pool.map(({ stored }) => stored),
      pool.map(({ image }) => image),
    );
    const groups = pool.map(({ stored }, i) => sampleGroup(rng.child('rate', i), stored));
    const batches = 30;
    // Processor time, since the machine that tests run on may be doing other things.
    const start = process.cpuUsage();
    for (let step = 0; step < batches; step++) await store.recordGroups({ round: 1, role: 'actor', step }, groups);
    const { user, system } = process.cpuUsage(start);
    const rate = (512 * batches * 1e6) / (user + system);
    console.info(`${Math.round(rate)} rollouts recorded in a second of one core`);
    expect(rate).toBeGreaterThan(10_000);
    expect(reader.counts().rollouts).toBe(512 * batches);
  });
});
