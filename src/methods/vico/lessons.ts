import type { Json } from '../../core/json.js';
import { rwrBatch } from '../../algorithms/rwr.js';
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

/** Rounding of pass rates must not decide what is kept. */
const TOLERANCE = 1e-9;

/**
 * The edits of a round that the rewriter learns from, weighted by floor(copies * w(p)) (VICO, training of the EnvRewriter),
 * order kept. Which ones: see `RewriterConfig.lessons`. With `balanceLessons` the edits of easy parents, of hard ones and of
 * those between weigh alike in sum, each scaled up at most fourfold. `rates` holds the pass rates of this round's tasks by
 * id; edits without one are left out.
 */
export function chooseLessons<State extends Json>(
  config: Pick<VicoConfig, 'alpha' | 'beta' | 'kMin' | 'lambda' | 'copies' | 'rewriter'>,
  edits: readonly Edited<State>[],
  rates: ReadonlyMap<string, number>,
): Lesson<State>[] {
  const { alpha, beta, kMin, lambda, copies } = config;
  const { lessons: rule, minProgress, balanceLessons } = config.rewriter;
  const worth = (before: number, after: number): boolean => {
    if (inSweetSpot(after, alpha, kMin)) return true;
    const progress = Math.abs(before - alpha) - Math.abs(after - alpha);
    return rule === 'progress' && progress >= minProgress - TOLERANCE;
  };
  const kept = edits.flatMap((item) => {
    const p = rates.get(item.realised.task.id);
    if (p === undefined || !worth(item.parent.passRate, p)) return [];
    return [{ item, reward: vicoDifficulty(p, { alpha, beta }) }];
  });
  const lessons = rwrBatch(kept, { lambda, copies }).map(({ item, copies: weight }) => ({
    edited: item,
    weight,
  }));
  return balanceLessons ? balanced(lessons, alpha, kMin) : lessons;
}

type Side = 'easy' | 'between' | 'hard';

function balanced<State extends Json>(
  lessons: readonly Lesson<State>[],
  alpha: number,
  kMin: number,
): Lesson<State>[] {
  const sideOf = ({ edited }: Lesson<State>): Side => {
    const { passRate } = edited.parent;
    if (inSweetSpot(passRate, alpha, kMin)) return 'between';
    return passRate > alpha ? 'easy' : 'hard';
  };
  const sums = new Map<Side, number>();
  let total = 0;
  for (const lesson of lessons) {
    sums.set(sideOf(lesson), (sums.get(sideOf(lesson)) ?? 0) + lesson.weight);
    total += lesson.weight;
  }
  return lessons.map((lesson) => {
    const equal = total / sums.size / (sums.get(sideOf(lesson)) ?? total);
    return { ...lesson, weight: lesson.weight * Math.min(MOST_BALANCE, equal) };
  });
}
