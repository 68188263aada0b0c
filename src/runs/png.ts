import sharp from 'sharp';
import type { Image } from '../core/image.js';

/** An image as PNG, without loss. */
export async function encodePng(image: Image): Promise<Uint8Array> {
  const { width, height } = image;
  return sharp(image.rgb, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 6 })
    .toBuffer();
}

/** The pixels of a PNG that {@link encodePng} made. Throws when it is none. */
export async function decodePng(bytes: Uint8Array): Promise<Image> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`a PNG of ${info.channels} channels where 3 were expected`);
  return { width: info.width, height: info.height, rgb: new Uint8Array(data) };
}
