import type { Image } from '../core/image.js';
import { drawText, GLYPH_HEIGHT } from './font.js';

/** How a contact sheet is laid out. */
export interface SheetOptions {
  /** Whole-number enlargement of every picture (nearest neighbour); 1 unless told. */
  readonly scale?: number;
  /** Pixels between pictures and round them; 4 unless told. */
  readonly gap?: number;
  /** A line under each picture, same order; cut at the picture's width. */
  readonly labels?: readonly string[];
}

const PAPER = 250;
const INK = 40;

/**
 * Pictures side by side, row by row, each in a cell of the largest picture's size. Throws a RangeError without
 * pictures, with fewer than one column, or when the labels are not as many as the pictures.
 */
export function contactSheet(images: readonly Image[], columns: number, options: SheetOptions = {}): Image {
  const { scale = 1, gap = 4, labels } = options;
  if (images.length === 0) throw new RangeError('contactSheet: no images');
  if (!Number.isInteger(columns) || columns < 1) throw new RangeError(`contactSheet: ${columns} columns`);
  if (!Number.isInteger(scale) || scale < 1) throw new RangeError(`contactSheet: scale ${scale}`);
  if (!Number.isInteger(gap) || gap < 0) throw new RangeError(`contactSheet: gap ${gap}`);
  if (labels && labels.length !== images.length) {
    throw new RangeError(`contactSheet: ${labels.length} labels for ${images.length} images`);
  }
  const cellW = scale * Math.max(...images.map((image) => image.width));
  const pictureH = scale * Math.max(...images.map((image) => image.height));
  const cellH = pictureH + (labels ? GLYPH_HEIGHT + 4 : 0);
  const across = Math.min(columns, images.length);
  const down = Math.ceil(images.length / columns);
  const width = gap + across * (cellW + gap);
  const height = gap + down * (cellH + gap);
  const sheet: Image = { width, height, rgb: new Uint8Array(3 * width * height).fill(PAPER) };
  images.forEach((image, i) => {
    const x = gap + (i % columns) * (cellW + gap);
    const y = gap + Math.floor(i / columns) * (cellH + gap);
    paste(sheet, image, x, y, scale);
    const label = labels?.[i];
    if (label !== undefined) drawText(sheet, label, x, y + pictureH + 2, x + cellW, INK);
  });
  return sheet;
}

function paste(sheet: Image, image: Image, left: number, top: number, scale: number): void {
  for (let y = 0; y < image.height * scale; y++) {
    const row = Math.floor(y / scale) * image.width;
    let to = 3 * ((top + y) * sheet.width + left);
    for (let x = 0; x < image.width; x++) {
      const from = 3 * (row + x);
      for (let k = 0; k < scale; k++, to += 3) {
        sheet.rgb[to] = image.rgb[from] as number;
        sheet.rgb[to + 1] = image.rgb[from + 1] as number;
        sheet.rgb[to + 2] = image.rgb[from + 2] as number;
      }
    }
  }
}
