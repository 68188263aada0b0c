import { expect } from 'vitest';
import type { Image } from '../../src/core/image.js';
import { checkIsolation, type ProgramResult, type ProgramSandbox } from '../../src/sandbox/index.js';

const isolation = await checkIsolation();

/** Why tests that run programs can't run here; null when they can. */
export const unavailable: string | null = isolation.ok ? null : isolation.error.detail;
if (unavailable !== null) console.warn(`sandbox tests are skipped: ${unavailable}`);

/** A picture whose every pixel differs from its neighbours. */
export const picture: Image = {
  width: 120,
  height: 90,
  rgb: Uint8Array.from({ length: 3 * 120 * 90 }, (_, i) => (i * 7 + (i >> 5)) % 256),
};

export const ARGS = "args_list = [{'a': 1}, {'a': 2}, {'a': 3}, {'a': 4}]\n";

/** A program whose `edit_image` has this body (lines joined, four spaces in front of each). */
export function withBody(body: string, before = ''): string {
  const lines = body.split('\n').map((line) => `    ${line}`);
  return `from PIL import Image\n${before}def edit_image(img, a):\n${lines.join('\n')}\n    return img\n${ARGS}`;
}

/** A valid program: rolls the rows of the picture, so that the right result is known to the byte. */
export const GOOD = `import numpy as np
from PIL import Image
def edit_image(img, a):
    return Image.fromarray(np.roll(np.asarray(img), a, axis=0))
${ARGS}`;

/** What GOOD gives for argument `a`. */
export function rolled({ width, height, rgb }: Image, a: number): Uint8Array {
  const out = new Uint8Array(rgb.length);
  for (let y = 0; y < height; y++) {
    const from = ((y - a + height) % height) * 3 * width;
    out.set(rgb.subarray(from, from + 3 * width), y * 3 * width);
  }
  return out;
}

/** Runs GOOD and checks every byte: the pool is healthy. */
export async function expectHealthy(sandbox: ProgramSandbox): Promise<void> {
  const result = await sandbox.run(GOOD, picture);
  expect(result).toMatchObject({ status: 'ok', args: [{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }] });
  if (result.status !== 'ok') return;
  result.images.forEach((image, i) => {
    expect([image.width, image.height]).toEqual([picture.width, picture.height]);
    expect(Buffer.from(image.rgb).equals(Buffer.from(rolled(picture, i + 1)))).toBe(true);
  });
}

/** The reason of a result that isn't `ok`. */
export function reasonOf(result: ProgramResult): string {
  return result.status === 'ok' ? '' : result.reason;
}
