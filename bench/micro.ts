/**
 * The micro engine: rollouts sampled a second, samples trained a second with and without prompt sharing, and whether memory
 * stays flat over 500 steps. `npx tsx bench/micro.ts [speed] [memory]`; both when none is named.
 */
import type { Objective, TrainGroup } from '../src/core/policy.js';
import { userPrompt, type Prompt } from '../src/core/prompt.js';
import { Rng } from '../src/core/rng.js';
import type { MicroConfig } from '../src/engines/micro/config.js';
import { MicroPolicy } from '../src/engines/micro/index.js';
import { ACTOR_CONFIG, VIEW } from '../scripts/clevr-base.js';
import { printTable, rate } from './table.js';

const K = 8;
const GRPO = {
  name: 'policy-gradient',
  temperature: 1,
  clipLow: 0.2,
  clipHigh: 0.2,
  kl: 0,
  entropy: 0,
} as const satisfies Objective;

function promptsOf(config: MicroConfig, n: number): Prompt[] {
  return Array.from({ length: n }, (_, i) => {
    const rng = Rng.fromSeed('bench').child(i);
    const words = Array.from({ length: config.promptLength - 4 }, () => rng.pick(config.vocabulary));
    const { imageWidth: width, imageHeight: height } = config.vision ?? { imageWidth: 0, imageHeight: 0 };
    const rgb = Uint8Array.from({ length: 3 * width * height }, () => rng.int(256));
    return userPrompt(words.join(' '), config.vision ? [{ width, height, rgb }] : []);
  });
}

/** K completions a prompt, sampled by the policy, with advantages of both signs. */
async function rollOut(policy: MicroPolicy, prompts: readonly Prompt[], seed: number): Promise<TrainGroup[]> {
  const completions = await policy.sample(
    prompts.map((prompt, i) => ({
      prompt,
      n: K,
      maxTokens: policy.config.completionLength,
      temperature: 1,
      rng: Rng.fromSeed(seed).child(i),
    })),
  );
  return prompts.map((prompt, i) => ({
    prompt,
    samples: (completions[i] ?? []).map(({ tokens, logprobs }, k) => ({
      tokens,
      logprobs,
      weight: k % 2 === 0 ? 1 : -1,
    })),
  }));
}

/** The same samples, each under a prompt object of its own, so that nothing is shared. */
function apart(groups: readonly TrainGroup[]): TrainGroup[] {
  return groups.flatMap((group) =>
    group.samples.map((sample) => ({ prompt: { ...group.prompt }, samples: [sample] })),
  );
}

async function speed(): Promise<void> {
  console.log(
    `CLEVR actor (${VIEW.width}x${VIEW.height}), fresh weights, encoder frozen, K = ${K}; one core:`,
  );
  const policy = await MicroPolicy.create(ACTOR_CONFIG, Rng.fromSeed(1), {
    name: 'actor',
    freezeVision: true,
  });
  const prompts = promptsOf(ACTOR_CONFIG, 32);
  const alone = prompts.flatMap((prompt) => Array.from({ length: K }, () => ({ ...prompt })));
  let seed = 0;
  const sample = async (asked: readonly Prompt[], n: number): Promise<number> => {
    const out = await policy.sample(
      asked.map((prompt, i) => ({
        prompt,
        n,
        maxTokens: ACTOR_CONFIG.completionLength,
        temperature: 1,
        rng: Rng.fromSeed(++seed).child(i),
      })),
    );
    return out.flat().length;
  };
  const sampledTogether = await rate(() => sample(prompts, K));
  const sampledAlone = await rate(() => sample(alone, 1));
  const groups = await rollOut(policy, prompts.slice(0, 16), 1);
  const single = apart(groups);
  const train = async (batch: readonly TrainGroup[]): Promise<number> => {
    await policy.update(batch, GRPO, 1e-5);
    return batch.reduce((n, group) => n + group.samples.length, 0);
  };
  const trainedTogether = await rate(() => train(groups));
  const trainedAlone = await rate(() => train(single));
  const to = 'without sharing';
  printTable([
    { what: 'sampled, prompt of each rollout computed', rate: sampledAlone, unit: 'rollouts' },
    {
      what: 'sampled, prompt shared by its group',
      rate: sampledTogether,
      unit: 'rollouts',
      ratio: { to, value: sampledTogether / sampledAlone },
    },
    { what: 'trained, prompt of each sample computed', rate: trainedAlone, unit: 'samples' },
    {
      what: 'trained, prompt shared by its group',
      rate: trainedTogether,
      unit: 'samples',
      ratio: { to, value: trainedTogether / trainedAlone },
    },
  ]);
  policy.dispose();
}

/** A model as small as it gets: a leak of arrays shows by number, not by size. */
const TINY = {
  width: 32,
  heads: 2,
  layers: 2,
  expand: 2,
  promptLength: 8,
  completionLength: 8,
  vocabulary: ['red', 'green', 'blue', 'cube', 'ball', 'one', 'two'],
  vision: { imageWidth: 16, imageHeight: 16, stride: 8, window: 12, layers: 1, patchLabels: 1 },
} as const satisfies MicroConfig;

async function memory(): Promise<void> {
  console.log('Memory over 500 steps (sample, update with KL, log-probabilities; save and load every 50):');
  const shapes = [{ B: 4, K }];
  const policy = await MicroPolicy.create(TINY, Rng.fromSeed(1), {
    name: 'tiny',
    freezeVision: false,
    sampleShapes: shapes,
    trainShapes: shapes,
  });
  policy.setReference();
  const prompts = promptsOf(TINY, 4);
  const resident: number[] = [];
  for (let step = 0; step <= 500; step++) {
    const groups = await rollOut(policy, prompts, step);
    await policy.update(groups, { ...GRPO, kl: 0.01 }, 1e-4);
    await policy.logprobs(groups);
    if (step % 50 === 0) await policy.load(await policy.save());
    if (step % 100 !== 0) continue;
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    const mb = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;
    const growth = resident[1] === undefined ? '' : `, ${(rss / resident[1]).toFixed(3)} x that of step 100`;
    console.log(`step ${step}: resident ${mb(rss)}, heap ${mb(heapUsed)}, external ${mb(external)}${growth}`);
    resident.push(rss);
  }
  policy.dispose();
}

const asked = process.argv.slice(2);
if (asked.length === 0 || asked.includes('speed')) await speed();
if (asked.length === 0 || asked.includes('memory')) await memory();
