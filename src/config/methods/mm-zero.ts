import { z } from 'zod';
import type { Learner } from '../../core/learner.js';
import { MM_ZERO_ARMS, PHASES, runMmZero, type MmZeroConfig } from '../../methods/mm-zero/index.js';
import type { MethodEntry } from '../registry.js';

const count = z.int().min(1);

const role = {
  steps: count,
  tasksPerStep: count,
  groupSize: z.int().min(2),
  temperature: z.number().positive(),
  maxTokens: count,
  learningRate: z.number().positive(),
  warmupSteps: z.int().min(0),
  decay: z.enum(['constant', 'linear', 'cosine']),
  finalShare: z.number().min(0).max(1),
  clipLow: z.number().positive(),
  clipHigh: z.number().positive(),
  kl: z.number().min(0),
  entropy: z.number().min(0),
  normaliseAdvantage: z.enum(['std', 'none']),
  updatesPerStep: count,
  quietGroupsPerStep: z.int().min(0),
};

const options = z.strictObject({
  arm: z.enum(MM_ZERO_ARMS),
  iterations: count,
  leakPenalty: z.number().min(0),
  proposer: z.strictObject({ ...role, drawings: count, rollouts: count }),
  coder: z.strictObject({
    ...role,
    proposals: count,
    drawings: z.int().min(2),
    rollouts: count,
    dataTemperature: z.number().positive(),
  }),
  solver: z.strictObject({
    ...role,
    proposals: count,
    votes: z.int().min(2),
    vote: z.enum(['frozen', 'online']),
    filter: z.enum(['paper', 'code']),
  }),
}) satisfies z.ZodType<MmZeroConfig>;

/** MM-Zero as a configuration names it. */
export const mmZeroEntry: MethodEntry<MmZeroConfig, 'drawn'> = {
  options,
  needs: 'drawn',
  solver: 'solver',
  arms: { key: 'arm', names: MM_ZERO_ARMS },
  roles: (config) =>
    PHASES.map((phase) => ({
      role: phase,
      reference: config[phase].kl > 0,
      trained: config.arm !== 'base',
    })),
  plan(config) {
    const rollouts = PHASES.reduce((sum, phase) => {
      const { steps, tasksPerStep, groupSize } = config[phase];
      return sum + steps * tasksPerStep * groupSize;
    }, 0);
    const untrained = config.arm === 'base';
    return {
      arm: config.arm,
      rounds: untrained ? 0 : PHASES.length * config.iterations,
      rollouts: untrained ? 0 : config.iterations * rollouts,
      maxTokens: config.solver.maxTokens,
    };
  },
  run: ({ options: config, learners, lineages, environment, journal, evaluator, progress, safePoint, rng }) =>
    runMmZero({
      ...{ config, environment, journal, evaluator, progress, safePoint, rng },
      topics: lineages,
      proposer: learnerOf(learners, 'proposer'),
      coder: learnerOf(learners, 'coder'),
      solver: learnerOf(learners, 'solver'),
    }),
};

function learnerOf(learners: ReadonlyMap<string, Learner>, role: string): Learner {
  const learner = learners.get(role);
  if (!learner) throw new Error(`no learner was opened for ${role}`);
  return learner;
}
