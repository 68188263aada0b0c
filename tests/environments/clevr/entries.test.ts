import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entriesOf, readJsonFile } from '../../../src/environments/clevr/index.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'covolve-entries-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const written = (content: string | Uint8Array): string => {
  const file = path.join(folder, 'file.json');
  writeFileSync(file, content);
  return file;
};
/** As if the file were too large to be held. */
const streamed = (content: string): unknown[] => [...entriesOf(written(content), 'questions', 'q.json', -1)];

describe('the entries of a large file', () => {
  it('are those of the whole file, whatever stands in and round them', () => {
    const json = fc.jsonValue();
    fc.assert(
      fc.property(fc.array(json), json, json, fc.boolean(), (questions, info, more, spaced) => {
        const text = JSON.stringify({ info, questions, more }, null, spaced ? 2 : 0);
        expect(streamed(text)).toEqual((JSON.parse(text) as { questions: unknown[] }).questions);
      }),
      { numRuns: 300 },
    );
  });

  it('are found by their key alone', () => {
    expect(
      streamed('{"info": {"questions": [1]}, "other": ["questions", [2]], "questions": [{"a": "]}\\""}]}'),
    ).toEqual([{ a: ']}"' }]);
    expect(streamed('{"questions": []}')).toEqual([]);
  });

  it('reach over blocks of the file', () => {
    const long = 'x'.repeat(3_000_000);
    const questions = [{ long }, { long: [long] }, 'é'.repeat(2_500_000)];
    expect(streamed(JSON.stringify({ questions }))).toEqual(questions);
  });

  it.each([
    ['{"scenes": []}', 'questions: missing'],
    ['{"questions": {}}', 'questions: missing'],
    ['', 'questions: missing'],
    ['{"questions": [1, 2', 'the file ends inside the list'],
    ['{"questions": [1, nonsense, 3]}', 'questions[1]: not JSON'],
    ['{"questions": [1, 2,]}', 'questions[2]: not JSON'],
  ])('of %s are refused', (content, message) => {
    expect(() => streamed(content)).toThrow(message);
  });
});

describe('a JSON file', () => {
  it('may begin with a byte order mark', () => {
    expect(readJsonFile(written('\uFEFF{"a": 1}'))).toEqual({ a: 1 });
  });

  it('is refused in words when it is compressed', () => {
    expect(() => readJsonFile(written(gzipSync('{}')), 'f.json.gz')).toThrow('f.json.gz: is compressed');
  });
});
