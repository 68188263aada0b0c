import type { EditableEnvironment, Realised } from '../../core/environment.js';
import type { Json } from '../../core/json.js';
import type { Learner } from '../../core/learner.js';
import type { Proposal, RunJournal } from '../../core/ports.js';
import { restoreTasks } from '../../core/restore.js';
import type { Rng } from '../../core/rng.js';
import { strictZip } from '../../core/zip.js';
import type { VicoConfig } from './config.js';
import { drawParent, type Pool, type PoolEntry } from './pool.js';

/** Who writes a round's edits. */
export type Author = 'rewriter' | 'random' | 'redraw';

/** An accepted proposal with the parent it edits and the task it became. */
export interface Edited<State extends Json> {
  readonly proposal: Proposal;
  readonly parent: PoolEntry<State>;
  readonly realised: Realised<State>;
}

export interface ProposeSetup<State extends Json, Action extends Json> {
  readonly environment: EditableEnvironment<State, Action>;
  readonly rewriter: Learner;
  readonly journal: RunJournal;
  readonly config: VicoConfig;
}

/** Proposals are written this many times the tasks still wanted, so that rejections rarely need another wave. */
const OVERSHOOT = 1.3;
/** After this many proposals for each wanted task a round goes on with what it has. */
const PATIENCE = 8;

/**
 * Asks the author for edits of the pool's tasks until `wanted` of them are accepted: applied, drawn, labelled, and new in
 * this round. All proposals are recorded, rejected ones with their reason.
 */
export async function proposeEdits<State extends Json, Action extends Json>(
  setup: ProposeSetup<State, Action>,
  round: number,
  author: Author,
  pool: Pool<State>,
  wanted: number,
  rng: Rng,
): Promise<Edited<State>[]> {
  const { journal } = setup;
  const byId = new Map([...pool.seeds, ...pool.accepted].map((entry) => [entry.realised.task.id, entry]));
  const recorded = await journal.findProposals(round);
  if (recorded) return restore(journal, recorded, byId);
  const proposals: Proposal[] = [];
  const accepted: Edited<State>[] = [];
  const seen = new Set<string>();
  for (let wave = 0; accepted.length < wanted && proposals.length < PATIENCE * wanted; wave++) {
    const missing = Math.ceil((wanted - accepted.length) * OVERSHOOT) + 4;
    const parents = Array.from({ length: missing }, (_, i) =>
      drawParent(pool, setup.config.seedParentShare, rng.child('parent', wave, i)),
    );
    const drafts = await write(setup, author, parents, rng.child('wave', wave));
    for (const [i, draft] of drafts.entries()) {
      if (accepted.length >= wanted) break;
      const parent = parents[i] as PoolEntry<State>;
      const { outcome, realised } = await judge(setup.environment, parent, draft, seen);
      const proposal: Proposal = {
        index: proposals.length,
        parentTaskId: parent.realised.task.id,
        parentPassRate: parent.passRate,
        origin: author,
        text: draft.text,
        tokens: draft.tokens,
        logprobs: draft.logprobs,
        action: draft.action,
        outcome,
      };
      proposals.push(proposal);
      if (realised) accepted.push({ proposal, parent, realised });
    }
  }
  const tasks = accepted.map(({ realised, proposal }) => ({
    task: realised.task,
    lineage: realised.lineage,
    parentTaskId: proposal.parentTaskId,
    round,
  }));
  await journal.recordProposals(
    round,
    proposals,
    tasks,
    accepted.flatMap(({ realised }) => realised.images),
  );
  return accepted;
}

interface Draft<Action> {
  readonly text: string;
  readonly tokens: Int32Array;
  readonly logprobs: Float32Array;
  readonly action: Action | null;
  /** Why there is no action. */
  readonly problem?: { readonly reason: string; readonly detail: string };
}

const NOTHING = { text: '', tokens: new Int32Array(0), logprobs: new Float32Array(0) };

async function write<State extends Json, Action extends Json>(
  { environment, rewriter, config }: ProposeSetup<State, Action>,
  author: Author,
  parents: readonly PoolEntry<State>[],
  rng: Rng,
): Promise<Draft<Action>[]> {
  if (author !== 'rewriter') {
    return parents.map(({ realised }, i) => {
      const stream = rng.child(i);
      const action =
        author === 'random'
          ? environment.randomEdit(realised.lineage, stream)
          : environment.redrawQuestion(realised.lineage, stream);
      const problem = { reason: 'no-question', detail: 'no other question fits this picture' };
      return action === null ? { ...NOTHING, action, problem } : { ...NOTHING, action };
    });
  }
  const role = environment.rewriter;
  const inputs = parents.map(({ realised, passRate }) => ({ lineage: realised.lineage, passRate }));
  const completions = await rewriter.sample(
    inputs.map((input, i) => {
      const constraint = role.constraint?.(input);
      return {
        prompt: role.prompt(input),
        n: 1,
        maxTokens: config.rewriter.maxTokens,
        temperature: config.rewriter.temperature,
        rng: rng.child(i),
        ...(constraint ? { constraint } : {}),
      };
    }),
  );
  return completions.map(([completion], i) => {
    if (!completion) throw new Error('the rewriter gave no completion');
    const parsed = role.parse(completion.text, inputs[i] as (typeof inputs)[number]);
    const { text, tokens, logprobs } = completion;
    return parsed.ok
      ? { text, tokens, logprobs, action: parsed.value }
      : { text, tokens, logprobs, action: null, problem: parsed.error };
  });
}

async function judge<State extends Json, Action extends Json>(
  environment: EditableEnvironment<State, Action>,
  parent: PoolEntry<State>,
  draft: Draft<Action>,
  seen: Set<string>,
): Promise<{ outcome: Proposal['outcome']; realised: Realised<State> | null }> {
  const rejected = (reason: string, detail: string): { outcome: Proposal['outcome']; realised: null } => ({
    outcome: { kind: 'rejected', reason, detail },
    realised: null,
  });
  if (draft.action === null) {
    return rejected(draft.problem?.reason ?? 'malformed', draft.problem?.detail ?? 'no action');
  }
  const result = await environment.realise(parent.realised.lineage, draft.action);
  if (!result.ok) return rejected(result.error.reason, result.error.detail);
  const realised = result.value[0];
  if (!realised) throw new Error(`${environment.name}: an accepted action gave no task`);
  if (seen.has(realised.task.id)) return rejected('duplicate', 'this round already has the same task');
  seen.add(realised.task.id);
  return { outcome: { kind: 'accepted', taskId: realised.task.id }, realised };
}

/** A recorded round's accepted edits, tasks and pictures read back. */
async function restore<State extends Json>(
  journal: RunJournal,
  proposals: readonly Proposal[],
  byId: ReadonlyMap<string, PoolEntry<State>>,
): Promise<Edited<State>[]> {
  const kept = proposals.flatMap((proposal) =>
    proposal.outcome.kind === 'accepted' ? [{ proposal, taskId: proposal.outcome.taskId }] : [],
  );
  const restored = await restoreTasks<State>(
    journal,
    kept.map(({ taskId }) => taskId),
  );
  return strictZip(kept, restored).map(([{ proposal }, realised]) => {
    const parent = byId.get(proposal.parentTaskId);
    if (!parent) throw new Error(`the parent of task ${realised.task.id} is not in the run`);
    return { proposal, parent, realised };
  });
}
