import { describe, expect, it } from 'vitest';
import { limitsDraw, narrowed } from '../../src/algorithms/sampling.js';

describe('what narrows a draw', () => {
  it('takes the presence penalty off the logits of what is written, once a token', () => {
    const probabilities = [0.2, 0.5, 0.3];
    const drawn = narrowed(probabilities, [1, 1], 1, { presencePenalty: 2 });
    // softmax of the logits with 2 taken off the second, up to scale.
    expect(drawn[0]).toBeCloseTo(0.2, 12);
    expect(drawn[1]).toBeCloseTo(0.5 * Math.exp(-2), 12);
    expect(drawn[2]).toBeCloseTo(0.3, 12);
    expect(narrowed(probabilities, [1], 0.5, { presencePenalty: 2 })[1]).toBeCloseTo(0.5 * Math.exp(-4), 12);
  });

  it('keeps the k likeliest after the penalty, the smaller id among equals', () => {
    expect([...narrowed([0.3, 0.1, 0.3, 0.3], [], 1, { topK: 2 })]).toEqual([0.3, 0, 0.3, 0]);
    const penalised = narrowed([0.6, 0.1, 0.3], [0], 1, { topK: 1, presencePenalty: 2 });
    expect([...penalised].map((w) => w > 0)).toEqual([false, false, true]);
    expect([...narrowed([0.6, 0.4], [], 1, { topK: 9 })]).toEqual([0.6, 0.4]);
  });

  it('says whether there is anything to do', () => {
    expect(limitsDraw({})).toBe(false);
    expect(limitsDraw({ presencePenalty: 0 })).toBe(false);
    expect(limitsDraw({ topK: 40 })).toBe(true);
  });
});
