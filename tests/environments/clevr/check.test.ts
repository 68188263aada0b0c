import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DataError } from '../../../src/core/errors.js';
import { checkClevr, checkPassed, describeCheck } from '../../../src/environments/clevr/check.js';

const folder = new URL('../../../../shared/data/clevr/', import.meta.url);
const present = existsSync(folder);
if (!present) console.warn('../shared/data/clevr is absent: the tests on official files are skipped');

interface Question {
  question: string;
  answer: unknown;
  image_index?: number;
  image_filename?: string;
  program: { type: string; inputs: number[]; value_inputs: string[]; _output?: unknown }[];
}
interface Scene {
  image_index?: number;
  image_filename?: string;
  relationships: Record<string, number[][]>;
  objects: { color: string }[];
}
const files = { scenes: 'scenes.json', questions: 'questions.json' };
// A fresh copy for every test: they corrupt it.
const load = () => ({
  ...(JSON.parse(readFileSync(new URL('scenes.json', folder), 'utf8')) as { scenes: Scene[] }),
  ...(JSON.parse(readFileSync(new URL('questions.json', folder), 'utf8')) as { questions: Question[] }),
});
const at = <T>(items: readonly T[], index: number): T => {
  const item = items[index];
  if (item === undefined) throw new Error(`nothing at ${index}`);
  return item;
};
const check = (data: { scenes: unknown; questions: unknown }) =>
  checkClevr({ scenes: data.scenes }, { questions: data.questions }, files);

describe.skipIf(!present)('the official fixtures', () => {
  test('all 600 answers and all 6646 node outputs agree', () => {
    const report = check(load());
    expect(report).toEqual({
      files,
      scenes: 60,
      questions: 600,
      counts: { agreed: 600, differs: 0, failed: 0, missingScene: 0 },
      problems: [],
      outputs: { compared: 6646, different: 0, examples: [] },
      relationships: { scenesCompared: 60, scenesDifferent: 0, pairsDifferent: 0, examples: [] },
    });
    expect(checkPassed(report)).toBe(true);
    expect(describeCheck(report)).toEqual([
      '600 questions on 60 scenes: 600 agree, 0 differ, 0 failed to execute, 0 without a scene',
    ]);
  });

  test('scenes in any order are matched by index or by name', () => {
    const reversed = load();
    reversed.scenes.reverse();
    expect(checkPassed(check(reversed))).toBe(true);
    const named = load();
    for (const entry of [...named.scenes, ...named.questions]) delete entry.image_index;
    named.scenes.reverse();
    expect(checkPassed(check(named))).toBe(true);
    const numbered = load();
    for (const entry of [...numbered.scenes, ...numbered.questions]) delete entry.image_filename;
    numbered.scenes.reverse();
    expect(checkPassed(check(numbered))).toBe(true);
  });

  test('corrupted answers are found, exactly these', () => {
    const data = load();
    const corrupted = data.questions.flatMap((q, index) => {
      if (index % 37 !== 5) return [];
      const stored = q.answer;
      q.answer = typeof stored === 'boolean' ? !stored : typeof stored === 'number' ? stored + 1 : 'plaid';
      return [{ index, stored: text(q.answer), derived: text(stored) }];
    });
    const report = check(data);
    expect(report.problems.map((p) => p.status === 'differs' && p)).toMatchObject(corrupted);
    expect(report.counts).toEqual({
      agreed: 600 - corrupted.length,
      differs: corrupted.length,
      failed: 0,
      missingScene: 0,
    });
    expect(report.problems.every((p) => p.status === 'differs' && p.firstDifference === null)).toBe(true);
    expect(checkPassed(report)).toBe(false);
    const lines = describeCheck(report, 3);
    expect(lines).toHaveLength(5);
    expect(lines[1]).toContain(`questions[5] (image 0): stored "${at(corrupted, 0).stored}"`);
    expect(lines[4]).toBe(`... and ${corrupted.length - 3} more`);
  });

  test('a changed scene is traced to the first node that differs', () => {
    const data = load();
    for (const { objects } of data.scenes) {
      const first = at(objects, 0);
      first.color = first.color === 'cyan' ? 'gray' : 'cyan';
    }
    const report = check(data);
    const traced = report.problems.flatMap((p) => (p.status === 'differs' ? [p.firstDifference] : []));
    expect(traced.length).toBeGreaterThan(0);
    for (const first of traced) expect(first?.function).toMatch(/_color$/);
    expect(report.outputs.different).toBeGreaterThan(0);
    expect(describeCheck(report).some((line) => line.includes('stored node outputs differ'))).toBe(true);
  });

  test('stored outputs are compared even where the answer agrees, as sets', () => {
    const data = load();
    const { program } = at(data.questions, 0);
    (at(program, 0)._output as number[]).reverse();
    at(program, 1)._output = [0];
    at(program, 3)._output = true;
    const report = check(data);
    expect(checkPassed(report)).toBe(true);
    expect(report.outputs).toEqual({
      compared: 6646,
      different: 2,
      examples: [
        { index: 0, node: 1, function: 'filter_material', stored: [0], derived: [0, 1, 2, 3, 4] },
        { index: 0, node: 3, function: 'unique', stored: true, derived: 4 },
      ],
    });
  });

  test('questions that cannot be run or read are counted with their reason', () => {
    const data = load();
    at(at(data.questions, 0).program, 2).value_inputs = ['cylinder']; // four metal cylinders or so: not unique
    at(at(data.questions, 1).program, 1).inputs = [9];
    at(at(data.questions, 2).program, 1).type = 'filter_colour';
    at(data.questions, 3).image_index = 999;
    at(data.questions, 3).image_filename = 'CLEVR_dev_000999.png';
    const report = check(data);
    expect(report.counts).toEqual({ agreed: 596, differs: 0, failed: 3, missingScene: 1 });
    expect(report.problems).toMatchObject(
      [
        { status: 'failed', index: 0, reason: 'not-unique', detail: /^node 3 \(unique\) got objects/ },
        { status: 'failed', index: 1, reason: 'program-invalid', detail: /input 9 is no earlier node/ },
        {
          status: 'failed',
          index: 2,
          reason: 'unreadable',
          detail: /^questions\[2\]\.program\[1\]\.type: unknown/,
        },
        { status: 'missing-scene', index: 3, detail: 'no scene has image_filename "CLEVR_dev_000999.png"' },
      ].map(({ detail, ...rest }) => ({
        ...rest,
        detail: typeof detail === 'string' ? detail : (expect.stringMatching(detail) as string),
      })),
    );
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  test('a question of another split is not answered from the scene with the same number', () => {
    const data = load();
    at(data.questions, 0).image_filename = 'CLEVR_train_000000.png';
    at(data.questions, 1).image_index = 1;
    const report = check(data);
    expect(report.problems).toMatchObject([
      {
        status: 'missing-scene',
        detail: 'no scene has image_filename "CLEVR_train_000000.png"; image 0 is "CLEVR_dev_000000.png"',
      },
      { status: 'missing-scene', detail: 'image_index 1, but "CLEVR_dev_000000.png" is image 0' },
    ]);
  });

  test('splits joined in one file are told apart by name, and only by name', () => {
    const data = load();
    const twin = structuredClone(at(data.scenes, 0));
    twin.image_filename = 'CLEVR_other_000000.png';
    expect(checkPassed(check({ ...data, scenes: [...data.scenes, twin] }))).toBe(true);
    delete at(data.questions, 0).image_filename;
    expect(check({ ...data, scenes: [...data.scenes, twin] }).problems).toMatchObject([
      {
        status: 'missing-scene',
        index: 0,
        detail: 'several scenes have image_index 0; the question names no file',
      },
    ]);
    expect(() => check({ ...data, scenes: [...data.scenes, at(data.scenes, 3)] })).toThrow(
      new DataError(
        'scenes.json',
        null,
        'scenes[60]: another scene has the same image_filename "CLEVR_dev_000003.png"',
      ),
    );
    delete twin.image_filename;
    expect(() => check({ ...data, scenes: [...data.scenes, twin] })).toThrow('the same image_index 0');
    delete twin.image_index;
    expect(() => check({ ...data, scenes: [twin] })).toThrow(
      'scenes.json: scenes[0]: has neither image_index nor image_filename',
    );
  });

  test('stored relationships that contradict the positions are a warning', () => {
    const data = load();
    const { left } = at(data.scenes, 5).relationships;
    const row = at(left ?? [], 0);
    const other = row.includes(1) ? row.splice(row.indexOf(1), 1)[0] : row.push(1) && 1;
    const report = check(data);
    expect(report.relationships).toMatchObject({ scenesCompared: 60, scenesDifferent: 1, pairsDifferent: 1 });
    expect(report.relationships.examples).toMatchObject([{ imageIndex: 5, relation: 'left', of: 0, other }]);
    expect(describeCheck(report).some((line) => line.includes('for 1 pairs in 1 of 60 scenes'))).toBe(true);
  });
});

function text(answer: unknown): string {
  return typeof answer === 'boolean' ? (answer ? 'yes' : 'no') : String(answer);
}

test('files that are no CLEVR files are refused by name', () => {
  expect(() => checkClevr({ questions: [] }, { questions: [] }, files)).toThrow(
    /^scenes\.json: scenes: missing/,
  );
  expect(() => checkClevr({ scenes: [] }, [], files)).toThrow(/^questions\.json: questions: missing/);
});
