import { describe, expect, it } from 'vitest';
import type { Completion } from '../../src/core/policy.js';
import { ok, reject } from '../../src/core/result.js';
import { makeTask } from '../../src/core/task.js';
import { exact } from '../../src/rewards/graders.js';
import { vicoActorReward } from '../../src/rewards/vico.js';

const task = makeTask({
  environment: 'clevr',
  images: [],
  question: 'How many?',
  answer: '3',
  answerKind: 'number',
  facts: {},
  label: { origin: 'pseudo', share: 1, votes: 1 },
});

function said(text: string): Completion {
  return { text, tokens: new Int32Array(), logprobs: new Float32Array(), finish: 'stop' };
}

function parse(text: string) {
  const answer = /^<think>.*<\/think><answer>(.*)<\/answer>$/.exec(text)?.[1];
  return answer === undefined ? reject('malformed', 'no answer') : ok({ answer });
}

describe('vicoActorReward', () => {
  it('pays +1 for format and answer together, else -1, in terms that add up', async () => {
    const texts = [
      '<think>x</think><answer>three</answer>',
      '<think>x</think><answer>4</answer>',
      '3',
      '<think>x</think><answer></answer>',
      '',
    ];
    const scores = await vicoActorReward({ parse })([
      { task, completions: texts.map(said) },
      { task, completions: [] },
    ]);
    expect(scores[0]?.map(({ total }) => total)).toEqual([1, -1, -1, -1, -1]);
    expect(scores[0]?.map(({ correct }) => correct)).toEqual([true, false, false, false, false]);
    expect(scores[0]?.[1]?.terms).toEqual({ format: 0, accuracy: -1 });
    expect(scores[0]?.[2]?.terms).toEqual({ format: -1, accuracy: 0 });
    for (const { total, terms } of scores[0] ?? []) {
      expect(Object.values(terms).reduce((sum, term) => sum + term, 0)).toBe(total);
    }
    expect(scores[1]).toEqual([]);
  });

  it('uses the grader it is given', async () => {
    const scores = await vicoActorReward({ parse, grade: exact })([
      { task, completions: [said('<think>x</think><answer>three</answer>')] },
    ]);
    expect(scores[0]?.[0]).toEqual({ total: -1, terms: { format: 0, accuracy: -1 }, correct: false });
  });
});
