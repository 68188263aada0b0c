import type { Json } from '../../core/json.js';
import { deposit, type Bank } from './bank.js';
import { challengerStep, type ChallengerStep } from './challenger.js';
import { ROUND_ROLE, roundMetrics, STEP_ROLE, stepMetrics } from './metrics.js';
import { recordPrograms } from './proposals.js';
import { enqueue, openQueue, type Queue, type RatedProgram } from './queue.js';
import type { Rated } from './rate.js';
import { trainSolver } from './solver.js';
import type { EveSetup } from './setup.js';

/**
 * EVE (Algorithm 1): challenger and solver over executable transformations of images.
 *
 * In each iteration the challenger first writes programs for images of the library, shown examples of the queue. A sandbox runs
 * them; what comes out makes questions whose answers execution knows. The solver as it is answers each K times: that is the
 * difficulty which the challenger is paid for, and by which programs enter the queue and questions the bank. Then the solver
 * trains on the most difficult questions of the bank. Stopped at any point and called again, it goes on where it was: queue
 * and bank are made again from what the run recorded.
 */
export async function runEve<State extends Json, Action extends Json>(
  setup: EveSetup<State, Action>,
): Promise<void> {
  const { config, environment, journal, evaluator } = setup;
  await evaluator.evaluate(0);
  if (config.arm === 'base') return;
  let queue = openQueue(environment);
  for (let round = 1; round <= config.rounds; round++) {
    const phase = await challengerPhase(setup, round, queue);
    queue = phase.queue;
    const solver = await trainSolver(setup, round, phase.bank, phase.rated);
    await recordOnce(setup, { round, role: ROUND_ROLE, step: 0 }, () =>
      roundMetrics(setup, { ...phase, solver, rng: setup.rng.child('round', round, 'diversity') }),
    );
    await evaluator.evaluate(round);
  }
  await journal.recordEvent('finished', { arm: config.arm, rounds: config.rounds });
}

/** What the challenger phase leaves behind. */
interface ChallengerPhase<Action extends Json> {
  readonly steps: readonly ChallengerStep<Action>[];
  readonly queue: Queue<Action>;
  readonly bank: Bank;
  /** The newest measurement of every question of the round. */
  readonly rated: ReadonlyMap<string, Rated>;
}

async function challengerPhase<State extends Json, Action extends Json>(
  setup: EveSetup<State, Action>,
  round: number,
  before: Queue<Action>,
): Promise<ChallengerPhase<Action>> {
  const { config } = setup;
  let queue = before;
  let bank: Bank = [];
  const rated = new Map<string, Rated>();
  const steps: ChallengerStep<Action>[] = [];
  for (let step = 0; step < config.steps; step++) {
    const made = await challengerStep(setup, { round, step }, queue);
    steps.push(made);
    for (const question of made.rated.values()) rated.set(question.taskId, question);
    bank = deposit(bank, [...made.rated.values()], config.bank);
    if (config.arm !== 'templates') queue = enqueue(queue, ratedPrograms(setup, made), config.queue);
    await recordOnce(setup, { round, role: STEP_ROLE, step }, () => ({
      ...stepMetrics(setup, made),
      queue: queue.length,
      bank: bank.length,
    }));
  }
  await recordPrograms(
    setup,
    round,
    steps.flatMap(({ programs }) => programs),
  );
  return { steps, queue, bank, rated };
}

/** The programs of a step that may enter the queue, in the order in which they were written. */
function ratedPrograms<State extends Json, Action extends Json>(
  { environment }: EveSetup<State, Action>,
  { programs }: ChallengerStep<Action>,
): RatedProgram<Action>[] {
  return programs.flatMap(({ parsed, difficulty }) =>
    parsed.ok && difficulty !== null
      ? [{ action: parsed.value, text: environment.programText(parsed.value), difficulty }]
      : [],
  );
}

async function recordOnce<State extends Json, Action extends Json>(
  { journal }: EveSetup<State, Action>,
  key: { readonly round: number; readonly role: string; readonly step: number },
  metrics: () => Record<string, number>,
): Promise<void> {
  if (!(await journal.findMetrics(key))) await journal.recordMetrics(key, metrics());
}
