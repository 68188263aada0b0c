import { describe, expect, it } from 'vitest';
import { ciede2000, contrast, labOf, seenWith } from '../../../src/render/chart/colour.js';
import { difference, LEAST_DIFFERENCE, NAMED_COLOURS, worstDifference } from '../../../src/render/index.js';

describe('CIEDE2000', () => {
  it.each([
    // Sharma, Wu and Dalal 2005, table 1.
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 3.1571, -77.2803], [50, 0, -82.7485], 2.8615],
    [[50, -1.3802, -84.2814], [50, 0, -82.7485], 1.0],
    [[50, 0, 0], [50, -1, 2], 2.3669],
    [[50, 2.49, -0.001], [50, -2.49, 0.0009], 7.1792],
    [[50, -0.001, 2.49], [50, 0.0009, -2.49], 4.8045],
    [[50, 2.5, 0], [50, 0, -2.5], 4.3065],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[50, 2.5, 0], [58, 24, 15], 19.4535],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
    [[22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619], 2.0373],
    [[90.8027, -2.0831, 1.441], [91.1528, -1.6435, 0.0447], 1.4441],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ] as const)('of %j and %j is %d', (a, b, expected) => {
    expect(ciede2000(a, b)).toBeCloseTo(expected, 4);
    expect(ciede2000(b, a)).toBeCloseTo(expected, 4);
  });
});

describe('colours', () => {
  it('have their places in L*a*b*', () => {
    const close = (hex: string, expected: readonly number[]): void =>
      labOf(hex).forEach((value, i) => expect(value).toBeCloseTo(expected[i]!, 1));
    close('#ffffff', [100, 0, 0]);
    close('#ff0000', [53.24, 80.09, 67.2]);
    close('#0000ff', [32.3, 79.19, -107.86]);
  });

  it('lose red and green where a cone is missing, and greys stay', () => {
    expect(worstDifference('#d62728', '#7a7a00')).toBeLessThan(difference('#d62728', '#7a7a00') / 2);
    for (const kind of ['protanopia', 'deuteranopia', 'tritanopia'] as const) {
      expect(difference(seenWith('#808080', kind), '#808080')).toBeLessThan(1);
    }
  });

  it('contrast as WCAG says', () => {
    expect(contrast('#ffffff', '#000000')).toBeCloseTo(21);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  it('that have names are told apart by all eyes', () => {
    const named = Object.values(NAMED_COLOURS);
    for (const [i, a] of named.entries()) {
      for (const b of named.slice(i + 1)) {
        expect(difference(a, b)).toBeGreaterThan(LEAST_DIFFERENCE.normal);
        expect(worstDifference(a, b)).toBeGreaterThan(LEAST_DIFFERENCE.deficient);
      }
    }
  });
});
