import { describe, expect, it } from 'vitest';
import { chooseLessons } from '../../../src/methods/vico/lessons.js';
import type { Edited } from '../../../src/methods/vico/propose.js';

type Config = Parameters<typeof chooseLessons>[0];

/** An edit of a parent with pass rate `before` whose task came out at `after`. */
function edit(id: string, before: number): Edited<null> {
  return {
    proposal: { index: 0, tokens: new Int32Array(0) },
    parent: { passRate: before },
    realised: { task: { id } },
  } as unknown as Edited<null>;
}

function choose(
  rows: ReadonlyArray<readonly [before: number, after: number]>,
  rewriter: { lessons: 'sweet-spot' | 'above-average'; balanceLessons?: boolean },
): Array<{ row: number; weight: number }> {
  const edits = rows.map(([before], i) => edit(`t${i}`, before));
  const rates = new Map(rows.map(([, after], i) => [`t${i}`, after]));
  const config = {
    ...{ alpha: 0.5, beta: 4, kMin: 0.15, lambda: 1, copies: 5 },
    rewriter: { balanceLessons: false, ...rewriter },
  } as Config;
  return chooseLessons(config, edits, rates).map(({ edited, weight }) => ({
    row: edits.indexOf(edited),
    weight,
  }));
}

describe('what the rewriter learns from', () => {
  it("keeps the sweet spot alone under the paper's rule, weighted by floor(5 w)", () => {
    const kept = choose(
      [
        [1, 0.5],
        [1, 0.625],
        [1, 0.75],
        [0.5, 0.375],
        [0, 0.25],
      ],
      { lessons: 'sweet-spot' },
    );
    // R(0.5) = 1, w = 1; R(0.625) = exp(-1/16) = 0.939, w = exp(-0.061) = 0.941, floor(4.7) = 4.
    expect(kept).toEqual([
      { row: 0, weight: 5 },
      { row: 1, weight: 4 },
      { row: 3, weight: 4 },
    ]);
  });

  it('keeps what did better than the other edits of parents that measured alike', () => {
    // Eight parents that seemed hard and come out at 1/4 when nothing is done to them: only going further counts.
    const hard = Array.from({ length: 8 }, (): [number, number] => [0.125, 0.25]);
    const kept = choose([...hard, [0.125, 0.5], [0.125, 0], ...hard.map((): [number, number] => [1, 0.5])], {
      lessons: 'above-average',
    });
    // R(1/4) = 0.779, R(1/2) = 1, R(0) = 0.368: a mean of 0.760. One quarter is 8 % of the way from there to 1, half all of it.
    // All edits of easy parents did as well as each other.
    expect(kept).toEqual([{ row: 8, weight: 5 }]);
  });

  it('compares with the side as long as few measured alike', () => {
    const kept = choose(
      [
        [0, 0.5],
        [0.125, 0],
        [0.25, 0],
      ],
      { lessons: 'above-average' },
    );
    expect(kept).toEqual([{ row: 0, weight: 5 }]);
  });

  it('gives every side the same weight in sum, as far as four times its own', () => {
    const rows: Array<[number, number]> = [
      [1, 0.5],
      [0, 0.5],
      [0.5, 0.5],
      [0.5, 0.5],
      [0.5, 0.5],
      [0.5, 0.5],
    ];
    const kept = choose(rows, { lessons: 'sweet-spot', balanceLessons: true });
    const of = (rowsOf: readonly number[]): number =>
      kept.filter(({ row }) => rowsOf.includes(row)).reduce((sum, { weight }) => sum + weight, 0);
    expect(of([0])).toBeCloseTo(10);
    expect(of([1])).toBeCloseTo(10);
    expect(of([2, 3, 4, 5])).toBeCloseTo(10);

    const lopsided = choose([[1, 0.5], ...Array.from({ length: 19 }, (): [number, number] => [0.5, 0.5])], {
      lessons: 'sweet-spot',
      balanceLessons: true,
    });
    expect(lopsided[0]?.weight).toBeCloseTo(20);
  });

  it('leaves out edits that were not measured', () => {
    const edits = [edit('known', 1), edit('unknown', 1)];
    const config = {
      ...{ alpha: 0.5, beta: 4, kMin: 0.15, lambda: 1, copies: 5 },
      rewriter: { lessons: 'sweet-spot', balanceLessons: false },
    } as Config;
    expect(chooseLessons(config, edits, new Map([['known', 0.5]]))).toHaveLength(1);
  });
});
