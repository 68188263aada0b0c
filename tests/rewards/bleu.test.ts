import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/core/rng.js';
import { bleu, bleuDistances, bleuMatrix } from '../../src/rewards/bleu.js';
import { averageLinkage, clusterShares } from '../../src/rewards/cluster.js';

interface Clustering {
  cut: number;
  labels: number[];
}

interface Fixture {
  texts: string[];
  bleu: number[][];
  bleuClusters: Clustering[];
  matrices: { distances: number[][]; clusters: Clustering[] }[];
}

const fixture = JSON.parse(
  readFileSync(new URL('__fixtures__/bleu_cluster.json', import.meta.url), 'utf8'),
) as Fixture;
const texts = fixture.texts.map((text) => (text === '' ? [] : text.split(' ')));

/** Labels numbered by first appearance. */
function renumbered(labels: ArrayLike<number>): number[] {
  const seen: number[] = [];
  return Array.from(labels, (label) => {
    if (!seen.includes(label)) seen.push(label);
    return seen.indexOf(label);
  });
}

/** The definition, written with maps and strings. */
function slowBleu(hypothesis: readonly string[], reference: readonly string[]): number {
  const grams = (tokens: readonly string[], n: number) => {
    const counts = new Map<string, number>();
    for (let i = 0; i + n <= tokens.length; i++) {
      const gram = JSON.stringify(tokens.slice(i, i + n));
      counts.set(gram, (counts.get(gram) ?? 0) + 1);
    }
    return counts;
  };
  const precisions = [1, 2, 3, 4].map((n) => {
    const have = grams(reference, n);
    const pairs = [...grams(hypothesis, n)];
    const hits = pairs.reduce((sum, [gram, count]) => sum + Math.min(count, have.get(gram) ?? 0), 0);
    return {
      hits,
      total: Math.max(
        1,
        pairs.reduce((sum, [, count]) => sum + count, 0),
      ),
    };
  });
  if (precisions[0]?.hits === 0) return 0;
  const product = precisions.reduce((all, { hits, total }) => all * ((hits === 0 ? 0.1 : hits) / total), 1);
  return product ** 0.25 * Math.min(1, Math.exp(1 - reference.length / hypothesis.length));
}

describe('bleu', () => {
  it('equals NLTK on every pair', () => {
    const n = texts.length;
    const ours = bleuMatrix(texts);
    const gaps = fixture.bleu.flatMap((row, i) =>
      row.map((value, j) => Math.abs(value - (ours[i * n + j] ?? NaN))),
    );
    expect(gaps).toHaveLength(n * n);
    expect(Math.max(...gaps)).toBeLessThan(1e-14);
    expect(bleu(texts[9] ?? [], texts[10] ?? [])).toBe(ours[9 * n + 10]);
  });

  it('equals its definition on random texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '__proto__'), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (batch) => {
        const scores = bleuMatrix(batch);
        batch.forEach((hypothesis, i) =>
          batch.forEach((reference, j) =>
            expect(scores[i * batch.length + j]).toBeCloseTo(slowBleu(hypothesis, reference), 12),
          ),
        );
      }),
    );
  });

  it('gives distances that are symmetric with zeros on the diagonal, the earlier text as hypothesis', () => {
    const n = texts.length;
    const distances = bleuDistances(texts);
    for (let i = 0; i < n; i++) {
      expect(distances[i * n + i]).toBe(0);
      for (let j = i + 1; j < n; j++) {
        expect(distances[j * n + i]).toBe(distances[i * n + j]);
        expect(distances[i * n + j]).toBeCloseTo(1 - (fixture.bleu[i]?.[j] ?? NaN), 12);
      }
    }
  });
});

describe('averageLinkage', () => {
  it('equals scikit-learn on BLEU distances, random ones and ties', () => {
    const cases = [
      { distances: bleuDistances(texts), n: texts.length, clusters: fixture.bleuClusters },
      ...fixture.matrices.map(({ distances, clusters }) => ({
        distances: Float64Array.from(distances.flat()),
        n: distances.length,
        clusters,
      })),
    ];
    for (const { distances, n, clusters } of cases) {
      const sizes = clusters.map(({ cut, labels }) => {
        expect(Array.from(averageLinkage(distances, n, cut)), `cut ${cut}`).toEqual(renumbered(labels));
        return new Set(labels).size;
      });
      expect(new Set(sizes).size).toBeGreaterThan(1);
    }
  });

  it('equals merging the nearest pair again and again', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 14 }),
        fc.integer(),
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        (n, seed, cut) => {
          const rng = Rng.fromSeed(seed);
          const distances = new Float64Array(n * n);
          for (let i = 0; i < n; i++) {
            for (let j = 0; j < i; j++) distances[i * n + j] = distances[j * n + i] = rng.float();
          }
          let clusters = Array.from({ length: n }, (_, i) => [i]);
          for (;;) {
            const pairs = clusters.flatMap((a, i) =>
              clusters.slice(i + 1).map((b) => {
                const all = a.flatMap((x) => b.map((y) => distances[x * n + y] ?? NaN));
                return { a, b, mean: all.reduce((sum, d) => sum + d, 0) / all.length };
              }),
            );
            const best = pairs.sort((p, q) => p.mean - q.mean)[0];
            if (!best || best.mean >= cut) break;
            clusters = [...clusters.filter((c) => c !== best.a && c !== best.b), [...best.a, ...best.b]];
          }
          const expected = Array.from({ length: n }, (_, i) =>
            clusters.findIndex((cluster) => cluster.includes(i)),
          );
          expect(Array.from(averageLinkage(distances, n, cut))).toEqual(renumbered(expected));
        },
      ),
    );
  });

  it('merges under the cut, not at it, and takes small and broken input for what it is', () => {
    const pair = Float64Array.from([0, 0.5, 0.5, 0]);
    expect([...averageLinkage(pair, 2, 0.5)]).toEqual([0, 1]);
    expect([...averageLinkage(pair, 2, 0.5000001)]).toEqual([0, 0]);
    expect([...averageLinkage(new Float64Array(0), 0, 1)]).toEqual([]);
    expect([...averageLinkage(new Float64Array(1), 1, 1)]).toEqual([0]);
    const apart = Float64Array.from([0, Infinity, Infinity, 0]);
    expect([...averageLinkage(apart, 2, 1)]).toEqual([0, 1]);
    expect(() => averageLinkage(pair, 3, 1)).toThrow('4 distances');
    expect(() => averageLinkage(Float64Array.from([0, NaN, NaN, 0]), 2, 1)).toThrow('not a number');
    expect([...clusterShares(Int32Array.from([0, 0, 1, 0]))]).toEqual([0.75, 0.75, 0.25, 0.75]);
  });

  it('takes 256 short programs in under a quarter of a second', () => {
    const rng = Rng.fromSeed('programs');
    const programs = Array.from({ length: 256 }, () =>
      Array.from({ length: 40 + rng.int(60) }, () => `token${Math.floor(150 * rng.float() ** 2)}`),
    );
    // Milliseconds of processor, the best of three: other work may share the machine.
    const times = [0, 1, 2].map(() => {
      const started = process.cpuUsage();
      averageLinkage(bleuDistances(programs), 256, 0.5);
      const { user, system } = process.cpuUsage(started);
      return (user + system) / 1000;
    });
    expect(Math.min(...times)).toBeLessThan(250);
  });
});
