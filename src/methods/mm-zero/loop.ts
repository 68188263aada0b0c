import { learningRateAt } from '../../algorithms/schedule.js';
import type { Json } from '../../core/json.js';
import type { AskedTask, GroupJob, Learner } from '../../core/learner.js';
import type { Reward } from '../../core/reward.js';
import type { Task } from '../../core/task.js';
import { roundOf, type MmZeroConfig, type Phase, type RoleConfig } from './config.js';
import { coderData, solverData, topicRequest } from './data.js';
import { roundMetrics } from './metrics.js';
import { coderGroupReward, proposerReward, solverReward, type NoteStep } from './rewards.js';
import type { MmZeroSetup } from './setup.js';

/**
 * MM-Zero (Section 2.2): proposer, coder and solver, each trained by GRPO in turn while the other two stay as they are. The
 * proposer invents pictures with an easy and a hard question, the coder draws them, the solver answers; nothing else is needed.
 * A phase is a round of the run. Stopped at any point and called again, it goes on where it was.
 */
export async function runMmZero<State extends Json>(setup: MmZeroSetup<State>): Promise<void> {
  const { config, journal, evaluator } = setup;
  await evaluator.evaluate(0);
  if (config.arm === 'base') return;
  for (let iteration = 1; iteration <= config.iterations; iteration++) {
    for (const [phase, train] of [
      ['proposer', trainProposer],
      ['coder', trainCoder],
      ['solver', trainSolver],
    ] as const) {
      const round = roundOf(iteration, phase);
      await train(setup, round);
      await evaluator.evaluate(round);
    }
  }
  await journal.recordEvent('finished', { arm: config.arm, iterations: config.iterations });
}

/** Proposals about seed topics, rewarded by how they are drawn and answered (equation of R(x) and its terms). */
async function trainProposer<State extends Json>(setup: MmZeroSetup<State>, round: number): Promise<void> {
  const { config, environment, journal, proposer, topics } = setup;
  const rng = setup.rng.child('round', round, 'proposer');
  const { steps, tasksPerStep } = config.proposer;
  const requests = Array.from({ length: steps * tasksPerStep }, (_, draw) => {
    const pass = Math.floor(draw / topics.length);
    const topic = rng.child('topics', pass).shuffle(topics)[draw % topics.length];
    if (!topic) throw new Error('mm-zero: there are no topics');
    return { topic, task: topicRequest(setup, topic, { round, draw }) };
  });
  await journal.recordTasks(
    requests.map(({ topic, task }) => ({ task, lineage: topic, parentTaskId: null, round })),
    [],
  );
  const topicOf = byTask(requests, ({ topic }) => topic);
  const asked = requests.map(({ task, topic }) => ({
    task,
    prompt: environment.proposer.prompt({ lineage: topic }),
  }));
  const note = noteSteps(setup, round, 'proposer', asked);
  await trainRole(setup, round, 'proposer', proposer, asked, proposerReward(setup, topicOf, rng, note));
}

/** Proposals that the coder draws now and then, rewarded by the picture and what the solver makes of it (R_D). */
async function trainCoder<State extends Json>(setup: MmZeroSetup<State>, round: number): Promise<void> {
  const { environment, coder } = setup;
  const rng = setup.rng.child('round', round, 'coder');
  const requests = rng.child('order').shuffle(await coderData(setup, round));
  const asked = requests.map(({ task, proposal }) => ({ task, prompt: environment.coder.prompt(proposal) }));
  const sketchOf = byTask(requests, ({ lineage, proposal }) => ({ lineage, proposal }));
  const note = noteSteps(setup, round, 'coder', asked);
  await trainRole(setup, round, 'coder', coder, asked, coderGroupReward(setup, sketchOf, rng, note));
}

/** Test-time reinforcement learning on hard questions, rewarded by agreement with the majority (Section 2.6). */
async function trainSolver<State extends Json>(setup: MmZeroSetup<State>, round: number): Promise<void> {
  const { environment, solver } = setup;
  const rng = setup.rng.child('round', round, 'solver');
  const tasks = rng.child('order').shuffle(await solverData(setup, round));
  const asked = tasks.map(({ task, images }) => ({
    task,
    prompt: environment.solver.prompt({ task, images }),
  }));
  const note = noteSteps(setup, round, 'solver', asked);
  await trainRole(setup, round, 'solver', solver, asked, solverReward(setup, rng, note));
}

/** GRPO of one role on what there is for it, at most `steps` steps; a phase without any task is passed over. */
async function trainRole<State extends Json>(
  { config, journal, progress, rng }: MmZeroSetup<State>,
  round: number,
  phase: Phase,
  learner: Learner,
  asked: readonly AskedTask[],
  reward: Reward,
): Promise<void> {
  const role = config[phase];
  const tasks = asked.slice(0, role.steps * role.tasksPerStep);
  if (tasks.length === 0) progress.note(`round ${round}: no task for the ${phase} passed its filter`);
  const { temperature, clipLow, clipHigh, kl, entropy } = role;
  const groups = await learner.trainGroups({
    round,
    tasks,
    groupSize: role.groupSize,
    maxTokens: role.maxTokens,
    temperature,
    reward,
    objective: { name: 'policy-gradient', temperature, clipLow, clipHigh, kl, entropy },
    normaliseAdvantage: role.normaliseAdvantage,
    tasksPerStep: role.tasksPerStep,
    updatesPerStep: role.updatesPerStep,
    quietGroupsPerStep: role.quietGroupsPerStep,
    learningRate: learningRateOf(config, role),
    rng: rng.child('round', round, phase, 'rollouts'),
  });
  const key = { round, role: 'mm-zero', step: 0 };
  if (!(await journal.findMetrics(key))) await journal.recordMetrics(key, roundMetrics(phase, groups));
}

function learningRateOf({ iterations }: MmZeroConfig, role: RoleConfig): GroupJob['learningRate'] {
  const { learningRate: peak, warmupSteps, decay, finalShare } = role;
  const totalSteps = iterations * role.steps * role.updatesPerStep;
  return (update) => learningRateAt({ peak, warmupSteps, decay, finalShare, totalSteps }, update);
}

/** Records the metrics of each step once, under the name `<phase>-reward`. */
function noteSteps<State extends Json>(
  { config, journal }: MmZeroSetup<State>,
  round: number,
  phase: Phase,
  asked: readonly AskedTask[],
): NoteStep {
  const stepOf = new Map(
    asked.map(({ task }, i) => [task.id, Math.floor(i / config[phase].tasksPerStep)] as const),
  );
  return async ([first], metrics) => {
    const step = first && stepOf.get(first.id);
    if (step === undefined) throw new Error(`${phase}: a reward was asked for tasks of no step`);
    const key = { round, role: `${phase}-reward`, step };
    if (!(await journal.findMetrics(key))) await journal.recordMetrics(key, metrics);
  };
}

function byTask<R extends { readonly task: Task }, V>(
  requests: readonly R[],
  value: (request: R) => V,
): (task: Task) => V {
  const byId = new Map(requests.map((request) => [request.task.id, request]));
  return (task) => {
    const request = byId.get(task.id);
    if (!request) throw new Error(`task ${task.id} is none of this phase`);
    return value(request);
  };
}
