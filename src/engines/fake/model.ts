/**
 * The fake's model of language: a script of right and wrong texts, one number that says how much the right ones are
 * preferred, and one bias a token.
 */

/** One scripted completion. */
export interface Candidate {
  /** Its ids, the end token included. */
  readonly tokens: readonly number[];
  readonly right: boolean;
  /** Log of its probability before anything was learned. */
  readonly prior: number;
}

/** Everything that is learned: V token biases, then the preference for right texts (log-odds added to the script's). */
export type Weights = Float64Array;

/** What may be written next. All arrays have V entries. */
export interface Prediction {
  readonly logits: Float64Array;
  /** Derivative of each logit by the preference for right texts. */
  readonly slopes: Float64Array;
}

/** Probability of leaving the script at a token, spread evenly over all tokens: everything can be said, if rarely. */
const STRAY = 1e-3;

/** The scripted texts that a prefix still fits, in front of their token `depth`; none once the script was left. */
export interface Prefix {
  readonly depth: number;
  readonly live: readonly Candidate[];
}

/** The prefix with one more token. */
export function extend(prefix: Prefix, token: number): Prefix {
  return {
    depth: prefix.depth + 1,
    live: prefix.live.filter((candidate) => candidate.tokens[prefix.depth] === token),
  };
}

/**
 * Logits of the next token: log((1 - stray) q + stray / V) + bias, where q is what the script says behind this prefix,
 * its right texts weighted by exp(preference).
 */
export function predict(weights: Weights, { depth, live }: Prefix): Prediction {
  const V = weights.length - 1;
  const preference = weights[V] as number;
  const mass = new Float64Array(V);
  const rightMass = new Float64Array(V);
  let total = 0;
  let rightTotal = 0;
  for (const { tokens, right, prior } of live) {
    const next = tokens[depth];
    if (next === undefined) continue;
    const m = Math.exp(prior + (right ? preference : 0));
    mass[next] = (mass[next] as number) + m;
    total += m;
    if (!right) continue;
    rightMass[next] = (rightMass[next] as number) + m;
    rightTotal += m;
  }
  const slopes = new Float64Array(V);
  const logits = Float64Array.from(mass, (m, token) => {
    const scripted = total > 0 ? ((1 - STRAY) * m) / total : 0;
    const probability = scripted + (total > 0 ? STRAY : 1) / V;
    if (m > 0)
      slopes[token] = (scripted / probability) * ((rightMass[token] as number) / m - rightTotal / total);
    return Math.log(probability) + (weights[token] as number);
  });
  return { logits, slopes };
}

/** Log-probabilities of `logits / temperature` over the tokens in `allowed` (all when null); -Infinity elsewhere. */
export function logSoftmax(
  logits: Float64Array,
  temperature: number,
  allowed: ReadonlySet<number> | null,
): Float64Array {
  const scaled = logits.map((z, token) => (allowed && !allowed.has(token) ? -Infinity : z / temperature));
  const highest = scaled.reduce((a, b) => Math.max(a, b), -Infinity);
  const sum = scaled.reduce((s, z) => s + Math.exp(z - highest), 0);
  return scaled.map((z) => z - highest - Math.log(sum));
}

/** Adds a gradient by logits to a gradient by weights. */
export function backward(prediction: Prediction, byLogits: Float64Array, gradient: Weights): void {
  const V = byLogits.length;
  let preference = 0;
  byLogits.forEach((g, token) => {
    gradient[token] = (gradient[token] as number) + g;
    preference += g * (prediction.slopes[token] as number);
  });
  gradient[V] = (gradient[V] as number) + preference;
}
