import type { TermedReward } from './eve.js';
import { mmZeroDiversity, type ProposalTexts } from './diversity.js';

/** One drawing of a proposal, as solvers judged it. */
export type DrawingOutcome =
  | { readonly rendered: false }
  | {
      readonly rendered: true;
      /** S: share of the solver's rollouts whose answer to the easy question equals the proposer's. */
      readonly solvability: number;
      /** D = min(c, 1 - c), c the solver's self-consistency on the hard question; in [0, 0.5]. */
      readonly difficulty: number;
    };

/** A proposal that could be read, with what its N drawings came to. */
export interface JudgedProposal extends ProposalTexts {
  readonly contentType: string;
  readonly drawings: readonly DrawingOutcome[];
}

/** Constants of the proposer's reward (MM-Zero, equations of the proposer; the second half from its published code). */
export interface ProposerOptions {
  /** Solvability counts up to this; `null` leaves it uncapped (an ablation). */
  readonly solvabilityCap: number | null;
  /** Mean difficulty under which the hard question is too easy, and what that costs. */
  readonly easyBelow: number;
  readonly easyPenalty: number;
  /** What a content type costs whose share of the batch is 1, from nothing at one half; 0 is an ablation. */
  readonly contentPenalty: number;
  readonly diversityCut: number;
}

export const MM_ZERO_PROPOSER: ProposerOptions = {
  solvabilityCap: 0.5,
  easyBelow: 0.15,
  easyPenalty: 0.3,
  contentPenalty: 0.15,
  diversityCut: 0.25,
};

export type ProposerTerm = 'format' | 'execution' | 'easy' | 'content' | 'diversity';

/**
 * MM-Zero's reward of each proposal of a batch, in [-1.95, 1]. A proposal that can't be read (null) is worth -1, and counts
 * neither for content types nor for diversity. Otherwise the mean over its drawings of min(S, cap) + D (nothing for one that
 * doesn't render), less `easyPenalty` when at least one rendered and the mean D of those is under `easyBelow`, less the
 * content penalty times (f - 0.5) / 0.5 for a content type of share f > 0.5 where more than one type occurs, plus the diversity
 * term.
 */
export function proposerRewards(
  batch: readonly (JudgedProposal | null)[],
  options: ProposerOptions = MM_ZERO_PROPOSER,
): TermedReward<ProposerTerm>[] {
  const read = batch.filter((proposal) => proposal !== null);
  const diversity = mmZeroDiversity(read, options.diversityCut);
  const shares = contentShares(read.map(({ contentType }) => contentType));
  let next = 0;
  return batch.map((proposal) => {
    if (proposal === null) {
      return { total: -1, terms: { format: -1, execution: 0, easy: 0, content: 0, diversity: 0 } };
    }
    const terms = {
      format: 0,
      execution: executionTerm(proposal.drawings, options.solvabilityCap),
      easy: easyTerm(proposal.drawings, options),
      content: contentTerm(shares, proposal.contentType, options.contentPenalty),
      diversity: diversity[next++] ?? 0,
    };
    return { total: terms.execution + terms.easy + terms.content + terms.diversity, terms };
  });
}

function executionTerm(drawings: readonly DrawingOutcome[], cap: number | null): number {
  if (drawings.length === 0) throw new Error('proposerRewards: a proposal without drawings');
  const worth = (drawing: DrawingOutcome): number => {
    if (!drawing.rendered) return 0;
    const { solvability } = drawing;
    return (cap === null ? solvability : Math.min(solvability, cap)) + drawing.difficulty;
  };
  return mean(drawings.map(worth));
}

function easyTerm(drawings: readonly DrawingOutcome[], { easyBelow, easyPenalty }: ProposerOptions): number {
  const difficulties = drawings.flatMap((drawing) => (drawing.rendered ? [drawing.difficulty] : []));
  return difficulties.length > 0 && mean(difficulties) < easyBelow ? -easyPenalty : 0;
}

function contentShares(types: readonly string[]): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const type of types) shares.set(type, (shares.get(type) ?? 0) + 1 / types.length);
  return shares;
}

function contentTerm(shares: ReadonlyMap<string, number>, type: string, penalty: number): number {
  const share = shares.get(type) ?? 0;
  return shares.size > 1 && share > 0.5 ? (-penalty * (share - 0.5)) / 0.5 : 0;
}

/** What the coder's completion came to. */
export type CoderOutcome =
  | Extract<DrawingOutcome, { rendered: true }>
  /** `none`: no SVG at all; `broken`: there is some, but it isn't well-formed; `failed`: well-formed, and not drawn. */
  | { readonly rendered: false; readonly failure: 'none' | 'broken' | 'failed' };

const COST = { render: 0.1, syntax: 0.05, none: 0.5 } as const;
const FLOOR = -0.5;

/**
 * MM-Zero's reward of the coder: 1 for a picture, plus S and D; without one 0.1 less, 0.05 more for broken markup, 0.5 more for an
 * output that is no SVG, -0.5 at the least. In [-0.5, 2.5].
 */
export function coderReward(
  outcome: CoderOutcome,
): TermedReward<'render' | 'solvability' | 'difficulty' | 'syntax' | 'none'> {
  const nothing = { render: 0, solvability: 0, difficulty: 0, syntax: 0, none: 0 };
  if (outcome.rendered) {
    const { solvability, difficulty } = outcome;
    return { total: 1 + solvability + difficulty, terms: { ...nothing, render: 1, solvability, difficulty } };
  }
  const terms = {
    ...nothing,
    render: -COST.render,
    syntax: outcome.failure === 'broken' ? -COST.syntax : 0,
    // So much of it that the sum stops at the floor.
    none: outcome.failure === 'none' ? Math.max(-COST.none, FLOOR + COST.render) : 0,
  };
  return { total: terms.render + terms.syntax + terms.none, terms };
}

/** MM-Zero's reward of the solver, 0.9 [answer equals silver] + 0.1 [format is right], in [0, 1]. */
export function mmZeroSolverReward(format: boolean, agrees: boolean): TermedReward<'format' | 'agreement'> {
  const terms = { format: 0.1 * Number(format), agreement: 0.9 * Number(agrees) };
  return { total: terms.format + terms.agreement, terms };
}

/** Whether a proposal is for the coder to learn from: some of its drawings render, but not nearly all (0.25 to 0.75 of 4). */
export function keepsForCoder(drawings: readonly { readonly rendered: boolean }[]): boolean {
  const rate = mean(drawings.map(({ rendered }) => Number(rendered)));
  return drawings.length > 0 && within(rate, 0.25, 0.75);
}

/** Bounds of the data that the solver learns from: the paper's, or its code's. */
export const SOLVER_FILTERS = {
  /** Easy accuracy over 0.5, hard self-consistency in [0.27, 0.75]. */
  paper: { easyAbove: 0.5, easyIncluded: false, low: 0.27, high: 0.75 },
  /** Easy accuracy from 0.5, hard self-consistency in [0.25, 0.75]. */
  code: { easyAbove: 0.5, easyIncluded: true, low: 0.25, high: 0.75 },
} as const;

/** Whether a picture is for the solver to learn from. */
export function keepsForSolver(
  easyAccuracy: number,
  selfConsistency: number,
  filter: keyof typeof SOLVER_FILTERS = 'paper',
): boolean {
  const { easyAbove, easyIncluded, low, high } = SOLVER_FILTERS[filter];
  const easy = easyIncluded ? easyAccuracy >= easyAbove - TOLERANCE : easyAccuracy > easyAbove + TOLERANCE;
  return easy && within(selfConsistency, low, high);
}

/** Rounding must not decide what is kept. */
const TOLERANCE = 1e-9;

function within(value: number, low: number, high: number): boolean {
  return value >= low - TOLERANCE && value <= high + TOLERANCE;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
