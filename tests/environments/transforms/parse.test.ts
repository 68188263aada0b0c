import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rng } from '../../../src/core/rng.js';
import {
  codeOf,
  linesOf,
  operationsOf,
  parseProgram,
  scriptedProgram,
  SEED_PROGRAMS,
  TRANSFORM_REJECTIONS,
  TRANSFORM_VOCABULARY,
  transformSolver,
} from '../../../src/environments/transforms/index.js';
import { makeTokenizer } from '../../../src/engines/micro/tokenizer.js';

const CODE = 'def edit_image(img, a):\n    return img.rotate(a)\nargs_list = [{"a": 1}]';
const fenced = (code: string, tag = 'python'): string => `\`\`\`${tag}\n${code}\n\`\`\``;

describe("a challenger's completion", () => {
  it.each([
    ['thoughts and a fence', `<thinking>turn it</thinking>\n${fenced(CODE)}`],
    ['no thoughts', fenced(CODE)],
    ['a fence without a name', fenced(CODE, '')],
    ['a fence named py', fenced(CODE, 'py')],
    ['a fence named Python 3', fenced(CODE, 'Python3')],
    ['code in the thoughts too', `<thinking>${fenced('x = 1')}</thinking>${`\n${fenced(CODE)}`}`],
    ['another language beside it', `${fenced('{"a": 1}', 'json')}\n${fenced(CODE)}`],
    ['Windows line ends', fenced(CODE).replaceAll('\n', '\r\n')],
    ['words behind it', `${fenced(CODE)}\nThat is all.`],
    ['an empty fence before it', `${fenced('')}\n${fenced(CODE)}`],
    ['an indented fence', `  \`\`\`python\n${CODE}\n  \`\`\``],
  ])('is read with %s', (_, text) => {
    expect(parseProgram(text)).toEqual({ ok: true, value: { program: `${CODE}\n` } });
  });

  it.each([
    ['nothing', '', 'no-code'],
    ['words', 'I would rotate it.', 'no-code'],
    ['code without a fence', CODE, 'no-code'],
    ['a fence that is not closed', `\`\`\`python\n${CODE}`, 'no-code'],
    ['a fence in the thoughts only', `<thinking>${fenced(CODE)}</thinking>`, 'no-code'],
    ['another language only', fenced('let x', 'javascript'), 'no-code'],
    ['two programs', `${fenced(CODE)}\n${fenced(CODE)}`, 'two-blocks'],
    ['an empty fence', fenced('\n \n'), 'no-code'],
    ['a comment', fenced(`${CODE} # why`), 'comments'],
    ['a comment of its own line', fenced(`# turn it\n${CODE}`), 'comments'],
  ])('is refused with %s', (_, text, reason) => {
    expect(parseProgram(text)).toMatchObject({ ok: false, error: { reason } });
  });

  it('gives a typed result whatever it says', () => {
    const piece = fc.constantFrom(
      '```',
      '```python',
      '\n',
      '<thinking>',
      '</thinking>',
      CODE,
      ' ',
      '`',
      '#',
      '\u0000',
      '🙂',
    );
    const noise = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(noise, (text) => {
        const read = parseProgram(text);
        if (!read.ok) expect(TRANSFORM_REJECTIONS).toContain(read.error.reason);
        else expect(read.value.program.trim()).not.toBe('');
      }),
      { numRuns: 3000 },
    );
  });

  it('of a million marks is read in no time', () => {
    const started = performance.now();
    expect(parseProgram('```\n'.repeat(250_000)).ok).toBe(false);
    expect(parseProgram('`'.repeat(1_000_000)).ok).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe("a solver's completion", () => {
  it.each([
    ['a box', '<think>so</think> \\boxed{B}', 'B'],
    ['an answer tag', '<think>so</think><answer> B </answer>', 'B'],
    ['both: the box counts', '<answer>A</answer> \\boxed{B}', 'B'],
  ])('is read with %s', (_, text, answer) => {
    expect(transformSolver.parse(text)).toMatchObject({ ok: true, value: { answer } });
  });

  it.each(['', 'B', '<answer></answer>', '<answer>B', '\\boxed{', '\\boxed{}'])('is refused: %j', (text) => {
    expect(transformSolver.parse(text).ok).toBe(false);
  });
});

describe('a program', () => {
  it('is compared by its code alone', () => {
    expect(codeOf({ program: `${CODE}\n` })).toBe('def edit_image(img, a):\n    return img.rotate(a)');
    expect(codeOf({ program: 'no arguments here' })).toBe('no arguments here');
  });

  it('is counted under the kinds of its operations', () => {
    expect(SEED_PROGRAMS.map(operationsOf)).toEqual([['pieces', 'cut'], ['turn'], ['cut'], ['draw']]);
    expect(operationsOf({ program: 'img.convert("L").rotate(4)\nargs_list = [ImageDraw]' })).toEqual([
      'colour',
      'turn',
    ]);
    expect(operationsOf({ program: 'pass' })).toEqual(['other']);
  });
});

describe('a scripted program', () => {
  it('is written in the micro vocabulary and says the same when it is read back', () => {
    const tokenizer = makeTokenizer(TRANSFORM_VOCABULARY);
    for (let i = 0; i < 300; i++) {
      const { text } = scriptedProgram(Rng.fromSeed(1).child(i));
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
      expect(parseProgram(linesOf(text)).ok).toBe(true);
    }
  });
});
