import type { Estimate } from '../algorithms/statistics.js';
import type { Json } from '../core/json.js';
import type { Proposal } from '../core/ports.js';
import type { ProgramsModel } from './programs.js';

// What a report says, as data: collected from a run's records, independent of how it is shown.

/** Stages under whose names a run records its rollouts and metrics. */
export const ROLES = {
  actor: 'actor',
  rewriter: 'rewriter',
  round: 'vico',
  evaluation: 'evaluation',
  greedy: 'evaluation-greedy',
  sampled: 'evaluation-sampled',
} as const;

/** The frontier as the run's configuration has it: target pass rate and half width of the sweet spot. */
export interface Frontier {
  readonly alpha: number;
  readonly halfWidth: number;
}

/** Where a run stands. */
export type Status =
  | { readonly kind: 'finished' }
  | { readonly kind: 'running' | 'stopped' | 'interrupted'; readonly round: number | null };

/** Which run it is and what it cost. */
export interface Heading {
  readonly method: string;
  readonly arm: string | null;
  readonly environment: string;
  readonly engine: string | null;
  readonly preset: string;
  readonly seed: string;
  readonly version: string;
  readonly status: Status;
  /** Rounds the configuration asks for; null when it doesn't say. */
  readonly plannedRounds: number | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly lastWriteAt: number;
  /** Starts of the writing process after the first. */
  readonly resumed: number;
  readonly budget: Budget;
  readonly config: Json;
}

export interface Budget {
  /** Rollouts of the actor that it was trained on or measured with. */
  readonly trainedRollouts: number;
  readonly heldOutRollouts: number;
  /** Optimiser updates by role. */
  readonly updates: ReadonlyMap<string, number>;
  readonly seedTasks: number;
  readonly heldOutTasks: number;
  readonly proposals: number;
  readonly acceptedEdits: number;
}

/** A mean with a 95 % interval; the ends are missing where none was recorded. */
export interface Interval {
  readonly mean: number;
  readonly low?: number;
  readonly high?: number;
}

/** The held-out scores of one round. */
export interface Evaluation {
  readonly round: number;
  readonly items: number;
  readonly greedy: Interval | null;
  readonly p1: Interval | null;
  /** Mean length of the sampled answers in tokens. */
  readonly responseLength: number | null;
}

/** One score at the base and at the end, and their paired difference; null when the two can't be paired. */
export interface Change {
  readonly base: number;
  readonly end: number;
  readonly difference: Estimate | null;
}

export interface HeldOut {
  readonly evaluations: readonly Evaluation[];
  /** From the base to the last round evaluated; null while only one round is. */
  readonly change: { readonly greedy: Change | null; readonly p1: Change | null } | null;
  readonly strata: readonly Stratum[];
}

/** Held-out tasks of one kind. */
export interface Stratum {
  /** What it is a stratum of (`objects`, `family`) and which. */
  readonly fact: string;
  readonly value: string;
  readonly items: number;
  readonly greedy: Change | null;
  readonly p1: Change | null;
}

/** Metrics recorded at one place. */
export interface Place {
  readonly round: number;
  readonly step: number;
  readonly values: Readonly<Record<string, number>>;
}

/** An accepted edit that the actor was asked, with what came of it in that round. */
export interface MeasuredEdit {
  readonly round: number;
  readonly taskId: string;
  readonly proposal: Proposal;
  /** The parent's pass rate as the generator was told it, and the edited task's as measured, in [0, 1]. */
  readonly before: number;
  readonly after: number;
}

/** What one class of edits led to. An edit list counts under every class in it. */
export interface KindRow {
  readonly kind: string;
  readonly proposals: number;
  readonly accepted: number;
  readonly measured: number;
  /** Means over the measured ones; null when there are none. */
  readonly before: number | null;
  readonly after: number | null;
  readonly hits: number;
}

/** Edits by the pass rate of what they started from. */
export interface StartRow {
  readonly from: string;
  readonly edits: number;
  readonly before: number | null;
  readonly after: number | null;
  readonly hits: number;
}

/** How many proposals of a round were refused, by reason, and how many there were. */
export interface RoundRejections {
  readonly round: number;
  readonly proposals: number;
  readonly byReason: ReadonlyMap<string, number>;
}

export interface Curriculum {
  readonly edits: readonly MeasuredEdit[];
  readonly kinds: readonly KindRow[];
  readonly starts: readonly StartRow[];
  readonly rejections: readonly RoundRejections[];
  /** Reasons over all rounds, the most frequent first. */
  readonly reasons: ReadonlyArray<readonly [reason: string, count: number]>;
  /** Pass rates of tasks asked unedited, by round. */
  readonly unedited: ReadonlyMap<number, readonly number[]>;
}

export interface ReportModel {
  readonly heading: Heading;
  readonly frontier: Frontier;
  /** K, rollouts a task; null when nothing was asked. */
  readonly groupSize: number | null;
  readonly heldOut: HeldOut;
  readonly rounds: readonly Place[];
  readonly updates: { readonly actor: readonly Place[]; readonly rewriter: readonly Place[] };
  readonly curriculum: Curriculum;
  /** Of runs in which programs make the tasks; null for all others. */
  readonly programs: ProgramsModel | null;
  readonly events: ReadonlyArray<{ readonly at: number; readonly kind: string; readonly detail: Json }>;
}
