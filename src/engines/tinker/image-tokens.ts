import { z } from 'zod';
import { DataError } from '../../core/errors.js';

/** How a Qwen-VL processor sizes images. */
export interface ImageSizing {
  /** Side in pixels of the square that one token covers: patch size times merge size. */
  readonly factor: number;
  readonly minPixels: number;
  readonly maxPixels: number;
}

const schema = z.object({
  patch_size: z.int().positive(),
  merge_size: z.int().positive(),
  min_pixels: z.int().positive().nullish(),
  max_pixels: z.int().positive().nullish(),
  size: z
    .object({ shortest_edge: z.int().positive().nullish(), longest_edge: z.int().positive().nullish() })
    .nullish(),
});

/** Reads a `preprocessor_config.json`. Throws a DataError on one that isn't of the Qwen-VL kind. */
export function imageSizing(file: string, content: unknown): ImageSizing {
  const read = schema.safeParse(content);
  if (!read.success) throw new DataError(file, null, 'is not the configuration of a Qwen-VL image processor');
  const { patch_size, merge_size, min_pixels, max_pixels, size } = read.data;
  const minPixels = min_pixels ?? size?.shortest_edge;
  const maxPixels = max_pixels ?? size?.longest_edge;
  if (!minPixels || !maxPixels)
    throw new DataError(file, null, 'names no smallest and largest number of pixels');
  return { factor: patch_size * merge_size, minPixels, maxPixels };
}

/**
 * Tokens of an image under the smart-resize rule of Qwen2-VL and its successors: both sides go to the nearest multiple
 * of the factor; when the area leaves its bounds, both are scaled alike, rounding to the inside. Throws a RangeError on
 * a side ratio above 200, as the processor does.
 */
export function imageTokens(
  width: number,
  height: number,
  { factor, minPixels, maxPixels }: ImageSizing,
): number {
  if (Math.max(width, height) / Math.min(width, height) > 200) {
    throw new RangeError(`image ${width} x ${height}: the longer side must be at most 200 times the shorter`);
  }
  let across = roundEven(width / factor);
  let down = roundEven(height / factor);
  const area = across * down * factor * factor;
  if (area > maxPixels) {
    const shrink = Math.sqrt((width * height) / maxPixels);
    across = Math.max(1, Math.floor(width / shrink / factor));
    down = Math.max(1, Math.floor(height / shrink / factor));
  } else if (area < minPixels) {
    const grow = Math.sqrt(minPixels / (width * height));
    across = Math.ceil((width * grow) / factor);
    down = Math.ceil((height * grow) / factor);
  }
  return across * down;
}

/** Nearest integer, halves to the even one: Python's rule. */
function roundEven(x: number): number {
  const low = Math.floor(x);
  if (x - low !== 0.5) return Math.round(x);
  return low % 2 === 0 ? low : low + 1;
}
