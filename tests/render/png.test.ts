import * as fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Image } from '../../src/core/image.js';
import { contactSheet, decodeImage, encodePng } from '../../src/render/index.js';

const anyImage: fc.Arbitrary<Image> = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }))
  .chain(([width, height]) =>
    fc
      .uint8Array({ minLength: 3 * width * height, maxLength: 3 * width * height })
      .map((rgb) => ({ width, height, rgb })),
  );

const plain = (width: number, height: number, grey: number): Image => ({
  width,
  height,
  rgb: new Uint8Array(3 * width * height).fill(grey),
});

describe('png', () => {
  it('comes back as it went, at every level', async () => {
    await fc.assert(
      fc.asyncProperty(anyImage, fc.constantFrom(undefined, 0, 1, 9), async (image, level) => {
        const bytes = await encodePng(image, level === undefined ? {} : { level });
        const back = await decodeImage(bytes);
        expect([back.width, back.height]).toEqual([image.width, image.height]);
        expect(Buffer.from(back.rgb).equals(Buffer.from(image.rgb))).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('writes no metadata and no alpha', async () => {
    const bytes = await encodePng(plain(9, 7, 80));
    const meta = await sharp(bytes).metadata();
    expect(meta).toMatchObject({ format: 'png', channels: 3, hasAlpha: false, depth: 'uchar' });
    expect(meta.exif ?? meta.icc ?? meta.xmp).toBeUndefined();
    expect(Buffer.from(bytes).includes('tIME')).toBe(false);
  });

  it('reads grey files as three equal channels and lays transparency on white', async () => {
    const grey = await sharp(Buffer.from([10, 200]), { raw: { width: 2, height: 1, channels: 1 } })
      .toColourspace('b-w')
      .png()
      .toBuffer();
    expect([...(await decodeImage(grey)).rgb]).toEqual([10, 10, 10, 200, 200, 200]);
    const clear = await sharp(Buffer.from([9, 9, 9, 0, 1, 2, 3, 255]), {
      raw: { width: 2, height: 1, channels: 4 },
    })
      .png()
      .toBuffer();
    expect([...(await decodeImage(clear)).rgb]).toEqual([255, 255, 255, 1, 2, 3]);
  });

  it('refuses pixels that do not fit the size, and bytes that are no picture', async () => {
    await expect(encodePng({ width: 2, height: 2, rgb: new Uint8Array(5) })).rejects.toThrow(RangeError);
    await expect(decodeImage(new Uint8Array([1, 2, 3]))).rejects.toThrow();
  });
});

describe('contact sheet', () => {
  it('lays pictures out in rows, enlarged, with gaps', () => {
    const sheet = contactSheet([plain(4, 3, 1), plain(4, 3, 2), plain(2, 2, 3)], 2, { scale: 2, gap: 5 });
    expect([sheet.width, sheet.height]).toEqual([5 + 2 * (8 + 5), 5 + 2 * (6 + 5)]);
    const at = (x: number, y: number) => sheet.rgb[3 * (y * sheet.width + x)];
    expect([at(5, 5), at(12, 10), at(18, 5), at(5, 16), at(8, 19)]).toEqual([1, 1, 2, 3, 3]);
    expect(at(0, 0)).toBe(at(13, 5));
    expect(at(9, 16)).toBe(at(0, 0));
    expect(sheet.rgb.filter((v) => v === 1).length).toBe(3 * 8 * 6);
  });

  it('writes labels under the pictures and inside their width', () => {
    const images = [plain(30, 10, 9), plain(30, 10, 9)];
    const bare = contactSheet(images, 2);
    const named = contactSheet(images, 2, { labels: ['A 1', 'much too long for it'] });
    expect(named.height).toBeGreaterThan(bare.height);
    const ink: number[][] = [];
    for (let y = 0; y < named.height; y++) {
      for (let x = 0; x < named.width; x++) if (named.rgb[3 * (y * named.width + x)] === 40) ink.push([x, y]);
    }
    expect(ink.length).toBeGreaterThan(20);
    expect(ink.every(([x = 0, y = 0]) => y >= 14 && x < named.width - 4 && !(x >= 34 && x < 38))).toBe(true);
  });

  it('refuses what makes no sheet', () => {
    expect(() => contactSheet([], 2)).toThrow(RangeError);
    expect(() => contactSheet([plain(1, 1, 0)], 0)).toThrow(RangeError);
    expect(() => contactSheet([plain(1, 1, 0)], 1, { labels: [] })).toThrow(RangeError);
    expect(() => contactSheet([plain(1, 1, 0)], 1, { scale: 0 })).toThrow(RangeError);
  });
});
