import type { Grader } from '../../src/rewards/grading.js';
import { describe, expect, it } from 'vitest';
import { GRADERS, type GraderName } from '../../src/rewards/graders.js';
import type { AnswerKind } from '../../src/core/task.js';

const NAMES = Object.keys(GRADERS) as GraderName[];

/** What every grader says of an answer. */
function verdicts(given: string, answer: string, answerKind: AnswerKind = 'number'): Record<string, boolean> {
  return Object.fromEntries(NAMES.map((name) => [name, GRADERS[name].grade(given, { answer, answerKind })]));
}

describe('GRADERS', () => {
  it('agree where there is nothing to disagree about', () => {
    for (const [answer, kind] of [
      ['14', 'number'],
      ['blue', 'word'],
      ['Yes', 'yes-no'],
    ] as const) {
      expect(Object.values(verdicts(answer, answer, kind)).every(Boolean)).toBe(true);
      expect(Object.values(verdicts('zebra', answer, kind)).some(Boolean)).toBe(false);
    }
  });

  it('reproduce their published faults', () => {
    expect(verdicts('1,000', '1000')).toEqual({
      strict: true,
      exact: false,
      squad: true,
      chartqaRelaxed: false,
      substring: false,
    });
    expect(verdicts('1915', '2010')).toEqual({
      strict: false,
      exact: false,
      squad: false,
      chartqaRelaxed: true,
      substring: false,
    });
    expect(verdicts('', '2010')).toEqual({
      strict: false,
      exact: false,
      squad: false,
      chartqaRelaxed: false,
      substring: true,
    });
    expect(verdicts('Yes.', 'Yes', 'yes-no')).toEqual({
      strict: true,
      exact: false,
      squad: true,
      chartqaRelaxed: false,
      substring: true,
    });
    expect(verdicts('-5', '5')).toEqual({
      strict: false,
      exact: false,
      squad: true,
      chartqaRelaxed: false,
      substring: true,
    });
    expect(verdicts('14.0', '14')).toEqual({
      strict: true,
      exact: false,
      squad: false,
      chartqaRelaxed: true,
      substring: true,
    });
    expect(verdicts('vitamin', 'vitamin A', 'word').squad).toBe(true);
  });

  it('read floats in ChartQA as Python does', () => {
    const relaxed: Grader = GRADERS.chartqaRelaxed.grade;
    const cases: [string, string, boolean][] = [
      ['105', '100', true],
      ['105.1', '100', false],
      ['95', '100', true],
      ['0.62', '62%', true],
      ['62', '62%', false],
      ['0', '0', true],
      ['0.0', '0', false],
      ['1e2', '100', true],
      ['nan', 'nan', false],
      ['inf', 'inf', false],
      ['5', 'inf', false],
      [' 5 ', '5', true],
      ['1_0', '10', true],
      ['١٠', '10', false],
      ['BLUE', 'blue', true],
      ['', '', true],
    ];
    for (const [given, answer, right] of cases) {
      expect(relaxed(given, { answer, answerKind: 'number' }), `'${given}' for '${answer}'`).toBe(right);
    }
  });

  it('never throw', () => {
    for (const text of [
      '',
      '\ud800',
      '9'.repeat(1e5),
      'NaN',
      '1e999',
      '%'.repeat(1e5),
      '_'.repeat(1e4),
      '1_'.repeat(1e4),
    ]) {
      for (const name of NAMES)
        expect(typeof GRADERS[name].grade(text, { answer: text, answerKind: 'word' })).toBe('boolean');
    }
  });
});
