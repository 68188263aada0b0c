import type { Proposal } from '../core/ports.js';
import { inSweetSpot } from '../rewards/passRate.js';
import type { RunReader, TaskPassRate } from '../runs/index.js';
import type { Curriculum, Frontier, KindRow, MeasuredEdit, RoundRejections, StartRow } from './model.js';
import { narratorOf } from './narrate.js';
import { meanOf } from './numbers.js';

/** What was proposed, what was refused and why, and what the actor made of the edits it was asked. */
export function collectCurriculum(
  reader: RunReader,
  actorRates: readonly TaskPassRate[],
  frontier: Frontier,
  environment: string,
): Curriculum {
  const rounds = reader.proposalRounds().map((round) => ({ round, proposals: reader.proposals(round) }));
  const rates = ratesByRound(actorRates);
  const edits = measuredEdits(rounds, rates);
  const isHit = hitTest(frontier);
  const edited = new Set(edits.map(({ taskId }) => taskId));
  const reasons = new Map<string, number>();
  for (const { reason, count } of reader.rejections())
    reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  return {
    edits,
    kinds: kindRows(rounds, edits, isHit, narratorOf(environment).kinds),
    starts: startRows(edits, isHit),
    rejections: rejectionsByRound(rounds),
    reasons: [...reasons].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)),
    unedited: new Map(
      [...rates].map(([round, tasks]) => [
        round,
        [...tasks].flatMap(([id, passRate]) => (edited.has(id) ? [] : [passRate])),
      ]),
    ),
  };
}

/** Whether a pass rate lies in the sweet spot. */
export function hitTest({ alpha, halfWidth }: Frontier): (p: number) => boolean {
  return (p) => inSweetSpot(p, alpha, halfWidth);
}

interface ProposalRound {
  readonly round: number;
  readonly proposals: readonly Proposal[];
}

/** Pass rate by task for every round; a task that was asked twice in a round has the mean of its groups. */
function ratesByRound(rates: readonly TaskPassRate[]): Map<number, Map<string, number>> {
  const lists = new Map<number, Map<string, number[]>>();
  for (const { round, taskId, passRate } of rates) {
    const tasks = lists.get(round) ?? new Map<string, number[]>();
    tasks.set(taskId, [...(tasks.get(taskId) ?? []), passRate]);
    lists.set(round, tasks);
  }
  return new Map(
    [...lists].map(([round, tasks]) => [
      round,
      new Map([...tasks].map(([id, list]) => [id, meanOf(list) as number])),
    ]),
  );
}

/**
 * Every edit in every round that asked it: edits that were made once and asked in each round are there once a round. An
 * edit belongs to its own round's proposal, or else to the earliest that made the same task.
 */
function measuredEdits(
  rounds: readonly ProposalRound[],
  rates: ReadonlyMap<number, ReadonlyMap<string, number>>,
): MeasuredEdit[] {
  const first = new Map<string, Proposal>();
  const own = new Map<string, Proposal>();
  for (const { round, proposals } of rounds) {
    for (const proposal of proposals) {
      if (proposal.outcome.kind !== 'accepted') continue;
      const { taskId } = proposal.outcome;
      if (!first.has(taskId)) first.set(taskId, proposal);
      own.set(`${round} ${taskId}`, proposal);
    }
  }
  return [...rates]
    .sort(([a], [b]) => a - b)
    .flatMap(([round, tasks]) =>
      [...tasks].flatMap(([taskId, after]) => {
        const proposal = own.get(`${round} ${taskId}`) ?? first.get(taskId);
        return proposal ? [{ round, taskId, proposal, before: proposal.parentPassRate, after }] : [];
      }),
    );
}

function kindRows(
  rounds: readonly ProposalRound[],
  edits: readonly MeasuredEdit[],
  isHit: (p: number) => boolean,
  kindsOf: (action: NonNullable<Proposal['action']>) => readonly string[],
): KindRow[] {
  const kinds = ({ action }: Proposal): readonly string[] =>
    action === null ? ['nothing that could be read'] : kindsOf(action);
  const byKind = new Map<string, { proposals: number; accepted: number; measured: MeasuredEdit[] }>();
  for (const proposal of rounds.flatMap(({ proposals }) => proposals)) {
    for (const kind of kinds(proposal)) {
      const row = byKind.get(kind) ?? { proposals: 0, accepted: 0, measured: [] };
      row.proposals++;
      if (proposal.outcome.kind === 'accepted') row.accepted++;
      byKind.set(kind, row);
    }
  }
  for (const edit of edits) for (const kind of kinds(edit.proposal)) byKind.get(kind)?.measured.push(edit);
  return [...byKind]
    .map(([kind, { proposals, accepted, measured }]) => ({
      kind,
      proposals,
      accepted,
      measured: measured.length,
      before: meanOf(measured.map((edit) => edit.before)),
      after: meanOf(measured.map((edit) => edit.after)),
      hits: measured.filter((edit) => isHit(edit.after)).length,
    }))
    .sort((a, b) => b.proposals - a.proposals);
}

/** The rewriter's task has two directions: the bounds are those between which a parent is neither easy nor hard. */
const [HARD, EASY] = [0.2, 0.8];

function startRows(edits: readonly MeasuredEdit[], isHit: (p: number) => boolean): StartRow[] {
  const row = (from: string, of: (before: number) => boolean): StartRow => {
    const chosen = edits.filter(({ before }) => of(before));
    return {
      from,
      edits: chosen.length,
      before: meanOf(chosen.map(({ before }) => before)),
      after: meanOf(chosen.map(({ after }) => after)),
      hits: chosen.filter(({ after }) => isHit(after)).length,
    };
  };
  return [
    row(`easy (p > ${EASY})`, (p) => p > EASY),
    row(`between`, (p) => p >= HARD && p <= EASY),
    row(`hard (p < ${HARD})`, (p) => p < HARD),
  ].filter((entry) => entry.edits > 0);
}

function rejectionsByRound(rounds: readonly ProposalRound[]): RoundRejections[] {
  return rounds.map(({ round, proposals }) => {
    const byReason = new Map<string, number>();
    for (const { outcome } of proposals) {
      if (outcome.kind === 'rejected') byReason.set(outcome.reason, (byReason.get(outcome.reason) ?? 0) + 1);
    }
    return { round, proposals: proposals.length, byReason };
  });
}
