import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Objective } from '../../../src/core/policy.js';
import { tokenLoss } from '../../../src/engines/fake/losses.js';
import { backward, extend, predict, type Candidate, type Prefix } from '../../../src/engines/fake/model.js';

const V = 5;
const SCRIPT: Candidate[] = [
  { tokens: [1, 2, 0], right: true, prior: Math.log(0.3) },
  { tokens: [1, 3, 0], right: false, prior: Math.log(0.5) },
  { tokens: [2, 0], right: false, prior: Math.log(0.2) },
];
const OBJECTIVES: Objective[] = [
  { name: 'cross-entropy' },
  { name: 'policy-gradient', temperature: 0.7, clipLow: 0.2, clipHigh: 0.28, kl: 0, entropy: 0 },
  { name: 'policy-gradient', temperature: 1.3, clipLow: 0.2, clipHigh: 0.2, kl: 0.5, entropy: 0.3 },
];

it("agrees with finite differences in every objective's gradient", () => {
  const weights = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
    minLength: V + 1,
    maxLength: V + 1,
  });
  fc.assert(
    fc.property(
      weights,
      fc.constantFrom(...OBJECTIVES),
      fc.constantFrom([], [1], [2], [4]),
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom(-1, 0.5, 2),
      fc.constantFrom(-2.5, -1, -0.2),
      (list, objective, before, token, weight, behaviour) => {
        const start: Prefix = { depth: 0, live: SCRIPT };
        const prefix = before.reduce(extend, start);
        const loss = (w: Float64Array): ReturnType<typeof tokenLoss> =>
          tokenLoss(objective, {
            logits: predict(w, prefix).logits,
            token,
            weight,
            behaviour,
            reference: -1.1,
            allowed: new Set([0, 1, 2, 3]),
          });
        const at = Float64Array.from(list);
        const gradient = new Float64Array(V + 1);
        backward(predict(at, prefix), loss(at).byLogits, gradient);
        const h = 1e-5;
        for (let i = 0; i <= V; i++) {
          const moved = (by: number): number => loss(at.map((w, j) => (i === j ? w + by : w))).loss;
          const numeric = (moved(h) - moved(-h)) / (2 * h);
          // At a corner of the clip range one-sided slopes differ; such draws have measure zero.
          expect(gradient[i]).toBeCloseTo(numeric, 4);
        }
      },
    ),
    { numRuns: 200, seed: 3 },
  );
});
