import { describe, expect, it } from 'vitest';
import type { Image } from '../../../src/core/image.js';
import { alike, ALIKE_RULES, cellDistance, fingerprint } from '../../../src/environments/transforms/index.js';

/** A picture of soft waves, changed pixel by pixel. */
function waves(
  change: (rgb: number[], x: number, y: number) => number[] = (rgb) => rgb,
  width = 160,
  height = 120,
): Image {
  const rgb = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const base = [1, 2, 3].map((k) => 110 + 70 * Math.sin((k * x) / 23 + y / (9 + k)));
      change(base, x, y).forEach(
        (value, c) => (rgb[3 * (y * width + x) + c] = Math.max(0, Math.min(255, value))),
      );
    }
  }
  return { width, height, rgb };
}

const original = fingerprint(waves());

describe('pictures count as the same', () => {
  it.each(ALIKE_RULES)('when they are equal, by rule %s', (rule) => {
    expect(alike(original, fingerprint(waves()), rule)).toBe(true);
  });

  it('when noise alone tells them apart', () => {
    const noisy = fingerprint(waves((rgb, x, y) => rgb.map((v) => v + ((x * 7 + y * 13) % 5) - 2)));
    expect(alike(original, noisy, 'pixels')).toBe(true);
    expect(cellDistance(original, noisy)).toBeLessThan(2);
  });

  it.each([
    ['brighter', (rgb: number[]) => rgb.map((v) => v + 30)],
    ['of another hue', ([r = 0, g = 0, b = 0]: number[]) => [g, b, r]],
    [
      'less colourful',
      (rgb: number[]) => rgb.map((v) => (v + (rgb[0] ?? 0) + (rgb[1] ?? 0) + (rgb[2] ?? 0)) / 4),
    ],
  ])('never when one is %s: the hash alone would lose it', (_, change) => {
    const other = fingerprint(waves(change));
    expect(alike(original, other, 'pixels')).toBe(false);
    expect(cellDistance(original, other)).toBeGreaterThan(6);
  });

  it('when both are plain and a level apart: the hash of a plain picture is noise', () => {
    const flat = (level: number) =>
      fingerprint(waves((_, x) => [level + (x % 90 === 0 ? 1 : 0), level, level]));
    const [darker, lighter] = [flat(120), flat(121)];
    expect(alike(darker, lighter, 'pixels')).toBe(true);
    expect(alike(darker, flat(140), 'pixels')).toBe(false);
    const plain = (level: number) => fingerprint(waves(() => [level, level, level]));
    expect(alike(plain(120), plain(121), 'pixels')).toBe(true);
  });

  it('by the hash alone, when one is brighter: what the paper says to the letter', () => {
    const brighter = fingerprint(waves((rgb) => rgb.map((v) => v + 30)));
    expect(alike(original, brighter, 'hash')).toBe(true);
    expect(alike(original, brighter, 'equal-hash')).toBe(true);
  });

  it('not when a thin frame stands elsewhere', () => {
    const framed = (left: number): Image =>
      waves((rgb, x, y) => {
        const on = x >= left && x < left + 50 && y >= 20 && y < 70;
        const inside = x >= left + 3 && x < left + 47 && y >= 23 && y < 67;
        return on && !inside ? [255, 0, 0] : rgb;
      });
    expect(alike(fingerprint(framed(10)), fingerprint(framed(90)), 'pixels')).toBe(false);
  });

  it('not when sizes differ, but for the bare hash', () => {
    const half = fingerprint(waves((rgb) => rgb, 160, 60));
    expect(alike(original, half, 'pixels')).toBe(false);
    expect(alike(original, half, 'equal-hash')).toBe(false);
  });

  it('when both are smaller than the grid', () => {
    const tiny = fingerprint(waves((rgb) => rgb, 5, 3));
    expect(alike(tiny, fingerprint(waves((rgb) => rgb, 5, 3)), 'pixels')).toBe(true);
    expect(alike(tiny, fingerprint(waves((rgb) => rgb.map((v) => 255 - v), 5, 3)), 'pixels')).toBe(false);
  });
});
