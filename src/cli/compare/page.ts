import type { Estimate } from '../../algorithms/statistics.js';
import { grouped, percent, percentInterval, pointsInterval } from '../format.js';
import { markdownTable, type Column } from '../table.js';
import type { ArmResult, RunResult } from './analyse.js';
import { lineChart } from './chart.js';

const number = (title: string): Column => ({ title, align: 'right' });

/** The comparison as a page in Markdown. `command` is what made it; `missing` names runs that are not complete. */
export function comparisonPage(
  title: string,
  command: string,
  arms: readonly ArmResult[],
  reference: string,
  missing: readonly string[],
): string {
  const seeds = [...new Set(arms.flatMap(({ runs }) => runs.map(({ seed }) => seed)))];
  return `${[
    `# ${title}`,
    `Made by \`${command}\`.`,
    ...(missing.length > 0 ? [`Not complete, and left out: ${missing.join(', ')}.`] : []),
    '![Held-out p1 over rounds, by arm](compare.svg)',
    '## At the end of training',
    'Held-out accuracy in percent: greedy, and p1, the mean probability of the right answer at temperature 1. Brackets hold ' +
      '95 % intervals, clustered by picture within a seed. Differences are paired by held-out task: with the same run before ' +
      `training, and with arm \`${reference}\` of the same seed. Rollouts are those that trained or measured for training.`,
    endTable(arms, reference),
    '## Gain in p1 by seed',
    'Points, end of training against before.',
    seedTable(arms, seeds),
    '## Groups with signal by round',
    'Share of training groups that are neither all right nor all wrong, percent, mean over seeds.',
    mixedTable(arms),
    '## p1 at the end, by stratum',
    'Percent, mean over seeds.',
    strataTable(arms),
  ].join('\n\n')}\n`;
}

/** The main table: one line an arm. */
export function endTable(arms: readonly ArmResult[], reference: string): string {
  const against = arms.some(({ against: other }) => other.p1 !== null);
  const columns = [
    { title: 'arm' },
    number('seeds'),
    number('greedy'),
    number('p1'),
    number('greedy - before'),
    number('p1 - before'),
    ...(against ? [number(`greedy - ${reference}`), number(`p1 - ${reference}`)] : []),
    number('rollouts'),
    number('updates'),
    number('seconds'),
  ];
  const level = ({ mean, low, high }: Estimate): string => percentInterval(mean, low, high);
  const change = (estimate: Estimate | null): string =>
    estimate === null ? '' : pointsInterval(estimate.mean, estimate.low, estimate.high);
  const rows = arms.map(({ arm, runs, end, gain, against: other }) => [
    arm,
    String(runs.length),
    level(end.greedy),
    level(end.p1),
    change(gain.greedy),
    change(gain.p1),
    ...(against ? [change(other.greedy), change(other.p1)] : []),
    grouped(meanOf(runs, (run) => run.rollouts)),
    grouped(meanOf(runs, (run) => run.updates)),
    grouped(meanOf(runs, (run) => run.seconds)),
  ]);
  return markdownTable(columns, rows);
}

function seedTable(arms: readonly ArmResult[], seeds: readonly number[]): string {
  const rows = arms.map(({ arm, runs }) => [
    arm,
    ...seeds.map((seed) => {
      const run = runs.find((candidate) => candidate.seed === seed);
      if (!run) return '';
      const mean = (when: 'base' | 'end'): number =>
        run[when].p1.reduce((sum, { value }) => sum + value, 0) / run[when].p1.length;
      const gain = mean('end') - mean('base');
      return `${gain > 0 ? '+' : ''}${percent(gain)}`;
    }),
  ]);
  return markdownTable([{ title: 'arm' }, ...seeds.map((seed) => number(`seed ${seed}`))], rows);
}

function mixedTable(arms: readonly ArmResult[]): string {
  const rounds = [...new Set(arms.flatMap(({ runs }) => runs.flatMap(({ mixed }) => [...mixed.keys()])))];
  rounds.sort((a, b) => a - b);
  const rows = arms.map(({ arm, runs }) => [
    arm,
    ...rounds.map((round) => meanPercent(runs.map(({ mixed }) => mixed.get(round)))),
  ]);
  return markdownTable([{ title: 'arm' }, ...rounds.map((round) => number(`round ${round}`))], rows);
}

function strataTable(arms: readonly ArmResult[]): string {
  const names = [
    ...new Set(arms.flatMap(({ runs }) => runs.flatMap(({ strata }) => [...strata.keys()]))),
  ].filter((name) => name.startsWith('p1/'));
  const rows = names.map((name) => [
    name.slice('p1/'.length).replace('=', ' '),
    ...arms.map(({ runs }) => meanPercent(runs.map(({ strata }) => strata.get(name)))),
  ]);
  return markdownTable([{ title: 'stratum' }, ...arms.map(({ arm }) => number(arm))], rows);
}

function meanPercent(values: ReadonlyArray<number | undefined>): string {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? '' : percent(known.reduce((a, b) => a + b, 0) / known.length);
}

function meanOf(runs: readonly RunResult[], of: (run: RunResult) => number): number {
  return runs.reduce((sum, run) => sum + of(run), 0) / runs.length;
}

/** Held-out p1 over rounds by arm, mean over seeds, as an SVG document. */
export function comparisonChart(title: string, arms: readonly ArmResult[]): string {
  const series = arms.map(({ arm, runs }) => {
    const rounds = (runs[0]?.curve ?? []).map(({ round }) => round);
    const points = rounds.map((round) => {
      const values = runs.flatMap(({ curve }) => curve.filter((point) => point.round === round));
      return { x: round, y: values.reduce((sum, { p1 }) => sum + p1, 0) / values.length };
    });
    return { name: arm, points };
  });
  return lineChart(series, {
    title,
    xLabel: 'round',
    yLabel: 'held-out p1, %',
    format: (y) => `${Number((100 * y).toFixed(1))}`,
  });
}
