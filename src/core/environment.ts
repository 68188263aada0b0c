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
  /** The pictures of a seed, as the challenger sees them and its program is given them. */
  pictures(seed: Lineage<State>): Promise<readonly Image[]>;
  /** The whole program as an example shows it. */
  programSource(action: Action): string;
  /** The part of a program that diversity compares: its code without its arguments. */
  programText(action: Action): string;
}

/** A picture in words, with two questions about it. `contentType` is one of the environment's own. No text is empty. */
export type PictureProposal = {
  readonly contentType: string;
  readonly caption: string;
  readonly easyQuestion: string;
  readonly easyAnswer: string;
  readonly hardQuestion: string;
  readonly hardAnswer: string;
};

/** How the solver voted on a hard question: the silver answer, its share of the votes, and how many there were. */
export type SilverAnswer = { readonly answer: string; readonly share: number; readonly votes: number };

/** A proposal with one drawing of it, and the vote on its hard question once there was one. */
export type ProposedDrawing = {
  readonly proposal: PictureProposal;
  readonly markup: string;
  readonly silver: SilverAnswer | null;
};

/** What a solver said, and whether it kept to the form in which it was to say it. */
export interface FormedSolution extends Solution {
  readonly format: boolean;
}

/**
 * An environment in which a proposer invents pictures in words, a coder draws them and a solver answers (MM-Zero). Seeds are
 * topics. `realise(topic, drawing)` gives two tasks on one picture, the easy question before the hard one, or the reason why
 * nothing was drawn; both labels are `pseudo`: the proposer's own word, or the vote where the drawing holds one.
 */
export interface DrawnEnvironment<State extends Json = Json> extends SolvableEnvironment<
  State,
  ProposedDrawing
> {
  readonly solver: Role<SolveRequest, FormedSolution>;
  readonly proposer: Role<{ readonly lineage: Lineage<State> }, PictureProposal>;
  /** Reads markup out of a completion; whether it can be drawn is for `realise` to say. */
  readonly coder: Role<PictureProposal, string>;
  /** The content type that counts for diversity, which may be another than the proposal says. */
  contentType(proposal: PictureProposal): string;
  /** Ways in which the hard question gives its answer away, with its drawing where there is one; names for counting. */
  leaks(proposal: PictureProposal, markup: string | null): readonly string[];
  /**
   * What the answers truly are according to the caption, where the environment understands caption and question; null where
   * it doesn't. Only measured with, never trained on.
   */
  truth(proposal: PictureProposal): { readonly easy: string | null; readonly hard: string | null };
  /** What became of markup that was refused: there was none, it isn't well-formed, or it couldn't be drawn. */
  failureOf(rejection: Rejection): 'none' | 'broken' | 'failed';
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
