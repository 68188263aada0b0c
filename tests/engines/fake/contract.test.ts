import { describe, expect, it } from 'vitest';
import { FakePolicy } from '../../../src/engines/fake/index.js';
import type { Objective } from '../../../src/core/policy.js';
import { userPrompt, promptText } from '../../../src/core/prompt.js';
import { Rng } from '../../../src/core/rng.js';
import { engineContract } from '../contract.js';

const WORDS = ['red', 'green', 'blue', 'cube', 'ball', 'one', 'two', '<answer>', '</answer>'];

function fake(): FakePolicy {
  return new FakePolicy({
    name: 'fake',
    vocabulary: WORDS,
    answers: (prompt, rng) => ({
      right: [`<answer> ${promptText(prompt).split(' ')[1] ?? 'red'} </answer>`],
      wrong: [`<answer> ${rng.pick(['one', 'two'])} </answer>`, 'two two', 'one red </answer>'],
      passRate: 0.4,
    }),
    completionLength: 8,
    promptLength: 4,
    pictures: { count: 1, width: 4, height: 2 },
  });
}

const picture = { width: 4, height: 2, rgb: new Uint8Array(24) };

engineContract('fake', {
  make: async () => fake(),
  prompts: ['say red', 'say green', 'say blue'].map((text) => userPrompt(text, [picture])),
  words: ['red', 'green', 'blue', 'cube', 'ball'],
  longest: 8,
  narrows: true,
  learningRate: 5e-4,
  unreadable: {
    'too long': userPrompt('say red and blue now', [picture]),
    'no picture': userPrompt('say red'),
    'two pictures': userPrompt('say red', [picture, picture]),
    'another size': userPrompt('say red', [{ width: 2, height: 4, rgb: new Uint8Array(24) }]),
  },
});

describe('fake policy', () => {
  const prompts = ['say red', 'say green', 'say blue', 'say cube'].map((text) => userPrompt(text, [picture]));
  const rightShare = async (policy: FakePolicy, asked: typeof prompts, seed: string): Promise<number> => {
    const out = await policy.sample(
      asked.map((prompt, i) => ({
        prompt,
        n: 200,
        maxTokens: 8,
        temperature: 1,
        rng: Rng.fromSeed(seed).child(i),
      })),
    );
    const right = out.flatMap((row, i) =>
      row.filter(
        (c) => c.text === `<answer> ${promptText(asked[i] as (typeof asked)[number]).slice(4)} </answer>`,
      ),
    );
    return right.length / out.flat().length;
  };

  it('is right as often as its script says', async () => {
    // 800 draws at p = 0.4: four standard errors are 0.07.
    expect(Math.abs((await rightShare(fake(), prompts, 'first')) - 0.4)).toBeLessThan(0.07);
  });

  it('learns from rewards to be right, on prompts that it never saw too', async () => {
    const policy = fake();
    const objective: Objective = {
      name: 'policy-gradient',
      temperature: 1,
      clipLow: 0.2,
      clipHigh: 0.2,
      kl: 0,
      entropy: 0,
    };
    const trained = prompts.slice(0, 3);
    for (let step = 0; step < 40; step++) {
      const out = await policy.sample(
        trained.map((prompt, i) => ({
          prompt,
          n: 8,
          maxTokens: 8,
          temperature: 1,
          rng: Rng.fromSeed('step').child(step, i),
        })),
      );
      const batch = out.map((row, i) => ({
        prompt: trained[i] as (typeof trained)[number],
        samples: row.map(({ tokens, logprobs, text }) => ({
          tokens,
          logprobs,
          weight: text.startsWith('<answer>') && !/one|two/.test(text) ? 1 : -1,
        })),
      }));
      await policy.update(batch, objective, 5e-4);
    }
    expect(await rightShare(policy, trained, 'after')).toBeGreaterThan(0.7);
    expect(await rightShare(policy, prompts.slice(3), 'after')).toBeGreaterThan(0.6);
  });

  it('refuses the state of a fake with other words', async () => {
    const other = new FakePolicy({
      name: 'other',
      vocabulary: ['red'],
      answers: () => ({ right: ['red'], wrong: [], passRate: 1 }),
    });
    await expect(fake().load(await other.save())).rejects.toThrow('another vocabulary');
  });

  it('always says the one thing its script holds', async () => {
    const policy = new FakePolicy({
      name: 'parrot',
      vocabulary: ['red'],
      answers: () => ({ right: ['red'], wrong: [], passRate: 0 }),
    });
    const [row] = await policy.sample([
      { prompt: userPrompt('anything at all'), n: 20, maxTokens: 5, temperature: 0.5, rng: Rng.fromSeed(1) },
    ]);
    expect(new Set(row?.map((c) => c.text))).toEqual(new Set(['red']));
  });
});
