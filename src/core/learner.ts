import type { Completion, Objective, SampleRequest, SamplingLimits } from './policy.js';
import type { Prompt } from './prompt.js';
import type { Group, Reward } from './reward.js';
import type { Rng } from './rng.js';
import type { OutputConstraint } from './role.js';
import type { Task } from './task.js';

/** A task as a role is asked it. */
export interface AskedTask {
  readonly task: Task;
  readonly prompt: Prompt;
  /** What may be written, where the role's output has a grammar; it holds while sampling and while learning. */
  readonly constraint?: OutputConstraint;
}

/** Reinforcement learning of one role on given tasks: K rollouts a task, scored, then learned from. */
export interface GroupJob {
  readonly round: number;
  readonly tasks: readonly AskedTask[];
  /** Rollouts a task, K. */
  readonly groupSize: number;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly limits?: SamplingLimits;
  readonly reward: Reward;
  readonly objective: Extract<Objective, { readonly name: 'policy-gradient' }>;
  /** `std` is GRPO's advantage, `none` Dr. GRPO's. */
  readonly normaliseAdvantage: 'std' | 'none';
  /** Tasks sampled before the next update. */
  readonly tasksPerStep: number;
  /** Optimiser steps on the groups of one sampling step; 1 is strictly on-policy. */
  readonly updatesPerStep: number;
  /** Groups without signal that stay in an update, where entropy and KL terms still hold them; 0 drops them all. */
  readonly quietGroupsPerStep: number;
  /** Learning rate of the role's optimiser step `update`, counted from 0 over the whole run. */
  readonly learningRate: (update: number) => number;
  /** Number of the first sampling step, where a round's steps come in several jobs; 0 when not given. */
  readonly firstStep?: number;
  /** Whether more steps of the round follow in another job, so that the end of this one calls for no checkpoint. */
  readonly continues?: boolean;
  readonly rng: Rng;
}

/** One text to be learned, with its weight. */
export interface WeightedExample {
  readonly prompt: Prompt;
  readonly tokens: Int32Array;
  readonly weight: number;
  readonly constraint?: OutputConstraint;
}

/** Supervised learning of one role: SFT (weight 1) and reward-weighted regression. */
export interface FitJob {
  readonly round: number;
  readonly examples: readonly WeightedExample[];
  readonly batchSize: number;
  readonly epochs: number;
  readonly learningRate: (update: number) => number;
  readonly rng: Rng;
}

/**
 * A trainable policy behind a role, as methods see it: train on these tasks with this reward, and give me all rollouts.
 * What was already done before a crash is recognised by its place in the run and not done twice.
 */
export interface Learner {
  readonly role: string;
  /** Why it can't read a prompt (too long, say), in one line; null when it can. Absent where that only shows when it is asked. */
  refuses?(prompt: Prompt): string | null;
  /** Frozen sampling. */
  sample(requests: readonly SampleRequest[]): Promise<Completion[][]>;
  /** Every group comes back, in the order of `job.tasks`, measured by the policy as it was when the group was sampled. */
  trainGroups(job: GroupJob): Promise<readonly Group[]>;
  /** Samples and scores groups as `trainGroups` does, but learns nothing from them. */
  measureGroups(
    job: Omit<GroupJob, 'objective' | 'updatesPerStep' | 'quietGroupsPerStep' | 'learningRate' | 'continues'>,
  ): Promise<readonly Group[]>;
  fit(job: FitJob): Promise<void>;
  /** Token ids of a text as the policy would write it. */
  encode(text: string): Int32Array;
}
