import { describe, expect, it } from 'vitest';
import { buildQuestion, pythonLiteral, QUESTION_KINDS } from '../../../src/environments/transforms/index.js';

const args = [{ angle: 90 }, { angle: 180 }, { angle: 270 }, { angle: 45 }];
const code = 'def edit_image(img, angle):\n    return img.rotate(angle)';
const of = (n: number) => ({ seedId: `picture-${n}`, program: `${code}\nargs_list = ...`, code, args });

describe('a question', () => {
  it.each(QUESTION_KINDS)('of kind %s is the same every time, and shuffled by picture', (kind) => {
    expect(buildQuestion(kind, of(1))).toEqual(buildQuestion(kind, of(1)));
    const letters = new Set(Array.from({ length: 40 }, (_, n) => buildQuestion(kind, of(n)).answer));
    expect([...letters].sort()).toEqual(['A', 'B', 'C', 'D']);
  });

  it.each(QUESTION_KINDS)('of kind %s puts the right answer behind its letter', (kind) => {
    for (let n = 0; n < 60; n++) {
      const { shown, listed, choices, answer } = buildQuestion(kind, of(n));
      const at = 'ABCD'.indexOf(answer);
      if (kind === 'arguments-to-image') expect(shown[at]).toBe(listed[0]);
      if (kind === 'image-to-arguments') expect(listed[at]).toBe(shown[0]);
      if (kind === 'match') {
        const said = (choices[at] ?? '')
          .split(', ')
          .map((name) => shown[Number(name.slice('image_'.length)) - 1]);
        expect(said).toEqual(listed);
      }
      expect(new Set(choices).size).toBe(4);
    }
  });

  it('shows no argument sets in the code, and one output only where arguments are asked for', () => {
    for (const kind of QUESTION_KINDS) expect(buildQuestion(kind, of(3)).text).not.toContain('args_list');
    const forward = buildQuestion('arguments-to-image', of(3));
    expect(args.filter((set) => forward.text.includes(pythonLiteral(set)))).toHaveLength(1);
    expect(forward.shown).toHaveLength(4);
    const back = buildQuestion('image-to-arguments', of(3));
    expect(back.shown).toHaveLength(1);
    expect(back.text).not.toContain('image_2');
  });
});

describe('arguments', () => {
  it('are written as Python', () => {
    expect(pythonLiteral({ a: [1, 0.5, -2], b: 'it\'s "red"', c: true, d: null, e: { f: false } })).toBe(
      '{"a": [1, 0.5, -2], "b": "it\'s \\"red\\"", "c": True, "d": None, "e": {"f": False}}',
    );
  });
});
