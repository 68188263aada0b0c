import type { DrawnEnvironment, PictureProposal } from '../../core/environment.js';
import type { Group } from '../../core/reward.js';
import { answerKey } from '../../rewards/grading.js';
import type { Task } from '../../core/task.js';
import type { TermedReward } from '../../rewards/eve.js';
import { learningSignal } from '../../rewards/passRate.js';
import type { Phase } from './config.js';
import type { Drawing, Judgement } from './judge.js';
import type { Json } from '../../core/json.js';

/** Mean of some numbers; 0 for none. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function share<T>(items: readonly T[], keep: (item: T) => boolean): number {
  return mean(items.map((item) => Number(keep(item))));
}

/** Entropy in bits of how often each name occurs; 0 when all are alike. */
export function entropyBits(names: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts.values()].reduce((sum, n) => {
    const p = n / names.length;
    return sum - p * Math.log2(p);
  }, 0);
}

/** Mean of the total and of every named term. */
export function rewardMetrics(rewards: readonly TermedReward<string>[]): Record<string, number> {
  const names = [...new Set(rewards.flatMap(({ terms }) => Object.keys(terms)))];
  const of = (name: string): number => mean(rewards.map(({ terms }) => terms[name] ?? 0));
  return {
    reward: mean(rewards.map(({ total }) => total)),
    ...Object.fromEntries(names.map((name) => [`reward/${name}`, of(name)])),
  };
}

/** What drawings came to: how many rendered, why the others didn't, and what the solver made of those that did. */
export function drawingMetrics<State extends Json>(
  drawings: readonly Drawing<State>[],
  judgements: readonly (Judgement | null)[],
): Record<string, number> {
  const seen = judgements.filter((judgement) => judgement !== null);
  const failures = (kind: 'none' | 'broken' | 'failed'): number =>
    share(drawings, ({ picture }) => !picture.rendered && picture.failure === kind);
  return {
    drawings: drawings.length,
    render_rate: share(drawings, ({ picture }) => picture.rendered),
    'failure/none': failures('none'),
    'failure/broken': failures('broken'),
    'failure/failed': failures('failed'),
    ...(seen.length > 0
      ? {
          solvability: mean(seen.map(({ solvability }) => solvability)),
          difficulty: mean(seen.map(({ difficulty }) => difficulty)),
        }
      : {}),
  };
}

/** What proposals are about, how far they are leaked, and how often their own answers are wrong where the truth is known. */
export function proposalMetrics(
  environment: Pick<DrawnEnvironment, 'contentType' | 'leaks' | 'truth'>,
  drawn: readonly { readonly proposal: PictureProposal; readonly markup: string | null }[],
): Record<string, number> {
  const types = drawn.map(({ proposal }) => environment.contentType(proposal));
  const leaks = drawn.map(({ proposal, markup }) => environment.leaks(proposal, markup));
  const names = [...new Set(leaks.flat())].sort();
  const known = drawn.map(({ proposal }) => ({ proposal, truth: environment.truth(proposal) }));
  const easy = known.flatMap(({ proposal, truth }) =>
    truth.easy === null ? [] : [truth.easy === proposal.easyAnswer],
  );
  const hard = known.flatMap(({ proposal, truth }) =>
    truth.hard === null ? [] : [truth.hard === proposal.hardAnswer],
  );
  const wrong = (flags: readonly boolean[]): number => share(flags, (right) => !right);
  return {
    proposals: drawn.length,
    content_entropy: entropyBits(types),
    content_types: new Set(types).size,
    ...Object.fromEntries(
      [...new Set(types)].sort().map((type) => [`content/${type}`, share(types, (other) => other === type)]),
    ),
    leak_rate: share(leaks, (found) => found.length > 0),
    ...Object.fromEntries(
      names.map((name) => [`leak/${name}`, share(leaks, (found) => found.includes(name))]),
    ),
    truth_known: share(known, ({ truth }) => truth.hard !== null),
    ...(easy.length > 0 ? { easy_answer_error: wrong(easy) } : {}),
    ...(hard.length > 0 ? { hard_answer_error: wrong(hard) } : {}),
  };
}

/** A label that a vote gave, beside the answer that the caption's structure gives (null where that isn't known). */
export interface VotedLabel {
  readonly task: Pick<Task, 'answerKind' | 'choices'>;
  readonly silver: string;
  readonly truth: string | null;
}

/** Share of voted labels that are wrong, of those whose truth is known; compared as answers, so that `14.0` is `14`. */
export function pseudoLabelErrors(labels: readonly VotedLabel[]): {
  readonly known: number;
  readonly error: number;
} {
  const known = labels.flatMap(({ task, silver, truth }) =>
    truth === null ? [] : [{ wrong: keyOf(silver, task) !== keyOf(truth, task) }],
  );
  return { known: known.length, error: share(known, ({ wrong }) => wrong) };
}

function keyOf(answer: string, task: VotedLabel['task']): string {
  return answerKey(answer, task) ?? answer.trim().toLowerCase();
}

/**
 * What one phase was like; shares and means are over its groups. Only the solver's groups have right answers, so only they have a
 * pass rate, by the labels they were given.
 */
export function roundMetrics(phase: Phase, groups: readonly Group[]): Record<string, number> {
  const rollouts = groups.flatMap((group) => group.rollouts);
  const totals = groups.map((group) => group.rollouts.map(({ score }) => score.total));
  const rates = groups.map(({ passRate }) => passRate);
  return {
    tasks: groups.length,
    rollouts: rollouts.length,
    reward: mean(rollouts.map(({ score }) => score.total)),
    mixed_share: share(totals, (rewards) => new Set(rewards).size > 1),
    response_length: mean(rollouts.map(({ completion }) => completion.tokens.length)),
    ...(phase === 'solver'
      ? { pass_rate: mean(rates), learning_signal: mean(rates.map((p) => learningSignal(p))) }
      : {}),
  };
}
