import { describe, expect, it } from 'vitest';
import type { Objective } from '../../../src/core/policy.js';
import type { Capabilities } from '../../../src/engines/tinker/capabilities.js';
import { datum } from '../../../src/engines/tinker/datums.js';
import { imageTokens } from '../../../src/engines/tinker/image-tokens.js';
import { lossInputs, planLoss, type Case } from '../../../src/engines/tinker/losses.js';

const pg = {
  name: 'policy-gradient',
  temperature: 1,
  clipLow: 0.2,
  clipHigh: 0.28,
  kl: 0,
  entropy: 0,
} as const;
const all: Capabilities = {
  losses: new Set(['cross_entropy', 'importance_sampling', 'ppo'] as const),
  reduction: 'sequence-mean',
  measured: true,
};
const few: Capabilities = { ...all, losses: new Set(['cross_entropy', 'importance_sampling'] as const) };
const sample = (weight: number, length: number, current = 0): Case => ({
  weight,
  length,
  behaviour: new Float32Array(length),
  current: new Float32Array(length).fill(current),
  reference: null,
});

describe('losses on a Tinker server', () => {
  it('takes ppo with its thresholds, or clips by itself where there is none', () => {
    expect(planLoss(pg, all, [])).toMatchObject({
      loss: 'ppo',
      config: { clip_low_threshold: 0.8, clip_high_threshold: 1.28 },
    });
    const plan = planLoss(pg, few, []);
    expect(plan).toMatchObject({ loss: 'importance_sampling', current: true });
    const [kept, clipped] = lossInputs(pg, plan, few, [sample(1, 2, 0.1), sample(1, 2, 0.5)]);
    expect(kept?.['advantages']).toEqual([1, 1]);
    expect(clipped?.['advantages']).toEqual([0, 0]);
  });

  it('gives every token the same say under a mean over sequences', () => {
    const [short, long] = lossInputs(pg, planLoss(pg, all, []), all, [sample(1, 1), sample(1, 3)]);
    // The server: mean of 2 sequences of each one's mean; wanted: a quarter for each of 4 tokens.
    expect((short?.['advantages']?.[0] as number) / 2 / 1).toBeCloseTo(0.25);
    expect((long?.['advantages']?.[0] as number) / 2 / 3).toBeCloseTo(0.25);
  });

  it('weighs sequences by importance sampling where cross-entropy would drop the weights', () => {
    const sft: Objective = { name: 'cross-entropy' };
    expect(planLoss(sft, all, [1, 1]).loss).toBe('cross_entropy');
    expect(planLoss(sft, all, [1, 3]).loss).toBe('importance_sampling');
    expect(planLoss(sft, { ...all, reduction: 'sum' }, [1, 3]).loss).toBe('cross_entropy');
  });

  it('refuses what no Tinker loss can do, in one line', () => {
    expect(() => planLoss({ ...pg, entropy: 0.1 }, all, [])).toThrow(
      'entropy = 0.1: the Tinker protocol has no',
    );
    expect(() => planLoss({ ...pg, temperature: 0.7 }, all, [])).toThrow('temperature = 0.7');
  });

  it('keeps targets aligned behind an image', () => {
    const image = { type: 'image', data: '', format: 'png', expected_tokens: 4 } as const;
    const prompt = {
      chunks: [{ type: 'encoded_text', tokens: [1] }, image, { type: 'encoded_text', tokens: [2] }],
      length: 6,
    } as const;
    const made = datum({ prompt, tokens: Int32Array.of(7, 8), inputs: { weights: [1, 1] } });
    expect(made.loss_fn_inputs['target_tokens']?.data).toEqual([0, 0, 0, 0, 0, 7, 8]);
    expect(made.loss_fn_inputs['weights']?.data).toEqual([0, 0, 0, 0, 0, 1, 1]);
    expect(made.model_input.chunks.at(-1)).toEqual({ type: 'encoded_text', tokens: [7] });
  });

  it('counts image tokens by the smart-resize rule', () => {
    const sizing = { factor: 32, minPixels: 65536, maxPixels: 16777216 };
    expect(imageTokens(320, 240, sizing)).toBe(80);
    expect(imageTokens(480, 320, sizing)).toBe(150);
    expect(imageTokens(10, 10, sizing)).toBe(64);
    expect(() => imageTokens(10, 4000, sizing)).toThrow('200 times');
  });
});
