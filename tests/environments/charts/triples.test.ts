import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { Rng } from '../../../src/core/rng.js';
import { grade } from '../../../src/rewards/grading.js';
import { DEFAULT_STYLE } from '../../../src/render/index.js';
import {
  answerAfter,
  answerOf,
  applyChartEdits,
  askQuestion,
  CHART_FAMILIES,
  CHART_REJECTIONS,
  draftChartEdits,
  fullDrafter,
  isYear,
  microDrafter,
  microTable,
  readChartsFolder,
  readTable,
  sameTable,
  tableSource,
  tierOf,
  vegaReader,
  type ChartTaskState,
  type Table,
} from '../../../src/environments/charts/index.js';
import { secondOpinion } from './second-opinion.js';

const SHARED = '../shared/data/chartqa';
const vega = vegaReader();
const folder = existsSync(SHARED) ? readChartsFolder(SHARED) : null;
const shared = folder
  ? [...folder.tables.keys()].flatMap((name) => {
      const read = readTable(tableSource(folder)(name) ?? '');
      return read.ok ? [read.value.table] : [];
    })
  : [];

/** A table of one of the kinds, with the words that go with it. */
function drawTable(rng: Rng): { table: Table; measure: string; title: string; kind: string } {
  const kind = rng.pick(['vega', 'vega', 'vega', 'micro', ...(shared.length > 0 ? ['shared'] : [])]);
  if (kind === 'micro') return { table: microTable(rng, [3, 8]), measure: '', title: '', kind };
  if (kind === 'shared') return { table: rng.pick(shared), measure: '', title: '', kind };
  for (let i = 0; ; i++) {
    const cut = vega.cut(rng.child('cut', i), [3, 8], rng.chance(0.5) ? 'training' : 'held-out');
    if (cut) return { ...cut, kind };
  }
}

// Blocks of work without a pause would keep the runner from reporting.
afterEach(() => new Promise<void>((resolve) => setImmediate(resolve)));

const RUNS = 20_000;
const BLOCKS = 20;

describe(`${RUNS} random tables, questions and edits`, () => {
  const families: Record<string, number> = {};
  let changed = 0;
  let dataRefused = 0;

  it.each(Array.from({ length: BLOCKS }, (_, i) => i))(
    'have labels that equal a second derivation: block %i',
    (block) => {
      const root = Rng.fromSeed('triples').child(block);
      let compared = 0;
      for (let run = 0; compared < RUNS / BLOCKS; run++) {
        const rng = root.child(run);
        const { table, measure, title, kind } = drawTable(rng.child('table'));
        const question = askQuestion(
          table,
          rng.chance(0.3) ? 'cell' : rng.pick(CHART_FAMILIES),
          rng.child('question'),
          {
            paraphrase: true,
            measure,
          },
        );
        if (!question) continue;
        const before: ChartTaskState = { title, measure, table, style: { ...DEFAULT_STYLE }, question };
        const own = answerAfter(before, before);
        if (!own.ok) throw new Error(`${question.text}: ${own.error.detail}`);
        if (own.value.answer !== secondOpinion(before)) {
          throw new Error(`${question.text}: ${own.value.answer}, second ${secondOpinion(before)}`);
        }
        const drafter = kind === 'micro' ? microDrafter : fullDrafter;
        // Half of the drafts know nothing of the question's kind, so that changes of data meet tier 2.
        const blind = rng.chance(0.5);
        const cell = { op: 'cell', cell: { entity: rng.pick(table.entities), column: '' } } as const;
        const drafted = blind ? { ...before, question: { text: '?', operation: cell } } : before;
        const options = { rows: { min: 2, max: 12 }, maxEdits: 3 };
        const edits = draftChartEdits(drafted, rng.child('edits'), drafter, options);
        if (!edits) continue;
        const applied = applyChartEdits(before, edits);
        if (!applied.ok) throw new Error(`a draft is refused: ${applied.error.detail}`);
        const after: ChartTaskState = { ...before, ...applied.value };
        const answer = answerAfter(before, after);
        const same = sameTable(before.table, after.table);
        if (question.operation.op === 'cell') {
          expect(answer.ok ? answer.value.answer : null).toBe(secondOpinion(after));
          if (answer.ok && answer.value.answer !== own.value.answer) changed++;
        } else if (answer.ok) {
          expect(same).toBe(true);
          expect(JSON.stringify(after.table)).toBe(JSON.stringify(before.table));
          expect(answer.value.answer).toBe(own.value.answer);
        } else {
          expect(same).toBe(false);
          expect(['data-changed', 'no-answer', 'missing-value', 'unknown-row', 'unknown-column']).toContain(
            answer.error.reason,
          );
          dataRefused++;
        }
        if (!answer.ok) expect(CHART_REJECTIONS).toContain(answer.error.reason);
        families[question.operation.op] = (families[question.operation.op] ?? 0) + 1;
        compared++;
      }
    },
  );

  it('are of every kind, change answers, and meet refusals', () => {
    expect(changed).toBeGreaterThan(RUNS / 50);
    expect(dataRefused).toBeGreaterThan(RUNS / 10);
    for (const family of CHART_FAMILIES) expect(families[family] ?? 0, family).toBeGreaterThan(RUNS / 100);
  });
});

describe('questions by program', () => {
  it('say in words what they ask: the tiering by text agrees, and never finds a contradiction', () => {
    let cells = 0;
    let first = 0;
    for (let run = 0; run < 1_500; run++) {
      const rng = Rng.fromSeed('words').child(run);
      const { table, measure, kind } = drawTable(rng.child('table'));
      if (kind === 'micro') continue;
      const question = askQuestion(table, rng.pick(CHART_FAMILIES), rng, { paraphrase: true, measure });
      const answer = question && answerOf(table, question.operation);
      if (!question || !answer?.ok) continue;
      const { tier, reason } = tierOf(table, question.text, answer.value.answer);
      expect(tier, `${question.text} => ${answer.value.answer}: ${reason}`).not.toBe('noise');
      const { op } = question.operation;
      if (op === 'cell') {
        cells++;
        if (tier === '1') first++;
      } else expect(tier, question.text).not.toBe('1');
    }
    expect(cells).toBeGreaterThan(80);
    expect(first / cells).toBeGreaterThan(0.8);
  });

  it('have answers that can be graded, without float noise, and are balanced between yes and no', () => {
    const yesNo = { yes: 0, no: 0 };
    for (let run = 0; run < 2_000; run++) {
      const rng = Rng.fromSeed('answers').child(run);
      const { table, measure } = drawTable(rng.child('table'));
      const question = askQuestion(table, rng.pick(CHART_FAMILIES), rng, { paraphrase: true, measure });
      const answer = question && answerOf(table, question.operation);
      if (!question || !answer?.ok) continue;
      const { answer: text, kind } = answer.value;
      expect(grade(text, { answer: text, answerKind: kind })).toBe(true);
      if (kind === 'number') expect(text).toMatch(/^-?\d{1,15}(\.\d{1,13})?$/);
      if (kind === 'yes-no') yesNo[text as 'yes' | 'no']++;
      expect(question.text).not.toMatch(/undefined|null|NaN| {2}/);
    }
    const share = yesNo.yes / (yesNo.yes + yesNo.no);
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
  });

  it('never ask for a column of years', () => {
    const read = readTable('Country,Year of founding,Members\nNorway,1905,12\nPeru,1821,30\nFiji,1970,7\n');
    if (!read.ok) throw new Error('no table');
    for (let run = 0; run < 300; run++) {
      const rng = Rng.fromSeed(run);
      const question = askQuestion(read.value.table, rng.pick(CHART_FAMILIES), rng, { paraphrase: true });
      if (question) expect(question.text).not.toContain('founding');
    }
    expect(isYear('1905')).toBe(true);
  });
});
