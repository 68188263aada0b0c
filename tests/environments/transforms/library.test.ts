import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLibrary } from '../../../src/environments/transforms/index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'covolve-library-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const plain = (width: number, height: number, color: string) =>
  sharp({ create: { width, height, channels: 3, background: color } });

describe('a folder of pictures', () => {
  it('is read whole, upright, small enough, in one order, without what is broken', async () => {
    mkdirSync(path.join(folder, 'deep', 'er'), { recursive: true });
    await plain(40, 20, 'red').png().toFile(path.join(folder, 'b.png'));
    await plain(40, 20, 'red').png().toFile(path.join(folder, 'copy of b.png'));
    await plain(300, 100, 'blue')
      .jpeg()
      .toFile(path.join(folder, 'deep', 'er', 'a.JPG'));
    await plain(30, 10, 'lime')
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 100 })
      .toFile(path.join(folder, 'turned.jpg'));
    await sharp({ create: { width: 8, height: 8, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
      .png()
      .toFile(path.join(folder, 'clear.png'));
    writeFileSync(path.join(folder, 'broken.png'), 'not a picture');
    writeFileSync(path.join(folder, 'notes.txt'), 'not looked at');
    const { images, skipped } = await readLibrary(folder, { maxSide: 60 });
    expect(images.map(({ width, height }) => [width, height])).toEqual([
      [40, 20],
      [8, 8],
      [60, 20],
      [10, 30],
    ]);
    expect(images[1]?.rgb[0]).toBe(255);
    expect(skipped.map(({ file }) => file)).toEqual(['broken.png']);
  });

  it('is cut to one size when asked', async () => {
    await plain(40, 20, 'red').png().toFile(path.join(folder, 'b.png'));
    const { images } = await readLibrary(folder, { maxSide: 60, exact: { width: 24, height: 24 } });
    expect(images.map(({ width, height }) => [width, height])).toEqual([[24, 24]]);
  });

  it('is refused when it is missing or holds none', async () => {
    await expect(readLibrary(path.join(folder, 'nowhere'), { maxSide: 60 })).rejects.toThrow(
      /can't be read as a folder/,
    );
    writeFileSync(path.join(folder, 'broken.png'), 'no');
    await expect(readLibrary(folder, { maxSide: 60 })).rejects.toThrow(
      /holds no picture that can be read \(1 tried; broken\.png/,
    );
  });
});
