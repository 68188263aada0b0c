import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { promptText } from '../../../src/core/prompt.js';
import { unwrap } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import { parseBoxed, parseProposal } from '../../../src/environments/drawings/index.js';
import {
  captionOf,
  derive,
  KINDS,
  MICRO_LENGTHS,
  MICRO_VOCABULARY,
  microCoder,
  microProposer,
  parseCaption,
  parseQuestion,
  proposalText,
  scriptPair,
  solutionText,
  truthOf,
  type Figure,
} from '../../../src/environments/drawings/micro/index.js';
import { makeTokenizer } from '../../../src/engines/micro/tokenizer.js';
import { checkSvg, extractSvg } from '../../../src/render/index.js';

const CAREFUL = { wrongAnswers: 0, brokenDrawings: 0 };
const pairs = Array.from({ length: 400 }, (_, i) => scriptPair(Rng.fromSeed(i), CAREFUL));
const count = (role: keyof typeof MICRO_VOCABULARY, text: string): number =>
  makeTokenizer(MICRO_VOCABULARY[role]).encode(text).length;

const BARS: Figure = {
  kind: 'bars',
  marks: [
    { colour: 'red', value: 3 },
    { colour: 'blue', value: 5 },
    { colour: 'green', value: 3 },
  ],
};
const TIME: Figure = {
  kind: 'timeline',
  marks: [{ colour: 'red' }, { colour: 'blue' }, { colour: 'black' }],
};
const SHAPES: Figure = {
  kind: 'geometry',
  marks: [
    { colour: 'red', shape: 'triangle' },
    { colour: 'blue', shape: 'pentagon' },
  ],
};
const DIAGRAM: Figure = {
  kind: 'diagram',
  marks: [
    { colour: 'red', shape: 'circle' },
    { colour: 'blue', shape: 'circle' },
    { colour: 'green', shape: 'square' },
  ],
};

function answer(figure: Figure, text: string): string | null {
  const question = parseQuestion(text);
  if (!question) throw new Error(`no question: ${text}`);
  return derive(figure, question)?.answer ?? null;
}

describe('answers of micro pictures', () => {
  it.each<[Figure, string, string | null]>([
    [BARS, 'what is the value of blue ?', '5'],
    [BARS, 'what is the value of black ?', null],
    [BARS, 'what is red plus blue ?', '8'],
    [BARS, 'what is red plus red ?', null],
    [BARS, 'how much more is blue than red ?', '2'],
    [BARS, 'how much more is red than blue ?', null],
    [BARS, 'which is the largest ?', 'blue'],
    [BARS, 'which is the smallest ?', null],
    [BARS, 'what is first ?', null],
    [BARS, 'how many corners in all ?', null],
    [TIME, 'what is first ?', 'red'],
    [TIME, 'what is last ?', 'black'],
    [TIME, 'what comes after red ?', 'blue'],
    [TIME, 'what comes after black ?', null],
    [TIME, 'how many come between black and red ?', '1'],
    [TIME, 'what is the value of red ?', null],
    [SHAPES, 'how many corners in all ?', '8'],
    [SHAPES, 'what shape is red ?', 'triangle'],
    [DIAGRAM, 'how many circles are there ?', '2'],
    [DIAGRAM, 'what colour is the square ?', 'green'],
    [DIAGRAM, 'what colour is the circle ?', null],
  ])('%# %s', (figure, text, expected) => {
    expect(answer(figure, text)).toBe(expected);
  });
});

describe('captions', () => {
  it('are read back as they were written', () => {
    for (const { scripted } of pairs) {
      expect(parseCaption(captionOf(scripted.figure))).toEqual(scripted.figure);
    }
  });

  it.each([
    '',
    'bar chart',
    'bar chart : red',
    'bar chart : red 3',
    'bar chart : red 3 , red 4',
    'bar chart : red 6 , blue 1',
    'bar chart : red 3 blue 1',
    'timeline : red 3 , blue , green',
    'geometry : red circle , blue square',
    'diagram : red pentagon , blue square',
    'map : red 3 , blue 1',
  ])('of another form are of no known structure: %s', (caption) => {
    expect(parseCaption(caption)).toBeNull();
  });
});

describe('what the script writes', () => {
  it('is a proposal with true answers', () => {
    for (const { proposal } of pairs) {
      expect(unwrap(parseProposal(proposalText(proposal)))).toEqual(proposal);
      expect(truthOf(proposal)).toEqual({ easy: proposal.easyAnswer, hard: proposal.hardAnswer });
    }
  });

  it('fits the models: words of their alphabets, prompts and completions short enough', () => {
    for (const { topic, proposal, svg, scripted } of pairs) {
      expect(count('proposer', promptText(microProposer.prompt({ topic })))).toBeLessThanOrEqual(
        MICRO_LENGTHS.proposer.prompt,
      );
      expect(count('proposer', proposalText(proposal))).toBeLessThan(MICRO_LENGTHS.proposer.completion);
      expect(count('coder', promptText(microCoder.prompt(proposal)))).toBeLessThanOrEqual(
        MICRO_LENGTHS.coder.prompt,
      );
      expect(count('coder', svg)).toBeLessThan(MICRO_LENGTHS.coder.completion);
      expect(count('solver', proposal.hardQuestion)).toBeLessThanOrEqual(MICRO_LENGTHS.solver.prompt);
      const worked = solutionText(derive(scripted.figure, scripted.hard) ?? { answer: '', steps: [] });
      expect(count('solver', worked)).toBeLessThan(MICRO_LENGTHS.solver.completion);
      expect(unwrap(parseBoxed(worked))).toMatchObject({ answer: proposal.hardAnswer, format: true });
    }
  });

  it('is SVG that can be drawn, unless it is careless on purpose', () => {
    for (const [i, { svg }] of pairs.entries()) {
      expect(checkSvg(unwrap(extractSvg(svg))).ok, svg).toBe(true);
      const careless = scriptPair(Rng.fromSeed(i), { wrongAnswers: 0, brokenDrawings: 1 });
      const broken = checkSvg(unwrap(extractSvg(careless.svg)));
      expect(broken.ok ? 'well-formed' : broken.error.reason, careless.svg).toBe('syntax');
    }
  });

  it('shows every kind of picture', () => {
    expect(new Set(pairs.map(({ scripted }) => scripted.figure.kind))).toEqual(new Set(KINDS));
  });
});

describe('whatever the proposer writes', () => {
  it('can be read by the coder and the solver', () => {
    const words = fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...MICRO_VOCABULARY.proposer) },
      { weight: 30, arbitrary: fc.constantFrom(...MICRO_VOCABULARY.solver.slice(0, -4)) },
    );
    let readable = 0;
    const coder = makeTokenizer(MICRO_VOCABULARY.coder);
    const solver = makeTokenizer(MICRO_VOCABULARY.solver);
    const inside = fc.array(words, { minLength: 1, maxLength: 7 }).map((list) => list.join(' '));
    fc.assert(
      fc.property(fc.array(inside, { minLength: 5, maxLength: 5 }), ([a, b, c, d, e]) => {
        const text = proposalText({
          contentType: 'table',
          ...{ caption: a ?? '', easyQuestion: b ?? '', easyAnswer: c ?? '' },
          ...{ hardQuestion: d ?? '', hardAnswer: e ?? '' },
        });
        const read = microProposer.parse(text);
        if (!read.ok || count('proposer', text) >= MICRO_LENGTHS.proposer.completion) return;
        readable++;
        expect(coder.encode(promptText(microCoder.prompt(read.value))).length).toBeLessThanOrEqual(
          MICRO_LENGTHS.coder.prompt,
        );
        for (const question of [read.value.easyQuestion, read.value.hardQuestion]) {
          expect(solver.encode(question).length).toBeLessThanOrEqual(MICRO_LENGTHS.solver.prompt);
        }
      }),
      { numRuns: 2000 },
    );
    expect(readable).toBeGreaterThan(50);
  });
});
