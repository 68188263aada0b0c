import { expect, it } from 'vitest';
import { Rng } from '../../../src/core/rng.js';
import { loadJax, type NdArray } from '../../../src/engines/micro/jax.js';
import { Kernels } from '../../../src/engines/micro/kernels.js';
import { TINY } from './tiny.js';

const OPTIMIZER = { beta1: 0.8, beta2: 0.95, epsilon: 1e-6, weightDecay: 0.1, clipNorm: 0.5 };

/** AdamW as Loshchilov and Hutter write it (Algorithm 2), on plain numbers, one after the other. */
function adamW(
  weights: number[][],
  gradients: readonly number[][],
  state: { m: number[][]; v: number[][] },
  t: number,
  lr: number,
  decayed: readonly boolean[],
): number {
  const norm = Math.sqrt(gradients.flat().reduce((s, g) => s + g ** 2, 0));
  const scale = Math.min(1, OPTIMIZER.clipNorm / norm);
  for (let a = 0; a < weights.length; a++) {
    for (let i = 0; i < (weights[a] as number[]).length; i++) {
      const [w, g] = [weights[a]?.[i] as number, (gradients[a]?.[i] as number) * scale];
      const m = OPTIMIZER.beta1 * (state.m[a]?.[i] as number) + (1 - OPTIMIZER.beta1) * g;
      const v = OPTIMIZER.beta2 * (state.v[a]?.[i] as number) + (1 - OPTIMIZER.beta2) * g * g;
      (state.m[a] as number[])[i] = m;
      (state.v[a] as number[])[i] = v;
      const step =
        m / (1 - OPTIMIZER.beta1 ** t) / (Math.sqrt(v / (1 - OPTIMIZER.beta2 ** t)) + OPTIMIZER.epsilon);
      (weights[a] as number[])[i] = w - lr * (step + (decayed[a] ? OPTIMIZER.weightDecay * w : 0));
    }
  }
  return norm;
}

it('takes AdamW steps as the paper writes them, with clipping, and decays matrices only', async () => {
  const jax = await loadJax();
  const kernels = new Kernels(jax, TINY, OPTIMIZER);
  const rng = Rng.fromSeed('adam');
  const shapes = [[3, 4], [5]];
  const draw = (scale: number): number[][] =>
    shapes.map((shape) => Array.from({ length: shape.reduce((a, b) => a * b) }, () => rng.normal() * scale));
  const device = (lists: readonly number[][]): NdArray[] =>
    lists.map((list, a) => jax.numpy.array(Float32Array.from(list), { shape: shapes[a] as number[] }));
  const host = async (arrays: readonly NdArray[]): Promise<number[][]> =>
    Promise.all(arrays.map(async (array) => [...((await array.ref.data()) as Float32Array)]));

  const weights = draw(1);
  const state = { m: weights.map((w) => w.map(() => 0)), v: weights.map((w) => w.map(() => 0)) };
  let [w, m, v] = [device(weights), device(state.m), device(state.v)];
  // Long gradients are clipped, the short ones of the third step are not.
  for (const [t, scale] of [
    [1, 1],
    [2, 3],
    [3, 0.01],
  ] as const) {
    const gradients = draw(scale);
    const lr = 0.03 / t;
    const rates = Float32Array.of(lr, 1 / (1 - OPTIMIZER.beta1 ** t), 1 / (1 - OPTIMIZER.beta2 ** t));
    const [norm, ...next] = kernels.apply()(w, device(gradients), m, v, jax.numpy.array(rates));
    [w, m, v] = next;
    const expected = adamW(weights, gradients, state, t, lr, [true, false]);
    expect((await norm.data())[0] as number).toBeCloseTo(expected, 4);
    for (const [got, wanted] of [
      [w, weights],
      [m, state.m],
      [v, state.v],
    ] as const) {
      (await host(got)).flat().forEach((x, i) => expect(x).toBeCloseTo(wanted.flat()[i] as number, 5));
    }
  }
  for (const array of [...w, ...m, ...v]) array.dispose();
  kernels.dispose();
});
