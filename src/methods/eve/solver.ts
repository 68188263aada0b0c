import type { Realised } from '../../core/environment.js';
import type { Json } from '../../core/json.js';
import { restoreTasks } from '../../core/restore.js';
import type { Group } from '../../core/reward.js';
import { makeTask } from '../../core/task.js';
import { dealSteps, mostDifficult, type Bank } from './bank.js';
import { solverReward } from './programs.js';
import type { Rated } from './rate.js';
import { stepJob, type EveSetup } from './setup.js';

/** What the solver phase came to. */
export interface SolverPhase {
  /** Ids of the questions that were chosen, as execution labels them. */
  readonly chosen: readonly string[];
  readonly groups: readonly Group[];
}

/**
 * The solver phase (Algorithm 1, 21 to 25): GRPO on the most difficult batch * steps questions of the bank, for as many steps
 * whatever the bank holds, so that every arm trains alike. Pictures are read a step at a time.
 */
export async function trainSolver<State extends Json, Action extends Json>(
  setup: EveSetup<State, Action>,
  round: number,
  bank: Bank,
  rated: ReadonlyMap<string, Rated>,
): Promise<SolverPhase> {
  const { config, environment, journal, progress, solver } = setup;
  const rng = setup.rng.child('round', round, 'solver');
  const { tasksPerStep } = config.solver;
  const chosen = mostDifficult(bank, config.steps * tasksPerStep).map(({ taskId }) => taskId);
  const steps = dealSteps(chosen, config.steps, tasksPerStep, rng.child('order'));
  if (steps.length === 0)
    progress.note(`round ${round}: the question bank is empty, the solver isn't trained`);
  const groups: Group[] = [];
  for (const [step, ids] of steps.entries()) {
    const questions = await labelled(setup, round, await restoreTasks<State>(journal, ids), rated);
    const tasks = questions.map((question) => ({
      task: question.task,
      prompt: environment.solver.prompt(question),
    }));
    const reward = solverReward(environment);
    const job = { tasks, reward, rng: rng.child('step', step) };
    groups.push(...(await solver.trainGroups(stepJob(config, config.solver, { round, step }, job))));
  }
  return { chosen, groups };
}

/** The questions with the labels that the arm trains on: those of execution, or votes, which are tasks of their own. */
async function labelled<State extends Json, Action extends Json>(
  { journal }: EveSetup<State, Action>,
  round: number,
  questions: readonly Realised<State>[],
  rated: ReadonlyMap<string, Rated>,
): Promise<readonly Realised<State>[]> {
  const out = questions.map((question) => {
    const silver = rated.get(question.task.id)?.silver;
    if (!silver) return question;
    const { id: _id, ...content } = question.task;
    return { ...question, task: makeTask({ ...content, ...silver }) };
  });
  await journal.recordTasks(
    out.flatMap(({ task, lineage }, i) => {
      const parentTaskId = questions[i]?.task.id ?? null;
      return task.id === parentTaskId ? [] : [{ task, lineage, parentTaskId, round }];
    }),
    [],
  );
  return out;
}
