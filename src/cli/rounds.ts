import type { RunReader } from '../runs/index.js';
import { percent, percentInterval } from './format.js';
import type { Column } from './table.js';

/** One line of the round table, from the records of a run. */
export interface RoundRow {
  readonly round: number;
  /** What the method measured over the round's training groups, by name; empty where nothing was trained. */
  readonly training: ReadonlyMap<string, number>;
  /** What the held-out evaluation after the round came to, by name; empty where there was none. */
  readonly heldOut: ReadonlyMap<string, number>;
  readonly proposed: number;
  readonly accepted: number;
  /** Seconds of work, pauses between processes apart. */
  readonly seconds: number;
}

/** Every round of a run that has anything to show, ascending. */
export function roundRows(reader: RunReader, method: string): RoundRow[] {
  const seconds = secondsByRound(reader);
  const byPlace = new Map<string, Map<string, number>>();
  for (const name of reader.metricNames()) {
    for (const { round, role, value } of reader.metrics(name)) {
      if (role !== method && role !== 'evaluation') continue;
      const place = `${role} ${round}`;
      const there = byPlace.get(place) ?? new Map<string, number>();
      byPlace.set(place, there.set(name, value));
    }
  }
  return reader.rounds().flatMap((round) => {
    const training = byPlace.get(`${method} ${round}`) ?? new Map<string, number>();
    const heldOut = byPlace.get(`evaluation ${round}`) ?? new Map<string, number>();
    if (training.size === 0 && heldOut.size === 0) return [];
    const proposals = reader.proposals(round);
    const accepted = proposals.filter(({ outcome }) => outcome.kind === 'accepted').length;
    const row = { round, training, heldOut, proposed: proposals.length, accepted };
    return [{ ...row, seconds: seconds.get(round) ?? 0 }];
  });
}

/** Headings of the round table. Rates are percentages; intervals are 95 %, clustered by picture. */
export const ROUND_COLUMNS: readonly Column[] = [
  { title: 'round', align: 'right' },
  { title: 'tasks', align: 'right' },
  { title: 'pass rate', align: 'right' },
  { title: 'mixed', align: 'right' },
  { title: 'edit hits', align: 'right' },
  { title: 'p(1-p)', align: 'right' },
  { title: 'accepted', align: 'right' },
  { title: 'held-out greedy', align: 'right' },
  { title: 'held-out p1', align: 'right' },
  { title: 'seconds', align: 'right' },
];

/** The cells of a row under {@link ROUND_COLUMNS}; a dash where there is nothing. */
export function roundCells({ round, training, heldOut, proposed, accepted, seconds }: RoundRow): string[] {
  const share = (name: string): string => {
    const value = training.get(name);
    return value === undefined ? '-' : percent(value);
  };
  const score = (name: string): string => {
    const [mean, low, high] = [heldOut.get(name), heldOut.get(`${name}_low`), heldOut.get(`${name}_high`)];
    return mean === undefined ? '-' : percentInterval(mean, low ?? NaN, high ?? NaN);
  };
  return [
    String(round),
    String(training.get('tasks') ?? '-'),
    share('pass_rate'),
    share('mixed_share'),
    share('edit_hit_rate'),
    training.get('learning_signal')?.toFixed(3) ?? '-',
    proposed === 0 ? '-' : `${accepted}/${proposed}`,
    score('greedy'),
    score('p1'),
    seconds.toFixed(0),
  ];
}

/** Seconds of work in the whole run, without the pauses between a process that ended and the next. */
export function activeSeconds(reader: RunReader): number {
  return [...secondsByRound(reader).values()].reduce((sum, s) => sum + s, 0);
}

/**
 * Seconds of work by round. Every record says when it was made; the time up to it belongs to its round, except where a process
 * opened the run in between: then the time before that was a pause.
 */
function secondsByRound(reader: RunReader): Map<number, number> {
  const marks = [
    ...reader.steps().map(({ at, round }) => ({ at, round, opens: false })),
    ...reader
      .events()
      .map(({ at, kind }) => ({ at, round: null, opens: kind === 'opened' || kind === 'created' })),
  ].sort((a, b) => a.at - b.at);
  const seconds = new Map<number, number>();
  let last: number | null = null;
  let waiting = 0;
  let round = 0;
  for (const mark of marks) {
    if (last !== null && !mark.opens) waiting += (mark.at - last) / 1000;
    last = mark.at;
    if (mark.round === null) continue;
    round = mark.round;
    seconds.set(round, (seconds.get(round) ?? 0) + waiting);
    waiting = 0;
  }
  seconds.set(round, (seconds.get(round) ?? 0) + waiting);
  return seconds;
}
