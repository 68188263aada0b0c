/** A learning rate over the optimiser steps of a run. */
export interface Schedule {
  /** The highest rate, reached at step `warmupSteps`. */
  readonly peak: number;
  /** Steps of linear warm-up; 0 starts at the peak. */
  readonly warmupSteps: number;
  /** Steps of the whole run, warm-up included. */
  readonly totalSteps: number;
  readonly decay: 'constant' | 'linear' | 'cosine';
  /** Rate at the end as a share of the peak, in [0, 1]; 0 by default. Unused by `constant`. */
  readonly finalShare?: number;
}

/**
 * Learning rate of optimiser step `step`, counted from 0. Warm-up gives peak (step + 1) / (warmupSteps + 1), so that no step is
 * wasted on a rate of 0; then the rate falls from the peak at step `warmupSteps` to finalShare x peak at step `totalSteps` (the
 * first step after the run) and stays there. A pure function of the step: a resumed run needs no state. Throws on a
 * negative or broken step.
 */
export function learningRateAt(schedule: Schedule, step: number): number {
  const { peak, warmupSteps, totalSteps, decay } = schedule;
  if (!Number.isInteger(step) || step < 0)
    throw new Error(`learningRateAt: step must be a whole number from 0, got ${step}`);
  if (step < warmupSteps) return (peak * (step + 1)) / (warmupSteps + 1);
  const progress = Math.min(1, (step - warmupSteps) / Math.max(1, totalSteps - warmupSteps));
  const final = schedule.finalShare ?? 0;
  return peak * (final + (1 - final) * remaining(decay, progress));
}

/** Share of the way down that is still to go, 1 at the peak and 0 at the end. */
function remaining(decay: Schedule['decay'], progress: number): number {
  switch (decay) {
    case 'constant':
      return 1;
    case 'linear':
      return 1 - progress;
    case 'cosine':
      return (1 + Math.cos(Math.PI * progress)) / 2;
    default:
      return decay satisfies never;
  }
}
