import { limitsDraw, narrowed } from '../../algorithms/sampling.js';
import { DataError } from '../../core/errors.js';
import type {
  Completion,
  Objective,
  Policy,
  PolicyState,
  SampleRequest,
  TrainGroup,
  TrainSample,
  UpdateMetrics,
} from '../../core/policy.js';
import { promptImages, promptText, type Prompt } from '../../core/prompt.js';
import { Rng } from '../../core/rng.js';
import type { OutputConstraint } from '../../core/role.js';
import { behind, mayFollow, mayStop, overTokens, type TokenGrammar } from './grammar.js';
import { tokenLoss } from './losses.js';
import { backward, extend, logSoftmax, predict, type Candidate, type Prefix, type Weights } from './model.js';
import { fakeState, readFakeState, type FakeState } from './state.js';
import { END, fakeVocabulary, type Vocabulary } from './vocabulary.js';

/** What a fake may say to a prompt. Texts are made of the vocabulary; texts of one list are equally likely. */
export interface FakeAnswers {
  readonly right: readonly string[];
  readonly wrong: readonly string[];
  /** Probability of a right text before anything was learned, in [0, 1]; read only when both lists hold a text. */
  readonly passRate: number;
}

export interface FakeOptions {
  readonly name: string;
  /** Every piece of text it can write, without the end token. */
  readonly vocabulary: readonly string[];
  /** The script: a pure function of the prompt. `rng` is the same stream whenever the same text is asked. */
  readonly answers: (prompt: Prompt, rng: Rng) => FakeAnswers;
  /** Longest completion in tokens; 64 when not given. */
  readonly completionLength?: number;
  /** Longest prompt in words; a longer one is a DataError. No limit when not given. */
  readonly promptLength?: number;
  /** The pictures every prompt must hold; any when not given. */
  readonly pictures?: { readonly count: number; readonly width: number; readonly height: number };
  /**
   * How much faster it learns than the learning rate says; 100 when not given, so that rates meant for networks show an
   * effect after tens of updates.
   */
  readonly gain?: number;
}

const BETA1 = 0.9;
const BETA2 = 0.99;
const EPSILON = 1e-8;

/** A prompt with a completion, token by token. */
interface Walk {
  readonly token: number;
  readonly prefix: Prefix;
  readonly allowed: ReadonlySet<number> | null;
}

/**
 * A policy without a network, for tests and for trying a method out: it says what its script holds, is right as often as
 * the script says, and learns (Adam, closed-form gradients) to prefer right texts and single tokens. Everything a caller
 * can observe of an engine is real: token ids, log-probabilities, temperature, grammars, losses, saved state. Equal
 * options, state, requests and seeds give equal results to the bit.
 */
export class FakePolicy implements Policy {
  readonly name: string;
  readonly #options: FakeOptions;
  readonly #vocabulary: Vocabulary;
  readonly #scripts = new WeakMap<Prompt, readonly Candidate[]>();
  readonly #grammars = new WeakMap<OutputConstraint, TokenGrammar>();
  #state: FakeState;
  #reference: Weights | null = null;

  constructor(options: FakeOptions) {
    this.name = options.name;
    this.#options = options;
    this.#vocabulary = fakeVocabulary(options.vocabulary);
    const n = this.#vocabulary.size + 1;
    const zeros = (): Weights => new Float64Array(n);
    this.#state = { weights: zeros(), first: zeros(), second: zeros(), steps: 0 };
  }

  async sample(requests: readonly SampleRequest[]): Promise<Completion[][]> {
    return requests.map((request) => {
      if (!(request.maxTokens >= 1)) throw new Error(`${this.name}: maxTokens must be at least 1`);
      const script = this.#script(request.prompt);
      return Array.from({ length: request.n }, (_, k) => this.#write(request, script, request.rng.child(k)));
    });
  }

  refuses(prompt: Prompt): string | null {
    try {
      this.#check(prompt);
      return null;
    } catch (cause) {
      if (cause instanceof DataError) return cause.message;
      throw cause;
    }
  }

  async logprobs(groups: readonly TrainGroup[]): Promise<Float32Array[][]> {
    return groups.map((group) =>
      group.samples.map((sample) =>
        Float32Array.from(this.#walk(group, sample), (at) => this.#logprob(this.#state.weights, at)),
      ),
    );
  }

  async update(
    batch: readonly TrainGroup[],
    objective: Objective,
    learningRate: number,
  ): Promise<UpdateMetrics> {
    const kl = objective.name === 'policy-gradient' && objective.kl > 0;
    if (kl && !this.#reference) throw new Error(`${this.name}: a KL term needs setReference() first`);
    const { weights } = this.#state;
    const gradient: Weights = new Float64Array(weights.length);
    const sums = { loss: 0, clipped: 0, k3: 0, entropy: 0, tokens: 0, weight: 0 };
    for (const group of batch) {
      for (const sample of group.samples) {
        if (objective.name === 'policy-gradient' && sample.logprobs.length !== sample.tokens.length) {
          throw new Error(`${this.name}: a sample needs one behaviour log-probability a token`);
        }
        this.#walk(group, sample).forEach((at, t) => {
          const prediction = predict(weights, at.prefix);
          const part = tokenLoss(objective, {
            ...at,
            logits: prediction.logits,
            weight: sample.weight,
            behaviour: sample.logprobs[t] ?? 0,
            reference: kl && this.#reference ? this.#logprob(this.#reference, at) : 0,
          });
          backward(prediction, part.byLogits, gradient);
          sums.loss += part.loss;
          sums.clipped += part.clipped;
          sums.k3 += part.k3;
          sums.entropy += part.entropy;
          sums.tokens++;
          sums.weight += sample.weight;
        });
      }
    }
    const count = objective.name === 'policy-gradient' ? sums.tokens : sums.weight;
    if (!(count > 0)) throw new Error(`${this.name}: an update needs at least one weighted token`);
    gradient.forEach((g, i) => (gradient[i] = g / count));
    this.#step(gradient, learningRate);
    return {
      loss: sums.loss / count,
      gradNorm: Math.sqrt(gradient.reduce((s, g) => s + g * g, 0)),
      learningRate,
      ...(objective.name === 'policy-gradient'
        ? { clipFraction: sums.clipped / count, entropy: sums.entropy / count }
        : {}),
      ...(kl ? { kl: sums.k3 / count } : {}),
    };
  }

  encode(text: string): Int32Array {
    return Int32Array.from([...this.#vocabulary.encode(text), END]);
  }

  async save(): Promise<PolicyState> {
    return fakeState(this.#options.vocabulary, this.#state);
  }

  async load(state: PolicyState): Promise<void> {
    this.#state = readFakeState(state, this.name, this.#options.vocabulary);
  }

  /** Keeps the weights as they are now as the reference that a KL term measures against. */
  setReference(): void {
    this.#reference = this.#state.weights.slice();
  }

  /** Nothing is held that must be freed. */
  dispose(): void {
    this.#reference = null;
  }

  #write(request: SampleRequest, script: readonly Candidate[], rng: Rng): Completion {
    const longest = Math.min(request.maxTokens, this.#options.completionLength ?? 64);
    let grammar = this.#grammar(request.constraint);
    let prefix: Prefix = { depth: 0, live: script };
    const tokens: number[] = [];
    const logprobs: number[] = [];
    while (tokens.length < longest && tokens.at(-1) !== END) {
      const { logits } = predict(this.#state.weights, prefix);
      const logp = logSoftmax(logits, request.temperature > 0 ? request.temperature : 1, allowedBy(grammar));
      const drawn = limitsDraw(request)
        ? narrowed(logp.map(Math.exp), tokens, request.temperature, request)
        : logp.map(Math.exp);
      const token = request.temperature > 0 ? draw(drawn, rng) : drawn.indexOf(Math.max(...drawn));
      tokens.push(token);
      logprobs.push(logp[token] as number);
      prefix = extend(prefix, token);
      if (grammar && token !== END) grammar = behind(grammar, token);
    }
    return {
      text: this.#vocabulary.decode(tokens),
      tokens: Int32Array.from(tokens),
      logprobs: Float32Array.from(logprobs),
      finish: tokens.at(-1) === END ? 'stop' : 'length',
    };
  }

  #walk(group: TrainGroup, sample: TrainSample): Walk[] {
    let prefix: Prefix = { depth: 0, live: this.#script(group.prompt) };
    let grammar = this.#grammar(group.constraint);
    return Array.from(sample.tokens, (token) => {
      const at = { token, prefix, allowed: allowedBy(grammar) };
      if (at.allowed && !at.allowed.has(token)) {
        throw new Error(`${this.name}: token ${token} isn't in the grammar of its group`);
      }
      prefix = extend(prefix, token);
      if (grammar && token !== END) grammar = behind(grammar, token);
      return at;
    });
  }

  #logprob(weights: Weights, at: Walk): number {
    return logSoftmax(predict(weights, at.prefix).logits, 1, at.allowed)[at.token] as number;
  }

  #grammar(constraint: OutputConstraint | undefined): TokenGrammar | null {
    if (!constraint?.grammar) return null;
    const known = this.#grammars.get(constraint);
    if (known) return known;
    const grammar = overTokens(constraint.grammar, (text) => this.#vocabulary.encode(text));
    this.#grammars.set(constraint, grammar);
    return grammar;
  }

  #script(prompt: Prompt): readonly Candidate[] {
    const known = this.#scripts.get(prompt);
    if (known) return known;
    this.#check(prompt);
    const { right, wrong, passRate } = this.#options.answers(
      prompt,
      Rng.fromSeed(this.name).child(promptText(prompt)),
    );
    const share = right.length === 0 ? 0 : wrong.length === 0 ? 1 : passRate;
    const candidates = (texts: readonly string[], isRight: boolean, mass: number): Candidate[] =>
      texts.map((text) => ({
        tokens: [...this.encode(text)],
        right: isRight,
        prior: Math.log(mass / texts.length),
      }));
    const script = [...candidates(right, true, share), ...candidates(wrong, false, 1 - share)];
    this.#scripts.set(prompt, script);
    return script;
  }

  #check(prompt: Prompt): void {
    const { promptLength = Infinity, pictures } = this.#options;
    const words = promptText(prompt).split(/\s+/).filter(Boolean).length;
    if (words > promptLength) {
      throw new DataError('prompt', null, `${words} words are more than the ${promptLength} of ${this.name}`);
    }
    if (!pictures) return;
    const images = promptImages(prompt);
    const { count, width, height } = pictures;
    if (images.length !== count || images.some((i) => i.width !== width || i.height !== height)) {
      const got = images.map((i) => `${i.width}x${i.height}`).join(', ') || 'none';
      throw new DataError(
        'prompt',
        null,
        `${this.name} reads ${count} picture(s) of ${width}x${height}, got ${got}`,
      );
    }
  }

  #step(gradient: Weights, learningRate: number): void {
    const { weights, first, second, steps } = this.#state;
    const t = steps + 1;
    const rate = learningRate * (this.#options.gain ?? 100);
    const m = first.map((x, i) => BETA1 * x + (1 - BETA1) * (gradient[i] as number));
    const v = second.map((x, i) => BETA2 * x + (1 - BETA2) * (gradient[i] as number) ** 2);
    const next = weights.map((w, i) => {
      const mean = (m[i] as number) / (1 - BETA1 ** t);
      return w - (rate * mean) / (Math.sqrt((v[i] as number) / (1 - BETA2 ** t)) + EPSILON);
    });
    this.#state = { weights: next, first: m, second: v, steps: t };
  }
}

/** Ids that a grammar lets come next; null without one. Throws where it lets nothing come: such a grammar is a bug. */
function allowedBy(grammar: TokenGrammar | null): ReadonlySet<number> | null {
  if (!grammar) return null;
  const allowed = mayFollow(grammar);
  if (mayStop(grammar)) allowed.add(END);
  if (allowed.size === 0) throw new Error('a grammar leaves nothing to write');
  return allowed;
}

/** Draws a token by weights, at least one of which isn't 0. */
function draw(weights: Float64Array, rng: Rng): number {
  let rest = rng.float() * weights.reduce((sum, weight) => sum + weight, 0);
  let last = 0;
  for (const [token, weight] of weights.entries()) {
    if (weight === 0) continue;
    last = token;
    rest -= weight;
    if (rest < 0) break;
  }
  return last;
}
