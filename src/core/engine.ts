import type { z } from 'zod';
import type { Learner } from './learner.js';
import type { Progress, RunJournal, SafePoint } from './ports.js';

/** What an engine is asked for: one role's policy, as methods train it. */
export interface LearnerRequest<Options> {
  readonly role: string;
  /** The engine's own section of the configuration. */
  readonly options: Options;
  /** Whether the method measures KL to the policy as it starts, so that it has to be kept beside the trained one. */
  readonly reference: boolean;
  /** Whether the method trains the role, or only samples it. */
  readonly trained: boolean;
  readonly journal: RunJournal;
  readonly progress: Progress;
  readonly safePoint: SafePoint;
  /** Optimiser steps between checkpoints. */
  readonly checkpointEvery: number;
  /** Makes a file name of the configuration absolute. */
  readonly resolveFile: (name: string) => string;
  /** The value of an environment variable that the configuration names, such as an API key; null when it isn't set. */
  readonly secret: (variable: string) => string | null;
}

/** A role's learner, restored from its newest checkpoint in the journal. */
export interface OpenedLearner {
  readonly learner: Learner;
  /** What the policy was initialised from, with a hash of its content: another text means another policy. */
  readonly origin: string;
  /** Frees what the learner holds; it can't be used afterwards. */
  dispose(): void;
}

/** Where policies are sampled from and trained. Options are checked before `open` is called. */
export interface Engine<Options = unknown> {
  readonly options: z.ZodType<Options>;
  /** Throws a ConfigError on options that can't be honoured, an OutageError when something outside is away. */
  open(request: LearnerRequest<Options>): Promise<OpenedLearner>;
}
