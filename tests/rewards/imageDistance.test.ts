import { describe, expect, it } from 'vitest';
import type { Image } from '../../src/core/image.js';
import { editVector, meanCosineDistance, thumbnail } from '../../src/rewards/imageDistance.js';

const flat = (width: number, height: number, [r, g, b]: readonly [number, number, number]): Image => ({
  width,
  height,
  rgb: Uint8Array.from({ length: 3 * width * height }, (_, i) => [r, g, b][i % 3] as number),
});

describe('how differently programs change pictures', () => {
  it('has thumbnails of the mean colours of 8 x 8 cells, at any size', () => {
    for (const [width, height] of [
      [3, 5],
      [8, 8],
      [31, 17],
    ] as const) {
      const cells = thumbnail(flat(width, height, [255, 51, 0]));
      expect(cells).toHaveLength(192);
      cells.forEach((value, i) => expect(value).toBeCloseTo([1, 0.2, 0][i % 3] as number, 12));
    }
    const half = flat(16, 16, [0, 0, 0]);
    half.rgb.fill(255, 0, half.rgb.length / 2);
    expect(thumbnail(half)[0]).toBeCloseTo(1, 12);
    expect(thumbnail(half)[191]).toBe(0);
  });

  it('is 0 between edits of one direction, 2 between opposite ones, 1 beside an edit that does nothing', () => {
    const source = flat(8, 8, [100, 100, 100]);
    const brighter = editVector(source, [flat(8, 8, [150, 150, 150])]);
    const muchBrighter = editVector(source, [flat(9, 4, [200, 200, 200]), flat(8, 8, [250, 250, 250])]);
    const darker = editVector(source, [flat(8, 8, [50, 50, 50])]);
    const nothing = editVector(source, [source]);
    expect(meanCosineDistance([brighter, muchBrighter])).toBeCloseTo(0, 12);
    expect(meanCosineDistance([brighter, darker])).toBeCloseTo(2, 12);
    expect(meanCosineDistance([brighter, nothing])).toBe(1);
    expect(meanCosineDistance([nothing, nothing])).toBe(0);
    expect(meanCosineDistance([brighter, muchBrighter, darker])).toBeCloseTo(4 / 3, 12);
    expect(meanCosineDistance([brighter])).toBeNull();
  });
});
