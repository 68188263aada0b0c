import type { Judgement } from './judge.js';

/** How a judge compares with the typed grader, and with itself when the two answers change places. */
export interface JudgeReport {
  readonly answers: number;
  /** Share that the grader, and the judge, call right; an unclear verdict is not right. */
  readonly gradedRight: number;
  readonly judgedRight: number;
  /** Share of answers on which both say the same. */
  readonly agreement: number;
  /** Agreement beyond chance: (agreement - expected) / (1 - expected), expected from the two shares; NaN when expected is 1. */
  readonly kappa: number;
  readonly unclear: number;
  /** What the judge calls right and the grader doesn't. */
  readonly judgeOnly: readonly Judgement[];
  /** What the grader calls right and the judge doesn't. */
  readonly graderOnly: readonly Judgement[];
  /** Answers that were judged in both orders. */
  readonly swapped: number;
  /** Of those, the share whose verdict changed with the order; NaN when none was. */
  readonly flips: number;
  /** Of those, the share of yes with the reference first, less that with it last: where flips lean to; NaN when none was. */
  readonly lean: number;
}

/** Counts what a judge said. Throws on an empty list. */
export function judgeReport(judgements: readonly Judgement[]): JudgeReport {
  if (judgements.length === 0) throw new Error('judgeReport: nothing was judged');
  const share = (list: readonly Judgement[], holds: (j: Judgement) => boolean): number =>
    list.filter(holds).length / list.length;
  const right = ({ verdict }: Judgement): boolean => verdict === 'yes';
  const gradedRight = share(judgements, ({ graded }) => graded);
  const judgedRight = share(judgements, right);
  const agreement = share(judgements, (j) => right(j) === j.graded);
  const expected = gradedRight * judgedRight + (1 - gradedRight) * (1 - judgedRight);
  const both = judgements.filter(({ swapped }) => swapped !== null);
  return {
    answers: judgements.length,
    gradedRight,
    judgedRight,
    agreement,
    kappa: expected === 1 ? NaN : (agreement - expected) / (1 - expected),
    unclear: judgements.filter(({ verdict }) => verdict === 'unclear').length,
    judgeOnly: judgements.filter((j) => right(j) && !j.graded),
    graderOnly: judgements.filter((j) => !right(j) && j.graded),
    swapped: both.length,
    flips: share(both, ({ verdict, swapped }) => verdict !== swapped),
    lean: share(both, right) - share(both, ({ swapped }) => swapped === 'yes'),
  };
}

/** The report as markdown, with at most `examples` disagreements of each kind. */
export function judgeReportText(report: JudgeReport, examples = 10): string {
  const percent = (x: number): string => (Number.isNaN(x) ? 'not measured' : `${(100 * x).toFixed(1)} %`);
  const rows = [
    ['answers', String(report.answers)],
    ['right by the typed grader', percent(report.gradedRight)],
    ['right by the judge', percent(report.judgedRight)],
    ['agreement', percent(report.agreement)],
    ["Cohen's kappa", Number.isNaN(report.kappa) ? 'not defined' : report.kappa.toFixed(3)],
    ['unclear verdicts', String(report.unclear)],
    ['judged in both orders', String(report.swapped)],
    ['verdict changed with the order', percent(report.flips)],
    ['more yes with the reference first', percent(report.lean)],
  ];
  const list = (title: string, judgements: readonly Judgement[]): string[] =>
    judgements.length === 0
      ? []
      : [
          '',
          `${title}: ${judgements.length}`,
          '',
          ...judgements.slice(0, examples).map(({ item: { task, given } }) => {
            const [question, answer, said] = [task.question, task.answer, given].map((text) =>
              JSON.stringify(text),
            );
            return `- ${question}: ${answer}, given ${said} (${task.answerKind})`;
          }),
        ];
  return [
    '| measure | value |',
    '| --- | ---: |',
    ...rows.map(([name, value]) => `| ${name} | ${value} |`),
    ...list('Right by the judge only', report.judgeOnly),
    ...list('Right by the grader only', report.graderOnly),
  ].join('\n');
}
