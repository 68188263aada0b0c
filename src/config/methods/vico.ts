import { z } from 'zod';
import type { Learner } from '../../core/learner.js';
import { runVico, VICO_ARMS, type VicoConfig } from '../../methods/vico/index.js';
import type { MethodEntry } from '../registry.js';

const share = z.number().min(0).max(1);
const count = z.int().min(1);

const learningRate = {
  learningRate: z.number().positive(),
  warmupSteps: z.int().min(0),
  decay: z.enum(['constant', 'linear', 'cosine']),
  finalShare: share,
};

const options = z.strictObject({
  arm: z.enum(VICO_ARMS),
  rounds: count,
  tasksPerRound: count,
  groupSize: z.int().min(2),
  temperature: z.number().positive(),
  maxTokens: count,
  alpha: share,
  beta: z.number().min(0),
  kMin: share,
  lambda: z.number(),
  copies: z.number().min(0),
  replayShare: share,
  seedParentShare: share,
  actor: z.strictObject({
    ...learningRate,
    clipLow: z.number().positive(),
    clipHigh: z.number().positive(),
    kl: z.number().min(0),
    entropy: z.number().min(0),
    normaliseAdvantage: z.enum(['std', 'none']),
    tasksPerStep: count,
    updatesPerStep: count,
    quietGroupsPerStep: z.int().min(0),
  }),
  rewriter: z.strictObject({
    ...learningRate,
    temperature: z.number().positive(),
    maxTokens: count,
    batchSize: count,
    epochs: count,
    lessons: z.enum(['sweet-spot', 'above-average']).default('sweet-spot'),
    balanceLessons: z.boolean().default(false),
  }),
  sft: z.strictObject({ ...learningRate, batchSize: count, updatesPerRound: count }),
}) satisfies z.ZodType<VicoConfig>;

/** VICO as a configuration names it. */
export const vicoEntry: MethodEntry<VicoConfig, 'editable'> = {
  options,
  needs: 'editable',
  solver: 'actor',
  arms: { key: 'arm', names: VICO_ARMS },
  roles: ({ arm, actor }) => [
    { role: 'actor', reference: actor.kl > 0, trained: arm !== 'base' },
    { role: 'rewriter', reference: false, trained: arm === 'full' },
  ],
  plan({ arm, rounds, tasksPerRound, groupSize, maxTokens }, seeds) {
    const untried = arm === 'base' || arm === 'sft';
    return {
      arm,
      rounds: arm === 'base' ? 0 : rounds,
      rollouts: untried ? 0 : groupSize * (seeds + rounds * tasksPerRound),
      maxTokens,
    };
  },
  run: ({ options: config, learners, ...setup }) =>
    runVico({
      ...setup,
      config,
      actor: learnerOf(learners, 'actor'),
      rewriter: learnerOf(learners, 'rewriter'),
    }),
};

function learnerOf(learners: ReadonlyMap<string, Learner>, role: string): Learner {
  const learner = learners.get(role);
  if (!learner) throw new Error(`no learner was opened for ${role}`);
  return learner;
}
