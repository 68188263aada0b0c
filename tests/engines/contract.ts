import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DataError } from '../../src/core/errors.js';
import type {
  Completion,
  Objective,
  Policy,
  PolicyState,
  SampleRequest,
  TrainGroup,
} from '../../src/core/policy.js';
import type { Prompt } from '../../src/core/prompt.js';
import { Rng } from '../../src/core/rng.js';
import { constrain, grammars, inGrammar, literal } from './grammars.js';

/** A policy that can be held to what it was. */
export type Trainable = Policy & { setReference(): void };

/** An engine under test, with what the contract can't know about it. */
export interface EngineSubject {
  /** Equal calls give equal policies that were never trained. */
  make(): Promise<Trainable>;
  /** At least three prompts that it can read, all different. */
  readonly prompts: readonly Prompt[];
  /** Words that are one token each. */
  readonly words: readonly string[];
  /** Longest completion in tokens, at least 8. */
  readonly longest: number;
  /** A learning rate at which one step moves log-probabilities by about a hundredth to a tenth. */
  readonly learningRate: number;
  /** Whether it honours `SamplingLimits`. */
  readonly narrows?: boolean;
  /** Prompts that must be refused as the user's mistake. */
  readonly unreadable: Readonly<Record<string, Prompt>>;
  /** Whether it only samples; it is then held to the sampling part. */
  readonly samplesOnly?: boolean;
}

const SFT: Objective = { name: 'cross-entropy' };

function policyGradient(constants: Partial<Extract<Objective, { name: 'policy-gradient' }>> = {}): Objective {
  return {
    name: 'policy-gradient',
    temperature: 1,
    clipLow: 0.2,
    clipHigh: 0.2,
    kl: 0,
    entropy: 0,
    ...constants,
  };
}

/** The tests that every step-level engine must pass. One policy is made and put back to its first state before each. */
export function engineContract(name: string, subject: EngineSubject): void {
  // Compiling a model takes seconds, on a busy machine many.
  describe(`${name}: the contract of engines`, { timeout: 300_000 }, () => {
    let policy: Trainable;
    let untrained: PolicyState;

    beforeAll(async () => {
      policy = await subject.make();
      if (!samplesOnly) untrained = await policy.save();
    }, 300_000);
    beforeEach(async () => {
      if (!samplesOnly) await policy.load(untrained);
    });
    afterAll(() => policy.dispose());

    const { prompts, words, longest, learningRate, samplesOnly = false } = subject;
    const request = (prompt: Prompt, seed: string, more: Partial<SampleRequest> = {}): SampleRequest => ({
      prompt,
      n: 3,
      maxTokens: longest,
      temperature: 1,
      rng: Rng.fromSeed(seed),
      ...more,
    });
    const sampled = (more: Partial<SampleRequest> = {}): Promise<Completion[][]> =>
      policy.sample(prompts.map((prompt, i) => request(prompt, `seed ${i}`, more)));
    const batchOf = (
      completions: readonly Completion[][],
      weight: (i: number, k: number) => number,
      shift = 0,
    ): TrainGroup[] =>
      completions.map((row, i) => ({
        prompt: prompts[i] as Prompt,
        samples: row.map(({ tokens, logprobs }, k) => ({
          tokens,
          logprobs: logprobs.map((l) => l - shift),
          weight: weight(i, k),
        })),
      }));
    /** Texts to imitate, one a prompt. */
    const lesson = (): TrainGroup[] =>
      prompts.map((prompt, i) => {
        const tokens = policy.encode([words[i % words.length], words[(i + 1) % words.length]].join(' '));
        return { prompt, samples: [{ tokens, logprobs: new Float32Array(tokens.length), weight: 1 }] };
      });
    const total = (list: Float32Array | undefined): number =>
      Array.from(list ?? []).reduce((a, b) => a + b, 0);

    describe('sampling', () => {
      it('gives n completions a request, each token with its log-probability', async () => {
        const out = await policy.sample(prompts.map((prompt, i) => request(prompt, `${i}`, { n: i + 1 })));
        expect(out.map((row) => row.length)).toEqual(prompts.map((_, i) => i + 1));
        for (const { tokens, logprobs, finish, text } of out.flat()) {
          expect(tokens.length).toBeGreaterThan(0);
          expect(logprobs).toHaveLength(tokens.length);
          expect(logprobs.every((l) => l <= 0 && Number.isFinite(l))).toBe(true);
          if (finish === 'stop' && samplesOnly) expect(text).not.toBe('');
          else if (finish === 'stop') expect([...policy.encode(text)]).toEqual([...tokens]);
          else expect(tokens).toHaveLength(longest);
        }
      });

      it('says the same again for the same seed, and something else for another', async () => {
        const [first, second] = [await sampled(), await sampled()];
        expect(second).toEqual(first);
        const other = await policy.sample(prompts.map((prompt, i) => request(prompt, `other ${i}`)));
        expect(other.flat().map((c) => c.text)).not.toEqual(first.flat().map((c) => c.text));
      });

      it('gives a group the same completions whatever is sampled beside it', async () => {
        const together = await sampled();
        for (const [i, prompt] of prompts.entries()) {
          const [alone] = await policy.sample([request(prompt, `seed ${i}`)]);
          alone?.forEach((completion, k) => {
            const beside = together[i]?.[k];
            expect([...completion.tokens]).toEqual([...(beside?.tokens ?? [])]);
            expect(apart([completion.logprobs], [beside?.logprobs])).toBeLessThan(1e-5);
          });
        }
      });

      it('draws sample i from a stream of its own, however many are asked for', async () => {
        const prompt = prompts[0] as Prompt;
        const texts = async (n: number): Promise<string[] | undefined> =>
          (await policy.sample([request(prompt, 'stream', { n })]))[0]?.map((c) => c.text);
        const three = await texts(3);
        expect(await texts(1)).toEqual(three?.slice(0, 1));
        expect(await texts(2)).toEqual(three?.slice(0, 2));
      });

      it('is greedy at temperature 0, whatever the seed', async () => {
        const a = await policy.sample(prompts.map((p) => request(p, 'a', { temperature: 0 })));
        const b = await policy.sample(prompts.map((p) => request(p, 'b', { temperature: 0 })));
        expect(b).toEqual(a);
        const [firsts] = a;
        expect(new Set(firsts?.map((c) => c.text)).size).toBe(1);
        if (samplesOnly) return;
        const groups = a.map((row, i) => ({ prompt: prompts[i] as Prompt, samples: row.map(asSample) }));
        expect(
          apart(
            a.flat().map((c) => c.logprobs),
            (await policy.logprobs(groups)).flat(),
          ),
        ).toBeLessThan(1e-4);
      });

      it.runIf(subject.narrows)(
        'draws among the k likeliest alone, with the log-probabilities of the whole distribution',
        async () => {
          const prompt = prompts[0] as Prompt;
          const [greedy] = await policy.sample([request(prompt, 'top', { n: 1, temperature: 0 })]);
          const [narrow] = await policy.sample([request(prompt, 'top', { n: 6, topK: 1 })]);
          for (const completion of narrow ?? []) {
            expect([...completion.tokens]).toEqual([...(greedy?.[0]?.tokens ?? [])]);
            completion.logprobs.forEach((l, t) =>
              expect(l).toBeCloseTo(greedy?.[0]?.logprobs[t] as number, 4),
            );
          }
          const [wide] = await policy.sample([request(prompt, 'top', { n: 6, topK: 1e6 })]);
          const [all] = await policy.sample([request(prompt, 'top', { n: 6 })]);
          expect(wide?.map(({ tokens }) => [...tokens])).toEqual(all?.map(({ tokens }) => [...tokens]));
        },
      );

      it.runIf(subject.narrows)(
        'writes nothing twice under a presence penalty that is high enough',
        async () => {
          const [row] = await policy.sample([
            request(prompts[0] as Prompt, 'presence', { n: 6, presencePenalty: 1000 }),
          ]);
          for (const { tokens } of row ?? []) expect(new Set(tokens).size).toBe(tokens.length);
        },
      );

      it('says more different things at a higher temperature', async () => {
        const prompt = prompts[0] as Prompt;
        const texts = async (temperature: number): Promise<number> => {
          const [row] = await policy.sample([request(prompt, 'heat', { n: 12, temperature })]);
          return new Set(row?.map((c) => c.text)).size;
        };
        expect(await texts(2)).toBeGreaterThan(await texts(0.02));
      });

      it('stops at maxTokens and says so', async () => {
        const constraint = constrain(literal(words.slice(0, 4).join(' ')));
        const [row] = await policy.sample([
          request(prompts[0] as Prompt, 'short', { maxTokens: 2, constraint }),
        ]);
        for (const completion of row ?? []) {
          expect(completion).toMatchObject({ finish: 'length', text: words.slice(0, 2).join(' ') });
          expect(completion.tokens).toHaveLength(2);
        }
        await expect(policy.sample([request(prompts[0] as Prompt, '', { maxTokens: 0 })])).rejects.toThrow(
          'maxTokens',
        );
      });

      it('writes nothing outside its grammar', async () => {
        const list = fc.array(grammars(words, longest - 1), { minLength: 3, maxLength: 3 });
        const property = fc.asyncProperty(list, fc.nat(), async (some, seed) => {
          const requests = some.map((grammar, i) =>
            request(prompts[i % prompts.length] as Prompt, `grammar ${seed} ${i}`, {
              n: 2,
              temperature: i,
              constraint: constrain(grammar),
            }),
          );
          const out = await policy.sample(requests);
          out.forEach((row, i) => {
            for (const { text, finish } of row) {
              expect(finish).toBe('stop');
              expect(inGrammar(some[i] as (typeof some)[number], text), text).toBe(true);
            }
          });
        });
        await fc.assert(property, { numRuns: 20, seed: 7 });
      });

      it('refuses what it cannot read, naming it as bad data', async () => {
        for (const [why, prompt] of Object.entries(subject.unreadable)) {
          await expect(policy.sample([request(prompt, why)]), why).rejects.toThrow(DataError);
          if (policy.refuses) expect(policy.refuses(prompt), why).toMatch(/^.+$/);
        }
        for (const prompt of prompts) expect(policy.refuses?.(prompt) ?? null).toBeNull();
        if (!samplesOnly) expect(() => policy.encode('§§')).toThrow(DataError);
      });
    });
    if (samplesOnly) return;

    describe('log-probabilities', () => {
      it('are those that were sampled, at temperature 1', async () => {
        const out = await sampled();
        const again = await policy.logprobs(batchOf(out, () => 1));
        expect(again.map((row) => row.map((l) => l.length))).toEqual(
          out.map((row) => row.map((c) => c.tokens.length)),
        );
        expect(
          apart(
            out.flat().map((c) => c.logprobs),
            again.flat(),
          ),
        ).toBeLessThan(1e-4);
      });

      it('are those that were sampled under a grammar too', async () => {
        const constraint = constrain({
          kind: 'repeat',
          item: { kind: 'choice', options: words.slice(0, 3).map(literal) },
          min: 1,
          max: 5,
        });
        const out = await sampled({ constraint });
        const groups = batchOf(out, () => 1).map((group) => ({ ...group, constraint }));
        expect(
          apart(
            out.flat().map((c) => c.logprobs),
            (await policy.logprobs(groups)).flat(),
          ),
        ).toBeLessThan(1e-4);
      });
    });

    describe('cross-entropy', () => {
      it('lowers its loss on a fixed batch', async () => {
        const batch = lesson();
        const losses: number[] = [];
        for (let step = 0; step < 8; step++)
          losses.push((await policy.update(batch, SFT, learningRate)).loss);
        expect(losses.at(-1)).toBeLessThan((losses[0] as number) - 0.02);
      });

      it('counts a sample by its weight: one of weight 0 is not there, doubled weights change nothing', async () => {
        const batch = lesson().slice(0, 2);
        const weighted = (a: number, b: number): TrainGroup[] =>
          batch.map((group, i) => ({
            ...group,
            samples: group.samples.map((sample) => ({ ...sample, weight: i === 0 ? a : b })),
          }));
        const measure = async (groups: readonly TrainGroup[]): Promise<number[]> => {
          await policy.load(untrained);
          const { loss, gradNorm } = await policy.update(groups, SFT, learningRate);
          return [loss, gradNorm];
        };
        const alone = await measure(batch.slice(0, 1));
        expect(apart([alone], [await measure(weighted(1, 0))])).toBeLessThan(1e-5);
        const mixed = await measure(weighted(1, 3));
        expect(apart([mixed], [await measure(weighted(2, 6))])).toBeLessThan(1e-5);
        expect(apart([alone], [mixed])).toBeGreaterThan(1e-4);
      });
    });

    describe('policy gradient', () => {
      /** How much the log-probability of each prompt's first completion moves in one step with these weights. */
      const moved = async (weights: readonly number[]): Promise<number[]> => {
        const out = await sampled({ n: 1 });
        const before = await policy.logprobs(batchOf(out, () => 0));
        await policy.update(
          batchOf(out, (i) => weights[i] ?? 0),
          policyGradient(),
          learningRate,
        );
        const after = await policy.logprobs(batchOf(out, () => 0));
        return out.map((_, i) => total(after[i]?.[0]) - total(before[i]?.[0]));
      };

      it('makes what has a positive advantage likelier', async () => {
        expect((await moved([1]))[0]).toBeGreaterThan(1e-3);
      });

      it('makes what has a negative advantage rarer', async () => {
        expect((await moved([-1]))[0]).toBeLessThan(-1e-3);
      });

      it('leaves everything where all advantages are 0', async () => {
        expect(await moved([0, 0, 0])).toEqual(prompts.map(() => 0));
      });

      it('has ratio 1 on what it has just sampled, at the temperature it was sampled at', async () => {
        const temperature = 0.7;
        const batch = batchOf(await sampled({ temperature }), () => 1);
        const own = await policy.update(batch, policyGradient({ temperature }), 0);
        expect(own.loss).toBeCloseTo(-1, 4);
        expect(own.clipFraction).toBe(0);
        expect(own.entropy).toBeGreaterThan(0);
        const mistaken: number[] = [];
        for (const group of batch) {
          const one = [{ ...group, samples: group.samples.slice(0, 1) }];
          const { loss } = await policy.update(one, policyGradient({ temperature: 1, clipHigh: 9 }), 0);
          mistaken.push(Math.abs(loss + 1));
        }
        expect(Math.max(...mistaken)).toBeGreaterThan(5e-3);
      });

      it('averages over tokens, not over samples', async () => {
        const out = await sampled();
        const batch = batchOf(out, (i) => (i === 0 ? 1 : 0));
        const tokens = (rows: readonly Completion[][]): number =>
          rows.flat().reduce((n, c) => n + c.tokens.length, 0);
        const { loss } = await policy.update(batch, policyGradient(), 0);
        expect(loss).toBeCloseTo(-tokens(out.slice(0, 1)) / tokens(out), 4);
      });

      it('stops pulling where the ratio has left the clip range on the side of the advantage', async () => {
        const out = await sampled();
        const pull = async (
          weight: number,
          ratio: number,
          clip: { clipLow: number; clipHigh: number } = { clipLow: 0.2, clipHigh: 0.2 },
        ): Promise<{ gradNorm: number; clipFraction: number | undefined }> => {
          await policy.load(untrained);
          const batch = batchOf(out, () => weight, Math.log(ratio));
          const { gradNorm, clipFraction } = await policy.update(batch, policyGradient(clip), learningRate);
          return { gradNorm, clipFraction };
        };
        for (const [weight, ratio] of [
          [1, 1.5],
          [-1, 0.5],
        ] as const) {
          expect(await pull(weight, ratio)).toEqual({ gradNorm: 0, clipFraction: 1 });
        }
        for (const [weight, ratio] of [
          [1, 0.5],
          [-1, 1.5],
        ] as const) {
          const free = await pull(weight, ratio);
          expect(free.gradNorm).toBeGreaterThan(1e-4);
          expect(free.clipFraction).toBe(0);
        }
        const dapo = { clipLow: 0.2, clipHigh: 0.28 };
        expect((await pull(1, 1.25, dapo)).gradNorm).toBeGreaterThan(1e-4);
        expect((await pull(-1, 0.75, dapo)).gradNorm).toBe(0);
      });

      it('is drawn back to the reference by KL, and to even odds by the entropy bonus', async () => {
        policy.setReference();
        const batch = batchOf(await sampled(), () => 0);
        const held = (await policy.logprobs(batch)).flat();
        const still = await policy.update(batch, policyGradient({ kl: 1 }), 0);
        expect(still.kl).toBeCloseTo(0, 5);
        for (let step = 0; step < 5; step++) await policy.update(lesson(), SFT, learningRate * 2);
        // k3 = exp(d) - d - 1 with d = reference - policy, averaged over tokens.
        const now = (await policy.logprobs(batch)).flat();
        const tokens = now.reduce((n, row) => n + row.length, 0);
        const distances = now.flatMap((row, i) => Array.from(row, (l, t) => (held[i]?.[t] as number) - l));
        const k3 = distances.reduce((sum, d) => sum + Math.exp(d) - d - 1, 0) / tokens;
        const drift: number[] = [];
        for (let step = 0; step < 8; step++) {
          drift.push((await policy.update(batch, policyGradient({ kl: 1 }), learningRate)).kl as number);
        }
        expect(drift[0]).toBeGreaterThan(1e-5);
        expect(Math.abs((drift[0] as number) - k3)).toBeLessThan(1e-2 * k3);
        // The optimiser's momentum from the lesson takes a few steps to die.
        expect(drift.at(-1)).toBeLessThan(Math.max(...drift) * 0.9);

        await policy.load(untrained);
        const spread: number[] = [];
        for (let step = 0; step < 6; step++) {
          spread.push(
            (await policy.update(batch, policyGradient({ entropy: 1 }), learningRate)).entropy as number,
          );
        }
        expect(spread.at(-1)).toBeGreaterThan(spread[0] as number);
      });

      it('refuses a KL term without a reference, and behaviour log-probabilities that are too few', async () => {
        const fresh = await subject.make();
        const batch = batchOf(await sampled(), () => 1);
        await expect(fresh.update(batch, policyGradient({ kl: 1 }), learningRate)).rejects.toThrow(
          'setReference',
        );
        fresh.dispose();
        const short = batch.map((group) => ({
          ...group,
          samples: group.samples.map((sample) => ({ ...sample, logprobs: new Float32Array(0) })),
        }));
        await expect(policy.update(short, policyGradient(), learningRate)).rejects.toThrow('log-probabilit');
      });
    });

    describe('saving', () => {
      it('goes on after a load as if it had never stopped, here and in another policy', async () => {
        const batch = lesson();
        for (let step = 0; step < 2; step++) await policy.update(batch, SFT, learningRate);
        const saved = await policy.save();
        expect(Buffer.from(saved).equals(Buffer.from(await policy.save()))).toBe(true);
        const goOn = async (with_: Trainable): Promise<Buffer> => {
          for (let step = 0; step < 2; step++) await with_.update(batch, SFT, learningRate);
          return Buffer.from(await with_.save());
        };
        const straight = await goOn(policy);
        expect(straight.equals(Buffer.from(saved))).toBe(false);
        await policy.load(saved);
        expect(Buffer.from(await policy.save()).equals(Buffer.from(saved))).toBe(true);
        expect((await goOn(policy)).equals(straight)).toBe(true);
        const other = await subject.make();
        await other.update(lesson().slice(0, 1), SFT, learningRate);
        await other.load(saved);
        expect((await goOn(other)).equals(straight)).toBe(true);
        other.dispose();
      });

      it('makes equal policies from equal calls', async () => {
        const other = await subject.make();
        expect(Buffer.from(await other.save()).equals(Buffer.from(untrained))).toBe(true);
        other.dispose();
      });

      it('refuses a damaged state and keeps what it has', async () => {
        for (const damaged of [
          new Uint8Array(0),
          untrained.slice(0, 20),
          untrained.slice(0, untrained.length - 3),
          new TextEncoder().encode('{"format":"something else"}'),
        ]) {
          await expect(policy.load(damaged)).rejects.toThrow(DataError);
        }
        expect(Buffer.from(await policy.save()).equals(Buffer.from(untrained))).toBe(true);
      });
    });
  });
}

function asSample({ tokens, logprobs }: Completion): TrainGroup['samples'][number] {
  return { tokens, logprobs, weight: 1 };
}

/** Largest difference between numbers at the same place; NaN where the shapes differ. */
function apart(a: readonly ArrayLike<number>[], b: readonly (ArrayLike<number> | undefined)[]): number {
  if (a.length !== b.length) return NaN;
  let most = 0;
  a.forEach((row, i) => {
    const other = b[i];
    if (other?.length !== row.length) most = NaN;
    else
      for (let t = 0; t < row.length; t++)
        most = Math.max(most, Math.abs((row[t] as number) - (other[t] as number)));
  });
  return most;
}
