import { legend, stackedBars } from './chart.js';
import { html, type Content, type Markup } from './html.js';
import type { Change, KindRow, ReportModel, StartRow, Stratum } from './model.js';
import { INTERVAL, count, percent, points, rate } from './numbers.js';
import { groupedTable, panel, table, type Column } from './parts.js';

const DASH = '–';

/** Held-out scores by kind of task, at the base and at the end. */
export function strataPanel({ heldOut }: ReportModel): Content {
  const { strata, change } = heldOut;
  if (strata.length === 0) return null;
  const ended = change !== null;
  const scored = (name: string): Column[] =>
    ended
      ? [`${name} base`, `${name} end`, `${name} change`].map((label) => ({
          name: label,
          numeric: true,
        }))
      : [{ name: `${name} base`, numeric: true }];
  const cells = (score: Change | null): Content[] => {
    if (score === null) return ended ? [DASH, DASH, DASH] : [DASH];
    return ended ? [percent(score.base), percent(score.end), changeCell(score)] : [percent(score.base)];
  };
  const facts = [...new Set(strata.map(({ fact }) => fact))];
  const row = ({ value, items, greedy, p1 }: Stratum): Content[] => [
    value.replaceAll('_', ' '),
    count(items),
    ...cells(greedy),
    ...cells(p1),
  ];
  return panel({
    title: 'Held-out accuracy by kind of task',
    meaning: `Share of right answers, in per cent, among the held-out tasks of each kind (n tasks). ${
      ended
        ? `Changes are in percentage points, the ${INTERVAL} below each, paired by task and clustered by picture; coloured ones have an interval that excludes zero. With this many rows a few do so by chance.`
        : ''
    }`,
    chart: groupedTable(
      'Held-out accuracy by kind of task',
      [{ name: 'Tasks' }, { name: 'n', numeric: true }, ...scored('greedy'), ...scored('p1')],
      facts.map((fact) => ({
        name: FACTS[fact] ?? fact,
        rows: strata.filter((stratum) => stratum.fact === fact).map(row),
      })),
    ),
    width: 'rest',
  });
}

const FACTS: Readonly<Record<string, string>> = {
  objects: 'Objects in the picture',
  family: 'Family of the question',
};

function changeCell({ base, end, difference }: Change): Content {
  const change = points(end - base);
  if (difference === null || !Number.isFinite(difference.low)) return change;
  const interval = `${points(difference.low)} to ${points(difference.high)}`;
  const told = difference.low > 0 ? 'better' : difference.high < 0 ? 'worse' : null;
  return html`<span class="change${told && ` ${told}`}">${change}</span>
    <span class="interval">${interval}</span>`;
}

/** Which classes of edits were proposed, accepted, and what they did to the pass rate. */
export function kindsPanel({ curriculum: { kinds } }: ReportModel): Content {
  if (kinds.length === 0) return null;
  return panel({
    title: 'What kinds of edits do',
    meaning:
      'Proposals that hold an edit of a class (one with several classes counts in each), the share of them that was accepted, and the mean pass rate (0 to 1) of parents and of the edits that the actor was asked.',
    chart: table(
      'Kinds of edits',
      [
        { name: 'Kind of edit' },
        { name: 'proposed', numeric: true },
        { name: 'accepted', numeric: true },
        { name: 'asked', numeric: true },
        { name: 'p before', numeric: true },
        { name: 'p after', numeric: true },
        { name: 'in the sweet spot', numeric: true },
      ],
      kinds.map((row: KindRow) => [
        row.kind,
        count(row.proposals),
        percent(row.accepted / row.proposals, 0),
        count(row.measured),
        row.before === null ? DASH : rate(row.before),
        row.after === null ? DASH : rate(row.after),
        row.measured === 0 ? DASH : percent(row.hits / row.measured, 0),
      ]),
    ),
    width: 'wide',
  });
}

/** Which way edits moved the pass rate, by where they started. */
export function startsPanel({ curriculum: { starts } }: ReportModel): Content {
  if (starts.length === 0) return null;
  return panel({
    title: 'Harder or easier, by where the edit started',
    meaning:
      'Mean pass rate (0 to 1) of parents and their edits. Parents are grouped by a rate measured on few rollouts, and an extreme one moves toward the mean by itself when measured again, so this table shows the direction but overstates the effect.',
    chart: table(
      'Edits by the pass rate of their parents',
      [
        { name: 'Parents' },
        { name: 'edits', numeric: true },
        { name: 'p before', numeric: true },
        { name: 'p after', numeric: true },
        { name: 'in the sweet spot', numeric: true },
      ],
      starts.map((row: StartRow) => [
        row.from,
        count(row.edits),
        row.before === null ? DASH : rate(row.before),
        row.after === null ? DASH : rate(row.after),
        percent(row.hits / row.edits, 0),
      ]),
    ),
    width: 'wide',
  });
}

/** Reasons with a colour of their own; the rarer ones share the last. */
const REASONS_SHOWN = 7;

/** Refused proposals by round and reason, as bars and as a table. */
export function rejectionPanels({ curriculum: { rejections, reasons } }: ReportModel): Content {
  const proposed = rejections.reduce((sum, round) => sum + round.proposals, 0);
  if (proposed === 0) return null;
  const refused = reasons.reduce((sum, [, n]) => sum + n, 0);
  if (refused === 0) return html`<p>None of ${count(proposed)} proposals was refused.</p>`;
  const named = reasons.slice(0, reasons.length > REASONS_SHOWN + 1 ? REASONS_SHOWN : REASONS_SHOWN + 1);
  const rest = reasons.slice(named.length).map(([reason]) => reason);
  const parts = [
    ...named.map(([reason], i) => ({ name: reason, tone: i + 1, of: [reason] as readonly string[] })),
    ...(rest.length > 0 ? [{ name: 'other reasons', tone: 8, of: rest }] : []),
  ];
  const sum = (byReason: ReadonlyMap<string, number>, of: readonly string[]): number =>
    of.reduce((total, reason) => total + (byReason.get(reason) ?? 0), 0);
  return [
    panel({
      title: 'Refused proposals by round',
      meaning: `Share of a round's proposals, in per cent, refused before any rollout, by reason; ${count(refused)} of ${count(proposed)} in all.`,
      legend: legend(parts.map(({ name, tone }) => ({ name, tone, kind: 'part' as const }))),
      chart: stackedBars({
        label: 'Share of proposals refused by round and reason; the numbers are in the table beside it.',
        xLabel: 'round',
        columns: rejections.map(({ round, proposals, byReason }) => ({
          name: String(round),
          parts: parts.map(({ name, tone, of }) => ({
            name,
            tone,
            value: sum(byReason, of) / Math.max(1, proposals),
          })),
        })),
        format: (share) => percent(share, 0),
      }),
    }),
    reasonsPanel(rejections, reasons, proposed),
  ];
}

function reasonsPanel(
  rejections: ReportModel['curriculum']['rejections'],
  reasons: ReportModel['curriculum']['reasons'],
  proposed: number,
): Markup {
  return panel({
    title: 'Why proposals were refused',
    meaning: 'Number of proposals refused for each reason, in each round and in all.',
    chart: table(
      'Refused proposals by reason',
      [
        { name: 'Reason' },
        ...rejections.map(({ round }) => ({ name: `round ${round}`, numeric: true })),
        { name: 'all', numeric: true },
        { name: 'of all proposals', numeric: true },
      ],
      reasons.map(([reason, n]) => [
        reason,
        ...rejections.map(({ byReason }) => count(byReason.get(reason) ?? 0)),
        count(n),
        percent(n / proposed),
      ]),
    ),
    width: 'rest',
  });
}
