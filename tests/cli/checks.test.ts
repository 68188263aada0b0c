import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { covolve, temporaryDirectory } from './fixtures.js';

let here: ReturnType<typeof temporaryDirectory>;
beforeAll(() => {
  here = temporaryDirectory();
});
afterAll(() => here.remove());

/** A data set in a folder of its own, its files by name. */
function dataset(name: string, files: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(files)) {
    const whole = path.join(here.path, name, file);
    mkdirSync(path.dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  }
  return name;
}

const TABLE = 'Country,Share\r\nSpain,19.7%\r\nChile,8%\r\n';
const question = (label: unknown, imgname = 'a.png'): object => ({
  imgname,
  query: 'What is the share of Spain?',
  label,
});

describe('covolve check charts', () => {
  it('passes a data set that agrees with its tables, its numbers as text or not', async () => {
    const name = dataset('good', {
      'tables/a.csv': TABLE,
      'questions.json': JSON.stringify([question('19.7'), question(19.7)]),
    });
    const { code, out } = await covolve(here.path, 'check', 'charts', name);
    expect(code).toBe(0);
    expect(out).toMatch(/^1 tables, 2 questions: tier 1 2, tier 2 0, visual 0, noise 0\nanswers: 2 agree/);
  });

  it('names what contradicts its table, in words and as JSON', async () => {
    const name = dataset('bad', {
      'tables/a.csv': TABLE,
      'questions.json': JSON.stringify([question('19.7'), question('21')]),
    });
    const words = await covolve(here.path, 'check', 'charts', name);
    expect(words.code).toBe(1);
    expect(words.out).toContain(
      'a.png: "What is the share of Spain?" = "21": the cell that is named holds 19.7',
    );
    const { code, out } = await covolve(here.path, 'check', 'charts', name, '--json');
    expect(code).toBe(1);
    const { contradicted, records } = JSON.parse(out) as { contradicted: number; records: object[] };
    expect(contradicted).toBe(1);
    expect(records[1]).toEqual({
      ...question('21'),
      tier: 'noise',
      entity: 'Spain',
      column: 'Share',
      derived: '19.7',
      agrees: false,
      reason: 'the cell that is named holds 19.7',
    });
  });

  it('takes splits, each with its tables and two lists of questions', async () => {
    const files: Record<string, string> = {};
    for (const split of ['train', 'val', 'test']) {
      files[`${split}/tables/${split}1.csv`] = TABLE;
      files[`${split}/${split}_human.json`] = JSON.stringify([question('19.7', `${split}1.png`)]);
      files[`${split}/${split}_augmented.json`] = JSON.stringify([question('19.7', `${split}1.png`)]);
      files[`${split}/annotations/x.json`] = '{}';
    }
    const { code, out } = await covolve(here.path, 'check', 'charts', dataset('splits', files));
    expect(code).toBe(0);
    expect(out).toContain('3 tables, 6 questions: tier 1 6');
  });

  it('counts questions without a table, and tables that are none', async () => {
    const name = dataset('holes', {
      'tables/a.csv': '',
      'questions.json': JSON.stringify([question('1', 'b.png')]),
    });
    const { code, out } = await covolve(here.path, 'check', 'charts', name);
    expect(code).toBe(1);
    expect(out).toContain('1 have no table');
    expect(out).toContain('a.csv: no-columns');
  });

  it.each([
    [{ 'tables/a.csv': TABLE }, 'has no JSON file with a list of questions'],
    [{ 'questions.json': '[]' }, 'has no folder tables/'],
    [{ 'tables/a.csv': TABLE, 'questions.json': '[{' }, 'is no JSON'],
    [{ 'tables/a.csv': TABLE, 'questions.json': '{}' }, 'must hold a list of questions'],
    [{ 'tables/a.csv': TABLE, 'questions.json': '[{"imgname":"a.png","query":"x"}]' }, 'question 0: label'],
  ] as ReadonlyArray<readonly [Record<string, string>, string]>)(
    'refuses %j in one line',
    async (files, message) => {
      const name = dataset(`refused-${message.length}-${Object.keys(files).length}`, files);
      const { code, out, err } = await covolve(here.path, 'check', 'charts', name, '--json');
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/^error: [^\n]+\n$/);
      expect(err).toContain(message);
    },
  );
});

describe('covolve check drawings', () => {
  const fields = {
    content_type: 'table',
    caption: 'A table of two rows.',
    easy_question: 'What is in row 1?',
    easy_answer: 'a',
    hard_question: 'Which row is longer?',
    hard_answer: 'the second',
  };

  it('passes good proposals, and names the line of a bad one', async () => {
    writeFileSync(path.join(here.path, 'good.jsonl'), `${JSON.stringify(fields)}\r\n\r\n`);
    const good = await covolve(here.path, 'check', 'drawings', 'good.jsonl');
    expect([good.code, good.err]).toEqual([0, '']);
    expect(good.out).toContain('1 proposals, 1 accepted; rejected: none');
    const lines = [JSON.stringify(fields), JSON.stringify({ ...fields, svg: '<svg><rect' })];
    writeFileSync(path.join(here.path, 'bad.jsonl'), lines.join('\n'));
    const bad = await covolve(here.path, 'check', 'drawings', 'bad.jsonl', '--json');
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.out)).toMatchObject({
      lines: 2,
      accepted: 1,
      rejected: { 'svg-syntax': 1 },
      records: [{ status: 'ok' }, { line: 2, status: 'svg-syntax' }],
    });
  });

  it('refuses a file without a line', async () => {
    writeFileSync(path.join(here.path, 'empty.jsonl'), '\n');
    const { code, err } = await covolve(here.path, 'check', 'drawings', 'empty.jsonl');
    expect([code, err]).toEqual([1, 'error: empty.jsonl: has no line\n']);
  });
});
