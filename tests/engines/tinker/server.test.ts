import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TrainGroup } from '../../../src/core/policy.js';
import { userPrompt } from '../../../src/core/prompt.js';
import { Rng } from '../../../src/core/rng.js';
import { askCapabilities } from '../../../src/engines/tinker/capabilities.js';
import { TinkerClient } from '../../../src/engines/tinker/client.js';
import { TinkerPolicy } from '../../../src/engines/tinker/policy.js';
import { ModelText } from '../../../src/engines/tinker/tokenizer.js';

// Written by scripts/test-tinker.sh, which starts SkyRL's server; without it there is nothing to talk to.
const place = '.venv-engines/tinker-server.json';
const { url: baseUrl, model: folder } = existsSync(place)
  ? (JSON.parse(readFileSync(place, 'utf8')) as { url: string; model: string })
  : { url: null, model: '' };

describe.skipIf(!baseUrl)("SkyRL's own server", { timeout: 590_000 }, () => {
  it('trains a text role: loss falls, reward rises, a checkpoint is saved, loaded and sampled from', async () => {
    const text = ModelText.open(folder);
    const client = await TinkerClient.connect({
      baseUrl: baseUrl ?? '',
      apiKey: null,
      patience: 120,
      requestTimeout: 400,
      firstDelay: 0.2,
    });
    expect(await client.supportedModels()).toEqual([folder]);
    const lora = { rank: 8, seed: 1 };
    const still = await client.createModel(folder, lora);
    const server = await askCapabilities(client, still, text.endToken);
    console.log('server:', [...server.losses].join(' '), server.reduction, server.measured);
    expect(server.losses).toContain('cross_entropy');
    expect(server.losses).toContain('importance_sampling');
    const notes: string[] = [];
    const policy = await TinkerPolicy.open({
      name: 'rewriter',
      client,
      text,
      server,
      baseModel: folder,
      lora,
      adam: { beta1: 0.9, beta2: 0.95, eps: 1e-8, weight_decay: 0 },
      referenceId: still,
      batch: 32,
      concurrency: 32,
      note: (line) => notes.push(line),
    });
    const prompt = userPrompt('Add one red cube.');
    const tokens = policy.encode('{"add": "red cube"}');
    const lesson: TrainGroup[] = [
      { prompt, samples: [{ tokens, logprobs: new Float32Array(tokens.length), weight: 1 }] },
    ];
    const losses: number[] = [];
    for (let step = 0; step < 10; step++) {
      losses.push((await policy.update(lesson, { name: 'cross-entropy' }, 3e-2)).loss);
    }
    console.log('cross-entropy:', losses.map((l) => l.toFixed(3)).join(' '));
    expect(losses.at(-1)).toBeLessThan((losses[0] as number) * 0.8);

    // Reward: the share of even token ids, which anything random gives half of.
    const rewards: number[] = [];
    for (let step = 0; step < 10; step++) {
      const request = { prompt, n: 16, maxTokens: 8, temperature: 1, rng: Rng.fromSeed(`step ${step}`) };
      const [said = []] = await policy.sample([request]);
      const scores = said.map(({ tokens: ids }) => ids.filter((id) => id % 2 === 0).length / ids.length);
      const mean = scores.reduce((a, b) => a + b, 0) / scores.length;
      rewards.push(mean);
      const samples = said.map((c, i) => ({ ...c, weight: ((scores[i] as number) - mean) * 4 }));
      const objective = {
        name: 'policy-gradient',
        temperature: 1,
        clipLow: 0.2,
        clipHigh: 0.28,
        kl: 1e-3,
        entropy: 0,
      } as const;
      const metrics = await policy.update([{ prompt, samples }], objective, 2e-2);
      if (step === 0) {
        console.log('first step:', metrics);
        expect(metrics.clipFraction).toBeLessThan(0.05);
        expect(metrics.gradNorm).toBeGreaterThan(0);
      }
    }
    console.log('reward:', rewards.map((r) => r.toFixed(3)).join(' '));
    const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;
    expect(mean(rewards.slice(-3))).toBeGreaterThan(mean(rewards.slice(0, 3)) + 0.1);

    const before = await policy.logprobs(lesson);
    const state = await policy.save();
    await policy.update(lesson, { name: 'cross-entropy' }, 3e-2);
    const moved = await policy.logprobs(lesson);
    await policy.load(state);
    const after = await policy.logprobs(lesson);
    const apart = (a: Float32Array[][], b: Float32Array[][]): number =>
      Math.max(...(a[0]?.[0] ?? []).map((x, t) => Math.abs(x - (b[0]?.[0]?.[t] ?? NaN))));
    console.log('log-probabilities: moved', apart(before, moved), 'restored', apart(before, after));
    expect(apart(before, moved)).toBeGreaterThan(1e-2);
    expect(apart(before, after)).toBeLessThan(1e-4);
    const again = { prompt, n: 2, maxTokens: 8, temperature: 1, rng: Rng.fromSeed('again') };
    const [sampled = []] = await policy.sample([again]);
    expect(sampled).toHaveLength(2);
    const twice = await policy.sample([again]);
    expect(twice[0]?.map((c) => [...c.tokens])).toEqual(sampled.map((c) => [...c.tokens]));
    console.log('notes:', notes);
    policy.dispose();
  });
});
