import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rng } from '../../../src/core/rng.js';
import { drawExamples, enqueue, openQueue, type Queue } from '../../../src/methods/eve/queue.js';

const PAPER = { size: 50, entry: 0.5, similar: 0.25 };

/** Programs that share no word with one another, so that BLEU keeps none of them out. */
const program = (name: string, difficulty: number): { action: string; text: string; difficulty: number } => ({
  action: name,
  text: Array.from({ length: 6 }, (_, i) => `${name}w${i}`).join(' '),
  difficulty,
});

const seeds = ['jigsaw', 'rotate', 'crop', 'box'];
const open = (): Queue<string> =>
  openQueue<string>({ seedPrograms: seeds, programText: (name) => program(name, 0).text });
const names = (queue: Queue<string>): string[] => queue.map(({ action }) => action);

describe('the example queue', () => {
  it('begins with the seeds, which carry 100', () => {
    expect(names(open())).toEqual(seeds);
    expect(open().map(({ difficulty }) => difficulty)).toEqual([100, 100, 100, 100]);
  });

  it('takes a program whose difficulty is above the bound, and no other', () => {
    const queue = enqueue(open(), [program('a', 0.5), program('b', 0.51), program('c', 1)], PAPER);
    expect(names(queue)).toEqual([...seeds, 'b', 'c']);
  });

  it('takes none whose BLEU with a queued one is above the bound, a seed or one that has just entered', () => {
    const twin = { ...program('other', 1), text: program('rotate', 0).text };
    const [a, again] = [program('a', 0.8), { ...program('a', 1), action: 'again' }];
    expect(names(enqueue(open(), [twin, a, again], PAPER))).toEqual([...seeds, 'a']);
    // Half of the words are another's: BLEU-4 with order kept is 0.41.
    const half = {
      ...program('half', 1),
      text: program('a', 0).text.split(' ').slice(0, 4).concat('x', 'y').join(' '),
    };
    expect(names(enqueue(open(), [a, half], PAPER))).not.toContain('half');
    expect(names(enqueue(open(), [a, half], { ...PAPER, similar: 0.9 }))).toContain('half');
  });

  it('keeps the top M by difficulty, among equals the newer, and every seed', () => {
    const found = [program('a', 0.7), program('b', 0.9), program('c', 0.7), program('d', 0.8)];
    expect(names(enqueue(open(), found, { ...PAPER, size: 7 }))).toEqual([...seeds, 'b', 'c', 'd']);
    expect(names(enqueue(open(), found, { ...PAPER, size: 6 }))).toEqual([...seeds, 'b', 'd']);
    expect(names(enqueue(open(), found, { ...PAPER, size: 0 }))).toEqual(seeds);
  });

  it('is never longer than M or the seeds, never loses a seed, and stays as a value what it was', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }),
        fc.integer({ min: 0, max: 12 }),
        (difficulties, size) => {
          const before = open();
          const found = difficulties.map((difficulty, i) => program(`p${i}`, difficulty));
          const queue = enqueue(before, found, { ...PAPER, size });
          expect(queue.length).toBeLessThanOrEqual(Math.max(size, 4));
          expect(names(queue).slice(0, 4)).toEqual(seeds);
          expect(names(before)).toEqual(seeds);
          // One by one is the same as all at once.
          const single = found.reduce((now, one) => enqueue(now, [one], { ...PAPER, size }), before);
          expect(single).toEqual(queue);
        },
      ),
    );
  });

  it('gives different examples at random, the most difficult first', () => {
    const queue = enqueue(open(), [program('a', 0.7), program('b', 0.9)], PAPER);
    const seen = new Set<string>();
    for (let i = 0; i < 60; i++) {
      const drawn = drawExamples(queue, 2, Rng.fromSeed(i));
      expect(new Set(names(drawn)).size).toBe(2);
      expect(drawn[0]?.difficulty).toBeGreaterThanOrEqual(drawn[1]?.difficulty as number);
      for (const name of names(drawn)) seen.add(name);
    }
    expect(seen.size).toBe(6);
    expect(drawExamples(queue, 99, Rng.fromSeed(0))).toHaveLength(6);
  });
});
