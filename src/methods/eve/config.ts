import { EVE_WEIGHTS, type EveWeights } from '../../rewards/eve.js';

/** What the challenger is paid for, where programs come from, and whose labels the solver learns; everything else is equal. */
export const EVE_ARMS = ['full', 'no-div', 'no-div-diff', 'templates', 'pseudo-label', 'base'] as const;

/**
 * - `full`: the method;
 * - `no-div`: without the diversity term of the challenger's reward;
 * - `no-div-diff`: without the diversity and difficulty terms (the queue still ranks by difficulty);
 * - `templates`: the seed programs alone on every image, the challenger isn't asked (the Jigsaw baseline);
 * - `pseudo-label`: the same programs and questions, but difficulty is 1 - 2 |c - 1/2| of the solver's self-consistency c and
 *   labels are its majority votes, as in VisPlay; execution is only used to measure how right they are;
 * - `base`: no training at all.
 */
export type EveArm = (typeof EVE_ARMS)[number];

/** Every constant of the loop (methods.md, EVE). */
export interface EveConfig {
  readonly arm: EveArm;
  /** Iterations, T; each is a challenger phase and a solver phase. */
  readonly rounds: number;
  /** Steps of each phase, N_step. */
  readonly steps: number;
  /** Rollouts of the frozen solver that measure a question, K. */
  readonly measureRollouts: number;
  /** Example programs a prompt shows, N_e. */
  readonly examples: number;
  readonly queue: QueueConfig;
  readonly bank: BankConfig;
  /** Programs of one image join a cluster while their mean 1 - BLEU is under this. */
  readonly diversityCut: number;
  /** `tasksPerStep` images a step, `groupSize` programs an image, G = 4. */
  readonly challenger: EveRoleConfig;
  /** `tasksPerStep` questions a step, `groupSize` rollouts a question, G = 8. */
  readonly solver: EveRoleConfig;
}

export interface QueueConfig {
  /** Programs that are kept, M, the seeds counted; the seeds stay even where there are more of them. */
  readonly size: number;
  /** A program enters with a difficulty above this. */
  readonly entry: number;
  /** A program whose BLEU with a queued one is above this does not enter. */
  readonly similar: number;
}

export interface BankConfig {
  /** Questions with low <= accuracy < high are kept. */
  readonly low: number;
  readonly high: number;
}

/** How a role samples and learns. */
export interface EveRoleConfig {
  readonly tasksPerStep: number;
  readonly groupSize: number;
  readonly temperature: number;
  /** Null draws among all tokens. */
  readonly topK: number | null;
  readonly presencePenalty: number;
  readonly maxTokens: number;
  readonly learningRate: number;
  readonly warmupSteps: number;
  readonly decay: 'constant' | 'linear' | 'cosine';
  /** Rate at the end as a share of the peak. */
  readonly finalShare: number;
  readonly clipLow: number;
  readonly clipHigh: number;
  readonly kl: number;
  readonly entropy: number;
  readonly normaliseAdvantage: 'std' | 'none';
  readonly updatesPerStep: number;
  readonly quietGroupsPerStep: number;
}

/** The weights of the challenger's reward in an arm. */
export function weightsOf(arm: EveArm): EveWeights {
  switch (arm) {
    case 'no-div':
      return { ...EVE_WEIGHTS, diversity: 0 };
    case 'no-div-diff':
      return { ...EVE_WEIGHTS, diversity: 0, difficulty: 0 };
    case 'full':
    case 'templates':
    case 'pseudo-label':
    case 'base':
      return EVE_WEIGHTS;
    default:
      return arm satisfies never;
  }
}
