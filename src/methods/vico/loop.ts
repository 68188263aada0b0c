import { learningRateAt, type Schedule } from '../../algorithms/schedule.js';
import { ConfigError } from '../../core/errors.js';
import type { EditableEnvironment, Realised } from '../../core/environment.js';
import type { Json } from '../../core/json.js';
import type { AskedTask, Learner, WeightedExample } from '../../core/learner.js';
import type { Evaluator, Progress, RunJournal, SafePoint } from '../../core/ports.js';
import type { Group } from '../../core/reward.js';
import type { Rng } from '../../core/rng.js';

import { vicoActorReward } from '../../rewards/vico.js';
import type { LearningRateConfig, VicoConfig } from './config.js';
import { chooseLessons } from './lessons.js';
import { admit, drawSeeds, seedPool, spread, type Pool } from './pool.js';
import { proposeEdits, type Author, type Edited } from './propose.js';
import { roundMetrics } from './metrics.js';

export interface VicoSetup<State extends Json, Action extends Json> {
  readonly config: VicoConfig;
  readonly environment: EditableEnvironment<State, Action>;
  /** The tasks of the seeds, unedited. */
  readonly seeds: readonly Realised<State>[];
  /** A worked answer to a task, for the `sft` arm; null where the environment has none. */
  readonly demonstrate: ((realised: Realised<State>) => string) | null;
  readonly actor: Learner;
  readonly rewriter: Learner;
  readonly journal: RunJournal;
  readonly evaluator: Evaluator;
  readonly progress: Progress;
  readonly safePoint: SafePoint;
  readonly rng: Rng;
}

/**
 * VICO: actor and environment rewriter, trained by the same rollouts (method, parts 1 to 3).
 *
 * Round 0 asks the actor every seed once: that measures the pass rates that edits start from, and is learned from like any
 * other rollouts. In each round after it the rewriter edits tasks of the pool, the environment applies, draws and labels
 * them or says why not, the actor answers each K times, and these rollouts update the actor (GRPO) and, through the pass
 * rates, the rewriter (reward-weighted regression). Stopped at any point and called again, it goes on where it was.
 */
export async function runVico<State extends Json, Action extends Json>(
  setup: VicoSetup<State, Action>,
): Promise<void> {
  const { config, seeds, journal, evaluator, rng } = setup;
  await evaluator.evaluate(0);
  if (config.arm === 'base') return;
  if (config.arm === 'sft') return runSupervised(setup);

  const first = await trainActor(setup, 0, seeds);
  let pool = seedPool(seeds, passRates(first));
  await journalMetrics(setup, 0, first, [], pool, 0);

  for (let round = 1; round <= config.rounds; round++) {
    const { replayed, edits } = await curriculum(setup, round, pool, rng.child('round', round));
    const edited = edits.map((edit) => edit.realised);
    const mixed = rng.child('round', round, 'mix').shuffle([...replayed, ...edited]);
    const tasks = spread(mixed, config.actor.tasksPerStep);

    const groups = await trainActor(setup, round, tasks);
    const rates = passRates(groups);

    const lessons = config.arm === 'full' ? rewriterLessons(setup, edits, rates) : [];
    await trainRewriter(setup, round, lessons);

    pool = admit(pool, edited, rates);
    await journalMetrics(setup, round, groups, edits, pool, lessons.length);
    await evaluator.evaluate(round);
  }
  await journal.recordEvent('finished', { arm: config.arm, rounds: config.rounds });
}

/** The control: more supervised learning on the seeds, evaluated at the same rounds. */
async function runSupervised<State extends Json, Action extends Json>({
  config,
  environment,
  seeds,
  demonstrate,
  actor,
  journal,
  evaluator,
  rng,
}: VicoSetup<State, Action>): Promise<void> {
  if (!demonstrate)
    throw new ConfigError('vico.arm', 'sft', `${environment.name} has no worked answers to learn from`);
  const { batchSize, updatesPerRound } = config.sft;
  const schedule = scheduleOf(config.sft, updatesPerRound * config.rounds);
  const pool = seedPool(seeds, new Map(seeds.map(({ task }) => [task.id, 0])));
  for (let round = 1; round <= config.rounds; round++) {
    const stream = rng.child('round', round, 'sft');
    const examples = drawSeeds(pool, batchSize * updatesPerRound, stream).map(({ realised }) => ({
      prompt: environment.solver.prompt(realised),
      tokens: actor.encode(demonstrate(realised)),
      weight: 1,
    }));
    const learningRate = (update: number): number => learningRateAt(schedule, update);
    await actor.fit({ round, examples, batchSize, epochs: 1, learningRate, rng: stream });
    await evaluator.evaluate(round);
  }
  await journal.recordEvent('finished', { arm: config.arm, rounds: config.rounds });
}

/** The tasks of a round: which seeds come as they are, and which edits are new. */
async function curriculum<State extends Json, Action extends Json>(
  setup: VicoSetup<State, Action>,
  round: number,
  pool: Pool<State>,
  rng: Rng,
): Promise<{ replayed: Realised<State>[]; edits: Edited<State>[] }> {
  const { config } = setup;
  const seeds = (count: number): Realised<State>[] =>
    drawSeeds(pool, count, rng.child('seeds')).map((entry) => entry.realised);
  const author = authorOf(config);
  if (author === null) return { replayed: seeds(config.tasksPerRound), edits: [] };
  const wanted = Math.round(config.tasksPerRound * (1 - config.replayShare));
  // Static augmentation is made once: its later rounds ask round 1's edits again.
  const source = config.arm === 'static' ? 1 : round;
  const from = config.arm === 'full' || config.arm === 'random' ? pool : { ...pool, accepted: [] };
  const edits = await proposeEdits(
    setup,
    source,
    author,
    from,
    wanted,
    setup.rng.child('round', source, 'edits'),
  );
  return { replayed: seeds(config.tasksPerRound - edits.length), edits };
}

function authorOf(config: VicoConfig): Author | null {
  switch (config.arm) {
    case 'full':
    case 'static':
      return 'rewriter';
    case 'random':
      return 'random';
    case 'text-only':
      return 'redraw';
    case 'plain':
    case 'sft':
    case 'base':
      return null;
    default:
      return config.arm satisfies never;
  }
}

/** K rollouts a task, scored +1 or -1, and GRPO on those very rollouts. */
function trainActor<State extends Json, Action extends Json>(
  { config, environment, seeds, actor, rng }: VicoSetup<State, Action>,
  round: number,
  tasks: readonly Realised<State>[],
): Promise<readonly Group[]> {
  const { solver } = environment;
  const asked: AskedTask[] = tasks.map(({ task, images }) => ({
    task,
    prompt: solver.prompt({ task, images }),
  }));
  const { clipLow, clipHigh, kl, entropy, tasksPerStep, updatesPerStep } = config.actor;
  const steps =
    Math.ceil(seeds.length / tasksPerStep) + config.rounds * Math.ceil(config.tasksPerRound / tasksPerStep);
  const schedule = scheduleOf(config.actor, steps * updatesPerStep);
  return actor.trainGroups({
    round,
    tasks: asked,
    groupSize: config.groupSize,
    maxTokens: config.maxTokens,
    temperature: config.temperature,
    reward: vicoActorReward({ parse: (text, task) => solver.parse(text, { task, images: [] }) }),
    objective: { name: 'policy-gradient', temperature: config.temperature, clipLow, clipHigh, kl, entropy },
    normaliseAdvantage: config.actor.normaliseAdvantage,
    tasksPerStep,
    updatesPerStep,
    quietGroupsPerStep: config.actor.quietGroupsPerStep,
    learningRate: (update) => learningRateAt(schedule, update),
    rng: rng.child('round', round, 'actor'),
  });
}

/** What the rewriter is to write again, each with the prompt it was written for. */
function rewriterLessons<State extends Json, Action extends Json>(
  { config, environment }: VicoSetup<State, Action>,
  edits: readonly Edited<State>[],
  rates: ReadonlyMap<string, number>,
): WeightedExample[] {
  return chooseLessons(config, edits, rates).map(({ edited: { proposal, parent }, weight }) => {
    const input = { lineage: parent.realised.lineage, passRate: parent.passRate };
    return { prompt: environment.rewriter.prompt(input), tokens: proposal.tokens, weight };
  });
}

async function trainRewriter<State extends Json, Action extends Json>(
  { config, rewriter, rng }: VicoSetup<State, Action>,
  round: number,
  lessons: readonly WeightedExample[],
): Promise<void> {
  if (lessons.length === 0) return;
  const schedule = scheduleOf(config.rewriter, Number.MAX_SAFE_INTEGER);
  await rewriter.fit({
    round,
    examples: lessons,
    batchSize: config.rewriter.batchSize,
    epochs: config.rewriter.epochs,
    learningRate: (update) => learningRateAt(schedule, update),
    rng: rng.child('round', round, 'rewriter'),
  });
}

function scheduleOf(config: LearningRateConfig, totalSteps: number): Schedule {
  const { learningRate: peak, warmupSteps, decay, finalShare } = config;
  return { peak, warmupSteps, decay, finalShare, totalSteps };
}

/** Pass rate by task; a task that was asked twice in a round has the mean of its groups. */
function passRates(groups: readonly Group[]): Map<string, number> {
  const sums = new Map<string, { sum: number; n: number }>();
  for (const { task, passRate } of groups) {
    const old = sums.get(task.id) ?? { sum: 0, n: 0 };
    sums.set(task.id, { sum: old.sum + passRate, n: old.n + 1 });
  }
  return new Map([...sums].map(([id, { sum, n }]) => [id, sum / n]));
}

async function journalMetrics<State extends Json, Action extends Json>(
  { config, journal }: VicoSetup<State, Action>,
  round: number,
  groups: readonly Group[],
  edits: readonly Edited<State>[],
  pool: Pool<State>,
  lessons: number,
): Promise<void> {
  const key = { round, role: 'vico', step: 0 };
  if (await journal.findMetrics(key)) return;
  await journal.recordMetrics(key, roundMetrics(config, groups, edits, pool, lessons));
}
