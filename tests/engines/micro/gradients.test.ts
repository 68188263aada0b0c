import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Objective, TrainGroup } from '../../../src/core/policy.js';
import type { Prompt } from '../../../src/core/prompt.js';
import { Rng } from '../../../src/core/rng.js';
import type { MicroPolicy } from '../../../src/engines/micro/index.js';
import { readSafetensors, writeSafetensors } from '../../../src/engines/micro/safetensors.js';
import { accumulate } from '../../../src/engines/micro/trainer.js';
import { choice, constrain, literal, repeat } from '../grammars.js';
import { PROMPTS, tinyPolicy } from './tiny.js';

type Gradient = Map<string, Float32Array>;

let policy: MicroPolicy;
let untrained: Uint8Array;

beforeAll(async () => {
  const trainShapes = [
    { B: 2, K: 4 },
    { B: 4, K: 1 },
  ];
  policy = await tinyPolicy({ freezeVision: false, trainShapes });
  policy.setReference();
  untrained = await policy.save();
});
afterAll(() => policy.dispose());

const ALL_TERMS: Objective = {
  name: 'policy-gradient',
  temperature: 0.7,
  clipLow: 0.2,
  clipHigh: 0.28,
  kl: 0.5,
  entropy: 0.1,
};

/** Loss and gradient by tensor name; names as in a saved file. */
async function measure(
  batch: readonly TrainGroup[],
  objective: Objective,
): Promise<{ loss: number; gradient: Gradient }> {
  const { loss, gradient } = await accumulate(policy, batch, objective);
  const out: Gradient = new Map();
  const visit = async (name: string, value: unknown): Promise<void> => {
    if (typeof value === 'object' && value !== null && 'data' in value && 'refCount' in value) {
      const array = value as unknown as { data(): Promise<Float32Array> };
      out.set(name, Float32Array.from(await array.data()));
    } else {
      for (const [key, part] of Object.entries(value as object)) await visit(`${name}.${key}`, part);
    }
  };
  for (const [part, tree] of Object.entries(gradient)) await visit(part, tree);
  return { loss, gradient: out };
}

/** Completions of two prompts with advantages of both signs, some of whose ratios lie beyond the clip range. */
async function batch(
  constraint = constrain(repeat(choice(literal('red'), literal('two ball')), 1, 3)),
): Promise<TrainGroup[]> {
  const requests = PROMPTS.slice(0, 2).map((prompt, i) => ({
    prompt,
    n: 4,
    maxTokens: 8,
    temperature: 0.7,
    rng: Rng.fromSeed('gradients').child(i),
    constraint,
  }));
  const shifts = [0.05, -0.07, 0.6, -0.6];
  return (await policy.sample(requests)).map((row, i) => ({
    prompt: PROMPTS[i] as Prompt,
    constraint,
    samples: row.map(({ tokens, logprobs }, k) => ({
      tokens,
      logprobs: logprobs.map((l) => l + (shifts[k] as number)),
      weight: [1, -0.5, 0.7, -1.5][(k + i) % 4] as number,
    })),
  }));
}

it('gives the K completions of a group the gradient of K separate groups', async () => {
  const shared = await batch();
  const separate = shared.flatMap((group) =>
    // Another prompt object is another prompt: nothing is shared.
    group.samples.map((sample) => ({ ...group, prompt: { ...group.prompt }, samples: [sample] })),
  );
  const a = await measure(shared, ALL_TERMS);
  const b = await measure(separate, ALL_TERMS);
  expect(a.loss).toBeCloseTo(b.loss, 5);
  expect([...b.gradient.keys()]).toEqual([...a.gradient.keys()]);
  let most = 0;
  let largest = 0;
  for (const [name, values] of a.gradient) {
    values.forEach((v, i) => {
      most = Math.max(most, Math.abs(v - (b.gradient.get(name)?.[i] as number)));
      largest = Math.max(largest, Math.abs(v));
    });
  }
  expect(most).toBeLessThan(1e-5);
  expect(largest).toBeGreaterThan(1e-2);
}, 300_000);

/** Loss with one tensor moved by `step` along `direction`. */
async function lossBeside(
  groups: readonly TrainGroup[],
  objective: Objective,
  state: Uint8Array,
  name: string,
  direction: readonly number[],
  step: number,
): Promise<number> {
  const file = readSafetensors(state, 'state');
  const data = file.tensors.get(name)?.data;
  if (!data) throw new Error(`no tensor ${name}`);
  direction.forEach((d, i) => (data[i] = (data[i] as number) + step * d));
  await policy.load(writeSafetensors(file));
  const { loss, gradient } = await accumulate(policy, groups, objective);
  policy.jax.tree.dispose(gradient);
  return loss;
}

/** A part of the model of every kind. */
const TENSORS = [
  'text.token',
  'text.promptPosition',
  'text.completionPosition',
  'text.norm',
  'text.head',
  'text.blocks.0.query',
  'text.blocks.0.key',
  'text.blocks.0.imageKey',
  'text.blocks.0.up',
  'text.blocks.1.norm1',
  'text.blocks.1.imageValue',
  'text.blocks.1.value',
  'text.blocks.1.down',
  'vision.patchIn',
  'vision.patchBias',
  'vision.position',
  'vision.blocks.0.key',
];

it.each([
  ['policy gradient with every term', ALL_TERMS],
  ['cross-entropy', { name: 'cross-entropy' } satisfies Objective],
] as const)(
  'agrees with finite differences: %s',
  async (_, objective) => {
    await policy.load(untrained);
    let groups = await batch();
    if (objective.name === 'cross-entropy') {
      groups = groups.map((g) => ({
        ...g,
        samples: g.samples.map((s) => ({ ...s, weight: Math.abs(s.weight) })),
      }));
    } else {
      // Away from the reference, where the KL term has a slope.
      await policy.update(groups.slice(0, 1), objective, 3e-3);
    }
    const state = await policy.save();
    const { gradient } = await measure(groups, objective);
    const rng = Rng.fromSeed('directions');
    for (const name of TENSORS) {
      const slopes = gradient.get(name);
      if (!slopes) throw new Error(`no gradient for ${name}`);
      // Mostly uphill, so that the slope is well above rounding; random where the gradient claims to be 0.
      const raw = Array.from(slopes, (g) => (Math.sign(g) || (rng.chance(0.5) ? 1 : -1)) * rng.float());
      const length = Math.hypot(...raw);
      const direction = raw.map((d) => d / length);
      const analytic = direction.reduce((sum, d, i) => sum + d * (slopes[i] as number), 0);
      const h = 2e-2;
      const up = await lossBeside(groups, objective, state, name, direction, h);
      const down = await lossBeside(groups, objective, state, name, direction, -h);
      const numeric = (up - down) / (2 * h);
      expect(Math.abs(numeric - analytic), `${name}: ${numeric} and ${analytic}`).toBeLessThan(
        2e-2 * Math.abs(analytic) + 2e-5,
      );
      expect(Math.abs(analytic), name).toBeGreaterThan(1e-4);
    }
  },
  300_000,
);
