/** Which tasks the actor trains on; everything else is equal between arms. */
export const VICO_ARMS = ['full', 'random', 'static', 'text-only', 'plain', 'sft', 'base'] as const;

/**
 * - `full`: edits by the rewriter, which learns from the pass rates they lead to;
 * - `random`: valid random edits, fresh every round;
 * - `static`: edits made once, before training, by the rewriter as it was;
 * - `text-only`: the picture is locked and only the question is drawn again;
 * - `plain`: the seeds themselves (direct GRPO);
 * - `sft`: supervised learning on the seeds' worked answers instead of reinforcement, where the environment has some;
 * - `base`: no training at all.
 */
export type VicoArm = (typeof VICO_ARMS)[number];

/** Every constant of the loop (methods.md, VICO). */
export interface VicoConfig {
  readonly arm: VicoArm;
  /** Rounds, T. Round 0 comes before them: one pass over the seeds, which measures and trains, in every arm. */
  readonly rounds: number;
  /** Tasks the actor is asked in a round. */
  readonly tasksPerRound: number;
  /** Rollouts a task, K. */
  readonly groupSize: number;
  readonly temperature: number;
  readonly maxTokens: number;
  /** Target pass rate, and sharpness of R(p) = exp(-beta (p - alpha)^2). */
  readonly alpha: number;
  readonly beta: number;
  /** Half width of the sweet spot |p - alpha| <= kMin that the rewriter learns from. */
  readonly kMin: number;
  /** Weight w = exp(lambda (R - 1)); a kept edit is learned floor(copies * w) times. */
  readonly lambda: number;
  readonly copies: number;
  /** Share of a round's tasks that are seeds as they are, against forgetting. Edited arms only. */
  readonly replayShare: number;
  /** Share of edits that start from a seed; the others start from an accepted task of the pool. */
  readonly seedParentShare: number;
  readonly actor: ActorConfig;
  readonly rewriter: RewriterConfig;
  readonly sft: SftConfig;
}

/** The supervised control arm. */
export interface SftConfig extends LearningRateConfig {
  readonly batchSize: number;
  /** Optimiser steps a round; choose them so that a round takes as long as one of the arm it controls for. */
  readonly updatesPerRound: number;
}

export interface LearningRateConfig {
  readonly learningRate: number;
  readonly warmupSteps: number;
  readonly decay: 'constant' | 'linear' | 'cosine';
  /** Rate at the end as a share of the peak. */
  readonly finalShare: number;
}

export interface ActorConfig extends LearningRateConfig {
  readonly clipLow: number;
  readonly clipHigh: number;
  readonly kl: number;
  readonly entropy: number;
  readonly normaliseAdvantage: 'std' | 'none';
  readonly tasksPerStep: number;
  readonly updatesPerStep: number;
  readonly quietGroupsPerStep: number;
}

export interface RewriterConfig extends LearningRateConfig {
  readonly temperature: number;
  readonly maxTokens: number;
  readonly batchSize: number;
  /** Passes over a round's kept edits. */
  readonly epochs: number;
  /**
   * Which edits are kept: `sweet-spot` (the paper's rule) those whose task came out with |p - alpha| <= kMin, w = exp(lambda
   * (R - 1)); `above-average` those with a greater R(p) than the edits of parents that measured alike, w = (R - mean) / (1 -
   * mean). Edits of very easy and very hard parents hardly ever reach the sweet spot at once, so the paper's rule mostly
   * teaches to leave good tasks alone.
   */
  readonly lessons: 'sweet-spot' | 'above-average';
  /** Whether lessons from easy, from hard and from other parents weigh alike; the paper's don't. */
  readonly balanceLessons: boolean;
}
