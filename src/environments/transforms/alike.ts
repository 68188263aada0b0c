import type { Image } from '../../core/image.js';

/**
 * When two outputs of a program count as the same picture.
 *
 * - `pixels`: alike in size, in hash and in pixels (ours). Where pixels are all but equal the hash isn't asked: that of a plain
 *   picture is noise.
 * - `hash`: perceptual hashes alike by more than 0.95 (EVE, section 3.2, to the letter). Most programs that change hue, saturation
 *   or brightness alone are lost by it, since their outputs hash alike.
 * - `equal-hash`: sizes alike by more than 0.95 and hashes equal (EVE's published code).
 */
export const ALIKE_RULES = ['pixels', 'hash', 'equal-hash'] as const;

export type AlikeRule = (typeof ALIKE_RULES)[number];

const HASH_SIDE = 8;
const HASH_BITS = HASH_SIDE * HASH_SIDE;
/** Side of the grey picture that the transform looks at. */
const SAMPLED = 32;
/** Shares of equal hash bits, and of equal sizes, above which they are alike. */
const ALIKE = 0.95;
/** Cells a side in which pixels are compared, so that a small change counts where it is. */
const GRID = 16;
/** Mean difference of a cell, in levels of 255, from which it is another picture. */
const LEVELS = 6;
/** The same where nobody could tell the two apart, whatever their hashes. */
const UNSEEN_LEVELS = 1.5;

/** What of a picture is compared. */
export interface Fingerprint {
  readonly width: number;
  readonly height: number;
  /** Signs of the lowest 8 x 8 frequencies of the grey picture against their median, one byte a bit. */
  readonly hash: Uint8Array;
  /** Mean red, green and blue of GRID x GRID cells, 0 to 255. */
  readonly cells: Float32Array;
}

/** Makes a picture comparable. */
export function fingerprint(image: Image): Fingerprint {
  const { width, height } = image;
  return {
    width,
    height,
    hash: perceptualHash(cellMeans(image, SAMPLED)),
    cells: cellMeans(image, GRID),
  };
}

/** Whether two pictures count as the same by a rule. */
export function alike(a: Fingerprint, b: Fingerprint, rule: AlikeRule): boolean {
  const hashes = hashSimilarity(a, b);
  switch (rule) {
    case 'hash':
      return hashes > ALIKE;
    case 'equal-hash':
      return sizesAlike(a, b) && hashes === 1;
    case 'pixels':
      return sizesAlike(a, b) && largestCellDifference(a, b) < (hashes > ALIKE ? LEVELS : UNSEEN_LEVELS);
    default:
      return rule satisfies never;
  }
}

/** Share of equal bits of the two hashes, in [0, 1]. */
export function hashSimilarity(a: Fingerprint, b: Fingerprint): number {
  let equal = 0;
  for (let i = 0; i < HASH_BITS; i++) if (a.hash[i] === b.hash[i]) equal++;
  return equal / HASH_BITS;
}

/** Mean absolute difference of the cells of two pictures, all channels, in levels of 255: how far apart pictures are. */
export function cellDistance(a: Fingerprint, b: Fingerprint): number {
  let sum = 0;
  for (let i = 0; i < a.cells.length; i++) sum += Math.abs((a.cells[i] as number) - (b.cells[i] as number));
  return sum / a.cells.length;
}

function largestCellDifference(a: Fingerprint, b: Fingerprint): number {
  let most = 0;
  for (let i = 0; i < a.cells.length; i += 3) {
    let sum = 0;
    for (let c = 0; c < 3; c++) sum += Math.abs((a.cells[i + c] as number) - (b.cells[i + c] as number));
    most = Math.max(most, sum / 3);
  }
  return most;
}

function sizesAlike(a: Fingerprint, b: Fingerprint): boolean {
  const ratio = (p: number, q: number): number => Math.min(p, q) / Math.max(p, q);
  return ratio(a.width, b.width) > ALIKE && ratio(a.height, b.height) > ALIKE;
}

/** Mean RGB of side x side cells, row by row, [side * side * 3]; a cell narrower than a pixel shows the pixel it lies in. */
function cellMeans({ width, height, rgb }: Image, side: number): Float32Array {
  const means = new Float32Array(side * side * 3);
  for (let row = 0; row < side; row++) {
    const top = Math.floor((row * height) / side);
    const bottom = Math.max(top + 1, Math.floor(((row + 1) * height) / side));
    for (let column = 0; column < side; column++) {
      const left = Math.floor((column * width) / side);
      const right = Math.max(left + 1, Math.floor(((column + 1) * width) / side));
      let [r, g, b] = [0, 0, 0];
      for (let y = top; y < bottom; y++) {
        for (let at = 3 * (y * width + left); at < 3 * (y * width + right); at += 3) {
          r += rgb[at] as number;
          g += rgb[at + 1] as number;
          b += rgb[at + 2] as number;
        }
      }
      const pixels = (bottom - top) * (right - left);
      means.set([r / pixels, g / pixels, b / pixels], 3 * (row * side + column));
    }
  }
  return means;
}

/** The hash of a grey picture of SAMPLED x SAMPLED cells: a discrete cosine transform, its lowest corner against the median. */
function perceptualHash(cells: Float32Array): Uint8Array {
  const grey = new Float64Array(SAMPLED * SAMPLED);
  for (let i = 0; i < grey.length; i++) {
    const [r, g, b] = [cells[3 * i] as number, cells[3 * i + 1] as number, cells[3 * i + 2] as number];
    grey[i] = 0.299 * r + 0.587 * g + 0.114 * b;
  }
  const rows = new Float64Array(SAMPLED * HASH_SIDE);
  for (let y = 0; y < SAMPLED; y++) {
    for (let u = 0; u < HASH_SIDE; u++) {
      let sum = 0;
      for (let x = 0; x < SAMPLED; x++) sum += (grey[y * SAMPLED + x] as number) * cosine(x, u);
      rows[y * HASH_SIDE + u] = sum;
    }
  }
  const low = new Float64Array(HASH_BITS);
  for (let v = 0; v < HASH_SIDE; v++) {
    for (let u = 0; u < HASH_SIDE; u++) {
      let sum = 0;
      for (let y = 0; y < SAMPLED; y++) sum += (rows[y * HASH_SIDE + u] as number) * cosine(y, v);
      low[v * HASH_SIDE + u] = sum;
    }
  }
  const sorted = Float64Array.from(low).sort();
  const median = ((sorted[HASH_BITS / 2 - 1] as number) + (sorted[HASH_BITS / 2] as number)) / 2;
  return Uint8Array.from(low, (value) => Number(value > median));
}

function cosine(at: number, frequency: number): number {
  return Math.cos((Math.PI * (2 * at + 1) * frequency) / (2 * SAMPLED));
}
