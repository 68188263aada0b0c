import {
  clusteredMean,
  pairedDifference,
  type Estimate,
  type ItemValue,
} from '../../algorithms/statistics.js';
import { GREEDY_ROLE, SAMPLED_ROLE } from '../../evaluation/heldOut.js';
import type { RunReader } from '../../runs/index.js';
import { activeSeconds, roundRows } from '../rounds.js';

/** The scores that a comparison reports. */
export const SCORES = ['greedy', 'p1'] as const;
export type ScoreName = (typeof SCORES)[number];

const ROLE: Readonly<Record<ScoreName, string>> = { greedy: GREEDY_ROLE, p1: SAMPLED_ROLE };

/** What one complete run came to. */
export interface RunResult {
  readonly arm: string;
  readonly seed: number;
  /** Held-out values by item, before training and at the end; clusters are pictures of this seed's run. */
  readonly base: Readonly<Record<ScoreName, readonly ItemValue[]>>;
  readonly end: Readonly<Record<ScoreName, readonly ItemValue[]>>;
  /** Means after every evaluated round. */
  readonly curve: ReadonlyArray<{ readonly round: number } & Readonly<Record<ScoreName, number>>>;
  /** Share of groups with signal, by round. */
  readonly mixed: ReadonlyMap<number, number>;
  /** Means at the end by stratum, e.g. `p1/objects=2-3`. */
  readonly strata: ReadonlyMap<string, number>;
  /** Rollouts apart from held-out ones. */
  readonly rollouts: number;
  /** Optimiser updates of the actor. */
  readonly updates: number;
  readonly seconds: number;
}

/** Reads a complete run. */
export function readResult(reader: RunReader, method: string, arm: string, seed: number): RunResult {
  const rows = roundRows(reader, method);
  const judged = rows.filter(({ heldOut }) => heldOut.size > 0);
  const last = judged.at(-1);
  if (!last) throw new Error(`${reader.info().directory}: complete, but never evaluated`);
  const pictures = new Map<string, string>();
  const values = (round: number): RunResult['end'] => ({
    greedy: itemValues(reader, 'greedy', round, seed, pictures),
    p1: itemValues(reader, 'p1', round, seed, pictures),
  });
  const training = reader.steps().filter(({ role }) => !Object.values(ROLE).includes(role));
  const updates = reader.checkpoints().filter(({ role }) => role === 'actor');
  return {
    arm,
    seed,
    base: values(judged[0]?.round ?? 0),
    end: values(last.round),
    curve: judged.map(({ round, heldOut }) => ({
      round,
      greedy: heldOut.get('greedy') ?? NaN,
      p1: heldOut.get('p1') ?? NaN,
    })),
    mixed: new Map(
      rows.flatMap(({ round, training: measured }) => {
        const share = measured.get('mixed_share');
        return share === undefined ? [] : [[round, share]];
      }),
    ),
    strata: new Map([...last.heldOut].filter(([name]) => name.includes('/'))),
    rollouts: training.reduce((sum, step) => sum + step.rollouts, 0),
    updates: Math.max(0, ...updates.map((checkpoint) => checkpoint.updates)),
    seconds: activeSeconds(reader),
  };
}

function itemValues(
  reader: RunReader,
  score: ScoreName,
  round: number,
  seed: number,
  pictures: Map<string, string>,
): ItemValue[] {
  return reader.passRates({ round, role: ROLE[score] }).map(({ taskId, passRate }) => {
    const picture = pictures.get(taskId) ?? reader.task(taskId)?.task.images[0]?.hash ?? taskId;
    pictures.set(taskId, picture);
    return { item: `${seed}/${taskId}`, cluster: `${seed}/${picture}`, value: passRate };
  });
}

/** What the runs of one arm came to together. Intervals are 95 %; a cluster is one picture in one seed's run. */
export interface ArmResult {
  readonly arm: string;
  readonly runs: readonly RunResult[];
  readonly end: Readonly<Record<ScoreName, Estimate>>;
  /** End against the same run's untrained actor, item by item. */
  readonly gain: Readonly<Record<ScoreName, Estimate>>;
  /** End against the reference arm's with the same seed, item by item; null for that arm, or where no seed is shared. */
  readonly against: Readonly<Record<ScoreName, Estimate | null>>;
}

/** Puts the runs together by arm, in the order given. `reference` is the arm that the others are compared with. */
export function armResults(
  arms: readonly string[],
  results: readonly RunResult[],
  reference: string,
): ArmResult[] {
  const others = results.filter(({ arm }) => arm === reference);
  return arms.flatMap((arm) => {
    const runs = results.filter((result) => result.arm === arm);
    if (runs.length === 0) return [];
    const each = <T>(of: (score: ScoreName) => T): Record<ScoreName, T> => ({
      greedy: of('greedy'),
      p1: of('p1'),
    });
    const pooled = (list: readonly RunResult[], when: 'base' | 'end', score: ScoreName): ItemValue[] =>
      list.flatMap((run) => run[when][score]);
    return [
      {
        arm,
        runs,
        end: each((score) => clusteredMean(pooled(runs, 'end', score))),
        gain: each((score) => pairedDifference(pooled(runs, 'end', score), pooled(runs, 'base', score))),
        against: each((score) => {
          if (arm === reference) return null;
          const shared = runs.filter(({ seed }) => others.some((other) => other.seed === seed));
          const theirs = others.filter(({ seed }) => shared.some((run) => run.seed === seed));
          return shared.length === 0
            ? null
            : pairedDifference(pooled(shared, 'end', score), pooled(theirs, 'end', score));
        }),
      },
    ];
  });
}
