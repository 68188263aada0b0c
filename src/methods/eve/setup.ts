import type { ExecutableEnvironment, Lineage } from '../../core/environment.js';
import type { Json } from '../../core/json.js';
import type { GroupJob, Learner } from '../../core/learner.js';
import type { SamplingLimits } from '../../core/policy.js';
import type { Evaluator, Progress, RunJournal, SafePoint } from '../../core/ports.js';
import type { Rng } from '../../core/rng.js';
import { learningRateAt } from '../../algorithms/schedule.js';
import type { EveConfig, EveRoleConfig } from './config.js';

/** What EVE runs with. */
export interface EveSetup<State extends Json, Action extends Json> {
  readonly config: EveConfig;
  readonly environment: ExecutableEnvironment<State, Action>;
  /** The image library: where every program starts. */
  readonly seeds: readonly Lineage<State>[];
  readonly challenger: Learner;
  readonly solver: Learner;
  readonly journal: RunJournal;
  readonly evaluator: Evaluator;
  readonly progress: Progress;
  readonly safePoint: SafePoint;
  readonly rng: Rng;
}

/** Top-k and presence penalty of a role, as a request wants them. */
export function limitsOf({ topK, presencePenalty }: EveRoleConfig): SamplingLimits {
  return { ...(topK === null ? {} : { topK }), ...(presencePenalty === 0 ? {} : { presencePenalty }) };
}

/** One step of a phase as its role's learner takes it: GRPO with DAPO's token mean (EVE, equations 7 to 9). */
export function stepJob(
  { rounds, steps }: EveConfig,
  role: EveRoleConfig,
  { round, step }: { readonly round: number; readonly step: number },
  job: Pick<GroupJob, 'tasks' | 'reward' | 'rng'>,
): GroupJob {
  const { temperature, clipLow, clipHigh, kl, entropy, updatesPerStep } = role;
  const { learningRate: peak, warmupSteps, decay, finalShare } = role;
  const schedule = { peak, warmupSteps, decay, finalShare, totalSteps: rounds * steps * updatesPerStep };
  return {
    ...job,
    round,
    groupSize: role.groupSize,
    maxTokens: role.maxTokens,
    temperature,
    limits: limitsOf(role),
    objective: { name: 'policy-gradient', temperature, clipLow, clipHigh, kl, entropy },
    normaliseAdvantage: role.normaliseAdvantage,
    tasksPerStep: Math.max(1, job.tasks.length),
    updatesPerStep,
    quietGroupsPerStep: role.quietGroupsPerStep,
    learningRate: (update) => learningRateAt(schedule, update),
    firstStep: step,
    continues: step < steps - 1,
  };
}
