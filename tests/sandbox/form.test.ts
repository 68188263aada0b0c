import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandbox, type ProgramSandbox } from '../../src/sandbox/index.js';
import { ARGS, expectHealthy, GOOD, picture, unavailable, withBody } from './fixtures.js';

const HEAD = 'def edit_image(img, a):\n    return img\n';
const sets = (...entries: string[]): string => `${HEAD}args_list = [${entries.join(', ')}]\n`;

describe.skipIf(unavailable !== null)(`the form of a program (${unavailable ?? 'isolated'})`, () => {
  let sandbox: ProgramSandbox;
  beforeAll(async () => {
    sandbox = await openSandbox({ workers: 1 });
  });
  afterAll(() => sandbox.close());

  it.each<[string, string, string, number | undefined]>([
    ['is empty', '', 'has no args_list', undefined],
    ['is no Python', 'def edit_image(:\n', 'no Python', 1],
    ['is no Python for the tokenizer', `${HEAD}x = "\n${ARGS}`, 'no Python', 3],
    ['has a null byte', `${HEAD}\0${ARGS}`, 'no Python', undefined],
    ['has a comment', `${HEAD}# turn it\n${ARGS}`, 'has a comment', 3],
    ['has a comment at a line', withBody('a = 1  # one'), 'has a comment', 3],
    [
      'has no edit_image',
      `def edit(img, a):\n    return img\n${ARGS}`,
      'has no function edit_image',
      undefined,
    ],
    ['has two', `${HEAD}${HEAD}${ARGS}`, 'more than once', 3],
    ['binds it again', `${HEAD}edit_image = print\n${ARGS}`, 'more than once', 1],
    [
      'has it inside a class',
      `class A:\n    def edit_image(img, a):\n        return img\n${ARGS}`,
      'has no function',
      undefined,
    ],
    ['has no args_list', HEAD, 'has no args_list', undefined],
    ['has two of them', `${HEAD}${ARGS}${ARGS}`, 'more than once', 4],
    ['goes on after args_list', `${HEAD}${ARGS}x = 1\n`, 'something stands after args_list', 3],
    ['has 3 sets', sets("{'a': 1}", "{'a': 2}", "{'a': 3}"), '3 argument sets, not 4', 3],
    [
      'has equal sets',
      sets("{'a': 1}", "{'a': 2}", "{'a': 3}", "{'a': 2.0}"),
      'argument sets 1 and 3 are equal',
      3,
    ],
    [
      'has sets equal but for the order',
      sets("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", "{'a': 3}", "{'a': 4}"),
      'sets 0 and 1',
      3,
    ],
    [
      'has sets equal but for brackets',
      sets("{'a': (1, 2)}", "{'a': [1, 2]}", "{'a': 3}", "{'a': 4}"),
      'sets 0 and 1',
      3,
    ],
    ['has a set that is none', sets("{'a': 1}", '[2]', "{'a': 3}", "{'a': 4}"), 'set 1 is no dictionary', 3],
    ['computes arguments', sets("{'a': 1}", "{'a': len('a')}", "{'a': 3}", "{'a': 4}"), 'no literal', 3],
    ['has an infinite argument', sets("{'a': 1}", "{'a': 1e999}", "{'a': 3}", "{'a': 4}"), 'no JSON', 3],
    ['has bytes for an argument', sets("{'a': 1}", "{'a': b'1'}", "{'a': 3}", "{'a': 4}"), 'no JSON', 3],
    [
      'has a number that JSON loses',
      sets("{'a': 1}", "{'a': 2 }", "{'a': 3}", `{'a': ${2n ** 60n}}`),
      'no JSON',
      3,
    ],
    ['has a key that is no string', sets("{'a': 1}", '{2: 2}', "{'a': 3}", "{'a': 4}"), 'no string', 3],
    [
      'has half a character',
      sets("{'a': 1}", "{'a': '\\ud800'}", "{'a': 3}", "{'a': 4}"),
      'half a character',
      3,
    ],
    ['is too long', `${HEAD}x = '${'é'.repeat(2000)}'\n${ARGS}`, 'more than 2,000', undefined],
    ['is far too long', 'x'.repeat(1_000_000), 'more than 2,000', undefined],
  ])('malformed: it %s', async (_what, program, reason, line) => {
    const result = await sandbox.run(program, picture);
    expect(result).toMatchObject({ status: 'malformed', reason: expect.stringContaining(reason) });
    expect(result.status === 'ok' ? null : result.line).toBe(line);
  });

  it.each([
    ['import os', 'import of os', 1],
    ['import random', 'random', 1],
    ['from numpy import random', 'random', 1],
    ['from PIL import ImageGrab', 'import of PIL.ImageGrab', 1],
    ['import cv2', 'import of cv2', 1],
    ['from . import x', 'relative', 1],
    ['import numpy as np\nx = np.random.rand(3)', 'random', 2],
    ['x = open', 'use of open', 1],
    ['x = (1).__class__', 'use of __class__', 1],
  ])('forbidden: %s', async (before, reason, line) => {
    const result = await sandbox.run(`${before}\n${HEAD}${ARGS}`, picture);
    expect(result).toMatchObject({ status: 'forbidden', reason: expect.stringContaining(reason), line });
  });

  it('gives the code before args_list, and the arguments as JSON', async () => {
    const code = 'from PIL import Image\n\ndef edit_image(img, a, é=None):\n    return img.rotate(10)';
    const list = "[{'a': (1, 2.5)}, {'a': {'b': None}}, {'a': True, 'é': 'ü'}, {'a': -3}]";
    const result = await sandbox.run(`${code}\n\n\nargs_list: list = ${list}`, picture);
    expect(result).toMatchObject({ status: 'ok', code });
    expect(result.status === 'ok' && result.args).toEqual([
      { a: [1, 2.5] },
      { a: { b: null } },
      { a: true, é: 'ü' },
      { a: -3 },
    ]);
  });

  it('keeps one call from the next, and args_list from all', async () => {
    const counting = withBody('seen.append(a)\nassert len(seen) == 1', 'seen = []\n');
    expect(await sandbox.run(counting, picture)).toMatchObject({ status: 'ok' });
    const peeking = withBody('args_list[0]');
    expect(await sandbox.run(peeking, picture)).toMatchObject({
      status: 'exception',
      reason: expect.stringContaining('NameError'),
      line: 3,
    });
  });

  it('hands every call the picture as it was', async () => {
    const result = await sandbox.run(withBody('img.putpixel((a, 0), (1, 2, 3))'), picture);
    if (result.status !== 'ok') throw new Error(result.reason);
    result.images.forEach(({ rgb }, i) => {
      const different = [...rgb].flatMap((v, at) => (v === picture.rgb[at] ? [] : [Math.floor(at / 3)]));
      expect(new Set(different)).toEqual(new Set([i + 1]));
    });
  });

  it.each([
    ["return img.convert('L')", [7, 7, 7]],
    ["return Image.new('RGBA', img.size, (0, 0, 0, 0))", [255, 255, 255]],
    ["return Image.new('1', img.size, 1)", [255, 255, 255]],
    ["return Image.new('CMYK', img.size, (0, 255, 255, 0))", [255, 0, 0]],
  ])('takes images of any mode: %s', async (body, [r, g, b]) => {
    const flat = { ...picture, rgb: new Uint8Array(picture.rgb.length).fill(7) };
    const result = await sandbox.run(withBody(body), flat);
    if (result.status !== 'ok') throw new Error(result.reason);
    for (const { rgb } of result.images) expect([rgb[0], rgb[1], rgb[2]]).toEqual([r, g, b]);
  });

  it('names the line of an exception', async () => {
    expect(await sandbox.run(withBody('b = a\nc = b / 0'), picture)).toMatchObject({
      status: 'exception',
      reason: 'ZeroDivisionError: division by zero',
      line: 4,
    });
  });

  it('gives any text a typed result', async () => {
    const piece = fc.oneof(
      fc.constantFrom(...GOOD.split(/(?<=\s)/), 'lambda:', '"""', '\\', '\r', '\t', '{', ']', '\u2028', '😀'),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 12 }),
        fc.nat(GOOD.length),
        fc.nat(40),
        async (pieces, at, cut) => {
          const result = await sandbox.run(
            GOOD.slice(0, at) + pieces.join('') + GOOD.slice(at + cut),
            picture,
          );
          expect(['ok', 'malformed', 'forbidden', 'exception', 'bad-output']).toContain(result.status);
        },
      ),
      { numRuns: 150 },
    );
    await expectHealthy(sandbox);
  });
});
