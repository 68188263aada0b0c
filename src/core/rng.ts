import { createHash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';

/** One step on the way to a random stream. */
export type RngPathPart = string | number;

/**
 * A random stream that is a pure function of (seed, path): the state is a hash of both, so streams of near seeds or
 * near paths share nothing, and an item can be made again without making those before it.
 *
 * Drawing advances this stream only; `child` never does, so the order in which children are made doesn't matter.
 */
export class Rng {
  readonly #path: string;
  #generator: RandomGenerator | undefined;

  private constructor(path: string) {
    this.#path = path;
  }

  static fromSeed(seed: number | string): Rng {
    return new Rng(JSON.stringify([seed]));
  }

  /** An independent stream for `path` below this one. */
  child(...path: RngPathPart[]): Rng {
    return new Rng(`${this.#path}${JSON.stringify(path)}`);
  }

  /** Uniform in [0, 1), 53 bits. */
  float(): number {
    return uniformFloat64(this.#source());
  }

  /** Uniform integer in [0, n). Throws when n is not a positive integer. */
  int(n: number): number {
    if (!Number.isInteger(n) || n <= 0) throw new Error(`Rng.int: n must be a positive integer, got ${n}`);
    return uniformInt(this.#source(), 0, n - 1);
  }

  /** Uniform in [low, high). */
  range(low: number, high: number): number {
    return low + (high - low) * this.float();
  }

  /** True with probability p. */
  chance(p: number): boolean {
    return this.float() < p;
  }

  /** Standard normal deviate (Box and Muller; one of the pair is dropped so that draws stay independent of history). */
  normal(): number {
    const u = 1 - this.float();
    return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * this.float());
  }

  /** A uniformly chosen item. Throws on an empty list. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('Rng.pick: nothing to pick from');
    return items[this.int(items.length)] as T;
  }

  /** A shuffled copy (Fisher and Yates). */
  shuffle<T>(items: readonly T[]): T[] {
    const out = [...items];
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.int(i + 1);
      [out[i], out[j]] = [out[j] as T, out[i] as T];
    }
    return out;
  }

  #source(): RandomGenerator {
    if (!this.#generator) {
      const digest = createHash('sha256').update(this.#path).digest();
      const state = [0, 4, 8, 12].map((offset) => digest.readInt32LE(offset) | (offset === 0 ? 1 : 0));
      this.#generator = xoroshiro128plusFromState(state);
    }
    return this.#generator;
  }
}
