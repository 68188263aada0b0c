import { z } from 'zod';
import { chunk } from '../../core/chunk.js';
import { DataError } from '../../core/errors.js';
import type {
  Completion,
  Objective,
  Policy,
  PolicyState,
  SampleRequest,
  TrainGroup,
  UpdateMetrics,
} from '../../core/policy.js';
import { strictZip } from '../../core/zip.js';
import { gradientNorm, type Capabilities } from './capabilities.js';
import type { TinkerClient } from './client.js';
import { datum, type Row } from './datums.js';
import { lossInputs, measure, planLoss, type Case } from './losses.js';
import type { AdamParams } from './protocol.js';
import type { ModelText } from './tokenizer.js';

export interface TinkerPolicySetup {
  readonly name: string;
  readonly client: TinkerClient;
  readonly text: ModelText;
  readonly server: Capabilities;
  readonly baseModel: string;
  readonly lora: { readonly rank: number; readonly seed: number; readonly alpha?: number };
  readonly adam: Omit<AdamParams, 'learning_rate'>;
  /** A model that is never trained, for KL; null where there is no KL. */
  readonly referenceId: string | null;
  /** Sequences a training request. */
  readonly batch: number;
  /** Sampling requests in flight. */
  readonly concurrency: number;
  /** Told once about each thing in which the server differs. */
  readonly note: (line: string) => void;
}

const stateSchema = z.strictObject({
  format: z.literal('covolve-tinker-1'),
  baseModel: z.string(),
  path: z.string().min(1),
});

/** A LoRA model on a Tinker-protocol server. Its state is the server's path to a checkpoint: the weights stay there. */
export class TinkerPolicy implements Policy {
  readonly name: string;
  readonly #notes = new Set<string>();
  #sampler: string | null = null;
  #saved: string | null = null;
  #updates = 0;

  private constructor(
    private readonly setup: TinkerPolicySetup,
    private modelId: string,
  ) {
    this.name = setup.name;
  }

  static async open(setup: TinkerPolicySetup): Promise<TinkerPolicy> {
    return new TinkerPolicy(setup, await setup.client.createModel(setup.baseModel, setup.lora));
  }

  async sample(requests: readonly SampleRequest[]): Promise<Completion[][]> {
    for (const { maxTokens } of requests) {
      if (!(maxTokens >= 1)) throw new Error(`maxTokens must be at least 1, got ${maxTokens}`);
    }
    if (requests.some((request) => request.constraint)) {
      this.#say('the Tinker protocol has no grammar: what is written is checked after it was sampled');
    }
    const { client, text, concurrency } = this.setup;
    const prompts = await Promise.all(requests.map((request) => text.prompt(request.prompt)));
    this.#sampler ??= await client.saveWeightsForSampler(this.modelId, `${this.name}-${this.#updates}`);
    const sampler = this.#sampler;
    const jobs = requests.flatMap((request, i) =>
      Array.from({ length: request.n }, (_, k) => ({
        request,
        prompt: prompts[i] as (typeof prompts)[number],
        k,
      })),
    );
    const done = await limited(jobs, concurrency, async ({ request, prompt, k }) => {
      const sequence = await client.sample(sampler, prompt.chunks, {
        max_tokens: request.maxTokens,
        temperature: request.temperature,
        top_k: -1,
        top_p: 1,
        seed: request.rng.child(k).int(2 ** 31 - 1),
        stop: [text.endToken],
      });
      return this.#completion(sequence);
    });
    let next = 0;
    return requests.map((request) => done.slice(next, (next += request.n)));
  }

  async logprobs(groups: readonly TrainGroup[]): Promise<Float32Array[][]> {
    const flat = await this.#forward(this.modelId, await this.#rows(groups));
    let next = 0;
    return groups.map((group) => flat.slice(next, (next += group.samples.length)));
  }

  async update(
    batch: readonly TrainGroup[],
    objective: Objective,
    learningRate: number,
  ): Promise<UpdateMetrics> {
    const { client, server, adam, referenceId } = this.setup;
    const kept = batch.map((group) => ({
      ...group,
      samples: group.samples.filter((s) => s.tokens.length > 0),
    }));
    const samples = kept.flatMap((group) => group.samples);
    const plan = planLoss(
      objective,
      server,
      samples.map((sample) => sample.weight),
    );
    if (plan.note) this.#say(plan.note);
    if (plan.reference && !referenceId) throw new Error(`${this.name}: a KL term needs a reference`);
    for (const { tokens, logprobs } of samples) {
      if (objective.name === 'policy-gradient' && logprobs.length !== tokens.length) {
        throw new Error(`${logprobs.length} log-probabilities for ${tokens.length} tokens`);
      }
    }
    const rows = await this.#rows(kept);
    const current = plan.current ? await this.#forward(this.modelId, rows) : null;
    const reference = plan.reference && referenceId ? await this.#forward(referenceId, rows) : null;
    const cases: Case[] = samples.map((sample, i) => ({
      weight: sample.weight,
      behaviour: sample.logprobs,
      current: current?.[i] ?? null,
      reference: reference?.[i] ?? null,
      length: sample.tokens.length,
    }));
    const inputs = lossInputs(objective, plan, server, cases);
    const now: Float32Array[] = [];
    for (const part of chunk(strictZip(rows, inputs), this.setup.batch)) {
      const data = part.map(([row, given]) => datum({ ...row, inputs: given }));
      const { loss_fn_outputs } = await client.forwardBackward(this.modelId, data, plan.loss, plan.config);
      now.push(
        ...strictZip(part, loss_fn_outputs).map(([[row], out]) => tail(out.logprobs.data, row.tokens.length)),
      );
    }
    const metrics = await client.optimStep(this.modelId, { learning_rate: learningRate, ...adam });
    this.#updates++;
    this.#sampler = null;
    this.#saved = null;
    return { ...measure(objective, cases, now), gradNorm: gradientNorm(metrics) ?? NaN, learningRate };
  }

  encode(text: string): Int32Array {
    return this.setup.text.answer(text);
  }

  async save(): Promise<PolicyState> {
    this.#saved ??= await this.setup.client.saveWeights(this.modelId, `${this.name}-${this.#updates}`);
    const state = { format: 'covolve-tinker-1', baseModel: this.setup.baseModel, path: this.#saved };
    return new TextEncoder().encode(JSON.stringify(state));
  }

  /** Servers load only into a model that has done nothing yet: a new one takes the place of the old. */
  async load(state: PolicyState): Promise<void> {
    const { client, baseModel, lora } = this.setup;
    const { path } = readState(state, baseModel);
    const fresh = await client.createModel(baseModel, lora);
    await client.loadWeights(fresh, path);
    const old = this.modelId;
    this.modelId = fresh;
    this.#saved = path;
    this.#sampler = null;
    await client.unloadModel(old);
  }

  /** Closes the session; the server frees its models when it notices. */
  dispose(): void {
    this.setup.client.close();
  }

  #completion(sequence: {
    tokens: number[];
    logprobs: number[];
    stop_reason: 'stop' | 'length';
  }): Completion {
    const { text } = this.setup;
    const stray = text.strayImage(sequence.tokens);
    if (stray >= 0) this.#say('a picture placeholder was written; completions end in front of it');
    const end = stray >= 0 ? stray : sequence.tokens.length;
    const tokens = Int32Array.from(sequence.tokens.slice(0, end));
    return {
      text: text.decode(tokens),
      tokens,
      logprobs: Float32Array.from(sequence.logprobs.slice(0, end)),
      finish: stray < 0 && tokens.at(-1) === text.endToken ? 'stop' : 'length',
    };
  }

  async #rows(groups: readonly TrainGroup[]): Promise<Row[]> {
    const prompts = await Promise.all(groups.map((group) => this.setup.text.prompt(group.prompt)));
    return strictZip(groups, prompts).flatMap(([group, prompt]) =>
      group.samples.map(({ tokens }) => ({ prompt, tokens, inputs: {} })),
    );
  }

  async #forward(modelId: string, rows: readonly Row[]): Promise<Float32Array[]> {
    const out: Float32Array[] = [];
    for (const part of chunk(rows, this.setup.batch)) {
      const data = part.map((row) =>
        datum({ ...row, inputs: { weights: new Array<number>(row.tokens.length).fill(1) } }),
      );
      const { loss_fn_outputs } = await this.setup.client.forward(modelId, data);
      out.push(
        ...strictZip(part, loss_fn_outputs).map(([row, given]) =>
          tail(given.logprobs.data, row.tokens.length),
        ),
      );
    }
    return out;
  }

  #say(line: string): void {
    if (this.#notes.has(line)) return;
    this.#notes.add(line);
    this.setup.note(line);
  }
}

function readState(state: PolicyState, baseModel: string): { path: string } {
  let content: unknown;
  try {
    content = JSON.parse(new TextDecoder().decode(state));
  } catch {
    throw new DataError('checkpoint', null, 'is no state of the tinker engine');
  }
  const read = stateSchema.safeParse(content);
  if (!read.success) throw new DataError('checkpoint', null, 'is no state of the tinker engine');
  if (read.data.baseModel !== baseModel) {
    throw new DataError('checkpoint', null, `is of the model ${read.data.baseModel}, not of ${baseModel}`);
  }
  return read.data;
}

/** The last `n` numbers: those of the completion. */
function tail(values: readonly number[], n: number): Float32Array {
  return Float32Array.from(values.slice(values.length - n));
}

/** Runs `work` on all items, at most `width` at a time; results in order. The first failure ends it. */
async function limited<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const out = new Array<R>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const i = next++;
      out[i] = await work(items[i] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return out;
}
