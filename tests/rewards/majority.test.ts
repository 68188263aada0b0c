import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/core/rng.js';
import { grade } from '../../src/rewards/grading.js';
import { majorityVote, pseudoLabel } from '../../src/rewards/majority.js';

const number = { answerKind: 'number' } as const;
const rng = () => Rng.fromSeed('votes');

describe('majorityVote', () => {
  it('counts spellings of one answer together and leaves silence out', () => {
    const vote = majorityVote(['15', '14', null, '14.0', 'none', 'fourteen', 'N/A', ''], number, rng());
    expect(vote).toEqual({
      answer: '14',
      classOf: [0, 1, null, 1, null, 1, null, null],
      winner: 1,
      votes: 4,
      selfConsistency: 0.75,
      tied: false,
      classes: [
        { answer: '15', votes: 1 },
        { answer: '14', votes: 3 },
      ],
    });
    expect(vote && pseudoLabel(vote)).toEqual({ origin: 'pseudo', share: 0.75, votes: 4 });
  });

  it('has no winner where nobody answered', () => {
    expect(majorityVote([], number, rng())).toBeNull();
    expect(majorityVote([null, 'none', ' '], number, rng())).toBeNull();
  });

  it('lets an answer of another kind vote as its words, apart from those of the kind', () => {
    const vote = majorityVote(['about five', 'About five.', '5'], number, rng());
    expect(vote?.answer).toBe('about five');
    expect(vote?.selfConsistency).toBeCloseTo(2 / 3, 12);
    const choice = { answerKind: 'choice', choices: ['red', 'blue'] } as const;
    expect(
      majorityVote(['A', 'red', 'B', 'option 0'], choice, rng())?.classes.map(({ votes }) => votes),
    ).toEqual([2, 1, 1]);
  });

  it('breaks ties by the stream given, evenly, and touches it only then', () => {
    const wins = { '1': 0, '2': 0 };
    for (let i = 0; i < 400; i++) {
      const vote = majorityVote(['1', '2', '3', '2', '1'], number, Rng.fromSeed('ties').child(i));
      expect(vote?.tied).toBe(true);
      wins[vote?.answer as '1' | '2'] += 1;
    }
    expect(wins['1'] + wins['2']).toBe(400);
    expect(Math.abs(wins['1'] - 200)).toBeLessThan(50);
    const untouched = Rng.fromSeed(1);
    majorityVote(['1', '1', '2'], number, untouched);
    expect(untouched.float()).toBe(Rng.fromSeed(1).float());
  });

  it('finds the largest class of the grader, whatever the order', () => {
    const answer = fc.constantFrom('1', '1.0', 'one', '2', '2%', 'two', '3', 'x', 'X.', '', 'none', null);
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 12 }), (answers) => {
        const vote = majorityVote(answers, number, rng());
        const backwards = majorityVote([...answers].reverse(), number, rng());
        expect(backwards?.selfConsistency).toBe(vote?.selfConsistency);
        if (!vote) return;
        const agreeing = answers.filter(
          (given) => given !== null && grade(given, { ...number, answer: vote.answer }),
        );
        if (vote.answer.toLowerCase().startsWith('x')) return;
        expect(agreeing.length).toBe(vote.classes[vote.winner]?.votes);
        expect(Math.max(...vote.classes.map(({ votes }) => votes))).toBe(agreeing.length);
      }),
    );
  });
});
