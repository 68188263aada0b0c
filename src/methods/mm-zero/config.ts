/** What is left out of the proposer's reward; everything else is equal between arms. */
export const MM_ZERO_ARMS = ['full', 'no-solvability-cap', 'no-content-type', 'base'] as const;

/**
 * - `full`: the paper's rewards;
 * - `no-solvability-cap`: solvability counts without the cap of 0.5 (ablation);
 * - `no-content-type`: no penalty for a content type that takes over (ablation);
 * - `base`: no training at all.
 */
export type MmZeroArm = (typeof MM_ZERO_ARMS)[number];

/** Every constant of the loop (methods.md, MM-Zero). */
export interface MmZeroConfig {
  readonly arm: MmZeroArm;
  /** Iterations of three phases; a phase is a round of the run: proposer 1, 4, ..., coder 2, 5, ..., solver 3, 6, .... */
  readonly iterations: number;
  /** What a proposal's reward loses when all of its drawings leak the hard answer; the paper has none of it. */
  readonly leakPenalty: number;
  readonly proposer: ProposerConfig;
  readonly coder: CoderConfig;
  readonly solver: SolverConfig;
}

/** How one role is trained by GRPO. */
export interface RoleConfig {
  /** Steps an iteration, at most: a role never sees a task of its data twice in an iteration. */
  readonly steps: number;
  readonly tasksPerStep: number;
  /** Rollouts a task. */
  readonly groupSize: number;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly learningRate: number;
  readonly warmupSteps: number;
  readonly decay: 'constant' | 'linear' | 'cosine';
  readonly finalShare: number;
  readonly clipLow: number;
  readonly clipHigh: number;
  readonly kl: number;
  readonly entropy: number;
  readonly normaliseAdvantage: 'std' | 'none';
  readonly updatesPerStep: number;
  readonly quietGroupsPerStep: number;
}

export interface ProposerConfig extends RoleConfig {
  /** Drawings of a proposal, N, and the solver's rollouts for each of its questions. */
  readonly drawings: number;
  readonly rollouts: number;
}

export interface CoderConfig extends RoleConfig {
  /** Proposals written for it an iteration, and drawings of each, of which 0.25 to 0.75 must render. */
  readonly proposals: number;
  readonly drawings: number;
  /** The solver's rollouts for each question on a drawing. */
  readonly rollouts: number;
  /** Temperature at which it draws for the others. */
  readonly dataTemperature: number;
}

export interface SolverConfig extends RoleConfig {
  /** Proposals written for it an iteration, each drawn once. */
  readonly proposals: number;
  /** Answers to each question before training, by which the data is filtered and, with `frozen`, labelled. */
  readonly votes: number;
  /** `frozen`: one vote before training is the label (the published code); `online`: every group votes anew (the paper's words). */
  readonly vote: 'frozen' | 'online';
  /** Bounds of the data filter: the paper's, or its code's. */
  readonly filter: 'paper' | 'code';
}

export const PHASES = ['proposer', 'coder', 'solver'] as const;
export type Phase = (typeof PHASES)[number];

/** The round of a phase: 1, 2, 3 in iteration 1, 4, 5, 6 in iteration 2. */
export function roundOf(iteration: number, phase: Phase): number {
  return PHASES.length * (iteration - 1) + PHASES.indexOf(phase) + 1;
}
