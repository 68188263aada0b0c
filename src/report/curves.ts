import { wilsonInterval } from '../algorithms/statistics.js';
import { learningSignal } from '../rewards/passRate.js';
import { legend, pairedHistogram, type Line, type PairedBin, type Point } from './chart.js';
import { hitTest } from './curriculum.js';
import { html, type Content, type Markup } from './html.js';
import { linesPanel, roundPanel, roundPoints, updatePanel, type PanelOptions } from './linePanels.js';
import type { Interval, MeasuredEdit, ReportModel } from './model.js';
import { INTERVAL, counted, fixed, meanOf, percent, rate, short } from './numbers.js';
import { panel, table } from './parts.js';

const SHARES: readonly [number, number] = [0, 1];

/** Held-out accuracy over the rounds. */
export function heldOutPanel({ heldOut: { evaluations } }: ReportModel): Content {
  const line = (
    name: string,
    tone: number,
    of: (i: (typeof evaluations)[number]) => Interval | null,
  ): Line => ({
    name,
    tone,
    points: evaluations.flatMap((evaluation) => {
      const score = of(evaluation);
      if (!score) return [];
      const { mean, low, high } = score;
      return [
        { x: evaluation.round, y: mean, ...(low === undefined || high === undefined ? {} : { low, high }) },
      ];
    }),
  });
  return linesPanel({
    title: 'Held-out accuracy',
    meaning: `Share of held-out questions answered rightly, in per cent, on pictures that nothing is trained on; each band is a ${INTERVAL}, clustered by picture. Round 0 is the base.`,
    lines: [
      line('greedy answer', 1, ({ greedy }) => greedy),
      line('mean probability of the right answer (p1, temperature 1)', 2, ({ p1 }) => p1),
    ],
    format: (y) => percent(y),
    percent: true,
    yBounds: SHARES,
  });
}

/** What the rounds trained on: how often tasks lay where the model can learn, and which way edits moved them. */
export function curriculumPanels(model: ReportModel): Content {
  const { curriculum, frontier } = model;
  const zone = { from: frontier.alpha - frontier.halfWidth, to: frontier.alpha + frontier.halfWidth };
  const spot = `${rate(zone.from)} to ${rate(zone.to)}`;
  const isHit = hitTest(frontier);
  const editRounds = [...new Set(curriculum.edits.map(({ round }) => round))];
  const editsIn = (round: number): MeasuredEdit[] => curriculum.edits.filter((edit) => edit.round === round);
  const hits = (rates: readonly number[], x: number): Point[] => {
    if (rates.length === 0) return [];
    const { share, low, high } = wilsonInterval(rates.filter(isHit).length, rates.length);
    return [{ x, y: share, low, high }];
  };
  return [
    editRounds.length > 0 &&
      linesPanel({
        title: 'Sweet-spot hit rate',
        meaning: `Share of asked tasks, in per cent, whose pass rate lies in the sweet spot (${spot}), where there is most to learn; each band is a ${INTERVAL} that takes tasks as independent.`,
        lines: [
          {
            name: 'edits',
            tone: 1,
            points: editRounds.flatMap((x) =>
              hits(
                editsIn(x).map(({ after }) => after),
                x,
              ),
            ),
          },
          {
            name: 'unedited tasks of the same round',
            tone: 2,
            points: [...curriculum.unedited]
              .flatMap(([x, rates]) => hits(rates, x))
              .sort((a, b) => a.x - b.x),
          },
        ],
        format: (y) => percent(y),
        percent: true,
        yHold: [0],
        yBounds: SHARES,
      }),
    editRounds.length > 0 &&
      linesPanel({
        title: 'Pass rate before and after the edit',
        meaning: `Mean share of right answers among a task's rollouts, between 0 and 1: of the parents as the rewriter was told, and of their edits as measured. The stripe is the sweet spot.`,
        lines: [
          {
            name: 'parents',
            tone: 2,
            points: editRounds.map((x) => ({ x, y: meanOf(editsIn(x).map(({ before }) => before)) ?? NaN })),
          },
          {
            name: 'edits',
            tone: 1,
            points: editRounds.map((x) => ({ x, y: meanOf(editsIn(x).map(({ after }) => after)) ?? NaN })),
          },
        ],
        format: rate,
        yHold: [0, 1],
        yBounds: SHARES,
        zone,
      }),
    roundPanel(model, 'learning_signal', {
      title: 'Learning signal p(1 − p)',
      meaning:
        'Mean of p(1 − p) over the groups trained on, p a group’s pass rate: 0 when every answer agrees, 0.25 at best; the policy gradient grows with it.',
      format: (y) => fixed(y, 3),
      yHold: [0, learningSignal(0.5)],
      yBounds: [0, learningSignal(0.5)],
    }),
    roundPanel(model, 'mixed_share', {
      title: 'Mixed groups',
      meaning:
        'Share of groups, in per cent, with right and wrong answers both; the others have no advantage and teach nothing.',
      format: (y) => percent(y),
      percent: true,
      yHold: SHARES,
      yBounds: SHARES,
    }),
    roundPanel(model, 'pass_rate', {
      title: 'Pass rate of what was trained on',
      meaning:
        'Mean share of right answers, in per cent, over the groups of a round; edited and unedited tasks together.',
      format: (y) => percent(y),
      percent: true,
      yHold: SHARES,
      yBounds: SHARES,
    }),
    roundPanel(model, 'rollouts_per_mixed_group', {
      title: 'Rollouts for one mixed group',
      meaning: `Rollouts of a round divided by its mixed groups: what one group that teaches something costs; ${model.groupSize ?? 'K'} would be none wasted.`,
      format: short,
      yHold: [0],
    }),
    editRounds.length > 0 && histograms(model, editRounds, editsIn, spot),
  ];
}

function histograms(
  { groupSize, frontier }: ReportModel,
  rounds: readonly number[],
  editsIn: (round: number) => readonly MeasuredEdit[],
  spot: string,
): Markup {
  const steps = groupSize !== null && groupSize <= 10 ? groupSize : 10;
  const isHit = hitTest(frontier);
  const share = (rates: readonly number[], k: number): number =>
    rates.filter((p) => Math.round(p * steps) === k).length / rates.length;
  const charts = rounds.map((round) => {
    const edits = editsIn(round);
    const [before, after] = [edits.map((edit) => edit.before), edits.map((edit) => edit.after)];
    const bins: PairedBin[] = Array.from({ length: steps + 1 }, (_, k) => ({
      name: k === 0 || k === steps ? String(k / steps) : `${k}/${steps}`,
      before: share(before, k),
      after: share(after, k),
      wanted: isHit(k / steps),
    }));
    return { round, edits: edits.length, bins };
  });
  const highest = Math.max(...charts.flatMap(({ bins }) => bins.flatMap((bin) => [bin.before, bin.after])));
  const top = Math.min(1, Math.ceil(highest * 10) / 10);
  return panel({
    title: 'Pass rates before and after the edit, round by round',
    meaning: `Each bar is the share of a round's edits, in per cent, at one pass rate (0: never right, 1: always right). Before: the parents as the rewriter was told. After: the edited tasks as measured. The stripe is the sweet spot (${spot}).`,
    legend: legend([
      { name: 'before (parents)', kind: 'before' },
      { name: 'after (edits)', kind: 'after' },
      { name: 'sweet spot', kind: 'zone' },
    ]),
    chart: html`<div class="multiples">
      ${charts.map(
        ({ round, edits, bins }) =>
          html`<div>
            <h4>Round ${round} <span>${counted(edits, 'edit')}</span></h4>
            ${pairedHistogram({
              label: `Pass rates of round ${round}, before and after ${counted(edits, 'edit')}.`,
              bins,
              top,
              format: (y) => percent(y, 0),
              names: ['before', 'after'],
            })}
          </div>`,
      )}
    </div>`,
    numbers: table(
      'Pass rates before and after the edit',
      [
        { name: 'Pass rate' },
        ...rounds.map((round) => ({ name: `Round ${round}: before, after`, numeric: true })),
      ],
      (charts[0]?.bins ?? []).map(({ name }, k) => [
        name,
        ...charts.map(({ bins }) => `${percent(bins[k]?.before ?? 0)}, ${percent(bins[k]?.after ?? 0)}`),
      ]),
    ),
    width: 'wide',
  });
}

/** Metrics of the actor's updates, each worth a chart when it was recorded. */
const UPDATE_CURVES: ReadonlyArray<Pick<PanelOptions, 'title' | 'meaning'> & { readonly name: string }> = [
  {
    name: 'loss',
    title: 'Loss',
    meaning:
      'Clipped policy-gradient loss of an update, without a unit; near 0 by construction, so its jumps count and not its level.',
  },
  {
    name: 'entropy',
    title: 'Entropy',
    meaning:
      'Mean entropy of the token distributions in nats: how undecided the policy is; near 0 it no longer explores.',
  },
  {
    name: 'clipFraction',
    title: 'Clip fraction',
    meaning:
      'Share of tokens, 0 to 1, whose probability ratio was clipped; 0 when every batch is learned from once.',
  },
  {
    name: 'gradNorm',
    title: 'Gradient norm',
    meaning: 'Euclidean norm of the gradient before clipping, without a unit; peaks mark unstable updates.',
  },
  {
    name: 'kl',
    title: 'KL divergence',
    meaning: 'Mean estimate of the divergence from the reference policy in nats a token.',
  },
];

/** How the training went: length of what is written, and the metrics of the updates. */
export function trainingPanels(model: ReportModel): Content {
  const { rewriter } = model.updates;
  // Only updates by reinforcement have a clipped ratio; the others are supervised.
  const actor = model.updates.actor.filter(({ values }) => 'clipFraction' in values);
  const supervised = model.updates.actor.filter(({ values }) => !('clipFraction' in values));
  return [
    linesPanel({
      title: 'Response length',
      meaning:
        'Mean length of an answer in tokens, the end token included: of training rollouts and of held-out ones.',
      lines: [
        { name: 'training', tone: 1, points: roundPoints(model.rounds, 'response_length') },
        {
          name: 'held out, temperature 1',
          tone: 2,
          points: model.heldOut.evaluations.flatMap(({ round, responseLength }) =>
            responseLength === null ? [] : [{ x: round, y: responseLength }],
          ),
        },
      ],
      format: short,
      yHold: [0],
    }),
    roundPanel(model, 'format_share', {
      title: 'Readable answers',
      meaning:
        'Share of training rollouts, in per cent, that have the form <think>…</think><answer>…</answer>.',
      format: (y) => percent(y),
      percent: true,
      yHold: [0.9, 1],
      yBounds: SHARES,
    }),
    ...UPDATE_CURVES.map(({ name, ...words }) => updatePanel(actor, name, words)),
    updatePanel(supervised, 'loss', {
      title: 'Supervised loss',
      meaning: 'Negative log-likelihood of the worked answers that the actor was taught, in nats a token.',
    }),
    updatePanel(rewriter, 'loss', {
      title: 'Loss of the rewriter',
      meaning:
        'Weighted negative log-likelihood of the edits kept for the rewriter, in nats a token, over its own updates.',
    }),
  ];
}
