import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/core/result.js';
import {
  BLOCKS,
  checkDrawings,
  effectiveContentType,
  leaksOf,
  parseBoxed,
  parseProposal,
  PROPOSAL_REJECTIONS,
  textsOf,
  type Block,
} from '../../../src/environments/drawings/index.js';

const GOOD: Readonly<Record<Block, string>> = {
  content_type: 'data_chart',
  caption: 'A bar chart of apples sold: Mon 4, Tue 9, Wed 2.',
  easy_question: 'How many apples were sold on Tue?',
  easy_answer: '9',
  hard_question: 'How many more apples were sold on the best day than on the worst?',
  hard_answer: '7',
};

function written(change: Partial<Record<Block, string | null>> = {}): string {
  const blocks = { ...GOOD, ...change };
  return BLOCKS.flatMap((block) => {
    const text = blocks[block];
    return text === null ? [] : [`<${block}>${text}</${block}>`];
  }).join('\n');
}

describe('parseProposal', () => {
  it('reads six blocks', () => {
    expect(unwrap(parseProposal(written()))).toEqual({
      contentType: 'data_chart',
      caption: GOOD.caption,
      easyQuestion: GOOD.easy_question,
      easyAnswer: '9',
      hardQuestion: GOOD.hard_question,
      hardAnswer: '7',
    });
  });

  it.each([
    [
      'in another order',
      BLOCKS.toReversed()
        .map((b) => `<${b}>${GOOD[b]}</${b}>`)
        .join(' '),
    ],
    ['in a fence, with words around', `Here it is:\n\`\`\`xml\n${written()}\n\`\`\`\nDone.`],
    [
      'in capitals',
      written().replace(/<(\/?)(\w+)>/g, (_, slash: string, tag: string) => `<${slash}${tag.toUpperCase()}>`),
    ],
    ['after thinking about blocks', `<think>first <caption>x</caption>, then</think>${written()}`],
    ['with a content type in words', written({ content_type: ' Data Chart. ' })],
    ['with white space everywhere', written().replace(/>([^<]+)</g, '>\n  $1 \n<')],
  ])('reads them %s', (_what, completion) => {
    expect(parseProposal(completion)).toEqual(parseProposal(written()));
  });

  it('decodes entities, once', () => {
    expect(unwrap(parseProposal(written({ caption: 'a &lt; b &amp;amp; c' }))).caption).toBe('a < b &amp; c');
  });

  it.each([
    ['missing-block', written({ hard_answer: null })],
    ['missing-block', ''],
    ['repeated-block', `${written()}<caption>more</caption>`],
    ['unclosed-block', written().replace('</hard_answer>', '')],
    ['empty-block', written({ easy_answer: '  ' })],
    ['nested-block', written({ caption: 'a <easy_answer>' }).replace('<easy_answer>9', '9')],
    ['unknown-content-type', written({ content_type: 'picture' })],
    ['too-long', written({ hard_answer: 'x'.repeat(101) })],
    ['same-questions', written({ hard_question: GOOD.easy_question.toUpperCase() })],
  ])('refuses as %s', (reason, completion) => {
    expect(parseProposal(completion)).toMatchObject({ ok: false, error: { reason } });
  });

  it('gives a proposal or a typed reason for whatever is cut, doubled or mixed', () => {
    const mutated = fc.tuple(fc.nat(), fc.nat(), fc.string(), fc.nat()).map(([i, j, noise, k]) => {
      const text = written();
      const cut = text.slice(0, i % text.length) + noise + text.slice(j % text.length);
      return cut.slice(k % 7) + (k % 3 === 0 ? text.slice(k % text.length) : '');
    });
    fc.assert(
      fc.property(mutated, (completion) => {
        const result = parseProposal(completion);
        if (result.ok) for (const text of Object.values(result.value)) expect(text).not.toBe('');
        else expect(PROPOSAL_REJECTIONS).toContain(result.error.reason);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('content types', () => {
  it.each([
    ['other', 'A bar chart of rain', 'data_chart'],
    ['other', 'A triangle ABC', 'geometry'],
    ['other', 'Seven coloured blobs', 'other'],
    ['map', 'A bar chart of rain', 'map'],
  ])('%s with %j counts as %s', (content_type, caption, expected) => {
    expect(effectiveContentType(unwrap(parseProposal(written({ content_type, caption }))))).toBe(expected);
  });
});

describe('leaks', () => {
  const leaks = (hardQuestion: string, hardAnswer: string, svg: string | null = null): readonly string[] =>
    leaksOf({ hardQuestion, hardAnswer }, svg);

  it('finds the answer in the question', () => {
    expect(leaks('Why is the Blue Line longest?', 'blue line')).toEqual(['answer-in-question']);
    expect(leaks('Is A or B larger?', 'B')).toEqual([]);
    expect(leaks('What stands beside 1,000?', '1000')).toEqual(['answer-in-question']);
    expect(leaks('What comes after 140?', '14')).toEqual([]);
  });

  it.each([
    ['If 12 were sold of 48 made, what percentage is that?', '25%'],
    ['What is the sum of 4.5 and 3?', '7.5'],
    ['From 80 it falls to 60. By how much?', '20'],
    ['What is the mean of 10 and 14?', '12'],
  ])('finds that %j needs no picture', (question, answer) => {
    expect(leaks(question, answer)).toEqual(['values-in-question']);
  });

  it.each([
    ['How much more was it in 2020 than in 2010?', '10'],
    ['How many of the 3 bars are over 5?', '2.5001'],
    ['How many more on the best day?', '7'],
  ])('lets %j pass', (question, answer) => {
    expect(leaks(question, answer).includes('values-in-question')).toBe(false);
  });

  it('finds the answer written in the drawing', () => {
    const svg = '<svg><text>Total: 7</text><text>7.<tspan>0</tspan></text><title>7</title></svg>';
    expect(textsOf(svg)).toEqual(['Total: 7', '7. 0']);
    expect(leaks('How many?', '7', '<svg><text>7.0</text></svg>')).toEqual(['answer-in-drawing']);
    expect(leaks('How many?', '7', '<svg><text>Total: 7</text></svg>')).toEqual([]);
    expect(leaks('How many?', '7', '<svg><text>7</text>')).toEqual([]);
  });
});

describe('parseBoxed', () => {
  it.each([
    ['<think>a</think> \\boxed{42}', '42', true],
    ['<think>\\boxed{1}</think>\\boxed{2}', '2', true],
    ['\\boxed{\\text{dark blue}}', 'dark blue', false],
    ['\\boxed{x^{2}}', 'x^{2}', false],
    ['<think>a</think><think>b</think>\\boxed{1}', '1', false],
  ])('reads %j', (text, answer, format) => {
    expect(unwrap(parseBoxed(text))).toMatchObject({ answer, format });
  });

  it.each([
    ['42', 'no-box'],
    ['<think>\\boxed{1}</think> 1', 'no-box'],
    ['\\boxed{4', 'unclosed-box'],
    ['\\boxed{ }', 'empty-box'],
  ])('refuses %j as %s', (text, reason) => {
    expect(parseBoxed(text)).toMatchObject({ ok: false, error: { reason } });
  });
});

describe('checkDrawings', () => {
  const svg = '```svg\n<svg width="9" height="9"><text>7</text></svg>\n```';

  it('counts what is accepted, refused and leaked, line by line', () => {
    const lines = [
      JSON.stringify(GOOD),
      JSON.stringify({ completion: written(), svg }),
      '',
      JSON.stringify({ ...GOOD, hard_answer: 7, svg: '<svg><script/></svg>' }),
      JSON.stringify({ completion: 'no' }),
      '{',
      '[]',
    ];
    const check = checkDrawings(lines);
    expect(check).toMatchObject({
      lines: 6,
      accepted: 2,
      rejected: { 'svg-forbidden': 1, 'missing-block': 1, 'not-json': 1, 'not-a-proposal': 1 },
      leaks: { 'answer-in-drawing': 1, 'answer-in-question': 0 },
    });
    expect(check.records.map(({ line }) => line)).toEqual([1, 2, 4, 5, 6, 7]);
    expect(check.contentTypes.data_chart).toBe(3);
  });
});
