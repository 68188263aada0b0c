import type { Completion } from './policy.js';
import type { Task } from './task.js';

/**
 * A rollout's identity. Two rollouts with the same key are the same rollout: work that is done again after a resume is
 * recognised and never counted twice.
 */
export interface RolloutKey {
  readonly round: number;
  readonly role: string;
  /** Step within the round, from 0. */
  readonly step: number;
  readonly taskId: string;
  readonly sample: number;
}

/** The score of one rollout, with the named terms it is the sum of. */
export interface Score {
  readonly total: number;
  readonly terms: Readonly<Record<string, number>>;
  /** Whether the answer was right, where there is one. */
  readonly correct: boolean;
}

/** One completion of a task with its score. */
export interface Rollout {
  readonly sample: number;
  readonly completion: Completion;
  readonly score: Score;
  /** Group-normalised advantage; 0 in a group without signal. */
  readonly advantage: number;
}

/** The K rollouts that one policy sampled for one task. */
export interface Group {
  readonly task: Task;
  readonly rollouts: readonly Rollout[];
  /** correct / K, in [0, 1]. */
  readonly passRate: number;
}

/** What a reward looks at: one task and everything that was said to it. */
export interface Sampled {
  readonly task: Task;
  readonly completions: readonly Completion[];
}

/** Scores a whole batch, since some rewards compare within a group or a batch. Result [i][k] scores completion k of entry i. */
export type Reward = (batch: readonly Sampled[]) => Promise<Score[][]> | Score[][];
