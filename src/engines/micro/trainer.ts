import { chunk } from '../../core/chunk.js';
import type { Objective, TrainGroup, TrainSample, UpdateMetrics } from '../../core/policy.js';
import type { GroupShape } from './decoder.js';
import type { NdArray } from './jax.js';
import type { GroupArrays, Trainable } from './kernels.js';
import type { LossInputs } from './losses.js';
import { chooseShape, largestGroup, packByPrompt, type Block } from './packing.js';
import type { MicroPolicy } from './policy.js';
import { BEGIN, END, PAD } from './tokenizer.js';

/** A sample with its place in the caller's batch. */
interface Row {
  readonly group: number;
  readonly index: number;
  readonly sample: TrainSample;
  readonly constraint: TrainGroup['constraint'];
}

/** Flat host arrays of one compiled call, [B, K, L] each. */
interface Rows {
  readonly inputIds: Int32Array;
  readonly targets: Int32Array;
  readonly mask: Float32Array;
  readonly weights: Float32Array;
  readonly behaviour: Float32Array;
}

const FORBIDDEN = -1e9;

function pack(
  policy: MicroPolicy,
  groups: readonly TrainGroup[],
): { shape: GroupShape; parts: Block<Row>[][] } {
  const shape = chooseShape(
    policy.trainShapes,
    largestGroup(groups.map((g) => ({ prompt: g.prompt, rows: g.samples.length }))),
  );
  const entries = groups.map((g, group) => ({
    prompt: g.prompt,
    rows: g.samples.map((sample, index) => ({ group, index, sample, constraint: g.constraint })),
  }));
  return { shape, parts: chunk(packByPrompt(entries, shape.K), shape.B) };
}

function rowArrays(policy: MicroPolicy, { B, K }: GroupShape, blocks: readonly Block<Row>[]): Rows {
  const L = policy.config.completionLength;
  const size = B * K * L;
  const rows: Rows = {
    inputIds: new Int32Array(size).fill(PAD),
    targets: new Int32Array(size).fill(PAD),
    mask: new Float32Array(size),
    weights: new Float32Array(size),
    behaviour: new Float32Array(size),
  };
  blocks.forEach((block, b) => {
    block.rows.forEach(({ sample }, k) => {
      const { tokens, logprobs, weight } = sample;
      if (tokens.length > L) {
        throw new Error(`${policy.name}: a completion of ${tokens.length} tokens is longer than ${L}`);
      }
      const at = (b * K + k) * L;
      rows.inputIds[at] = BEGIN;
      rows.inputIds.set(tokens.subarray(0, tokens.length - 1), at + 1);
      rows.targets.set(tokens, at);
      rows.mask.fill(1, at, at + tokens.length);
      rows.weights.fill(weight, at, at + tokens.length);
      rows.behaviour.set(logprobs.subarray(0, tokens.length), at);
    });
  });
  return rows;
}

/**
 * The mask that sampling applied, as numbers to add to the logits: [B, K, L, V], or [1, 1, 1, 1] of 0 when no row has a
 * grammar. The two tokens that are never sampled are left to the model: their probability is negligible once trained.
 */
function allowedArray(policy: MicroPolicy, { B, K }: GroupShape, blocks: readonly Block<Row>[]): NdArray {
  const np = policy.jax.numpy;
  const constrained = blocks.some((block) => block.rows.some((row) => row.constraint));
  const L = policy.config.completionLength;
  const V = policy.vocabulary;
  const real = policy.tokenizer.tokens.length;
  if (!constrained) {
    const row = new Float32Array(V).fill(FORBIDDEN);
    row.fill(0, END, real);
    return np.array(row, { shape: [1, 1, 1, V] });
  }
  const out = new Float32Array(B * K * L * V);
  blocks.forEach((block, b) => {
    block.rows.forEach((row, k) => {
      const automaton = row.constraint ? policy.automaton({ constraint: row.constraint }) : null;
      let state = automaton?.start ?? 0;
      row.sample.tokens.forEach((token, t) => {
        const at = ((b * K + k) * L + t) * V;
        out.fill(FORBIDDEN, at, at + V);
        if (!automaton) {
          out.fill(0, at + END, at + real);
          return;
        }
        for (const id of automaton.allowed(state)) out[at + id] = 0;
        if (token !== END) state = automaton.next(state, token);
      });
    });
  });
  return np.array(out, { shape: [B, K, L, V] });
}

async function groupArrays(
  policy: MicroPolicy,
  { B, K }: GroupShape,
  blocks: readonly Block<Row>[],
  rows: Rows,
): Promise<GroupArrays> {
  const prompts = blocks.map((block) => block.prompt);
  const inputs = await policy.promptInputs(prompts, B, true);
  const shape = [B, K, policy.config.completionLength];
  return { ...inputs, inputIds: policy.jax.numpy.array(rows.inputIds, { shape }) };
}

/** Log-probabilities (temperature 1) under `weights`; see `Policy.logprobs`. */
export async function trainingLogprobs(
  policy: MicroPolicy,
  weights: Trainable,
  groups: readonly TrainGroup[],
): Promise<Float32Array[][]> {
  const { shape, parts } = pack(policy, groups);
  const out: Float32Array[][] = groups.map(() => []);
  for (const blocks of parts) {
    const rows = rowArrays(policy, shape, blocks);
    const values = await blockLogprobs(policy, weights, shape, blocks, rows);
    const L = policy.config.completionLength;
    blocks.forEach((block, b) => {
      block.rows.forEach((row, k) => {
        const at = (b * shape.K + k) * L;
        (out[row.group] as Float32Array[])[row.index] = values.slice(at, at + row.sample.tokens.length);
      });
    });
  }
  return out;
}

async function blockLogprobs(
  policy: MicroPolicy,
  weights: Trainable,
  shape: GroupShape,
  blocks: readonly Block<Row>[],
  rows: Rows,
): Promise<Float32Array> {
  const { jax, kernels } = policy;
  const dims = [shape.B, shape.K, policy.config.completionLength];
  const logp = kernels.logprobs(shape)(
    jax.tree.ref(weights),
    await groupArrays(policy, shape, blocks, rows),
    jax.numpy.array(rows.targets, { shape: dims }),
    allowedArray(policy, shape, blocks),
  );
  return (await logp.data()) as Float32Array;
}

export interface Accumulated {
  /** Owned by the caller. */
  readonly gradient: Trainable;
  readonly loss: number;
  readonly terms: Pick<UpdateMetrics, 'clipFraction' | 'kl' | 'entropy'>;
}

/** Loss and gradient of a whole batch, summed over compiled calls; nothing of the policy changes. */
export async function accumulate(
  policy: MicroPolicy,
  batch: readonly TrainGroup[],
  objective: Objective,
): Promise<Accumulated> {
  const { jax, kernels } = policy;
  const np = jax.numpy;
  const gradientOfPolicy = objective.name === 'policy-gradient';
  if (gradientOfPolicy && batch.some((g) => g.samples.some((s) => s.logprobs.length !== s.tokens.length))) {
    throw new Error(`${policy.name}: a sample needs one behaviour log-probability a token`);
  }
  const { shape, parts } = pack(policy, batch);
  const tokens = batch.reduce((n, g) => n + g.samples.reduce((m, s) => m + s.tokens.length, 0), 0);
  const weight = batch.reduce((n, g) => n + g.samples.reduce((m, s) => m + s.weight * s.tokens.length, 0), 0);
  const count = gradientOfPolicy ? tokens : weight;
  if (!(count > 0)) throw new Error(`${policy.name}: an update needs at least one weighted token`);
  let gradient: Trainable = jax.tree.map<NdArray, NdArray, Trainable>(
    (a) => np.zeros(a.shape),
    policy.trainable,
  );
  let loss = 0;
  const sums = [0, 0, 0];
  for (const blocks of parts) {
    const rows = rowArrays(policy, shape, blocks);
    const inputs = await lossInputs(policy, shape, blocks, rows, objective, 1 / count);
    const arrays = await groupArrays(policy, shape, blocks, rows);
    const [value, partSums, next] = kernels.gradients(shape, objective.name)(
      jax.tree.ref(policy.trainable),
      arrays,
      inputs,
      gradient,
    );
    gradient = next;
    loss += ((await value.data()) as Float32Array)[0] as number;
    const part: number[] = [...((await partSums.data()) as Float32Array)];
    part.forEach((v, i) => (sums[i] = (sums[i] as number) + v));
  }
  if (objective.name === 'cross-entropy') return { gradient, loss, terms: {} };
  const [clipped, kl, entropy] = sums.map((s) => s / tokens) as [number, number, number];
  const terms = { clipFraction: clipped, entropy, ...(objective.kl > 0 ? { kl } : {}) };
  return { gradient, loss, terms };
}

async function lossInputs(
  policy: MicroPolicy,
  shape: GroupShape,
  blocks: readonly Block<Row>[],
  rows: Rows,
  objective: Objective,
  scale: number,
): Promise<LossInputs> {
  const np = policy.jax.numpy;
  const dims = [shape.B, shape.K, policy.config.completionLength];
  const gradient = objective.name === 'policy-gradient' ? objective : null;
  const reference =
    gradient && gradient.kl > 0
      ? await blockLogprobs(policy, policy.reference, shape, blocks, rows)
      : new Float32Array(rows.mask.length);
  return {
    targets: np.array(rows.targets, { shape: dims }),
    mask: np.array(rows.mask, { shape: dims }),
    weights: np.array(rows.weights, { shape: dims }),
    behaviour: np.array(rows.behaviour, { shape: dims }),
    reference: np.array(reference, { shape: dims }),
    // Cross-entropy learns what to write without the mask, so that the mask matters less and less.
    allowed: gradient ? allowedArray(policy, shape, blocks) : np.zeros([1, 1, 1, 1]),
    scale: np.array(scale),
    temperature: np.array(gradient?.temperature ?? 1),
    clipMin: np.array(1 - (gradient?.clipLow ?? 0)),
    clipMax: np.array(1 + (gradient?.clipHigh ?? 0)),
    kl: np.array(gradient?.kl ?? 0),
    entropy: np.array(gradient?.entropy ?? 0),
  };
}
