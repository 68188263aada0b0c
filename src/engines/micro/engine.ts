import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { stepLearner } from '../../algorithms/learner.js';
import type { Engine, LearnerRequest, OpenedLearner } from '../../core/engine.js';
import { ConfigError } from '../../core/errors.js';
import type { OptimizerConfig } from './config.js';
import { MicroPolicy } from './policy.js';

const shapes = z.array(z.strictObject({ B: z.int().min(1), K: z.int().min(1) })).min(1);

const roleOptions = z.strictObject({
  /** Weights to start from: a safetensors file that the micro engine wrote. */
  checkpoint: z.string().min(1).meta({ file: true }),
  optimizer: z
    .strictObject({
      beta1: z.number().min(0).lt(1).optional(),
      beta2: z.number().min(0).lt(1).optional(),
      epsilon: z.number().positive().optional(),
      weightDecay: z.number().min(0).optional(),
      clipNorm: z.number().positive().optional(),
    })
    .optional(),
  freezeVision: z.boolean().default(true),
  /** Batches (B prompts, K completions each) that may be compiled; the engine's own when absent. */
  sampleShapes: shapes.optional(),
  trainShapes: shapes.optional(),
});

const role = roleOptions.optional();

/** A policy for each role that the method trains; the methods' roles are named so that a mistyped one is found. */
const options = z.strictObject({
  actor: role,
  rewriter: role,
  challenger: role,
  proposer: role,
  coder: role,
  solver: role,
});

/** The micro engine's section of a configuration: a policy for each role by its name. */
export type MicroEngineOptions = z.infer<typeof options>;

/** The micro engine as a configuration names it. */
export const microEngine: Engine<MicroEngineOptions> = { options, open };

async function open(request: LearnerRequest<MicroEngineOptions>): Promise<OpenedLearner> {
  const { role, journal, progress, safePoint, checkpointEvery } = request;
  const chosen = request.options[role as keyof MicroEngineOptions];
  if (!chosen) {
    throw new ConfigError(`micro.${role}`, undefined, 'name the checkpoint that this role starts from');
  }
  const file = request.resolveFile(chosen.checkpoint);
  if (!existsSync(file)) {
    throw new ConfigError(
      `micro.${role}.checkpoint`,
      chosen.checkpoint,
      'there is no such file; name a checkpoint of the micro engine, or make the shipped one again (docs/base-checkpoints.md)',
    );
  }
  const bytes = readFileSync(file);
  const policy = await MicroPolicy.open(bytes, file, {
    name: role,
    freezeVision: chosen.freezeVision,
    optimizer: withoutUndefined(chosen.optimizer ?? {}),
    ...(chosen.sampleShapes ? { sampleShapes: chosen.sampleShapes } : {}),
    ...(chosen.trainShapes ? { trainShapes: chosen.trainShapes } : {}),
  });
  // Before the learner restores a checkpoint: the reference is the policy as the run began.
  if (request.reference) policy.setReference();
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const origin = `${path.basename(file)} ${hash}`;
  try {
    const learner = await stepLearner({
      role,
      policy,
      journal,
      progress,
      safePoint,
      checkpointEvery,
      origin,
    });
    return { learner, origin, dispose: () => policy.dispose() };
  } catch (cause) {
    policy.dispose();
    throw cause;
  }
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(given: T): Defined<T> & Partial<OptimizerConfig> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<T> &
    Partial<OptimizerConfig>;
}
