import type { Json } from '../../core/json.js';
import type { Group } from '../../core/reward.js';
import { inSweetSpot, learningSignal } from '../../rewards/passRate.js';
import type { VicoConfig } from './config.js';
import type { Pool } from './pool.js';
import type { Edited } from './propose.js';

/** What one round was like, by name; shares and means are over the round's groups unless said otherwise. */
export function roundMetrics<State extends Json>(
  config: VicoConfig,
  groups: readonly Group[],
  edits: readonly Edited<State>[],
  pool: Pool<State>,
  lessons: number,
): Record<string, number> {
  const rateOf = new Map(groups.map((group) => [group.task.id, group.passRate]));
  const hit = (p: number): boolean => inSweetSpot(p, config.alpha, config.kMin);
  const mixed = groups.filter(({ passRate: p }) => p > 0 && p < 1);
  const rollouts = groups.flatMap((group) => group.rollouts);
  const editRates = edits.flatMap(({ parent, realised }) => {
    const after = rateOf.get(realised.task.id);
    return after === undefined ? [] : [{ before: parent.passRate, after }];
  });
  return {
    tasks: groups.length,
    rollouts: rollouts.length,
    pass_rate: mean(groups.map((group) => group.passRate)),
    mixed_share: mixed.length / groups.length,
    learning_signal: mean(groups.map((group) => learningSignal(group.passRate))),
    rollouts_per_mixed_group: mixed.length > 0 ? rollouts.length / mixed.length : rollouts.length,
    response_length: mean(rollouts.map(({ completion }) => completion.tokens.length)),
    format_share: mean(rollouts.map(({ score }) => ((score.terms['format'] ?? 0) < 0 ? 0 : 1))),
    pool: pool.seeds.length + pool.accepted.length,
    ...(editRates.length > 0
      ? {
          edits: editRates.length,
          edit_hit_rate: mean(editRates.map(({ after }) => (hit(after) ? 1 : 0))),
          edit_pass_rate_before: mean(editRates.map(({ before }) => before)),
          edit_pass_rate_after: mean(editRates.map(({ after }) => after)),
          rewriter_lessons: lessons,
        }
      : {}),
  };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, v) => sum + v, 0) / values.length;
}
