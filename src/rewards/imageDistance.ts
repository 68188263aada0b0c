import type { Image } from '../core/image.js';

/** Side of the thumbnails that pictures are compared by, in cells. */
const SIDE = 8;

/** Mean colour of each of 8 x 8 cells of a picture, row by row, RGB in [0, 1]; a cell without a pixel has the nearest one's. */
export function thumbnail({ width, height, rgb }: Image): Float64Array {
  const out = new Float64Array(SIDE * SIDE * 3);
  const bounds = (cell: number, length: number): [from: number, to: number] => {
    const from = Math.min(length - 1, Math.floor((cell * length) / SIDE));
    return [from, Math.max(from + 1, Math.floor(((cell + 1) * length) / SIDE))];
  };
  for (let row = 0; row < SIDE; row++) {
    const [top, bottom] = bounds(row, height);
    for (let column = 0; column < SIDE; column++) {
      const [left, right] = bounds(column, width);
      const at = 3 * (row * SIDE + column);
      const scale = 1 / (255 * (bottom - top) * (right - left));
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) {
          const pixel = 3 * (y * width + x);
          for (let c = 0; c < 3; c++) {
            out[at + c] = (out[at + c] as number) + (rgb[pixel + c] as number) * scale;
          }
        }
      }
    }
  }
  return out;
}

/** What a program did to its picture: the mean thumbnail of its outputs less the source's. */
export function editVector(source: Image, outputs: readonly Image[]): Float64Array {
  const before = thumbnail(source);
  const after = outputs.map(thumbnail);
  return before.map((value, i) => after.reduce((sum, t) => sum + (t[i] as number), 0) / after.length - value);
}

/**
 * Mean over pairs of 1 - cosine, in [0, 2]: how differently programs change pictures, without an embedding model. Two edits that
 * change nothing are alike (0), one that does is at 1 from one that doesn't. Null for fewer than two.
 */
export function meanCosineDistance(vectors: readonly Float64Array[]): number | null {
  if (vectors.length < 2) return null;
  const norms = vectors.map((vector) => Math.sqrt(dot(vector, vector)));
  let sum = 0;
  for (let i = 0; i < vectors.length; i++) {
    for (let j = i + 1; j < vectors.length; j++) {
      const scale = (norms[i] as number) * (norms[j] as number);
      const alike = norms[i] === 0 && norms[j] === 0;
      if (scale > 0) sum += 1 - dot(vectors[i] as Float64Array, vectors[j] as Float64Array) / scale;
      else if (!alike) sum += 1;
    }
  }
  return (2 * sum) / (vectors.length * (vectors.length - 1));
}

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
}
