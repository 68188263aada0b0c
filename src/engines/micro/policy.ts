import { DataError } from '../../core/errors.js';
import { chunk } from '../../core/chunk.js';
import type { Image } from '../../core/image.js';
import type {
  Completion,
  Objective,
  Policy,
  PolicyState,
  SampleRequest,
  TrainGroup,
  UpdateMetrics,
} from '../../core/policy.js';
import type { Prompt } from '../../core/prompt.js';
import type { Rng } from '../../core/rng.js';
import { readMicroFile, writeMicroFile, type MicroWeights } from './checkpoint.js';
import { DEFAULT_OPTIMIZER, visionTokens, type MicroConfig, type OptimizerConfig } from './config.js';
import type { GroupShape } from './decoder.js';
import { compileGrammar, type TokenAutomaton } from './grammar.js';
import { loadJax, type Jax, type NdArray } from './jax.js';
import { Kernels, patchShape, type GroupArrays, type Trainable } from './kernels.js';
import { initParams, vocabularySize, type VisionParams } from './model.js';
import { onlyImage, promptArrays } from './packing.js';
import { checkSize, patchBatch } from './patches.js';
import { sampleAll } from './sampler.js';
import { makeTokenizer, END, type Tokenizer } from './tokenizer.js';
import { trainingLogprobs, accumulate } from './trainer.js';

export interface MicroOptions {
  readonly name: string;
  /** Whether the picture encoder stays as it is; its outputs are then computed once a picture and kept. */
  readonly freezeVision: boolean;
  readonly optimizer?: Partial<OptimizerConfig>;
  /** Batch shapes that may be compiled for sampling and for training. */
  readonly sampleShapes?: readonly GroupShape[];
  readonly trainShapes?: readonly GroupShape[];
}

const SAMPLE_SHAPES: readonly GroupShape[] = [
  { B: 128, K: 1 },
  { B: 32, K: 8 },
];
const TRAIN_SHAPES: readonly GroupShape[] = [
  { B: 32, K: 1 },
  { B: 16, K: 8 },
];

/** Most compiled grammars kept. */
const AUTOMATA_KEPT = 256;

/** Most picture encodings kept; one is C_v * D * 4 bytes, about 21 kB. */
const FEATURES_KEPT = 4096;

/**
 * A small vision-language model that lives in this process: sampling, log-probabilities and optimiser steps on the CPU.
 * Equal state, requests and seeds give equal results to the bit.
 */
export class MicroPolicy implements Policy {
  readonly name: string;
  readonly tokenizer: Tokenizer;
  readonly kernels: Kernels;
  readonly sampleShapes: readonly GroupShape[];
  readonly trainShapes: readonly GroupShape[];
  #weights: MicroWeights;
  #reference: Trainable | null = null;
  readonly #features = new Map<Image, Float32Array>();
  readonly #automata = new Map<string, TokenAutomaton>();

  private constructor(
    readonly jax: Jax,
    readonly config: MicroConfig,
    weights: MicroWeights,
    readonly options: MicroOptions,
  ) {
    this.name = options.name;
    this.tokenizer = makeTokenizer(config.vocabulary);
    this.kernels = new Kernels(jax, config, { ...DEFAULT_OPTIMIZER, ...options.optimizer });
    this.sampleShapes = options.sampleShapes ?? SAMPLE_SHAPES;
    this.trainShapes = options.trainShapes ?? TRAIN_SHAPES;
    this.#weights = weights;
  }

  /** A model with fresh weights; `encoder`, where given, is consumed and takes the place of a fresh encoder. */
  static async create(
    config: MicroConfig,
    rng: Rng,
    options: MicroOptions,
    encoder?: VisionParams,
  ): Promise<MicroPolicy> {
    const jax = await loadJax();
    const { vision, text } = initParams(jax, config, rng);
    if (encoder && vision) jax.tree.dispose(vision);
    return new MicroPolicy(
      jax,
      config,
      { vision: encoder ?? vision, text, moments: null, steps: 0 },
      options,
    );
  }

  /** A model from a file that `save` or `exportWeights` made. `source` names it in errors. */
  static async open(bytes: Uint8Array, source: string, options: MicroOptions): Promise<MicroPolicy> {
    const jax = await loadJax();
    const { config, weights } = readMicroFile(jax, bytes, source);
    return new MicroPolicy(jax, config, weights, options);
  }

  sample(requests: readonly SampleRequest[]): Promise<Completion[][]> {
    return sampleAll(this, requests);
  }

  refuses(prompt: Prompt): string | null {
    try {
      promptArrays([prompt], this.config, this.tokenizer, 1);
      const image = onlyImage(prompt, this.config);
      if (image && this.config.vision) checkSize(image, this.config.vision);
      return null;
    } catch (cause) {
      if (cause instanceof DataError) return cause.message;
      throw cause;
    }
  }

  async logprobs(groups: readonly TrainGroup[]): Promise<Float32Array[][]> {
    return trainingLogprobs(this, this.trainable, groups);
  }

  async update(
    batch: readonly TrainGroup[],
    objective: Objective,
    learningRate: number,
  ): Promise<UpdateMetrics> {
    const { jax, kernels } = this;
    const { gradient, loss, terms } = await accumulate(this, batch, objective);
    const [weights, shape] = jax.tree.flatten(this.trainable);
    const [list] = jax.tree.flatten(gradient);
    const moments = this.#weights.moments ?? {
      first: weights.map((w) => jax.numpy.zeros(w.shape)),
      second: weights.map((w) => jax.numpy.zeros(w.shape)),
    };
    const t = this.#weights.steps + 1;
    const { beta1, beta2 } = kernels.optimizer;
    const rates = jax.numpy.array(Float32Array.of(learningRate, 1 / (1 - beta1 ** t), 1 / (1 - beta2 ** t)));
    const [norm, fresh, first, second] = kernels.apply()(weights, list, moments.first, moments.second, rates);
    const trainable = jax.tree.unflatten(shape, fresh) as Trainable;
    this.#weights = {
      text: trainable.text,
      vision: trainable.vision ?? this.#weights.vision,
      moments: { first, second },
      steps: t,
    };
    const gradNorm = ((await norm.data()) as Float32Array)[0] as number;
    return { loss, gradNorm, learningRate, ...terms };
  }

  encode(text: string): Int32Array {
    return Int32Array.from([...this.tokenizer.encode(text), END]);
  }

  async save(): Promise<PolicyState> {
    return writeMicroFile(this.config, this.#weights, 'F32');
  }

  /** The weights alone in half precision: what is shipped as a base. */
  async exportWeights(): Promise<Uint8Array> {
    return writeMicroFile(this.config, { ...this.#weights, moments: null, steps: 0 }, 'F16');
  }

  async load(state: PolicyState): Promise<void> {
    const { config, weights } = readMicroFile(this.jax, state, this.name);
    if (JSON.stringify(config) !== JSON.stringify(this.config)) {
      this.#free(weights);
      throw new DataError(this.name, null, 'the saved model has another shape or vocabulary');
    }
    this.#free(this.#weights);
    this.#weights = weights;
    this.#features.clear();
  }

  /** Keeps the weights as they are now as the reference that a KL term measures against. */
  setReference(): void {
    if (this.#reference) this.jax.tree.dispose(this.#reference);
    this.#reference = this.jax.tree.ref(this.trainable);
  }

  dispose(): void {
    this.#free(this.#weights);
    if (this.#reference) this.jax.tree.dispose(this.#reference);
    this.kernels.dispose();
    this.#features.clear();
  }

  /** The weights that updates change. Owned by the policy: take `jax.tree.ref` of it to pass it on. */
  get trainable(): Trainable {
    const { text, vision } = this.#weights;
    return this.trainsVision ? { text, vision: vision as VisionParams } : { text };
  }

  get trainsVision(): boolean {
    return this.config.vision !== null && !this.options.freezeVision;
  }

  get vision(): VisionParams | null {
    return this.#weights.vision;
  }

  /** Throws when no reference was set, since a silent KL of 0 would be a lie. */
  get reference(): Trainable {
    if (!this.#reference) throw new Error(`${this.name}: a KL term needs setReference() first`);
    return this.#reference;
  }

  /** The automaton of a grammar, compiled once for equal grammars. */
  automaton(request: Pick<SampleRequest, 'constraint'>): TokenAutomaton | null {
    const grammar = request.constraint?.grammar ?? null;
    if (grammar === null) return null;
    const key = JSON.stringify(grammar);
    let automaton = this.#automata.get(key);
    if (!automaton) {
      if (this.#automata.size >= AUTOMATA_KEPT) this.#automata.clear();
      automaton = compileGrammar(grammar, this.tokenizer);
      this.#automata.set(key, automaton);
    }
    return automaton;
  }

  /**
   * What a compiled decoder call of `B` prompts reads. Pictures come as tokens, or as patches when `forTraining` and the
   * encoder is trained. The caller owns the arrays.
   */
  async promptInputs(
    prompts: readonly Prompt[],
    B: number,
    forTraining: boolean,
  ): Promise<Omit<GroupArrays, 'inputIds'>> {
    const np = this.jax.numpy;
    const { config } = this;
    const { ids, mask } = promptArrays(prompts, config, this.tokenizer, B);
    const shape = [B, config.promptLength];
    const text = { promptIds: np.array(ids, { shape }), promptMask: np.array(mask, { shape }) };
    if (!config.vision) return text;
    const images = Array.from({ length: B }, (_, b) => {
      const prompt = prompts[b];
      return prompt ? onlyImage(prompt, config) : null;
    });
    if (forTraining && this.trainsVision) {
      const patches = patchBatch(images, config.vision);
      return { ...text, image: np.array(patches, { shape: patchShape(config, B) }) };
    }
    const size = visionTokens(config.vision) * config.width;
    const tokens = new Float32Array(B * size);
    const encoded = await this.#encode(images.filter((image) => image !== null));
    images.forEach((image, b) => {
      if (image) tokens.set(encoded.get(image) as Float32Array, b * size);
    });
    return { ...text, image: np.array(tokens, { shape: [B, visionTokens(config.vision), config.width] }) };
  }

  /** Logits' width, V. */
  get vocabulary(): number {
    return vocabularySize(this.config);
  }

  async #encode(images: readonly Image[]): Promise<Map<Image, Float32Array>> {
    const { jax, config } = this;
    const vision = config.vision;
    if (!vision) throw new Error('this micro model reads no pictures');
    const out = new Map<Image, Float32Array>();
    const missing: Image[] = [];
    for (const image of new Set(images)) {
      const kept = this.trainsVision ? undefined : this.#features.get(image);
      if (kept) out.set(image, kept);
      else missing.push(image);
    }
    const B = 16;
    const size = visionTokens(vision) * config.width;
    for (const part of chunk(missing, B)) {
      const padded = Array.from({ length: B }, (_, i) => part[i] ?? null);
      const patches = jax.numpy.array(patchBatch(padded, vision), { shape: patchShape(config, B) });
      const params = jax.tree.ref(this.#weights.vision as VisionParams);
      const data = (await this.kernels.encode(B)(params, patches).data()) as Float32Array;
      part.forEach((image, i) => {
        const tokens = data.slice(i * size, (i + 1) * size);
        out.set(image, tokens);
        if (!this.trainsVision) this.#keep(image, tokens);
      });
    }
    return out;
  }

  #keep(image: Image, tokens: Float32Array): void {
    if (this.#features.size >= FEATURES_KEPT) {
      const oldest = this.#features.keys().next().value;
      if (oldest) this.#features.delete(oldest);
    }
    this.#features.set(image, tokens);
  }

  #free(weights: MicroWeights): void {
    const { tree } = this.jax;
    tree.dispose(weights.text);
    if (weights.vision) tree.dispose(weights.vision);
    for (const list of [weights.moments?.first, weights.moments?.second]) {
      list?.forEach((a: NdArray) => a.dispose());
    }
  }
}
