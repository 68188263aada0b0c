import type { Json } from '../core/json.js';
import type { Proposal, StoredTask } from '../core/ports.js';
import type { Group } from '../core/reward.js';
import type { RunReader } from '../runs/index.js';
import { hitTest } from './curriculum.js';
import { evenly } from './evenly.js';
import { ROLES, type Frontier, type MeasuredEdit, type ReportModel } from './model.js';
import { narratorOf, type Narrator, type TraceStep } from './narrate.js';
import { PictureBook, type Picture } from './pictures.js';
import { collectProgramCards, type ProgramCard } from './programs.js';

/** What became of an edit: in the sweet spot, nearer to one end than the sweet spot is, or without any signal. */
export type EditClass = 'hit' | 'harder' | 'easier' | 'dry';

/** A task as it is shown. */
export interface TaskView {
  readonly picture: Picture | null;
  readonly question: string;
  readonly answer: string;
  /** Whether the answer is derived (true by construction) or a majority's. */
  readonly derived: boolean;
  readonly trace: readonly TraceStep[];
  /** What the picture holds, by the numbers that the trace calls things. */
  readonly parts: readonly string[];
}

export interface RolloutView {
  readonly correct: boolean;
  /** What stands between the answer tags; null when the text has no such form. */
  readonly answer: string | null;
  readonly text: string;
}

/** One edit with all there is to see of it. */
export interface EditCard {
  readonly class: EditClass;
  readonly round: number;
  readonly index: number;
  readonly origin: string;
  /** The edit in words, a line each. */
  readonly words: readonly string[];
  readonly action: Json;
  readonly before: number;
  readonly after: number;
  readonly parent: TaskView | null;
  readonly child: TaskView;
  readonly rollouts: readonly RolloutView[];
}

/** One unedited task with what the model said to it. */
export interface TaskCard {
  readonly round: number;
  readonly held: boolean;
  readonly passRate: number;
  readonly task: TaskView;
  readonly rollouts: readonly RolloutView[];
}

/** A proposal that was refused. */
export interface RejectedCard {
  readonly round: number;
  readonly index: number;
  readonly origin: string;
  readonly reason: string;
  readonly detail: string;
  /** The action in words; null when none could be read. */
  readonly words: readonly string[] | null;
  /** What was written, where a model wrote. */
  readonly text: string;
  readonly parentPassRate: number;
  readonly parent: TaskView | null;
}

export interface Gallery {
  readonly edits: ReadonlyArray<{ readonly round: number; readonly cards: readonly EditCard[] }>;
  /** Shown where a run has no edits. */
  readonly tasks: readonly TaskCard[];
  readonly rejected: readonly RejectedCard[];
  /** Of runs in which programs make the tasks. */
  readonly programs: readonly ProgramCard[];
}

/** Bytes that all pictures of a page may take, base64 included. */
const PICTURE_BYTES = 1_800_000;
const ROUNDS = 6;
const CARDS_A_CLASS = 2;
const TASK_CARDS = 8;
const REJECTED_REASONS = 8;
const REJECTED_A_REASON = 2;

/** The pictures of a report: some edits of each class for every round (of up to six), some refused ones, else some tasks. */
export async function collectGallery(
  reader: RunReader,
  { curriculum, frontier, heading, programs }: ReportModel,
): Promise<Gallery> {
  const shelf: Shelf = {
    reader,
    book: new PictureBook(reader, PICTURE_BYTES),
    narrator: narratorOf(heading.environment),
  };
  const rounds = evenly([...new Set(curriculum.edits.map(({ round }) => round))], ROUNDS);
  const edits: Array<{ round: number; cards: EditCard[] }> = [];
  for (const round of rounds) {
    const chosen = chooseEdits(
      curriculum.edits.filter((edit) => edit.round === round),
      frontier,
    );
    const cards: EditCard[] = [];
    for (const { edit, is } of chosen) cards.push(...(await editCard(shelf, edit, is)));
    edits.push({ round, cards });
  }
  const rejected = await rejectedCards(
    shelf,
    curriculum.reasons.map(([reason]) => reason),
  );
  if (programs) return { edits, rejected, tasks: [], programs: await collectProgramCards(reader) };
  return { edits, rejected, tasks: edits.length > 0 ? [] : await taskCards(shelf), programs: [] };
}

interface Shelf {
  readonly reader: RunReader;
  readonly book: PictureBook;
  readonly narrator: Narrator;
}

/** What became of an edit; null when it stayed where it was, outside of the sweet spot. */
export function classOf({ before, after }: MeasuredEdit, frontier: Frontier): EditClass | null {
  if (hitTest(frontier)(after)) return 'hit';
  if (after === 0 || after === 1) return 'dry';
  return after < before ? 'harder' : after > before ? 'easier' : null;
}

/** Some of each class, evenly over the order in which they were proposed: none is chosen for how good it looks. */
function chooseEdits(
  edits: readonly MeasuredEdit[],
  frontier: Frontier,
): Array<{ edit: MeasuredEdit; is: EditClass }> {
  const ordered = [...edits].sort((a, b) => a.proposal.index - b.proposal.index);
  return (['hit', 'harder', 'easier', 'dry'] as const).flatMap((is) =>
    evenly(
      ordered.filter((edit) => classOf(edit, frontier) === is),
      CARDS_A_CLASS,
    ).map((edit) => ({ edit, is })),
  );
}

async function editCard(shelf: Shelf, edit: MeasuredEdit, is: EditClass): Promise<EditCard[]> {
  const { reader, narrator } = shelf;
  const { round, taskId, proposal, before, after } = edit;
  const stored = reader.task(taskId);
  if (stored === null) return [];
  const parent = reader.task(proposal.parentTaskId);
  const action = proposal.action;
  return [
    {
      class: is,
      round,
      index: proposal.index,
      origin: proposal.origin,
      words: action === null ? [] : narrator.action(action, parent?.lineage.state ?? null),
      action,
      before,
      after,
      parent: parent && (await taskView(shelf, parent)),
      child: await taskView(shelf, stored),
      rollouts: rolloutsOf(reader, stored, round, ROLES.actor),
    },
  ];
}

async function taskView({ book, narrator }: Shelf, { task, lineage }: StoredTask): Promise<TaskView> {
  const [image] = task.images;
  return {
    picture: image ? await book.show(image.hash) : null,
    question: task.question,
    answer: task.answer,
    derived: task.label.origin === 'derived',
    parts: narrator.parts(lineage.state),
    trace: task.label.origin === 'derived' ? narrator.trace(task.label.derivation.trace) : [],
  };
}

function rolloutsOf(reader: RunReader, { task }: StoredTask, round: number, role: string): RolloutView[] {
  return reader
    .groupsOfTask(task.id)
    .filter((entry) => entry.round === round && entry.role === role)
    .flatMap(({ group }) => rolloutViews(group));
}

function rolloutViews(group: Group): RolloutView[] {
  return group.rollouts.map(({ completion, score }) => ({
    correct: score.correct,
    answer: /<answer>([^<]*)<\/answer>/.exec(completion.text)?.[1]?.trim() || null,
    text: completion.text,
  }));
}

async function taskCards(shelf: Shelf): Promise<TaskCard[]> {
  const { reader } = shelf;
  const asked = reader.passRates({ role: ROLES.actor });
  const held = asked.length === 0;
  const role = held ? ROLES.sampled : ROLES.actor;
  const all = held ? reader.passRates({ round: 0, role }) : asked;
  const cards: TaskCard[] = [];
  // Easy, mixed and hard ones alike, so that a reader sees the range.
  for (const { taskId, round, passRate } of evenly(
    [...all].sort((a, b) => a.passRate - b.passRate),
    TASK_CARDS,
  )) {
    const stored = reader.task(taskId);
    if (stored === null) continue;
    const rollouts = rolloutsOf(reader, stored, round, role);
    cards.push({ round, held, passRate, task: await taskView(shelf, stored), rollouts });
  }
  return cards;
}

async function rejectedCards(shelf: Shelf, reasons: readonly string[]): Promise<RejectedCard[]> {
  const { reader } = shelf;
  const refused = reader
    .proposalRounds()
    .flatMap((round) => reader.proposals(round).map((proposal) => ({ round, proposal })));
  const cards: RejectedCard[] = [];
  for (const reason of reasons.slice(0, REJECTED_REASONS)) {
    const of = refused.filter(
      ({ proposal: { outcome } }) => outcome.kind === 'rejected' && outcome.reason === reason,
    );
    for (const { round, proposal } of evenly(of, REJECTED_A_REASON)) {
      cards.push(await rejectedCard(shelf, round, proposal));
    }
  }
  return cards;
}

async function rejectedCard(shelf: Shelf, round: number, proposal: Proposal): Promise<RejectedCard> {
  const { index, origin, text, action, parentTaskId, parentPassRate, outcome } = proposal;
  const parent = shelf.reader.task(parentTaskId);
  return {
    round,
    index,
    origin,
    reason: outcome.kind === 'rejected' ? outcome.reason : '',
    detail: outcome.kind === 'rejected' ? outcome.detail : '',
    words: action === null ? null : shelf.narrator.action(action, parent?.lineage.state ?? null),
    text,
    parentPassRate,
    parent: parent && (await taskView(shelf, parent)),
  };
}
