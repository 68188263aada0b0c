import sharp from 'sharp';
import type { Image } from '../core/image.js';

export { contactSheet, type SheetOptions } from './sheet.js';

/** PNG bytes of an image, 8-bit RGB, without metadata. `level` is zlib's, 0 (fast) to 9 (small); 1 unless told. */
export async function encodePng(
  image: Image,
  options: { readonly level?: number } = {},
): Promise<Uint8Array> {
  const { width, height, rgb } = image;
  if (rgb.length !== 3 * width * height) {
    throw new RangeError(`image ${width} x ${height}: ${rgb.length} bytes are not its pixels`);
  }
  const level = options.level ?? 1;
  const raw = Buffer.from(rgb.buffer, rgb.byteOffset, rgb.byteLength);
  return sharp(raw, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: level, adaptiveFiltering: level > 4, palette: false })
    .toBuffer();
}

/** Pixels of a PNG, JPEG or WebP file; transparency is laid on white. Throws what sharp throws on bytes it can't read. */
export async function decodeImage(bytes: Uint8Array): Promise<Image> {
  const { data, info } = await sharp(bytes)
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgb: rgbOf(data, info.channels) };
}

/** Drops or repeats channels so that three are left. */
function rgbOf(data: Uint8Array, channels: number): Uint8Array {
  if (channels === 3) return new Uint8Array(data);
  const pixels = data.length / channels;
  const rgb = new Uint8Array(3 * pixels);
  for (let i = 0; i < pixels; i++) {
    for (let c = 0; c < 3; c++) rgb[3 * i + c] = data[i * channels + (channels < 3 ? 0 : c)] as number;
  }
  return rgb;
}
