import { describe, expect, it } from 'vitest';
import { difficultyPredictor, type Observation } from '../../src/algorithms/predictor.js';
import { brierScore, rSquared } from '../../src/algorithms/statistics.js';
import { Rng } from '../../src/core/rng.js';

const predictor = difficultyPredictor();
const logit = (features_F: readonly number[]) => 0.5 + 2 * (features_F[0] ?? 0) - (features_F[1] ?? 0);
const truth = (features_F: readonly number[]) => 1 / (1 + Math.exp(-logit(features_F)));

function groups(seed: string, count: number): Observation[] {
  const rng = Rng.fromSeed(seed);
  return Array.from({ length: count }, () => {
    const features_F = [rng.range(-1, 1), rng.range(-1, 1), rng.range(-1, 1)];
    const correct = Array.from({ length: 8 }, () => rng.chance(truth(features_F))).filter(Boolean).length;
    return { features_F, correct, tried: 8 };
  });
}

describe('difficultyPredictor', () => {
  it('starts at the pass rate it is told', () => {
    expect(predictor.predict(predictor.init(3), [1, -5, 100])).toBe(0.5);
    expect(predictor.predict(predictor.init(2, 0.85), [3, 4])).toBeCloseTo(0.85, 12);
    expect(predictor.predict(predictor.init(0, 1), [])).toBeCloseTo(0.999, 12);
  });

  it('learns the pass rates of a logistic world and ranks new tasks by them', () => {
    const start = predictor.init(3);
    const learned = predictor.update(start, groups('train', 3000));
    const fresh = groups('test', 1000).map(({ features_F }) => ({
      predicted: predictor.predict(learned, features_F),
      observed: truth(features_F),
    }));
    expect(rSquared(fresh)).toBeGreaterThan(0.97);
    expect(brierScore(fresh)).toBeLessThan(0.002);
    [2, -1, 0].forEach((weight, f) =>
      expect(Math.abs((learned.weights[f] ?? NaN) - weight)).toBeLessThan(0.25),
    );
    expect(learned.seen).toBe(24000);
    expect(start).toEqual(predictor.init(3));
  });

  it('goes on from JSON exactly where it was', () => {
    const batch = groups('more', 40);
    const whole = predictor.update(predictor.init(3), batch);
    const half = predictor.update(predictor.init(3), batch.slice(0, 20));
    const restored = JSON.parse(JSON.stringify(half)) as typeof half;
    expect(predictor.update(restored, batch.slice(20))).toEqual(whole);
  });

  it('stays finite and inside (0, 1) on one-sided data, and refuses broken features', () => {
    const sure = Array.from({ length: 2000 }, () => ({ features_F: [1e6], correct: 8, tried: 8 }));
    const state = predictor.update(predictor.init(1), sure);
    const p = predictor.predict(state, [1e6]);
    expect(p).toBeGreaterThan(0.9);
    expect(p).toBeLessThan(1);
    expect(predictor.predict(state, [-1e9])).toBeGreaterThan(0);
    expect(() => predictor.predict(state, [1, 2])).toThrow('2 features');
    expect(() => predictor.update(state, [{ features_F: [NaN], correct: 1, tried: 2 }])).toThrow('finite');
  });
});
