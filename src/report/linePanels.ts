import { legend, lineChart, type Line, type LineChartOptions, type Point } from './chart.js';
import { html, type Content } from './html.js';
import type { Place, ReportModel } from './model.js';
import { count, counted, meanOf, short } from './numbers.js';
import { panel, table } from './parts.js';

/** A chart over rounds or updates with its words. */
export interface PanelOptions extends Pick<
  LineChartOptions,
  'lines' | 'format' | 'percent' | 'yHold' | 'yBounds' | 'zone'
> {
  readonly title: string;
  readonly meaning: string;
}

/** A chart over rounds with its numbers as a table. */
export function linesPanel(options: PanelOptions): Content {
  const { title, meaning, format, lines: given, ...rest } = options;
  const lines = given.filter(({ points }) => points.length > 0);
  if (lines.length === 0) return null;
  const rounds = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const cell = (point: Point | undefined): string => {
    if (!point) return '–';
    const { y, low, high } = point;
    return low === undefined || high === undefined
      ? format(y)
      : `${format(y)} (${format(low)} to ${format(high)})`;
  };
  return panel({
    title,
    meaning: [meaning, unfinished(lines)],
    legend:
      lines.length > 1
        ? legend(lines.map(({ name, tone }) => ({ name, tone, kind: 'line' as const })))
        : null,
    chart: lineChart({
      label: `${title} over ${counted(rounds.length, 'round')}; the numbers are in the table below.`,
      xLabel: 'round',
      lines,
      format,
      ...rest,
    }),
    numbers: table(
      title,
      [{ name: 'Round' }, ...lines.map(({ name }) => ({ name, numeric: true }))],
      rounds.map((x) => [
        String(x),
        ...lines.map(({ points }) => cell(points.find((point) => point.x === x))),
      ]),
    ),
  });
}

/** One metric of the rounds. */
export function roundPanel(
  { rounds }: ReportModel,
  name: string,
  options: Omit<PanelOptions, 'lines'>,
): Content {
  return linesPanel({
    ...options,
    lines: [{ name: options.title, tone: 1, points: roundPoints(rounds, name) }],
  });
}

/** The values of a metric by round, where it was recorded. */
export function roundPoints(rounds: readonly Place[], name: string): Point[] {
  return rounds.flatMap(({ round, values }) => {
    const y = values[name];
    return y === undefined ? [] : [{ x: round, y }];
  });
}

/** Points of one line at most: more can't be told apart. */
const DENSEST = 240;

/** One metric of a role's updates, in the order in which they were made. */
export function updatePanel(
  places: readonly Place[],
  name: string,
  { title, meaning }: Pick<PanelOptions, 'title' | 'meaning'>,
): Content {
  const recorded = places.flatMap(({ round, values }) => {
    const y = values[name];
    return y === undefined ? [] : [{ round, y }];
  });
  if (recorded.length === 0) return null;
  const points = recorded.map(({ y }, i) => ({ x: i + 1, y }));
  const rounds = [...new Set(recorded.map(({ round }) => round))];
  const cuts = rounds.slice(1).map((round) => recorded.findIndex((entry) => entry.round === round) + 0.5);
  const lines = [{ name: title, tone: 1, points: thinned(points) }];
  return panel({
    title,
    meaning: [
      meaning,
      rounds.length > 1 && ' Upright lines are where rounds begin.',
      unfinished([{ name, tone: 1, points }]),
    ],
    chart: lineChart({
      label: `${title} over ${counted(points.length, 'update')}; the means by round are in the table below.`,
      xLabel: 'sampling step with an update',
      lines,
      format: short,
      cuts: cuts.length <= 40 ? cuts : [],
      markers: points.length <= 12,
    }),
    numbers: table(
      title,
      [{ name: 'Round' }, { name: 'Steps', numeric: true }, { name: 'Mean', numeric: true }],
      rounds.map((round) => {
        const values = recorded.filter((entry) => entry.round === round).map(({ y }) => y);
        return [String(round), count(values.length), short(meanOf(values.filter(Number.isFinite)) ?? NaN)];
      }),
    ),
  });
}

/** Means of neighbours where there are more points than can be seen. */
function thinned(points: readonly Point[]): Point[] {
  const size = Math.ceil(points.length / DENSEST);
  if (size <= 1) return [...points];
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) => {
    const part = points.slice(i * size, (i + 1) * size);
    return { x: meanOf(part.map(({ x }) => x)) as number, y: meanOf(part.map(({ y }) => y)) as number };
  });
}

/** Says how many values can't be drawn: a run that diverged must not look like one that ended early. */
function unfinished(lines: readonly Line[]): Content {
  const lost = lines.flatMap(({ points }) => points).filter(({ y }) => !Number.isFinite(y)).length;
  return lost > 0 && html` <strong>${counted(lost, 'value')} not finite, so not drawn.</strong>`;
}
