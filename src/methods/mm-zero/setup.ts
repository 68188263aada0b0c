import type { DrawnEnvironment, Lineage } from '../../core/environment.js';
import type { Json } from '../../core/json.js';
import type { Learner } from '../../core/learner.js';
import type { Evaluator, Progress, RunJournal, SafePoint } from '../../core/ports.js';
import type { Rng } from '../../core/rng.js';
import type { MmZeroConfig } from './config.js';

/** What MM-Zero runs with. */
export interface MmZeroSetup<State extends Json> {
  readonly config: MmZeroConfig;
  readonly environment: DrawnEnvironment<State>;
  /** The topics that the proposer is asked about. */
  readonly topics: readonly Lineage<State>[];
  readonly proposer: Learner;
  readonly coder: Learner;
  readonly solver: Learner;
  readonly journal: RunJournal;
  readonly evaluator: Evaluator;
  readonly progress: Progress;
  readonly safePoint: SafePoint;
  readonly rng: Rng;
}
