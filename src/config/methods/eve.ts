import { z } from 'zod';
import type { Learner } from '../../core/learner.js';
import { EVE_ARMS, runEve, type EveConfig } from '../../methods/eve/index.js';
import type { MethodEntry } from '../registry.js';

const share = z.number().min(0).max(1);
const count = z.int().min(1);

const role = z.strictObject({
  tasksPerStep: count,
  groupSize: z.int().min(2),
  temperature: z.number().positive(),
  topK: count.nullable(),
  presencePenalty: z.number().min(0),
  maxTokens: count,
  learningRate: z.number().positive(),
  warmupSteps: z.int().min(0),
  decay: z.enum(['constant', 'linear', 'cosine']),
  finalShare: share,
  clipLow: z.number().positive(),
  clipHigh: z.number().positive(),
  kl: z.number().min(0),
  entropy: z.number().min(0),
  normaliseAdvantage: z.enum(['std', 'none']),
  updatesPerStep: count,
  quietGroupsPerStep: z.int().min(0),
});

const options = z.strictObject({
  arm: z.enum(EVE_ARMS),
  rounds: count,
  steps: count,
  measureRollouts: count,
  examples: z.int().min(0),
  queue: z.strictObject({ size: z.int().min(0), entry: share, similar: share }),
  bank: z
    .strictObject({ low: share, high: share })
    .refine(
      ({ low, high }) => low < high,
      'low must be below high: questions with low <= accuracy < high are kept',
    ),
  diversityCut: share,
  challenger: role,
  solver: role,
}) satisfies z.ZodType<EveConfig>;

/** EVE as a configuration names it. */
export const eveEntry: MethodEntry<EveConfig, 'executable'> = {
  options,
  needs: 'executable',
  solver: 'solver',
  arms: { key: 'arm', names: EVE_ARMS },
  roles: ({ challenger, solver }) => [
    { role: 'challenger', reference: challenger.kl > 0 },
    { role: 'solver', reference: solver.kl > 0 },
  ],
  plan: (config) => ({
    arm: config.arm,
    rounds: config.arm === 'base' ? 0 : config.rounds,
    rollouts: config.arm === 'base' ? 0 : config.rounds * config.steps * rolloutsOfStep(config),
    maxTokens: config.solver.maxTokens,
  }),
  run: ({ options: config, learners, lineages, environment, journal, evaluator, progress, safePoint, rng }) =>
    runEve({
      ...{ config, environment, journal, evaluator, progress, safePoint, rng },
      seeds: lineages,
      challenger: learnerOf(learners, 'challenger'),
      solver: learnerOf(learners, 'solver'),
    }),
};

/** Programs, answers that measure two questions of each, and answers that are trained on; at most. */
function rolloutsOfStep({ arm, challenger, solver, measureRollouts }: EveConfig): number {
  const programs = challenger.tasksPerStep * challenger.groupSize;
  const written = arm === 'templates' ? 0 : programs;
  return written + 2 * programs * measureRollouts + solver.tasksPerStep * solver.groupSize;
}

function learnerOf(learners: ReadonlyMap<string, Learner>, name: string): Learner {
  const learner = learners.get(name);
  if (!learner) throw new Error(`no learner was opened for ${name}`);
  return learner;
}
