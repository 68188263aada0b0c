import sharp from 'sharp';
import type { Image } from '../core/image.js';
import { StoreError } from '../core/errors.js';
import type { RunReader } from '../runs/index.js';

/** A picture as a page holds it. */
export interface Picture {
  /** A `data:` address of a PNG. */
  readonly source: string;
  /** Size in pixels of the picture itself. */
  readonly width: number;
  readonly height: number;
}

/** Wider pictures are scaled down to this for the page. */
const WIDEST = 240;

/** Pictures of a run for one page, which together take no more than `budget` bytes. */
export class PictureBook {
  private readonly made = new Map<string, Promise<Picture | null>>();
  private left: number;

  constructor(
    private readonly reader: RunReader,
    budget: number,
  ) {
    this.left = budget;
  }

  /** A stored picture by its hash; null when it isn't there, is damaged, or there is no room left. */
  async show(hash: string): Promise<Picture | null> {
    const made = this.made.get(hash) ?? this.make(hash);
    this.made.set(hash, made);
    const picture = await made;
    // A page holds a picture as often as it is shown.
    const size = picture?.source.length ?? 0;
    if (picture === null || size > this.left) return null;
    this.left -= size;
    return picture;
  }

  private async make(hash: string): Promise<Picture | null> {
    try {
      const image = await this.reader.image(hash);
      return image && { source: await dataAddress(image), width: image.width, height: image.height };
    } catch (cause) {
      if (cause instanceof StoreError) return null;
      throw cause;
    }
  }
}

async function dataAddress({ width, height, rgb }: Image): Promise<string> {
  const raw = Buffer.from(rgb.buffer, rgb.byteOffset, rgb.byteLength);
  const whole = sharp(raw, { raw: { width, height, channels: 3 } });
  const sized = width > WIDEST ? whole.resize({ width: WIDEST }) : whole;
  const png = await sized.png({ compressionLevel: 9, adaptiveFiltering: true }).toBuffer();
  return `data:image/png;base64,${png.toString('base64')}`;
}
