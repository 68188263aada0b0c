import { pairedDifference, type ItemValue } from '../algorithms/statistics.js';
import type { Metric } from '../core/ports.js';
import type { Task } from '../core/task.js';
import type { RunReader } from '../runs/index.js';
import { ROLES, type Change, type Evaluation, type HeldOut, type Interval, type Stratum } from './model.js';

/** Values of one score by round and metric name. */
type Scores = ReadonlyMap<number, Readonly<Record<string, number>>>;

/** Held-out scores of every evaluated round, and what changed from the first to the last of them. */
export function collectHeldOut(reader: RunReader, metrics: readonly Metric[]): HeldOut {
  const scores = evaluationMetrics(metrics);
  const rounds = [...scores.keys()].sort((a, b) => a - b);
  const evaluations = rounds.map((round) => evaluationOf(round, scores.get(round) ?? {}));
  const [base] = rounds;
  const end = rounds.at(-1);
  if (base === undefined || end === undefined || base === end) {
    return {
      evaluations,
      change: null,
      strata: base === undefined ? [] : strataOf(scores, base, base, null),
    };
  }
  const items = pairedItems(reader, base, end);
  return {
    evaluations,
    change: {
      greedy: changeOf(scores, base, end, 'greedy', items),
      p1: changeOf(scores, base, end, 'p1', items),
    },
    strata: strataOf(scores, base, end, items),
  };
}

function evaluationMetrics(metrics: readonly Metric[]): Scores {
  const byRound = new Map<number, Record<string, number>>();
  for (const { role, round, name, value } of metrics) {
    if (role !== ROLES.evaluation) continue;
    const scores = byRound.get(round) ?? {};
    scores[name] = value;
    byRound.set(round, scores);
  }
  return byRound;
}

function evaluationOf(round: number, scores: Readonly<Record<string, number>>): Evaluation {
  const interval = (name: string): Interval | null => {
    const [mean, low, high] = [scores[name], scores[`${name}_low`], scores[`${name}_high`]];
    if (mean === undefined) return null;
    return { mean, ...(low === undefined ? {} : { low }), ...(high === undefined ? {} : { high }) };
  };
  return {
    round,
    items: scores['items'] ?? 0,
    greedy: interval('greedy'),
    p1: interval('p1'),
    responseLength: scores['response_length'] ?? null,
  };
}

/** The same held-out tasks at two rounds, by score. */
interface PairedItems {
  readonly tasks: ReadonlyMap<string, Task>;
  readonly greedy: Pair;
  readonly p1: Pair;
}

interface Pair {
  readonly base: readonly ItemValue[];
  readonly end: readonly ItemValue[];
}

function pairedItems(reader: RunReader, base: number, end: number): PairedItems {
  const rates = (round: number, role: string): Map<string, number> =>
    new Map(reader.passRates({ round, role }).map(({ taskId, passRate }) => [taskId, passRate]));
  const greedy = { base: rates(base, ROLES.greedy), end: rates(end, ROLES.greedy) };
  const p1 = { base: rates(base, ROLES.sampled), end: rates(end, ROLES.sampled) };
  const wanted = new Set([...greedy.base.keys(), ...p1.base.keys()]);
  const tasks = new Map<string, Task>();
  for (const { task } of reader.tasks()) if (wanted.has(task.id)) tasks.set(task.id, task);
  const values = (of: ReadonlyMap<string, number>): ItemValue[] =>
    [...of].map(([item, value]) => ({ item, value, cluster: tasks.get(item)?.images[0]?.hash ?? item }));
  return {
    tasks,
    greedy: { base: values(greedy.base), end: values(greedy.end) },
    p1: { base: values(p1.base), end: values(p1.end) },
  };
}

function changeOf(
  scores: Scores,
  base: number,
  end: number,
  name: string,
  items: PairedItems | null,
  includes: (task: Task) => boolean = () => true,
  expected: number | null = null,
): Change | null {
  const [before, after] = [scores.get(base)?.[name], scores.get(end)?.[name]];
  if (before === undefined || after === undefined) return null;
  const pair = items?.[name.startsWith('p1') ? 'p1' : 'greedy'];
  const chosen = (values: readonly ItemValue[]): ItemValue[] =>
    values.filter(({ item }) => {
      const task = items?.tasks.get(item);
      return task !== undefined && includes(task);
    });
  const difference = pair ? paired(chosen(pair.end), chosen(pair.base), expected) : null;
  return { base: before, end: after, difference };
}

/** The paired difference; null when the items differ between the rounds or aren't as many as were scored. */
function paired(
  system: readonly ItemValue[],
  baseline: readonly ItemValue[],
  expected: number | null,
): Change['difference'] {
  if (system.length === 0 || (expected !== null && system.length !== expected)) return null;
  const known = new Set(baseline.map(({ item }) => item));
  if (known.size !== system.length || baseline.length !== system.length) return null;
  if (!system.every(({ item }) => known.has(item))) return null;
  return pairedDifference(system, baseline);
}

const STRATUM = /^n\/([^=]+)=(.+)$/;

function strataOf(scores: Scores, base: number, end: number, items: PairedItems | null): Stratum[] {
  const first = scores.get(base) ?? {};
  const strata = Object.entries(first).flatMap(([name, n]) => {
    const [, fact, value] = STRATUM.exec(name) ?? [];
    if (fact === undefined || value === undefined) return [];
    const inside = membership(fact, value);
    const change = (score: string): Change | null =>
      changeOf(scores, base, end, `${score}/${fact}=${value}`, items, inside, n);
    return [{ fact, value, items: n, greedy: change('greedy'), p1: change('p1') }];
  });
  const order = [...new Set(strata.map(({ fact }) => fact))];
  return strata.sort((a, b) => order.indexOf(a.fact) - order.indexOf(b.fact));
}

/** Whether a task belongs to a stratum named by one value of a fact or by a range of whole numbers, `4-5`. */
function membership(fact: string, value: string): (task: Task) => boolean {
  const [, low, high] = /^(\d+)-(\d+)$/.exec(value) ?? [];
  return ({ facts }) => {
    const own = Object.hasOwn(facts, fact) ? facts[fact] : undefined;
    if (low !== undefined && high !== undefined && typeof own === 'number') {
      return own >= Number(low) && own <= Number(high);
    }
    return String(own) === value;
  };
}
