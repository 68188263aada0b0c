import { DataError } from '../../core/errors.js';
import type { Image } from '../../core/image.js';
import { patchSize, visionTokens, type VisionConfig } from './config.js';

/** 255 levels of one channel as the encoder reads them: centred, about unit scale. */
const LEVEL = Float32Array.from({ length: 256 }, (_, v) => (v / 255 - 0.5) * 2.5);

/** Throws a DataError on a picture of another size than the encoder reads. */
export function checkSize(image: Image, { imageWidth, imageHeight }: VisionConfig): void {
  if (image.width === imageWidth && image.height === imageHeight) return;
  throw new DataError(
    'prompt',
    null,
    `the micro model reads ${imageWidth}x${imageHeight} pictures, got ${image.width}x${image.height}`,
  );
}

/**
 * Cuts a picture into overlapping windows, one row each, written at `offset` of `out` as [C_v, window * window * 3].
 * Pixels outside the picture and rows beyond the last patch are 0. Throws a DataError on a picture of another size.
 */
export function writePatches(image: Image, vision: VisionConfig, out: Float32Array, offset: number): void {
  checkSize(image, vision);
  const { stride, window, imageWidth, imageHeight } = vision;
  const margin = (window - stride) >> 1;
  let at = offset;
  for (let py = 0; py < imageHeight; py += stride) {
    for (let px = 0; px < imageWidth; px += stride) {
      for (let dy = -margin; dy < window - margin; dy++) {
        const y = py + dy;
        for (let dx = -margin; dx < window - margin; dx++, at += 3) {
          const x = px + dx;
          if (x < 0 || y < 0 || x >= imageWidth || y >= imageHeight) continue;
          const i = (y * imageWidth + x) * 3;
          out[at] = LEVEL[image.rgb[i] as number] as number;
          out[at + 1] = LEVEL[image.rgb[i + 1] as number] as number;
          out[at + 2] = LEVEL[image.rgb[i + 2] as number] as number;
        }
      }
    }
  }
}

/** Pictures as the encoder's input, flat [B, C_v, window * window * 3]. */
export function patchBatch(images: readonly (Image | null)[], vision: VisionConfig): Float32Array {
  const size = visionTokens(vision) * patchSize(vision);
  const out = new Float32Array(images.length * size);
  images.forEach((image, i) => {
    if (image) writePatches(image, vision, out, i * size);
  });
  return out;
}
