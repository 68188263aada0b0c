import { chunk } from '../../core/chunk.js';
import type { Lineage, PictureProposal, ProposedDrawing, Realised } from '../../core/environment.js';
import type { Image } from '../../core/image.js';
import type { Json } from '../../core/json.js';
import type { Completion } from '../../core/policy.js';
import type { Proposal, RunJournal, StoredTask } from '../../core/ports.js';
import { restoreTasks } from '../../core/restore.js';
import type { Rejection, Result } from '../../core/result.js';
import { err, ok, reject } from '../../core/result.js';
import type { Rng } from '../../core/rng.js';
import { makeRequest, type Task } from '../../core/task.js';
import { strictZip } from '../../core/zip.js';
import { keepsForCoder, keepsForSolver } from '../../rewards/mmZero.js';
import { drawSketches, judgeDrawings, type Drawing, type Judgement, type Sketch } from './judge.js';
import { drawingMetrics, proposalMetrics, pseudoLabelErrors, share, type VotedLabel } from './metrics.js';
import { truthOf } from './rewards.js';
import type { MmZeroSetup } from './setup.js';

/** Proposals that are worked on between two safe points. */
const AT_ONCE = 64;

/** What the proposer is asked about one topic, as a task. `place` tells requests about one topic apart. */
export function topicRequest<State extends Json>(
  { environment }: Pick<MmZeroSetup<State>, 'environment'>,
  topic: Lineage<State>,
  place: Readonly<Record<string, number>>,
): Task {
  return makeRequest({
    environment: environment.name,
    images: [],
    question: `propose: ${topic.seedId}`,
    facts: { role: 'proposer', topic: topic.seedId, ...place },
  });
}

/** A proposal for the coder to draw, as a task. */
export interface DrawRequest<State extends Json> {
  readonly task: Task;
  readonly lineage: Lineage<State>;
  readonly proposal: PictureProposal;
}

/** A proposal while a round's data is made: what was written, and what became of it. */
interface Draft<State extends Json> {
  readonly parent: Task;
  readonly lineage: Lineage<State>;
  readonly completion: Completion;
  readonly parsed: Result<PictureProposal, Rejection>;
  readonly rng: Rng;
}

/** What a draft became: an action with the task to train on, or a reason. */
type Verdict = Result<
  { readonly action: ProposedDrawing; readonly stored: StoredTask; readonly images: readonly Image[] },
  Rejection
>;

/**
 * The coder's data (Section 2.2, Coder): the proposer as it is writes proposals, the coder draws each a few times, and those are
 * kept of which a quarter to three quarters render. Made once a round, and read back afterwards.
 */
export async function coderData<State extends Json>(
  setup: MmZeroSetup<State>,
  round: number,
): Promise<DrawRequest<State>[]> {
  const { config, environment, journal } = setup;
  const { proposals: wanted, drawings: tries } = config.coder;
  if (!(await journal.findProposals(round))) {
    const seen: Drawing<State>[] = [];
    const judge: Judge<State> = async (drafts) => {
      const sketches = drafts.flatMap((draft) => sketchOf(draft));
      const drawn = await drawSketches(setup, sketches, tries);
      seen.push(...drawn.flat());
      let next = 0;
      return drafts.map((draft) => {
        if (!draft.parsed.ok) return draft.parsed;
        const drawings = drawn[next++] ?? [];
        const rendered = drawings.filter(({ picture }) => picture.rendered).length;
        if (!keepsForCoder(drawings.map(({ picture }) => picture))) {
          return reject('render-rate', `${rendered} of ${tries} drawings rendered`);
        }
        return ok({ ...coderTask(setup, draft, draft.parsed.value, round), images: [] });
      });
    };
    await makeData(setup, round, wanted, 'coder', judge, () => {
      const proposed = seen.filter((_, i) => i % tries === 0);
      return {
        ...drawingMetrics(
          seen,
          seen.map(() => null),
        ),
        ...proposalMetrics(
          environment,
          proposed.map(({ proposal }) => ({ proposal, markup: null })),
        ),
      };
    });
  }
  const kept = await accepted(journal, round);
  const tasks = await journal.findTasks(kept.map(({ taskId }) => taskId));
  return strictZip(kept, tasks).map(([{ action }, stored]) => ({
    task: stored.task,
    lineage: topicOf(setup, stored.lineage.seedId),
    proposal: drawingOf(setup, action).proposal,
  }));
}

function coderTask<State extends Json>(
  { environment }: MmZeroSetup<State>,
  { parent, lineage }: Draft<State>,
  proposal: PictureProposal,
  round: number,
): { readonly action: ProposedDrawing; readonly stored: StoredTask } {
  const action = { proposal, markup: '', silver: null };
  const task = makeRequest({
    environment: environment.name,
    images: [],
    question: `draw: ${proposal.caption}`,
    facts: {
      role: 'coder',
      content: environment.contentType(proposal),
      questions: `${proposal.easyQuestion} ${proposal.easyAnswer} | ${proposal.hardQuestion}`,
    },
  });
  // Nothing is drawn yet, so that the topic's state stays as it is.
  const stored = { task, lineage: { ...lineage, actions: [action] }, parentTaskId: parent.id, round };
  return { action, stored };
}

/**
 * The solver's data (Section 2.2, Solver): proposals, each drawn once, and the solver's own answers to both questions of what
 * rendered. Kept where it answers the easy question and is of several minds about the hard one, labelled by its vote.
 */
export async function solverData<State extends Json>(
  setup: MmZeroSetup<State>,
  round: number,
): Promise<Realised<State>[]> {
  const { config, environment, journal } = setup;
  const { proposals: wanted, votes, filter } = config.solver;
  if (!(await journal.findProposals(round))) {
    const drawings: Drawing<State>[] = [];
    const judgements: (Judgement | null)[] = [];
    const labels: { readonly label: VotedLabel; readonly kept: boolean }[] = [];
    const judge: Judge<State> = async (drafts) => {
      const sketches = drafts.flatMap((draft) => sketchOf(draft));
      const drawn = (await drawSketches(setup, sketches, 1)).flat();
      const judged = await judgeDrawings(setup, drawn, votes);
      drawings.push(...drawn);
      judgements.push(...judged);
      let next = -1;
      const verdicts: Verdict[] = [];
      for (const draft of drafts) {
        if (draft.parsed.ok) next++;
        const drawing = drawn[next];
        if (!draft.parsed.ok) verdicts.push(draft.parsed);
        else if (!drawing) throw new Error('a proposal without its drawing');
        else {
          const judgement = judged[next] ?? null;
          const verdict = await solverTask(setup, draft, drawing, judgement, round, filter);
          verdicts.push(verdict);
          const label = labelOf(drawing, judgement);
          if (label) labels.push({ label, kept: verdict.ok });
        }
      }
      return verdicts;
    };
    await makeData(setup, round, wanted, 'solver', judge, () => {
      const all = pseudoLabelErrors(labels.map(({ label }) => label));
      const kept = pseudoLabelErrors(labels.filter((entry) => entry.kept).map(({ label }) => label));
      return {
        ...drawingMetrics(drawings, judgements),
        ...proposalMetrics(environment, drawings),
        ...(all.known > 0 ? { pseudo_label_error: all.error, pseudo_labels_known: all.known } : {}),
        ...(kept.known > 0 ? { kept_label_error: kept.error, kept_labels_known: kept.known } : {}),
      };
    });
  }
  const ids = (await accepted(journal, round)).map(({ taskId }) => taskId);
  return restoreTasks<State>(journal, ids);
}

async function solverTask<State extends Json>(
  { environment }: MmZeroSetup<State>,
  { parent, lineage }: Draft<State>,
  { picture, proposal, markup }: Drawing<State>,
  judgement: Judgement | null,
  round: number,
  filter: 'paper' | 'code',
): Promise<Verdict> {
  if (!picture.rendered) return err(picture.rejection);
  const vote = judgement?.vote;
  if (!judgement || !vote) return reject('no-vote', 'nobody answered the hard question');
  if (!keepsForSolver(judgement.solvability, vote.selfConsistency, filter)) {
    const detail = `easy question right ${judgement.solvability.toFixed(2)}, votes agree ${vote.selfConsistency.toFixed(2)}`;
    return reject('out-of-bounds', detail);
  }
  const silver = { answer: vote.answer, share: vote.selfConsistency, votes: vote.votes };
  const action = { proposal, markup, silver };
  const made = await environment.realise(lineage, action);
  if (!made.ok) return made;
  const hard = made.value[1];
  if (!hard) throw new Error(`${environment.name}: a drawing gave fewer than two tasks`);
  const stored = { task: hard.task, lineage: hard.lineage, parentTaskId: parent.id, round };
  return ok({ action, stored, images: hard.images });
}

function labelOf<State extends Json>(
  drawing: Drawing<State>,
  judgement: Judgement | null,
): VotedLabel | null {
  if (!drawing.picture.rendered || !judgement?.vote) return null;
  const { task } = drawing.picture.hard;
  return { task, silver: judgement.vote.answer, truth: truthOf(task) };
}

function sketchOf<State extends Json>({ parsed, lineage, rng }: Draft<State>): Sketch<State>[] {
  return parsed.ok ? [{ lineage, proposal: parsed.value, rng }] : [];
}

type Judge<State extends Json> = (drafts: readonly Draft<State>[]) => Promise<readonly Verdict[]>;

/** Has proposals written and judged, a few at a time, and records them all at once, their metrics (`<role>-data`) first. */
async function makeData<State extends Json>(
  setup: MmZeroSetup<State>,
  round: number,
  wanted: number,
  role: 'coder' | 'solver',
  judge: Judge<State>,
  metrics: () => Readonly<Record<string, number>>,
): Promise<void> {
  const { config, environment, journal, proposer, progress, safePoint, topics } = setup;
  const rng = setup.rng.child('round', round, 'data');
  const parents = topics.map((topic) => ({ topic, task: topicRequest(setup, topic, { round }) }));
  await journal.recordTasks(
    parents.map(({ topic, task }) => ({ task, lineage: topic, parentTaskId: null, round })),
    [],
  );
  const places = Array.from({ length: wanted }, (_, i) => i);
  const proposals: Proposal[] = [];
  const stored = new Map<string, StoredTask>();
  const images: Image[] = [];
  for (const part of chunk(places, AT_ONCE)) {
    safePoint();
    const asked = part.map((i) => {
      const parent = parents[i % parents.length];
      if (!parent) throw new Error('mm-zero: there are no topics');
      return { i, parent };
    });
    const said = await proposer.sample(
      asked.map(({ i, parent }) => ({
        prompt: environment.proposer.prompt({ lineage: parent.topic }),
        n: 1,
        maxTokens: config.proposer.maxTokens,
        temperature: config.proposer.temperature,
        rng: rng.child('proposal', i),
      })),
    );
    const drafts = strictZip(asked, said).map(([{ i, parent }, completions]): Draft<State> => {
      const [completion] = completions;
      if (!completion) throw new Error('the proposer gave no completion');
      const lineage = parent.topic;
      const parsed = environment.proposer.parse(completion.text, { lineage });
      return { parent: parent.task, lineage, completion, parsed, rng: rng.child('drawing', i) };
    });
    const verdicts = await judge(drafts);
    for (const [draft, verdict] of strictZip(drafts, verdicts)) {
      const outcome = outcomeOf(verdict, stored);
      proposals.push(proposalRecord(draft, verdict, outcome, proposals.length));
      if (!verdict.ok || outcome.kind === 'rejected') continue;
      stored.set(verdict.value.stored.task.id, verdict.value.stored);
      images.push(...verdict.value.images);
    }
    progress.update(`round ${round} ${role} data`, proposals.length, wanted, 'proposals');
  }
  const key = { round, role: `${role}-data`, step: 0 };
  if (!(await journal.findMetrics(key))) {
    const kept = share(proposals, ({ outcome }) => outcome.kind === 'accepted');
    const form = share(proposals, ({ action }) => action !== null);
    await journal.recordMetrics(key, { written: proposals.length, form, kept, ...metrics() });
  }
  await journal.recordProposals(round, proposals, [...stored.values()], images);
}

function outcomeOf(verdict: Verdict, stored: ReadonlyMap<string, StoredTask>): Proposal['outcome'] {
  if (!verdict.ok) return { kind: 'rejected', ...pick(verdict.error) };
  const { id } = verdict.value.stored.task;
  return stored.has(id)
    ? { kind: 'rejected', reason: 'duplicate', detail: 'this round already has the same task' }
    : { kind: 'accepted', taskId: id };
}

function pick({ reason, detail }: Rejection): Rejection {
  return { reason, detail };
}

function proposalRecord<State extends Json>(
  { parent, completion, parsed }: Draft<State>,
  verdict: Verdict,
  outcome: Proposal['outcome'],
  index: number,
): Proposal {
  const { text, tokens, logprobs } = completion;
  const proposed = parsed.ok ? { proposal: parsed.value, markup: '', silver: null } : null;
  const action = verdict.ok ? verdict.value.action : proposed;
  const written = { index, text, tokens, logprobs, action, outcome };
  return { ...written, parentTaskId: parent.id, parentPassRate: 0, origin: 'proposer' };
}

/** The accepted proposals of a round in order, with the ids of their tasks. */
async function accepted(
  journal: RunJournal,
  round: number,
): Promise<{ readonly action: Json; readonly taskId: string }[]> {
  const recorded = (await journal.findProposals(round)) ?? [];
  return recorded.flatMap(({ action, outcome }) =>
    outcome.kind === 'accepted' ? [{ action, taskId: outcome.taskId }] : [],
  );
}

function drawingOf<State extends Json>({ environment }: MmZeroSetup<State>, action: Json): ProposedDrawing {
  const read = environment.parseAction(action);
  if (!read.ok) throw new Error(`a recorded drawing can't be read: ${read.error.detail}`);
  return read.value;
}

function topicOf<State extends Json>({ topics }: MmZeroSetup<State>, seedId: string): Lineage<State> {
  const topic = topics.find((known) => known.seedId === seedId);
  if (!topic) throw new Error(`topic ${seedId} is not among the run's`);
  return topic;
}
