import { z } from 'zod';
import type { DrawnEnvironment, Lineage, ProposedDrawing, Realised } from '../../core/environment.js';
import { imageRef } from '../../core/image.js';
import { ok, reject, type Rejection, type Result } from '../../core/result.js';
import { makeTask, type AnswerKind, type Label } from '../../core/task.js';
import { SVG_PROBLEMS, type PictureSize, type SvgProblem, type SvgRasteriser } from '../../render/index.js';
import { leaksOf } from './leaks.js';
import {
  derive,
  microCoder,
  microProposer,
  microSolver,
  parseQuestion,
  SIDE,
  svgOf,
  truthOf,
} from './micro/index.js';
import { figureSchema, type Figure } from './micro/figure.js';
import {
  effectiveContentType,
  PROPOSAL_REJECTIONS,
  proposalOf,
  type Proposal,
  type ProposalReason,
} from './proposal.js';
import { coder, drawingSolver, proposer } from './roles.js';

/** How pictures are drawn, and in which words the roles are asked. */
export interface DrawingsConfig {
  /** `full` for models that read English, `micro` for the small ones of this package. */
  readonly promptStyle: 'full' | 'micro';
  /** Size of every picture, pixels; one side alone keeps the drawing's proportions. */
  readonly picture: PictureSize;
}

/** Why a topic and a drawing give no task. */
export const DRAWING_REJECTIONS = [
  ...SVG_PROBLEMS,
  ...PROPOSAL_REJECTIONS,
  'malformed-state',
  'malformed-action',
  /** A topic is no task until someone has drawn something. */
  'nothing-drawn',
  /** The figure of a held-out drawing doesn't settle its question. */
  'no-answer',
] as const;

export type DrawingReason = SvgProblem | ProposalReason | (typeof DRAWING_REJECTIONS)[number];

/**
 * Where a lineage stands: a topic, with the last drawing made for it; or a figure of the micro roles drawn by program, with a
 * question whose answer is derived (held-out tasks).
 */
export type DrawingsState =
  | { readonly kind: 'topic'; readonly topic: string; readonly drawing: ProposedDrawing | null }
  | {
      readonly kind: 'figure';
      readonly figure: Figure;
      readonly question: string;
    };

const text = z.string().min(1);
const drawing = z.strictObject({
  proposal: z.strictObject({
    contentType: text,
    caption: text,
    easyQuestion: text,
    easyAnswer: text,
    hardQuestion: text,
    hardAnswer: text,
  }),
  markup: z.string(),
  silver: z.strictObject({ answer: text, share: z.number().min(0).max(1), votes: z.int().min(1) }).nullable(),
});
const state = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('topic'), topic: text, drawing: drawing.nullable() }),
  z.strictObject({ kind: z.literal('figure'), figure: figureSchema, question: text }),
]);

/** The environment of drawings. The rasteriser stays the caller's, who closes it. */
export function drawingsEnvironment(
  config: DrawingsConfig,
  rasteriser: SvgRasteriser,
): DrawnEnvironment<DrawingsState> {
  const micro = config.promptStyle === 'micro';
  const roles = micro
    ? { proposer: microProposer, coder: microCoder, solver: microSolver }
    : { proposer, coder, solver: drawingSolver };
  return {
    name: 'drawings',
    proposer: {
      name: 'proposer',
      prompt: ({ lineage }) => roles.proposer.prompt({ topic: topicOf(lineage) }),
      parse: (said) => roles.proposer.parse(said),
    },
    coder: {
      name: 'coder',
      prompt: (proposal) => roles.coder.prompt(proposal as Proposal),
      parse: (said) => roles.coder.parse(said),
    },
    solver: {
      name: 'solver',
      prompt({ task, images }) {
        const [image] = images;
        if (!image) throw new Error(`task ${task.id} came without its picture`);
        return roles.solver.prompt({ image, question: task.question });
      },
      parse: (said) => roles.solver.parse(said),
    },
    contentType: (proposal) => effectiveContentType(proposal as Proposal),
    leaks: (proposal, markup) => leaksOf(proposal, markup),
    truth: (proposal) => truthOf(proposal),
    failureOf({ reason }) {
      if (reason === 'not-found') return 'none';
      return reason === 'syntax' ? 'broken' : 'failed';
    },
    async realise(lineage, action) {
      if (action === null) return figureTask(lineage, rasteriser, config.picture);
      return drawnTasks(lineage, action, rasteriser, config.picture);
    },
    parseState(json) {
      const read = state.safeParse(json);
      return read.success ? ok(read.data) : reject('malformed-state', firstIssue(read.error));
    },
    parseAction: (json) => parseDrawing(json),
    describeAction: ({ proposal }) => `draws: ${proposal.caption}`,
    seedOf: ({ seedId, state: now }) => ({
      seedId,
      actions: [],
      state: now.kind === 'topic' ? { ...now, drawing: null } : now,
    }),
  };
}

/** A lineage that begins at a topic. */
export function topicSeed(topic: string): Lineage<DrawingsState> {
  return { seedId: `topic/${topic}`, actions: [], state: { kind: 'topic', topic, drawing: null } };
}

function topicOf({ state: now, seedId }: Lineage<DrawingsState>): string {
  if (now.kind !== 'topic') throw new Error(`${seedId} is no topic`);
  return now.topic;
}

function parseDrawing(json: unknown): Result<ProposedDrawing, Rejection<DrawingReason>> {
  const read = drawing.safeParse(json);
  if (!read.success) return reject('malformed-action', firstIssue(read.error));
  const { proposal } = read.data;
  const checked = proposalOf({
    content_type: proposal.contentType,
    caption: proposal.caption,
    easy_question: proposal.easyQuestion,
    easy_answer: proposal.easyAnswer,
    hard_question: proposal.hardQuestion,
    hard_answer: proposal.hardAnswer,
  });
  return checked.ok ? ok({ ...read.data, proposal: checked.value }) : checked;
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not of the right form'}`;
}

/** The two tasks of a drawing, the easy one first. */
async function drawnTasks(
  lineage: Lineage<DrawingsState>,
  action: ProposedDrawing,
  rasteriser: SvgRasteriser,
  size: PictureSize,
): Promise<Result<readonly Realised<DrawingsState>[], Rejection<DrawingReason>>> {
  const drawn = await rasteriser.render(action.markup, size);
  if (!drawn.ok) return reject(drawn.error.reason, drawn.error.detail);
  const { proposal, silver } = action;
  const images = [drawn.value];
  const next: Lineage<DrawingsState> = {
    seedId: lineage.seedId,
    actions: [...lineage.actions, action],
    state: { kind: 'topic', topic: topicOf(lineage), drawing: action },
  };
  const leaks = leaksOf(proposal, action.markup);
  const truth = truthOf(proposal);
  const task = (
    asked: 'easy' | 'hard',
    question: string,
    answer: string,
    label: Label,
    known: string | null,
  ): Realised<DrawingsState> => ({
    task: makeTask({
      environment: 'drawings',
      images: images.map(imageRef),
      question,
      answer,
      answerKind: answerKindOf(answer),
      label,
      facts: {
        asked,
        content: effectiveContentType(proposal as Proposal),
        leaks: leaks.join(' ') || 'none',
        ...(known === null ? {} : { truth: known }),
      },
    }),
    images,
    lineage: next,
  });
  /** The proposer's own word counts as one vote. */
  const claimed: Label = { origin: 'pseudo', share: 1, votes: 1 };
  const voted: Label = silver ? { origin: 'pseudo', share: silver.share, votes: silver.votes } : claimed;
  return ok([
    task('easy', proposal.easyQuestion, proposal.easyAnswer, claimed, truth.easy),
    task('hard', proposal.hardQuestion, silver?.answer ?? proposal.hardAnswer, voted, truth.hard),
  ]);
}

/** The task of a figure that a program draws, with its derived answer. */
async function figureTask(
  lineage: Lineage<DrawingsState>,
  rasteriser: SvgRasteriser,
  size: PictureSize,
): Promise<Result<readonly Realised<DrawingsState>[], Rejection<DrawingReason>>> {
  const { state: now, seedId } = lineage;
  if (now.kind !== 'figure') return reject('nothing-drawn', `${seedId} is a topic, nothing is drawn yet`);
  const question = parseQuestion(now.question);
  const derived = question && derive(now.figure, question);
  if (!question || !derived) return reject('no-answer', `${now.question} has no answer in this figure`);
  const own = { width: SIDE, height: SIDE };
  const image = await rasteriser.renderTrusted(svgOf(now.figure), own, size);
  const task = makeTask({
    environment: 'drawings',
    images: [imageRef(image)],
    question: now.question,
    answer: derived.answer,
    answerKind: answerKindOf(derived.answer),
    label: {
      origin: 'derived',
      derivation: { seedId, actions: [], rule: 'recompute', trace: { question, steps: [...derived.steps] } },
    },
    facts: { family: question.form, kind: now.figure.kind, marks: now.figure.marks.length },
  });
  return ok([{ task, images: [image], lineage }]);
}

/** What kind of thing an answer is, from the answer alone: a drawing's questions come without one. */
export function answerKindOf(answer: string): AnswerKind {
  const plain = answer.trim().toLowerCase();
  if (/^(yes|no|true|false)$/.test(plain)) return 'yes-no';
  return /^[-+$€£]?\d[\d,]*(\.\d+)?\s*%?$/.test(plain) ? 'number' : 'word';
}
