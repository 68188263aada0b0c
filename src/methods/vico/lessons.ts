import type { Json } from '../../core/json.js';
import { replications, rwrBatch } from '../../algorithms/rwr.js';
import { inSweetSpot, vicoDifficulty } from '../../rewards/passRate.js';
import type { VicoConfig } from './config.js';
import type { Edited } from './propose.js';

/** An edit that the rewriter learns, and how much it counts; 1 is one copy. */
export interface Lesson<State extends Json> {
  readonly edited: Edited<State>;
  readonly weight: number;
}

/** No side is given more than this many times its own weight: a handful of edits must not be learned by heart. */
const MOST_BALANCE = 4;

/** Edits of parents that measured alike which it takes for an average of their own. */
const FEWEST_ALIKE = 8;

/**
 * The edits of a round that the rewriter learns from, weighted by floor(copies * w) (VICO, training of the EnvRewriter), order
 * kept. Which ones, and w: see `RewriterConfig.lessons`. With `balanceLessons` the edits of easy parents, of hard ones and of
 * those between weigh alike in sum, each scaled up at most fourfold. `rates` holds the pass rates of this round's tasks by
 * id; edits without one are left out.
 */
export function chooseLessons<State extends Json>(
  config: Pick<VicoConfig, 'alpha' | 'beta' | 'kMin' | 'lambda' | 'copies' | 'rewriter'>,
  edits: readonly Edited<State>[],
  rates: ReadonlyMap<string, number>,
): Lesson<State>[] {
  const { alpha, beta, kMin } = config;
  const measured = edits.flatMap((edited): Measured<State>[] => {
    const after = rates.get(edited.realised.task.id);
    if (after === undefined) return [];
    return [{ edited, after, reward: vicoDifficulty(after, { alpha, beta }) }];
  });
  const rule = config.rewriter.lessons;
  const lessons = rule === 'sweet-spot' ? inTheSweetSpot(config, measured) : aboveAverage(config, measured);
  return config.rewriter.balanceLessons ? balanced(lessons, alpha, kMin) : lessons;
}

interface Measured<State extends Json> {
  readonly edited: Edited<State>;
  readonly after: number;
  /** R(p). */
  readonly reward: number;
}

function inTheSweetSpot<State extends Json>(
  { alpha, kMin, lambda, copies }: Pick<VicoConfig, 'alpha' | 'kMin' | 'lambda' | 'copies'>,
  measured: readonly Measured<State>[],
): Lesson<State>[] {
  const kept = measured.filter(({ after }) => inSweetSpot(after, alpha, kMin));
  const batch = rwrBatch(
    kept.map(({ edited, reward }) => ({ item: edited, reward })),
    { lambda, copies },
  );
  return batch.map(({ item, copies: weight }) => ({ edited: item, weight }));
}

/**
 * Edits with a greater R(p) than the average over edits of parents that measured alike, w their way from the average to 1, the
 * greatest R. What a parent's noisy measurement does by itself (measured again, an unlucky one seems easier) is in the average
 * too, so that an edit which changes nothing is no success.
 */
function aboveAverage<State extends Json>(
  { alpha, kMin, copies }: Pick<VicoConfig, 'alpha' | 'kMin' | 'copies'>,
  measured: readonly Measured<State>[],
): Lesson<State>[] {
  const eighth = ({ edited }: Measured<State>): string => String(Math.round(8 * edited.parent.passRate));
  const side = ({ edited }: Measured<State>): string => sideOf(edited.parent.passRate, alpha, kMin);
  const [byRate, bySide] = [meanRewards(measured, eighth), meanRewards(measured, side)];
  return measured.flatMap((item) => {
    const alike = byRate.get(eighth(item)) as Mean;
    const { mean } = alike.n >= FEWEST_ALIKE ? alike : (bySide.get(side(item)) as Mean);
    const weight = mean < 1 ? replications((item.reward - mean) / (1 - mean), copies) : 0;
    return weight > 0 ? [{ edited: item.edited, weight }] : [];
  });
}

interface Mean {
  readonly mean: number;
  readonly n: number;
}

function meanRewards<State extends Json>(
  measured: readonly Measured<State>[],
  keyOf: (item: Measured<State>) => string,
): ReadonlyMap<string, Mean> {
  const means = new Map<string, Mean>();
  for (const item of measured) {
    const { mean, n } = means.get(keyOf(item)) ?? { mean: 0, n: 0 };
    means.set(keyOf(item), { mean: mean + (item.reward - mean) / (n + 1), n: n + 1 });
  }
  return means;
}

type Side = 'easy' | 'between' | 'hard';

function sideOf(passRate: number, alpha: number, kMin: number): Side {
  if (inSweetSpot(passRate, alpha, kMin)) return 'between';
  return passRate > alpha ? 'easy' : 'hard';
}

function balanced<State extends Json>(
  lessons: readonly Lesson<State>[],
  alpha: number,
  kMin: number,
): Lesson<State>[] {
  const keyOf = ({ edited }: Lesson<State>): Side => sideOf(edited.parent.passRate, alpha, kMin);
  const sums = new Map<Side, number>();
  let total = 0;
  for (const lesson of lessons) {
    sums.set(keyOf(lesson), (sums.get(keyOf(lesson)) ?? 0) + lesson.weight);
    total += lesson.weight;
  }
  return lessons.map((lesson) => {
    const equal = total / sums.size / (sums.get(keyOf(lesson)) ?? total);
    return { ...lesson, weight: lesson.weight * Math.min(MOST_BALANCE, equal) };
  });
}
