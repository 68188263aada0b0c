import { describe, expect, it } from 'vitest';
import { stepLearner } from '../../src/algorithms/learner.js';
import type { GroupJob } from '../../src/core/learner.js';
import type { Policy, SampleRequest } from '../../src/core/policy.js';
import { userPrompt } from '../../src/core/prompt.js';
import { Rng } from '../../src/core/rng.js';
import type { OutputConstraint } from '../../src/core/role.js';
import { makeTask } from '../../src/core/task.js';
import { FakePolicy } from '../../src/engines/fake/index.js';
import { MemoryJournal } from '../../src/runs/index.js';

const COLORS = ['red', 'green', 'blue', 'cyan'];

const tasks = COLORS.map((color) => ({
  task: makeTask({
    environment: 'test',
    images: [],
    question: color,
    answer: color,
    answerKind: 'word',
    label: { origin: 'derived', derivation: { seedId: color, actions: [], rule: 'recompute', trace: null } },
    facts: {},
  }),
  prompt: userPrompt(color),
}));

/** Says the colour it was asked about or, half of the time, another word; `asked` keeps every request. */
function scripted(): { policy: Policy; asked: SampleRequest[] } {
  const policy = new FakePolicy({
    name: 'fake',
    vocabulary: [...COLORS, 'no'],
    answers: (prompt) => {
      const part = prompt.messages[0]?.content[0];
      return { right: [part?.type === 'text' ? part.text : ''], wrong: ['no'], passRate: 0.5 };
    },
  });
  const asked: SampleRequest[] = [];
  const sample = policy.sample.bind(policy);
  policy.sample = (requests) => {
    asked.push(...requests);
    return sample(requests);
  };
  return { policy, asked };
}

function job(more: Partial<GroupJob> = {}): GroupJob {
  return {
    round: 1,
    tasks,
    groupSize: 8,
    maxTokens: 4,
    temperature: 1,
    reward: (batch) =>
      batch.map(({ task, completions }) =>
        completions.map(({ text }) => {
          const correct = text === task.answer;
          return { total: correct ? 1 : -1, terms: { accuracy: correct ? 1 : -1 }, correct };
        }),
      ),
    objective: { name: 'policy-gradient', temperature: 1, clipLow: 0.2, clipHigh: 0.28, kl: 0, entropy: 0 },
    normaliseAdvantage: 'std',
    tasksPerStep: 2,
    updatesPerStep: 1,
    quietGroupsPerStep: 0,
    learningRate: () => 1e-3,
    rng: Rng.fromSeed(3),
    ...more,
  };
}

async function learner(
  policy: Policy,
  journal: MemoryJournal,
  checkpointEvery = 1000,
): ReturnType<typeof stepLearner> {
  await journal.recordTasks(
    tasks.map(({ task }) => ({
      task,
      lineage: { seedId: task.question, actions: [], state: null },
      parentTaskId: null,
      round: 0,
    })),
    [],
  );
  const progress = { update: () => undefined, note: () => undefined };
  const safePoint = (): void => undefined;
  return stepLearner({
    role: 'actor',
    policy,
    journal,
    progress,
    safePoint,
    checkpointEvery,
    origin: 'test',
  });
}

describe('step learner', () => {
  it('gives every group in the order of the tasks, with advantages that sum to 0', async () => {
    const { policy } = scripted();
    const groups = await (await learner(policy, new MemoryJournal())).trainGroups(job());
    expect(groups.map((group) => group.task.id)).toEqual(tasks.map(({ task }) => task.id));
    for (const { rollouts, passRate } of groups) {
      expect(rollouts).toHaveLength(8);
      expect(passRate).toBe(rollouts.filter((r) => r.score.correct).length / 8);
      expect(rollouts.reduce((sum, r) => sum + r.advantage, 0)).toBeCloseTo(0, 9);
    }
  });

  it('samples nothing twice: recorded steps are learned from again, to the same policy', async () => {
    const journal = new MemoryJournal();
    const first = scripted();
    // No checkpoint is kept of this process: it "dies" before the end of its job.
    const broken = await learner(first.policy, journal);
    const failing = job({ learningRate: () => 1e-3 });
    let steps = 0;
    const update = first.policy.update.bind(first.policy);
    first.policy.update = (...args) => {
      if (++steps === 2) throw new Error('killed');
      return update(...args);
    };
    await expect(broken.trainGroups(failing)).rejects.toThrow('killed');
    const second = scripted();
    await (await learner(second.policy, journal)).trainGroups(job());
    expect(second.asked).toHaveLength(0);

    const whole = scripted();
    await (await learner(whole.policy, new MemoryJournal())).trainGroups(job());
    expect(await second.policy.save()).toEqual(await whole.policy.save());
  });

  it('applies no update twice that a checkpoint holds already', async () => {
    const journal = new MemoryJournal();
    const first = scripted();
    await (await learner(first.policy, journal, 1)).trainGroups(job());
    const again = scripted();
    let updates = 0;
    const update = again.policy.update.bind(again.policy);
    again.policy.update = (...args) => {
      updates++;
      return update(...args);
    };
    await (await learner(again.policy, journal, 1)).trainGroups(job());
    expect(updates).toBe(0);
    expect(await again.policy.save()).toEqual(await first.policy.save());
  });

  it('takes the steps of a round in several jobs, with one checkpoint at their end', async () => {
    const journal = new MemoryJournal();
    const { policy } = scripted();
    const parted = await learner(policy, journal);
    for (const [i, part] of [tasks.slice(0, 2), tasks.slice(2)].entries()) {
      await parted.trainGroups(job({ tasks: part, firstStep: i, continues: i === 0 }));
      expect((await journal.latestCheckpoint('actor'))?.updates ?? 0).toBe(i === 0 ? 0 : 2);
    }
    const whole = new MemoryJournal();
    const other = scripted();
    await (await learner(other.policy, whole)).trainGroups(job());
    expect(await policy.save()).toEqual(await other.policy.save());
    for (const step of [0, 1]) {
      const key = { round: 1, role: 'actor', step };
      expect(await journal.findGroups(key)).toEqual(await whole.findGroups(key));
    }
  });

  it('holds a role to its grammar while sampling', async () => {
    const constraint: OutputConstraint = { grammar: { kind: 'literal', text: 'no' }, jsonSchema: {} };
    const { policy } = scripted();
    const asked = tasks.map((task) => ({ ...task, constraint }));
    const groups = await (await learner(policy, new MemoryJournal())).trainGroups(job({ tasks: asked }));
    expect(new Set(groups.flatMap((g) => g.rollouts.map((r) => r.completion.text)))).toEqual(new Set(['no']));
  });
});
