import { clusteredMean, type Estimate } from '../algorithms/statistics.js';
import { strictZip } from '../core/zip.js';
import type { Realised, SolvableEnvironment } from '../core/environment.js';
import type { Json } from '../core/json.js';
import type { Learner } from '../core/learner.js';
import type { Completion } from '../core/policy.js';
import type { Evaluator, Progress, RunJournal, SafePoint } from '../core/ports.js';
import type { Group, Score } from '../core/reward.js';
import type { Rng } from '../core/rng.js';
import type { Task } from '../core/task.js';
import { grade } from '../rewards/grading.js';

export interface HeldOutSetup<State extends Json, Action extends Json> {
  readonly environment: Pick<SolvableEnvironment<State, Action>, 'solver'>;
  readonly actor: Learner;
  readonly journal: RunJournal;
  /** Tasks that nothing is trained on, the same in every round. */
  readonly tasks: readonly Realised<State>[];
  /** Completions a task at temperature 1, besides the greedy one. */
  readonly samples: number;
  readonly maxTokens: number;
  /** Evaluate every so many rounds; round 0 always. */
  readonly everyRounds: number;
  /** The last round, which is always evaluated. */
  readonly lastRound: number;
  readonly progress: Progress;
  readonly safePoint: SafePoint;
  readonly rng: Rng;
}

/** Role names under which held-out rollouts are recorded. They are not part of any training budget. */
export const GREEDY_ROLE = 'evaluation-greedy';
export const SAMPLED_ROLE = 'evaluation-sampled';
export const EVALUATION_ROLE = 'evaluation';

/** Tasks answered before the next safe point. */
const STEP = 256;

/**
 * Scores the actor on held-out tasks: greedy accuracy, and p1, the mean probability of a right answer at temperature 1,
 * estimated by the share of right ones among `samples` completions. Intervals (95 %) are clustered by picture. Every
 * answer is recorded, so that any two rounds or runs can be compared item by item.
 */
export function heldOutEvaluator<State extends Json, Action extends Json>(
  setup: HeldOutSetup<State, Action>,
): Evaluator {
  const { journal, tasks, progress, safePoint, everyRounds, lastRound } = setup;
  return {
    async evaluate(round) {
      if (round !== 0 && round !== lastRound && round % everyRounds !== 0) return;
      const place = { round, role: EVALUATION_ROLE, step: 0 };
      if (await journal.findMetrics(place)) return;
      const greedy: Group[] = [];
      const sampled: Group[] = [];
      for (let step = 0; step * STEP < tasks.length; step++) {
        safePoint();
        const part = tasks.slice(step * STEP, (step + 1) * STEP);
        const greedyKey = { round, role: GREEDY_ROLE, step };
        const sampledKey = { round, role: SAMPLED_ROLE, step };
        let known = {
          greedy: await journal.findGroups(greedyKey),
          sampled: await journal.findGroups(sampledKey),
        };
        if (!known.greedy || !known.sampled) {
          const fresh = await answer(setup, round, step, part);
          if (!known.greedy) await journal.recordGroups(greedyKey, fresh.greedy);
          if (!known.sampled) await journal.recordGroups(sampledKey, fresh.sampled);
          known = fresh;
        }
        greedy.push(...(known.greedy ?? []));
        sampled.push(...(known.sampled ?? []));
        progress.update(`round ${round} held-out`, greedy.length, tasks.length, 'tasks');
      }
      await journal.recordMetrics(place, heldOutMetrics(greedy, sampled));
    },
  };
}

async function answer<State extends Json, Action extends Json>(
  { environment, actor, samples, maxTokens, rng }: HeldOutSetup<State, Action>,
  round: number,
  step: number,
  tasks: readonly Realised<State>[],
): Promise<{ greedy: Group[]; sampled: Group[] }> {
  const prompts = tasks.map(({ task, images }) => environment.solver.prompt({ task, images }));
  // The same prompt object in both requests lets an engine compute it once.
  const completions = await actor.sample([
    ...prompts.map((prompt, i) => ({
      prompt,
      n: 1,
      maxTokens,
      temperature: 0,
      rng: rng.child('greedy', round, step, i),
    })),
    ...prompts.map((prompt, i) => ({
      prompt,
      n: samples,
      maxTokens,
      temperature: 1,
      rng: rng.child('sampled', round, step, i),
    })),
  ]);
  const group = (realised: Realised<State>, said: readonly Completion[]): Group => {
    const rollouts = said.map((completion, sample) => ({
      sample,
      completion,
      score: scoreOf(environment, realised.task, completion.text),
      advantage: 0,
    }));
    const right = rollouts.filter((rollout) => rollout.score.correct).length;
    return { task: realised.task, rollouts, passRate: right / rollouts.length };
  };
  const all = (from: number): Group[] =>
    strictZip(tasks, completions.slice(from, from + tasks.length)).map(([task, said]) => group(task, said));
  return { greedy: all(0), sampled: all(tasks.length) };
}

/** 1 for a right answer, else 0, and nothing for form: a held-out score is an accuracy. */
function scoreOf(environment: Pick<SolvableEnvironment, 'solver'>, task: Task, text: string): Score {
  const solution = environment.solver.parse(text, { task, images: [] });
  const correct = solution.ok && grade(solution.value.answer, task);
  return { total: correct ? 1 : 0, terms: { accuracy: correct ? 1 : 0 }, correct };
}

/** Numbers of one evaluation by name; strata by each of the tasks' facts that `STRATA` names. */
export function heldOutMetrics(greedy: readonly Group[], sampled: readonly Group[]): Record<string, number> {
  const out: Record<string, number> = { items: greedy.length };
  const put = (name: string, groups: readonly Group[]): Estimate => {
    const estimate = clusteredMean(
      groups.map((g) => ({ value: g.passRate, cluster: g.task.images[0]?.hash ?? g.task.id })),
    );
    out[name] = estimate.mean;
    return estimate;
  };
  for (const [name, groups] of [
    ['greedy', greedy],
    ['p1', sampled],
  ] as const) {
    const estimate = put(name, groups);
    out[`${name}_low`] = estimate.low;
    out[`${name}_high`] = estimate.high;
    for (const [stratum, members] of strata(groups)) {
      put(`${name}/${stratum}`, members);
      out[`n/${stratum}`] = members.length;
    }
  }
  const lengths = sampled.flatMap((g) => g.rollouts.map((r) => r.completion.tokens.length));
  out['response_length'] = lengths.reduce((a, b) => a + b, 0) / Math.max(1, lengths.length);
  return out;
}

/** Held-out groups by number of objects (in bands) and by question family. */
function strata(groups: readonly Group[]): Map<string, Group[]> {
  const out = new Map<string, Group[]>();
  for (const group of groups) {
    const { objects, family } = group.task.facts;
    const names = [
      ...(typeof objects === 'number' ? [`objects=${objectBand(objects)}`] : []),
      ...(family !== undefined ? [`family=${family}`] : []),
    ];
    for (const name of names) out.set(name, [...(out.get(name) ?? []), group]);
  }
  return new Map([...out].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function objectBand(objects: number): string {
  if (objects <= 3) return '2-3';
  return objects <= 5 ? '4-5' : '6-8';
}
