import { chunk } from '../core/chunk.js';
import { strictZip } from '../core/zip.js';
import type { AskedTask, FitJob, GroupJob, Learner } from '../core/learner.js';
import type { Completion, Policy, SampleRequest, TrainGroup, UpdateMetrics } from '../core/policy.js';
import type { Progress, RunJournal, SafePoint, StepKey } from '../core/ports.js';
import type { Group } from '../core/reward.js';
import { groupAdvantages, hasSignal } from './advantages.js';

type MeasureJob = Parameters<Learner['measureGroups']>[0];

export interface LearnerSetup {
  readonly role: string;
  readonly policy: Policy;
  readonly journal: RunJournal;
  readonly progress: Progress;
  readonly safePoint: SafePoint;
  /** Optimiser steps between checkpoints; one is also made at the end of every job. */
  readonly checkpointEvery: number;
  /** What the policy was initialised from, for the lineage of its checkpoints. */
  readonly origin: string;
}

/**
 * Gives a step-level policy (sample, update, save) the round-level interface of methods. A step is: sample, score, record,
 * update. Records come first, so that after a crash the recorded rollouts are learned from again, from the newest
 * checkpoint on, and none is sampled twice.
 */
export async function stepLearner(setup: LearnerSetup): Promise<Learner> {
  const { role, policy, journal, progress, safePoint } = setup;
  const restored = await journal.latestCheckpoint(role);
  if (restored) await policy.load(restored.state);
  /** Updates that the restored checkpoint already holds; the first ones asked for are those, and are skipped. */
  const held = restored?.updates ?? 0;
  let updates = 0;
  let saved = held;

  const save = async (key: StepKey): Promise<void> => {
    if (updates <= saved) return;
    await journal.recordCheckpoint({ ...key, updates, parent: setup.origin }, await policy.save());
    saved = updates;
  };

  /** One optimiser step, unless the restored checkpoint holds it already. */
  const update = async (
    batch: readonly TrainGroup[],
    objective: Parameters<Policy['update']>[1],
    learningRate: (update: number) => number,
  ): Promise<UpdateMetrics | null> => {
    updates++;
    if (updates <= held) return null;
    return policy.update(batch, objective, learningRate(updates - 1));
  };

  const measure = async (
    job: MeasureJob,
    step: number,
    tasks: readonly AskedTask[],
  ): Promise<readonly Group[]> => {
    const key = { round: job.round, role, step };
    const recorded = await journal.findGroups(key);
    if (recorded) return recorded;
    if (updates < held)
      throw new Error(`${role}: round ${job.round} step ${step} has a checkpoint but no rollouts`);
    const groups = await sampleGroups(policy, job, step, tasks);
    await journal.recordGroups(key, groups);
    return groups;
  };

  return {
    role,
    sample: (requests) => policy.sample(requests),
    refuses: (prompt) => policy.refuses?.(prompt) ?? null,
    encode: (text) => policy.encode(text),
    async measureGroups(job) {
      const groups: Group[] = [];
      for (const { step, tasks } of stepsOf(job)) {
        safePoint();
        groups.push(...(await measure(job, step, tasks)));
        progress.update(stageOf(job, role), groups.length, job.tasks.length, 'groups');
      }
      return groups;
    },
    async trainGroups(job) {
      const groups: Group[] = [];
      const steps = stepsOf(job);
      for (const { step, tasks } of steps) {
        safePoint();
        const measured = await measure(job, step, tasks);
        groups.push(...measured);
        const key = { round: job.round, role, step };
        const metrics: UpdateMetrics[] = [];
        for (const batch of updateBatches(job, step, tasks, measured)) {
          const m = await update(batch, job.objective, job.learningRate);
          if (m) metrics.push(m);
        }
        if (metrics.length > 0 && !(await journal.findMetrics(key))) {
          await journal.recordMetrics(key, averageMetrics(metrics));
        }
        if (updates - saved >= setup.checkpointEvery) await save(key);
        progress.update(stageOf(job, role), groups.length, job.tasks.length, 'groups');
      }
      if (!job.continues) await save({ round: job.round, role, step: (job.firstStep ?? 0) + steps.length });
      return groups;
    },
    async fit(job) {
      const batches = fitBatches(job);
      for (const [step, batch] of batches.entries()) {
        safePoint();
        const key = { round: job.round, role, step };
        const m = await update(batch, { name: 'cross-entropy' }, job.learningRate);
        if (m && !(await journal.findMetrics(key))) await journal.recordMetrics(key, averageMetrics([m]));
        if (updates - saved >= setup.checkpointEvery) await save(key);
        progress.update(`round ${job.round} ${role}`, step + 1, batches.length, 'updates');
      }
      await save({ round: job.round, role, step: batches.length });
    },
  };
}

/** What a progress bar is called; where a round comes in several jobs each has a bar of its own. */
function stageOf({ round, firstStep }: MeasureJob, role: string): string {
  return `round ${round} ${role}${firstStep === undefined ? '' : ` step ${firstStep + 1}`}`;
}

/** The tasks of each sampling step, with its number in the round. */
function stepsOf(job: MeasureJob): { readonly step: number; readonly tasks: readonly AskedTask[] }[] {
  const first = job.firstStep ?? 0;
  return chunk(job.tasks, job.tasksPerStep).map((tasks, i) => ({ step: first + i, tasks }));
}

/** Samples K completions a task and scores them as one batch. */
async function sampleGroups(
  policy: Policy,
  job: MeasureJob,
  step: number,
  tasks: readonly AskedTask[],
): Promise<Group[]> {
  const requests: SampleRequest[] = tasks.map(({ prompt, constraint }, i) => ({
    prompt,
    ...(constraint ? { constraint } : {}),
    n: job.groupSize,
    maxTokens: job.maxTokens,
    temperature: job.temperature,
    ...job.limits,
    rng: job.rng.child('step', step, 'task', i),
  }));
  const completions = await policy.sample(requests);
  const batch = strictZip(tasks, completions).map(([{ task }, said]) => ({ task, completions: said }));
  const scores = await job.reward(batch);
  return strictZip(batch, scores).map(([{ task, completions: said }, scored]) => {
    const advantages = groupAdvantages(
      scored.map((score) => score.total),
      { normalise: job.normaliseAdvantage },
    );
    const rollouts = strictZip(said, scored).map(([completion, score], sample) => ({
      sample,
      completion,
      score,
      advantage: advantages[sample] as number,
    }));
    const correct = scored.filter((score) => score.correct).length;
    return { task, rollouts, passRate: correct / rollouts.length };
  });
}

/** The groups of one sampling step as its optimiser steps take them; a step without any signal gives none. */
function updateBatches(
  job: GroupJob,
  step: number,
  tasks: readonly AskedTask[],
  groups: readonly Group[],
): TrainGroup[][] {
  const rows = strictZip(tasks, groups).map(([{ prompt, constraint }, group]) => ({
    signal: hasSignal(group.rollouts.map((r) => r.score.total)),
    train: {
      prompt,
      ...(constraint ? { constraint } : {}),
      samples: group.rollouts.map(
        ({ completion, advantage }: { completion: Completion; advantage: number }) => ({
          tokens: completion.tokens,
          logprobs: completion.logprobs,
          weight: advantage,
        }),
      ),
    },
  }));
  const mixed = rows.filter((row) => row.signal);
  if (mixed.length === 0) return [];
  const quiet = rows.filter((row) => !row.signal).slice(0, job.quietGroupsPerStep);
  const order = job.rng.child('step', step, 'order').shuffle([...mixed, ...quiet].map((row) => row.train));
  return chunk(order, Math.ceil(order.length / job.updatesPerStep));
}

function fitBatches(job: FitJob): TrainGroup[][] {
  return Array.from({ length: job.epochs }, (_, epoch) =>
    chunk(job.rng.child('epoch', epoch).shuffle(job.examples), job.batchSize),
  )
    .flat()
    .map((examples) =>
      examples.map(({ prompt, tokens, weight, constraint }) => ({
        prompt,
        samples: [{ tokens, logprobs: new Float32Array(tokens.length), weight }],
        ...(constraint ? { constraint } : {}),
      })),
    );
}

/** Means over the optimiser steps of one sampling step, as the journal keeps them. */
function averageMetrics(list: readonly UpdateMetrics[]): Record<string, number> {
  const names = Object.keys(list[0] ?? {}) as Array<keyof UpdateMetrics>;
  return Object.fromEntries(
    names.map((name) => [name, list.reduce((sum, m) => sum + (m[name] ?? 0), 0) / list.length]),
  );
}
