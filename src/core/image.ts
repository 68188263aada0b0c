import { createHash } from 'node:crypto';

/** Pixels: 8-bit RGB, rows from the top, `rgb.length === 3 * width * height`. Not changed after it was made. */
export interface Image {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** An image by the hash of its pixels (not of a file, so that no compressor's version can change its identity). */
export interface ImageRef {
  /** SHA-256 over width, height (32-bit little-endian) and RGB bytes, as 64 hex digits. */
  readonly hash: string;
  readonly width: number;
  readonly height: number;
}

export function imageRef(image: Image): ImageRef {
  const size = Buffer.alloc(8);
  size.writeUInt32LE(image.width, 0);
  size.writeUInt32LE(image.height, 4);
  const hash = createHash('sha256').update(size).update(image.rgb).digest('hex');
  return { hash, width: image.width, height: image.height };
}
