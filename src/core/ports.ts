import type { Image } from './image.js';
import type { Json } from './json.js';
import type { PolicyState } from './policy.js';
import type { Group } from './reward.js';
import type { Task } from './task.js';
import type { Lineage } from './environment.js';

/** Where in a run something happened. Stages are named by the method (`actor`, `rewriter`, ...). */
export interface StepKey {
  readonly round: number;
  readonly role: string;
  readonly step: number;
}

/** What one generator output became. */
export interface Proposal {
  /** Position among the round's proposals, from 0. */
  readonly index: number;
  readonly parentTaskId: string;
  /** The parent's pass rate as the generator was told it. */
  readonly parentPassRate: number;
  /** Who proposed: a role's name, `random`, `redraw`, `identity`. */
  readonly origin: string;
  /** What was written, verbatim; empty when no model wrote it. */
  readonly text: string;
  readonly tokens: Int32Array;
  readonly logprobs: Float32Array;
  /** The parsed action; null when it didn't parse. */
  readonly action: Json | null;
  readonly outcome:
    | { readonly kind: 'accepted'; readonly taskId: string }
    | { readonly kind: 'rejected'; readonly reason: string; readonly detail: string };
}

/** A task as the store keeps it. */
export interface StoredTask {
  readonly task: Task;
  readonly lineage: Lineage;
  /** The task it was made from; null for a seed's own task. */
  readonly parentTaskId: string | null;
  readonly round: number;
}

/** A named number at a place in the run. */
export interface Metric {
  readonly round: number;
  readonly role: string;
  readonly step: number;
  readonly name: string;
  readonly value: number;
}

/**
 * The run's memory as methods see it. Every `record*` call is one transaction: after a crash either all of it is there
 * or nothing is. Recording the same key again is refused, since `find*` tells what is already there: a method that asks
 * before it works can be stopped at any instant and started again.
 */
export interface RunJournal {
  findProposals(round: number): Promise<readonly Proposal[] | null>;
  recordProposals(
    round: number,
    proposals: readonly Proposal[],
    tasks: readonly StoredTask[],
    images: readonly Image[],
  ): Promise<void>;
  findTasks(ids: readonly string[]): Promise<readonly StoredTask[]>;
  /** Seeds and held-out tasks: stored once, before round 1. Equal tasks already there are left as they are. */
  recordTasks(tasks: readonly StoredTask[], images: readonly Image[]): Promise<void>;
  findImage(hash: string): Promise<Image | null>;
  findGroups(key: StepKey): Promise<readonly Group[] | null>;
  recordGroups(key: StepKey, groups: readonly Group[]): Promise<void>;
  /** Metrics of a place, by name; null when none were recorded. */
  findMetrics(key: StepKey): Promise<Readonly<Record<string, number>> | null>;
  recordMetrics(key: StepKey, metrics: Readonly<Record<string, number>>): Promise<void>;
  /** The newest checkpoint of a role, with the number of optimiser updates it holds. */
  latestCheckpoint(role: string): Promise<{ readonly updates: number; readonly state: PolicyState } | null>;
  recordCheckpoint(
    checkpoint: StepKey & { readonly updates: number; readonly parent: string | null },
    state: PolicyState,
  ): Promise<void>;
  recordEvent(kind: string, detail: Json): Promise<void>;
  /** What was recorded under a kind, oldest first. */
  findEvents(kind: string): Promise<readonly Json[]>;
}

/** Progress as a method tells it; the command line draws it. */
export interface Progress {
  /** Starts or moves a bar. `total` is in the unit named. */
  update(stage: string, done: number, total: number, unit: string): void;
  /** One line for the reader. */
  note(line: string): void;
}

/** Throws InterruptedError when the user asked to stop; methods call it where it is safe to. */
export type SafePoint = () => void;

/** Scores a policy on held-out tasks and records what it found. A round that was evaluated before is left as it is. */
export interface Evaluator {
  evaluate(round: number): Promise<void>;
}
