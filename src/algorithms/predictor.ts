import { strictZip } from '../core/zip.js';

/** What the predictor has learned. Plain numbers: it goes through JSON unchanged, and updates make a new one. */
export interface PredictorState {
  /** One weight a feature, then the intercept; length F + 1. */
  readonly weights: readonly number[];
  /** Sum of squared gradients of each weight (AdaGrad); length F + 1. */
  readonly squares: readonly number[];
  /** Rollouts learned from. */
  readonly seen: number;
}

/** A group as the predictor learns from it. */
export interface Observation {
  /** Features known before any rollout, length F; scale them to about [-1, 1]. */
  readonly features_F: readonly number[];
  readonly correct: number;
  readonly tried: number;
}

export interface PredictorOptions {
  /** AdaGrad's step size. */
  readonly learningRate: number;
  /** Ridge penalty a rollout on the weights, not on the intercept. */
  readonly ridge: number;
}

export interface DifficultyPredictor {
  /** A predictor that answers `passRate` (0.5 by default, clipped to [0.001, 0.999]) to everything. */
  init(features: number, passRate?: number): PredictorState;
  /** One pass over the observations in order. Never changes `state`. Throws when a feature vector has another length or isn't finite. */
  update(state: PredictorState, observations: readonly Observation[]): PredictorState;
  /** Predicted pass rate, in (0, 1). */
  predict(state: PredictorState, features_F: readonly number[]): number;
}

/**
 * An online logistic regression of pass rate on features, for choosing tasks before any rollout is spent on them. The loss
 * of a group is its binomial log-likelihood, -(correct log p + (tried - correct) log(1 - p)), so that a group of eight counts
 * for more than one of four; the step sizes are AdaGrad's (Duchi et al. 2011), so that rare features still learn late.
 */
export function difficultyPredictor(
  options: PredictorOptions = { learningRate: 0.3, ridge: 1e-4 },
): DifficultyPredictor {
  return {
    init(features, passRate = 0.5) {
      const p = Math.min(0.999, Math.max(0.001, passRate));
      return {
        weights: [...new Array<number>(features).fill(0), Math.log(p / (1 - p))],
        squares: new Array<number>(features + 1).fill(0),
        seen: 0,
      };
    },
    update(state, observations) {
      const weights = [...state.weights];
      const squares = [...state.squares];
      let seen = state.seen;
      for (const { features_F, correct, tried } of observations) {
        const inputs = withIntercept(features_F, weights.length);
        const error = tried * logistic(dot(weights, inputs)) - correct;
        inputs.forEach((x, f) => {
          const decay = f < features_F.length ? options.ridge * tried * (weights[f] ?? 0) : 0;
          const gradient = error * x + decay;
          if (gradient === 0) return;
          const square = (squares[f] ?? 0) + gradient * gradient;
          squares[f] = square;
          weights[f] = (weights[f] ?? 0) - (options.learningRate * gradient) / Math.sqrt(square);
        });
        seen += tried;
      }
      return { weights, squares, seen };
    },
    predict: (state, features_F) =>
      logistic(dot(state.weights, withIntercept(features_F, state.weights.length))),
  };
}

function withIntercept(features_F: readonly number[], length: number): number[] {
  if (features_F.length + 1 !== length) {
    throw new Error(`difficultyPredictor: ${features_F.length} features for a predictor of ${length - 1}`);
  }
  if (!features_F.every(Number.isFinite)) throw new Error('difficultyPredictor: a feature is not finite');
  return [...features_F, 1];
}

function dot(a: readonly number[], b: readonly number[]): number {
  return strictZip(a, b).reduce((sum, [x, y]) => sum + x * y, 0);
}

/** 1 / (1 + exp(-x)), kept strictly inside (0, 1). */
function logistic(x: number): number {
  return 1 / (1 + Math.exp(-Math.min(30, Math.max(-30, x))));
}
