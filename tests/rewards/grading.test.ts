import fc from 'fast-check';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AnswerKind } from '../../src/core/task.js';
import { numberKey, wordKey } from '../../src/rewards/answerText.js';
import { answerKey, grade, hasContent, isGradable, type Gradable } from '../../src/rewards/grading.js';

const KINDS: readonly AnswerKind[] = ['number', 'word', 'choice', 'yes-no'];

function task(answerKind: AnswerKind, answer: string, choices?: readonly string[]): Gradable {
  return { answerKind, answer, ...(choices ? { choices } : {}) };
}

/** Rows of [answer, right spellings, wrong ones]. */
type Row = readonly [answer: string, right: readonly string[], wrong: readonly string[]];

function check(kind: AnswerKind, rows: readonly Row[], choices?: readonly string[]): void {
  for (const [answer, right, wrong] of rows) {
    for (const given of right) {
      expect(grade(given, task(kind, answer, choices)), `${kind}: '${given}' for '${answer}'`).toBe(true);
    }
    for (const given of wrong) {
      expect(grade(given, task(kind, answer, choices)), `${kind}: '${given}' for '${answer}'`).toBe(false);
    }
  }
}

describe('grade', () => {
  it('compares numbers as decimals', () => {
    check('number', [
      [
        '1000',
        ['1,000', '1000.0', '+1000', ' 1000. ', '1e3', '"1,000"', '**1000**', '$1,000', '１０００'],
        ['1,00', '10,00', '1,0000', '1.000', '100', '1 000', '1000!', '>1000', '~1000'],
      ],
      [
        '14',
        ['14', '14.0', '14.', '+14', 'fourteen', 'Fourteen.', '14%', '14 percent'],
        ['14.01', '-14', '1', '4', '15', '', 'four', '14 or 15', '14/1'],
      ],
      ['3', ['three', 'THREE', '+3', '3.000', '03', '3,'], ['33', '-3', 'tree', '3²', '3²=9', '٣']],
      ['62%', ['62', '62 %', '62.0%', '62 per cent'], ['0.62', '6.2', '62%%']],
      ['0.62', ['.62', '0.620', '+.62', '6.2e-1'], ['62%', '62', '0.62.1']],
      ['-1.6', ['-1.60', '−1.6', '–1.6', '-$1.6', '$-1.6'], ['1.6', '--1.6', '+-1.6', '- - 1.6']],
      ['0', ['0', '-0', '0.00', 'zero', '0e7'], ['', 'none', 'no', 'o', '1']],
      ['21', ['twenty-one', 'twenty one', '21'], ['twenty', 'twentyone', '20 1']],
      ['9007199254740993', ['9,007,199,254,740,993'], ['9007199254740992']],
      ['2010', ['2010', '2010.'], ['1915', '2009', '2011', '10', '2,01']],
      ['1e999', ['1e999', '10e998'], ['Infinity', '1e998', 'inf']],
    ]);
  });

  it('reads yes and no in two spellings each and nothing else', () => {
    check('yes-no', [
      [
        'Yes',
        ['yes', 'Yes.', 'YES!', 'true', 'True', '"yes"'],
        ['no', '', 'y', '1', 'yes, because', 'not yes', 'none', 'yesno', 'constructor', '__proto__'],
      ],
      ['False', ['no', 'No.', 'false'], ['yes', 'true', '0', 'n', 'on']],
    ]);
  });

  it('compares words exactly but for case, punctuation around them and a leading article', () => {
    check('word', [
      ['no', ['No', 'no.'], ['on', 'n o', 'not', '']],
      ['Monday', ['monday', 'the Monday', '"Monday".'], ['Mon', 'Sunday', 'Mondays', 'day']],
      ['large', ['a large', 'Large'], ['larger', 'l arge', 'small']],
      ['vitamin A', ['Vitamin a'], ['vitamin', 'vitamin B', 'A vitamin']],
      ['C++', ['c++', '`C++`'], ['C', 'C#']],
      ['Facebook Messenger*', ['Facebook  Messenger'], ['Facebook', 'Messenger']],
      [
        'Natural resources, construction, and maintenance',
        ['natural resources, construction, and maintenance.'],
        ['natural resources construction and maintenance'],
      ],
      ['café', ['cafe\u0301', 'CAFÉ'], ['cafe']],
      ['Over 30 mins', ['over 30 mins'], ['30 mins', 'under 30 mins']],
      ['2010–2015', ['2010-2015'], ['2010']],
      ['none', ['None', 'none.'], ['', 'n/a']],
    ]);
  });

  it('reads a choice by letter, by text, or by both when they agree', () => {
    const colours = ['red', 'blue', 'the green one', '4'];
    check(
      'choice',
      [
        [
          'B',
          ['B', 'b', '(B)', 'B.', '(b).', 'option B', 'blue', 'Blue.', 'B. blue', '(B) blue', 'B: Blue'],
          ['A', 'red', 'B. red', 'bl', '', 'AB', 'A, B', 'E', 'B or A', 'blue red'],
        ],
        ['the green one', ['C', 'green one', 'c) The green one'], ['green', 'D']],
        ['D', ['4', '4.0', 'four', 'D. 4'], ['5', 'D. 5', 'A']],
      ],
      colours,
    );
    check('choice', [['A', ['A', '(a)', 'a.'], ['B', '', 'apple', 'AA']]]);
  });

  it('calls a text that two options share ambiguous, and a letter a letter', () => {
    check('choice', [['A', ['A'], ['same', 'B']]], ['same', 'same', 'other']);
    check(
      'choice',
      [
        ['A', ['A'], ['B']],
        ['B', ['B'], ['A']],
      ],
      ['B', 'A'],
    );
    expect(isGradable(task('choice', 'same', ['same', 'same']))).toBe(false);
    // 50 and 50% are two options although both are the number 50.
    check('choice', [['50%', ['B', '50%'], ['A', '50']]], ['50', '50%']);
  });

  it('gives quantities a tolerance only when asked, and years never', () => {
    const five = { relativeTolerance: 0.05 };
    expect(grade('4.9', task('number', '5'))).toBe(false);
    expect(grade('4.9', task('number', '5'), five)).toBe(true);
    expect(grade('105', task('number', '100'), five)).toBe(true);
    expect(grade('105.1', task('number', '100'), five)).toBe(false);
    expect(grade('-96', task('number', '-100'), five)).toBe(true);
    expect(grade('1915', task('number', '2010'), five)).toBe(false);
    expect(grade('2009', task('number', '2010'), five)).toBe(false);
    expect(grade('2010.0', task('number', '2010'), five)).toBe(true);
    expect(grade('2009', task('number', '2,010'), five)).toBe(true);
    expect(grade('1e999', task('number', '1e998'), five)).toBe(false);
    expect(grade('0.01', task('number', '0'), five)).toBe(false);
    expect(grade('blue', task('word', 'glue'), { relativeTolerance: 10 })).toBe(false);
  });

  it('never finds an answer without content right', () => {
    const blanks = ['', ' ', '\n\t', '.', '"" ', '\u200b', '()', '***', '\ufeff'];
    for (const kind of KINDS) {
      for (const blank of blanks) {
        for (const answer of [...blanks, '3', 'yes', 'A']) {
          expect(grade(blank, task(kind, answer)), `${kind} '${blank}' for '${answer}'`).toBe(false);
        }
      }
    }
  });

  it('answers quickly and without throwing whatever it is given', () => {
    const hostile = [
      'NaN',
      'Infinity',
      '-Infinity',
      '1e999',
      '1e99999999999',
      '٣',
      '३',
      '\ud800',
      '\u0000',
      '0x10',
      '1_000',
      '𝟛',
      '\u202e3',
      '9'.repeat(1e6),
      ','.repeat(1e6),
      ' '.repeat(1e6),
      '.'.repeat(1999) + 'x',
      `x${'.'.repeat(1900)}y`,
      '('.repeat(1900),
      '1,'.repeat(900),
      'a '.repeat(900),
      '%'.repeat(1500),
      'ﷺ'.repeat(1500),
      'e\u0301'.repeat(900),
    ];
    const started = process.cpuUsage();
    for (const kind of KINDS) {
      for (const text of hostile) {
        expect(grade(text, task(kind, '3', ['3', 'x']))).toBe(false);
        expect(typeof grade('3', task(kind, text, [text, 'x']))).toBe('boolean');
      }
    }
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000, 'milliseconds').toBeLessThan(2000);
    for (const text of ['NaN', 'Infinity', '٣', '0x10', '1_000', '𝟛'])
      expect(numberKey(text), text).toBeNull();
  });

  it('is total, and right on the label itself exactly when that is gradable', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.constantFrom('A', 'b', 'yes', '1,000', 'none', '3.0'),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...KINDS),
        text,
        text,
        fc.array(text, { maxLength: 4 }),
        (kind, a, b, choices) => {
          const asked = task(kind, a, choices);
          expect(grade(a, asked)).toBe(isGradable(asked));
          // Symmetric: two texts say the same or they don't.
          expect(grade(b, asked)).toBe(grade(a, task(kind, b, choices)));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('agrees with arithmetic on numbers written in many ways', () => {
    const spelled = fc.record({
      cents: fc.integer({ min: -1e9, max: 1e9 }),
      zeros: fc.nat(3),
      commas: fc.boolean(),
      plus: fc.boolean(),
      percent: fc.boolean(),
    });
    const write = ({
      cents,
      zeros,
      commas,
      plus,
      percent,
    }: {
      cents: number;
      zeros: number;
      commas: boolean;
      plus: boolean;
      percent: boolean;
    }) => {
      const [whole = '', fraction = ''] = (Math.abs(cents) / 100).toFixed(2).split('.');
      const grouped = commas ? Number(whole).toLocaleString('en-US') : whole;
      return `${cents < 0 ? '-' : plus ? '+' : ''}${grouped}.${fraction}${'0'.repeat(zeros)}${percent ? '%' : ''}`;
    };
    fc.assert(
      fc.property(spelled, spelled, fc.boolean(), (a, b, same) => {
        const other = same ? { ...b, cents: a.cents } : b;
        expect(grade(write(other), task('number', write(a)))).toBe(a.cents === other.cents);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('keys', () => {
  it('keeps content apart from none', () => {
    expect(['', 'none', 'None.', 'N/A', 'n/a', '...', ' '].filter(hasContent)).toEqual([]);
    expect(['no', '0', 'none of these', 'na', '+'].filter((text) => !hasContent(text))).toEqual([]);
  });

  it('does not read answers of thousands of letters', () => {
    expect(wordKey('x'.repeat(2000))).not.toBeNull();
    expect(wordKey('x'.repeat(2001))).toBeNull();
    expect(numberKey('9'.repeat(2001))).toBeNull();
  });

  it('does not let compatibility forms turn into digits', () => {
    expect(numberKey('5²')).toBeNull();
    expect(wordKey('５Ｇ')).toBe('5g');
  });

  it('says nothing for a text of another kind', () => {
    expect(answerKey('blue', task('number', '1'))).toBeNull();
    for (const text of ['maybe', 'constructor', 'toString'])
      expect(answerKey(text, task('yes-no', 'yes'))).toBeNull();
    expect(answerKey('purple', task('choice', 'A', ['red']))).toBeNull();
  });
});

const CHARTS = '../shared/data/chartqa/questions.json';

describe('ChartQA labels', () => {
  it.skipIf(!existsSync(CHARTS))(
    'are right for themselves and wrong for each other (skipped without the data)',
    () => {
      const questions = JSON.parse(readFileSync(CHARTS, 'utf8')) as { label: string }[];
      const labels = [...new Set(questions.map(({ label }) => label))];
      expect(labels.length).toBeGreaterThan(30);
      for (const label of labels) {
        const kind = numberKey(label) === null ? 'word' : 'number';
        const right = labels.filter((other) => grade(other, task(kind, label)));
        expect(right, label).toEqual([label]);
      }
    },
  );
});
