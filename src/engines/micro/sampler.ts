import { limitsDraw, narrowed } from '../../algorithms/sampling.js';
import { chunk } from '../../core/chunk.js';
import type { Completion, SampleRequest, SamplingLimits } from '../../core/policy.js';
import type { Rng } from '../../core/rng.js';
import type { GroupShape } from './decoder.js';
import type { TokenAutomaton } from './grammar.js';
import type { NdArray } from './jax.js';
import { chooseShape, largestGroup, packByPrompt, type Block } from './packing.js';
import type { MicroPolicy } from './policy.js';
import { BEGIN, END } from './tokenizer.js';

/** One completion while it is written. */
interface Draft {
  readonly request: number;
  readonly sample: number;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly limits: SamplingLimits;
  readonly rng: Rng;
  readonly automaton: TokenAutomaton | null;
  state: number;
  readonly tokens: number[];
  readonly logprobs: number[];
  finish: 'stop' | 'length' | null;
}

/** Samples all requests; see `Policy.sample`. */
export async function sampleAll(
  policy: MicroPolicy,
  requests: readonly SampleRequest[],
): Promise<Completion[][]> {
  const shape = chooseShape(
    policy.sampleShapes,
    largestGroup(requests.map((r) => ({ prompt: r.prompt, rows: r.n }))),
  );
  const entries = requests.map((request, r) => ({
    prompt: request.prompt,
    rows: Array.from({ length: request.n }, (_, k) => startDraft(policy, request, r, k)),
  }));
  const blocks = packByPrompt(entries, shape.K);
  for (const part of chunk(blocks, shape.B)) await sampleBlocks(policy, shape, part);
  return entries.map(({ rows }) =>
    rows.map((draft) => ({
      text: policy.tokenizer.decode(draft.tokens),
      tokens: Int32Array.from(draft.tokens),
      logprobs: Float32Array.from(draft.logprobs),
      finish: draft.finish ?? 'length',
    })),
  );
}

function startDraft(policy: MicroPolicy, request: SampleRequest, r: number, k: number): Draft {
  if (!(request.maxTokens >= 1)) throw new Error(`${policy.name}: maxTokens must be at least 1`);
  const automaton = policy.automaton(request);
  return {
    request: r,
    sample: k,
    temperature: request.temperature,
    maxTokens: Math.min(request.maxTokens, policy.config.completionLength),
    limits: request,
    rng: request.rng.child(k),
    automaton,
    state: automaton?.start ?? 0,
    tokens: [],
    logprobs: [],
    finish: null,
  };
}

async function sampleBlocks(policy: MicroPolicy, shape: GroupShape, blocks: Block<Draft>[]): Promise<void> {
  const { jax, config, kernels } = policy;
  const np = jax.numpy;
  const { B, K } = shape;
  const { heads: H, completionLength: L, width: D } = config;
  const prompts = blocks.map((block) => block.prompt);
  const text = policy.trainable.text;
  const inputs = await policy.promptInputs(prompts, B, false);
  const context = kernels.prompt(B)(jax.tree.ref(text), inputs);
  let own: NdArray[] = Array.from({ length: 2 * config.layers }, () => np.zeros([B, H, K, L, D / H]));
  const ids = new Int32Array(B * K).fill(BEGIN);
  const drafts = blocks.flatMap((block, b) => block.rows.map((draft, k) => ({ draft, slot: b * K + k })));
  const step = kernels.next(shape);
  const V = policy.vocabulary;
  for (let t = 0; t < L; t++) {
    const at = Float32Array.from({ length: L }, (_, i) => (i === t ? 1 : 0));
    const upTo = Float32Array.from({ length: L }, (_, i) => (i <= t ? 1 : 0));
    const [logits, next] = step(
      jax.tree.ref(text),
      np.array(ids.slice(), { shape: [B, K] }),
      np.array(at),
      np.array(upTo),
      jax.tree.ref(context),
      own,
    );
    own = next;
    const values = (await logits.data()) as Float32Array;
    let open = 0;
    for (const { draft, slot } of drafts) {
      if (draft.finish) continue;
      const row = values.subarray(slot * V, slot * V + policy.tokenizer.tokens.length);
      ids[slot] = extend(draft, row);
      if (!draft.finish) open++;
    }
    if (open === 0) break;
  }
  jax.tree.dispose(context);
  jax.tree.dispose(own);
}

/** Draws one token from a row of logits (which it overwrites), writes it to the draft and gives its id. */
function extend(draft: Draft, logits: Float32Array): number {
  // Ids 0 and 1 (padding, begin) are never written.
  logits[0] = -Infinity;
  logits[1] = -Infinity;
  if (draft.automaton) maskLogits(logits, draft.automaton.allowed(draft.state));
  const temperature = draft.temperature > 0 ? draft.temperature : 1;
  let top = 0;
  for (let i = 1; i < logits.length; i++) {
    if ((logits[i] as number) > (logits[top] as number)) top = i;
  }
  const highest = logits[top] as number;
  let total = 0;
  for (let i = 0; i < logits.length; i++) {
    const e = Math.exp(((logits[i] as number) - highest) / temperature);
    logits[i] = e;
    total += e;
  }
  const narrow = limitsDraw(draft.limits)
    ? narrowed(logits, draft.tokens, draft.temperature, draft.limits)
    : null;
  const weights = narrow ?? logits;
  let token = narrow ? narrow.indexOf(Math.max(...narrow)) : top;
  if (draft.temperature > 0) {
    let rest = draft.rng.float() * (narrow ? narrow.reduce((sum, e) => sum + e, 0) : total);
    for (let i = 0; i < weights.length; i++) {
      const e = weights[i] as number;
      if (e === 0) continue;
      token = i;
      rest -= e;
      if (rest < 0) break;
    }
  }
  draft.tokens.push(token);
  draft.logprobs.push(Math.log((logits[token] as number) / total));
  if (draft.automaton && token !== END) draft.state = draft.automaton.next(draft.state, token);
  if (token === END) draft.finish = 'stop';
  else if (draft.tokens.length >= draft.maxTokens) draft.finish = 'length';
  return token;
}

function maskLogits(logits: Float32Array, allowed: Int32Array): void {
  let next = 0;
  for (let i = 0; i < logits.length; i++) {
    if (allowed[next] === i) next++;
    else logits[i] = -Infinity;
  }
}
