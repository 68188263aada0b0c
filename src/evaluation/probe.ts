import { clusteredMean, pairedDifference, type Estimate } from '../algorithms/statistics.js';
import type { EditableEnvironment, Realised, RewriteRequest } from '../core/environment.js';
import { CovolveError } from '../core/errors.js';
import type { Json } from '../core/json.js';
import type { Policy } from '../core/policy.js';
import type { Progress, SafePoint } from '../core/ports.js';
import type { Rng } from '../core/rng.js';
import { strictZip } from '../core/zip.js';
import { grade } from '../rewards/grading.js';
import { inSweetSpot } from '../rewards/passRate.js';

/** Something that edits a task, knowing its pass rate as first measured; null when what it wrote doesn't parse. */
export interface Editor<State extends Json, Action extends Json> {
  readonly name: string;
  propose(inputs: readonly RewriteRequest<State>[], rng: Rng): Promise<Array<Action | null>>;
}

export interface ProbeSetup<State extends Json, Action extends Json> {
  readonly environment: EditableEnvironment<State, Action>;
  /** The one frozen actor that measures everything. */
  readonly actor: Pick<Policy, 'sample'>;
  readonly editors: readonly Editor<State, Action>[];
  /** Fresh tasks to choose parents from. */
  readonly candidates: readonly Realised<State>[];
  /** Parents wanted on each side. */
  readonly parentsPerSide: number;
  /** Rollouts that select a parent, and fresh ones that measure parents and edits afterwards (64 or more). */
  readonly selectWith: number;
  readonly measureWith: number;
  readonly temperature: number;
  readonly maxTokens: number;
  /** Proposals an editor may make for one parent until one is accepted. */
  readonly tries: number;
  readonly alpha: number;
  readonly kMin: number;
  readonly progress: Progress;
  readonly safePoint: SafePoint;
  readonly rng: Rng;
}

export type Side = 'easy' | 'hard';

/** What one editor did to one side's parents. */
export interface ProbeRow {
  readonly side: Side;
  readonly editor: string;
  /** Parents for which an edit was accepted. */
  readonly edits: number;
  /** Accepted share of all proposals. */
  readonly acceptedShare: number;
  /** Mean pass rate, freshly measured, of these parents and of their edits. */
  readonly before: Estimate;
  readonly after: Estimate;
  /** Mean of (edit - parent), paired. The identity's is what selection on a noisy rate does by itself: nothing, since both are fresh. */
  readonly change: Estimate;
  /** Share of edits whose fresh pass rate lies in the sweet spot. */
  readonly hitRate: Estimate;
}

/**
 * Does an editor move pass rates toward the target, from both sides? Parents are chosen by one small sample (easy: p > 0.8,
 * hard: p < 0.2); then parents and edited tasks are measured anew, since a rate that was chosen for being extreme falls back
 * toward the mean by itself.
 */
export async function probeEditors<State extends Json, Action extends Json>(
  setup: ProbeSetup<State, Action>,
): Promise<ProbeRow[]> {
  const { environment, editors, tries, rng } = setup;
  const sides = await chooseParents(setup);
  const rows: ProbeRow[] = [];
  for (const side of ['easy', 'hard'] as const) {
    const parents = sides[side];
    const before = await measure(
      setup,
      parents.map((p) => p.task),
      `${side} parents`,
      rng.child('parents', side),
    );
    const identity = await measure(
      setup,
      parents.map((p) => p.task),
      `${side} identity`,
      rng.child('again', side),
    );
    rows.push(rowOf(setup, side, 'identity', parents, before, identity, 1));
    for (const editor of editors) {
      const edited: Array<Realised<State> | null> = parents.map(() => null);
      let proposed = 0;
      for (let attempt = 0; attempt < tries; attempt++) {
        const open = parents.flatMap((_, i) => (edited[i] ? [] : [i]));
        if (open.length === 0) break;
        setup.safePoint();
        const inputs = open.map((i) => parents[i]?.request as RewriteRequest<State>);
        const actions = await editor.propose(inputs, rng.child('edit', side, editor.name, attempt));
        proposed += open.length;
        for (const [i, action] of strictZip(open, actions)) {
          if (action === null) continue;
          const result = await environment.realise((parents[i] as Parent<State>).request.lineage, action);
          if (result.ok) edited[i] = result.value[0] ?? null;
        }
      }
      const kept = parents.flatMap((parent, i) => {
        const task = edited[i];
        return task ? [{ parent, task, before: before[i] as number }] : [];
      });
      const after = await measure(
        setup,
        kept.map((k) => k.task),
        `${side} ${editor.name}`,
        rng.child('after', side, editor.name),
      );
      const share = kept.length / Math.max(1, proposed);
      rows.push(
        rowOf(
          setup,
          side,
          editor.name,
          kept.map((k) => k.parent),
          kept.map((k) => k.before),
          after,
          share,
        ),
      );
    }
  }
  return rows;
}

interface Parent<State extends Json> {
  readonly task: Realised<State>;
  readonly request: RewriteRequest<State>;
}

async function chooseParents<State extends Json, Action extends Json>(
  setup: ProbeSetup<State, Action>,
): Promise<Record<Side, Parent<State>[]>> {
  const { candidates, selectWith, parentsPerSide, rng } = setup;
  const rates = await measure(setup, candidates, 'choosing parents', rng.child('select'), selectWith);
  const parents = strictZip(candidates, rates).map(([task, passRate]) => ({
    task,
    request: { lineage: task.lineage, passRate },
  }));
  return {
    easy: parents.filter((p) => p.request.passRate > 0.8).slice(0, parentsPerSide),
    hard: parents.filter((p) => p.request.passRate < 0.2).slice(0, parentsPerSide),
  };
}

/** Pass rate of each task from fresh rollouts. */
async function measure<State extends Json, Action extends Json>(
  setup: ProbeSetup<State, Action>,
  tasks: readonly Realised<State>[],
  stage: string,
  rng: Rng,
  rollouts: number = setup.measureWith,
): Promise<number[]> {
  const { solver } = setup.environment;
  const rates: number[] = [];
  const PART = 64;
  for (let from = 0; from < tasks.length; from += PART) {
    setup.safePoint();
    const part = tasks.slice(from, from + PART);
    const completions = await setup.actor.sample(
      part.map(({ task, images }, i) => ({
        prompt: solver.prompt({ task, images }),
        n: rollouts,
        maxTokens: setup.maxTokens,
        temperature: setup.temperature,
        rng: rng.child(from + i),
      })),
    );
    for (const [{ task }, said] of strictZip(part, completions)) {
      const right = said.filter(({ text }) => {
        const solution = solver.parse(text, { task, images: [] });
        return solution.ok && grade(solution.value.answer, task);
      });
      rates.push(right.length / said.length);
    }
    setup.progress.update(stage, Math.min(from + PART, tasks.length), tasks.length, 'tasks');
  }
  return rates;
}

function rowOf<State extends Json, Action extends Json>(
  { alpha, kMin }: ProbeSetup<State, Action>,
  side: Side,
  editor: string,
  parents: readonly Parent<State>[],
  before: readonly number[],
  after: readonly number[],
  acceptedShare: number,
): ProbeRow {
  if (parents.length === 0) {
    throw new CovolveError(
      `probe: no ${side} parent has an accepted edit by ${editor}; probe more candidates, or an actor that is ${side === 'easy' ? 'sometimes' : 'not always'} right`,
    );
  }
  const items = parents.map(({ task }) => ({
    item: task.task.id,
    cluster: task.task.images[0]?.hash ?? task.task.id,
  }));
  const withValue = (values: readonly number[]): Array<{ item: string; cluster: string; value: number }> =>
    strictZip(items, values).map(([item, value]) => ({ ...item, value }));
  return {
    side,
    editor,
    edits: parents.length,
    acceptedShare,
    before: clusteredMean(withValue(before)),
    after: clusteredMean(withValue(after)),
    change: pairedDifference(withValue(after), withValue(before)),
    hitRate: clusteredMean(withValue(after.map((p) => (inSweetSpot(p, alpha, kMin) ? 1 : 0)))),
  };
}

/** An editor that samples a rewriter's policy under its grammar. */
export function rewriterEditor<State extends Json, Action extends Json>(
  name: string,
  environment: EditableEnvironment<State, Action>,
  policy: Pick<Policy, 'sample'>,
  options: { readonly temperature: number; readonly maxTokens: number },
): Editor<State, Action> {
  const role = environment.rewriter;
  return {
    name,
    async propose(inputs, rng) {
      const completions = await policy.sample(
        inputs.map((input, i) => {
          const constraint = role.constraint?.(input);
          return {
            prompt: role.prompt(input),
            n: 1,
            ...options,
            rng: rng.child(i),
            ...(constraint ? { constraint } : {}),
          };
        }),
      );
      return strictZip(inputs, completions).map(([input, said]) => {
        const parsed = role.parse(said[0]?.text ?? '', input);
        return parsed.ok ? parsed.value : null;
      });
    },
  };
}

/** The control: random valid edits, uninformed by the pass rate. */
export function randomEditor<State extends Json, Action extends Json>(
  environment: EditableEnvironment<State, Action>,
): Editor<State, Action> {
  return {
    name: 'random',
    propose: (inputs, rng) =>
      Promise.resolve(inputs.map(({ lineage }, i) => environment.randomEdit(lineage, rng.child(i)))),
  };
}

/** The rows as a table in markdown; rates in percent with 95 % intervals. */
export function probeTable(rows: readonly ProbeRow[]): string {
  const percent = (e: Estimate): string =>
    `${(100 * e.mean).toFixed(1)} [${(100 * e.low).toFixed(1)}, ${(100 * e.high).toFixed(1)}]`;
  const head = [
    '| side | editor | edits | accepted | pass rate before | after | change | in sweet spot |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
  ];
  const body = rows.map(
    (r) =>
      `| ${r.side} | ${r.editor} | ${r.edits} | ${(100 * r.acceptedShare).toFixed(0)} % | ${percent(r.before)} | ${percent(r.after)} | ${percent(r.change)} | ${percent(r.hitRate)} |`,
  );
  return [...head, ...body].join('\n');
}
