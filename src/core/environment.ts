import type { Image } from './image.js';
import type { Json } from './json.js';
import type { Rejection, Result } from './result.js';
import type { Rng } from './rng.js';
import type { Role } from './role.js';
import type { Task } from './task.js';

/**
 * Where a task stands: the seed it comes from, every action since, and the state these led to. `state` is the
 * environment's own (structure and question), JSON-serialisable, and fully determined by seed and actions.
 */
export interface Lineage<State extends Json = Json> {
  readonly seedId: string;
  readonly actions: readonly Json[];
  readonly state: State;
}

/** A task with what it takes to show it and to act on it again. */
export interface Realised<State extends Json = Json> {
  readonly task: Task;
  /** The pictures of `task.images`, same order, same hashes. */
  readonly images: readonly Image[];
  readonly lineage: Lineage<State>;
}

/**
 * A visual domain: behaviour without memory. Every method is a pure function of its arguments (and of the
 * configuration the environment was made with), so any task can be made again.
 */
export interface Environment<State extends Json = Json, Action extends Json = Json> {
  readonly name: string;
  /**
   * Applies one action to a lineage, verifies, draws and labels. `null` leaves the state as it is: the task of the
   * seed itself. Every refusal carries a reason of the environment's closed union.
   */
  realise(
    lineage: Lineage<State>,
    action: Action | null,
  ): Promise<Result<readonly Realised<State>[], Rejection>>;
  /** Checks JSON of unknown origin (a stored or user's state). */
  parseState(json: unknown): Result<State, Rejection>;
  /** Checks JSON of unknown origin (a stored or model-written action). */
  parseAction(json: unknown): Result<Action, Rejection>;
  /** The action in words, for people. */
  describeAction(action: Action): string;
  /** The seed that a lineage began with, read off its state; only where seeds have no task of their own that keeps them. */
  seedOf?(lineage: Lineage<State>): Lineage<State>;
}

/** What the rewriter is shown: where the task stands and how often the solver was right on it, in [0, 1]. */
export interface RewriteRequest<State extends Json = Json> {
  readonly lineage: Lineage<State>;
  readonly passRate: number;
}

/** What the solver is shown. */
export interface SolveRequest {
  readonly task: Task;
  readonly images: readonly Image[];
}

/** What the solver said, read from its completion. */
export interface Solution {
  /** The text inside the answer tags, trimmed. */
  readonly answer: string;
  /** The text inside the think tags. */
  readonly reasoning: string;
}

/** An environment whose tasks a solver answers: all that evaluation, `verify` and exports need. */
export interface SolvableEnvironment<
  State extends Json = Json,
  Action extends Json = Json,
> extends Environment<State, Action> {
  readonly solver: Role<SolveRequest, Solution>;
}

/** An environment in which a rewriter edits the structure behind the picture (VICO). */
export interface EditableEnvironment<
  State extends Json = Json,
  Action extends Json = Json,
> extends SolvableEnvironment<State, Action> {
  readonly rewriter: Role<RewriteRequest<State>, Action>;
  /** A random edit, uninformed by any pass rate; the control arm's rewriter. May still be rejected by `realise`. */
  randomEdit(lineage: Lineage<State>, rng: Rng): Action;
  /** The same picture with another question; null when none could be drawn. */
  redrawQuestion(lineage: Lineage<State>, rng: Rng): Action | null;
}

/** What a challenger is shown: where the seed stands, its pictures, and programs to take as examples. */
export interface ChallengeRequest<State extends Json = Json> {
  readonly lineage: Lineage<State>;
  readonly images: readonly Image[];
  /** Source texts, best first. */
  readonly examples: readonly string[];
}

/** An environment in which a challenger writes a program whose own outputs make the tasks and their labels (EVE). */
export interface ExecutableEnvironment<
  State extends Json = Json,
  Action extends Json = Json,
> extends SolvableEnvironment<State, Action> {
  readonly challenger: Role<ChallengeRequest<State>, Action>;
  /** Programs that open the example queue, and the only ones of the arm without a challenger. */
  readonly seedPrograms: readonly Action[];
  /** The part of a program that diversity compares: its code without its arguments. */
  programText(action: Action): string;
}

/** The pictures and tasks of a lineage made again from its seed: what `verify` and a pool reload call. */
export async function replay<State extends Json, Action extends Json>(
  environment: Environment<State, Action>,
  seed: Lineage<State>,
  actions: readonly Json[],
): Promise<Result<readonly Realised<State>[], Rejection>> {
  if (actions.length === 0) return environment.realise(seed, null);
  let lineage = seed;
  let realised: readonly Realised<State>[] = [];
  for (const json of actions) {
    const action = environment.parseAction(json);
    if (!action.ok) return action;
    const step = await environment.realise(lineage, action.value);
    if (!step.ok) return step;
    realised = step.value;
    const first = realised[0];
    if (!first) throw new Error(`${environment.name}: an accepted action gave no task`);
    lineage = first.lineage;
  }
  return { ok: true, value: realised };
}
