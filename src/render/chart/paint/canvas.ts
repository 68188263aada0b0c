import type { Image } from '../../../core/image.js';

/** Red, green, blue, 0 to 255. */
export type Rgb = readonly [number, number, number];

/** `#rrggbb` as numbers. */
export function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function hexOf([r, g, b]: Rgb): string {
  return `#${((1 << 24) | (r << 16) | (g << 8) | b).toString(16).slice(1)}`;
}

/** How much of each pixel of a rectangle a shape covers, 0 to 255; its top left pixel is (left, top). */
export interface Coverage {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

/** Room for sums of signed areas, grown when needed. All zero between calls. */
let sums = new Float32Array(0);

/**
 * A picture under way. Shapes cover pixels by their exact area, so that edges between pixels come out in between; where pieces of
 * one shape overlap they count once, provided that they go round the same way.
 */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly #rgb: Uint8Array;

  constructor(width: number, height: number, paper: string) {
    this.width = width;
    this.height = height;
    const rgb = new Uint8Array(3 * width * height);
    const [r, g, b] = rgbOf(paper);
    if (r === g && g === b) rgb.fill(r);
    else {
      for (let i = 0; i < 3 * width; i += 3) {
        rgb[i] = r;
        rgb[i + 1] = g;
        rgb[i + 2] = b;
      }
      for (let y = 1; y < height; y++) rgb.copyWithin(3 * width * y, 0, 3 * width);
    }
    this.#rgb = rgb;
  }

  /** The picture; draw no more after this. */
  finish(): Image {
    return { width: this.width, height: this.height, rgb: this.#rgb };
  }

  /** An upright rectangle; edges may lie between pixels. */
  rect(left: number, top: number, right: number, bottom: number, colour: string, alpha = 1): void {
    const x0 = Math.max(0, Math.min(left, right));
    const x1 = Math.min(this.width, Math.max(left, right));
    const y0 = Math.max(0, Math.min(top, bottom));
    const y1 = Math.min(this.height, Math.max(top, bottom));
    if (!(x1 > x0 && y1 > y0)) return;
    const rgb = rgbOf(colour);
    for (let y = Math.floor(y0); y < y1; y++) {
      const down = Math.min(y + 1, y1) - Math.max(y, y0);
      const first = Math.floor(x0);
      const last = Math.ceil(x1) - 1;
      if (first === last) {
        this.#span(y, first, last, rgb, alpha * down * (x1 - x0));
        continue;
      }
      const whole = Math.ceil(x0);
      const end = Math.floor(x1);
      if (whole > x0) this.#span(y, first, first, rgb, alpha * down * (whole - x0));
      if (end > whole) this.#span(y, whole, end - 1, rgb, alpha * down);
      if (x1 > end) this.#span(y, last, last, rgb, alpha * down * (x1 - end));
    }
  }

  #span(y: number, from: number, to: number, [r, g, b]: Rgb, alpha: number): void {
    const rgb = this.#rgb;
    const start = 3 * (y * this.width + from);
    const end = 3 * (y * this.width + to + 1);
    if (alpha >= 0.9999) {
      for (let i = start; i < end; i += 3) {
        rgb[i] = r;
        rgb[i + 1] = g;
        rgb[i + 2] = b;
      }
      return;
    }
    for (let i = start; i < end; i += 3) this.#mix(i, r, g, b, alpha);
  }

  #mix(i: number, r: number, g: number, b: number, alpha: number): void {
    const rgb = this.#rgb;
    const [r0, g0, b0] = [rgb[i] as number, rgb[i + 1] as number, rgb[i + 2] as number];
    rgb[i] = r0 + (r - r0) * alpha + 0.5;
    rgb[i + 1] = g0 + (g - g0) * alpha + 0.5;
    rgb[i + 2] = b0 + (b - b0) * alpha + 0.5;
  }

  /** A shape of one or more closed outlines, each `x, y, x, y, ...`. */
  fill(outlines: readonly (readonly number[])[], colour: string, alpha = 1): void {
    const shape = coverageOf(outlines, this.width, this.height);
    if (shape) this.stamp(shape, colour, alpha);
  }

  /** Lays a colour on what a shape covers, moved by whole pixels. */
  stamp(shape: Coverage, colour: string, alpha = 1, dx = 0, dy = 0): void {
    const [r, g, b] = rgbOf(colour);
    const { left, top, width, height, bytes } = shape;
    const from = Math.max(0, -(left + dx));
    const to = Math.min(width, this.width - left - dx);
    for (let row = Math.max(0, -(top + dy)); row < height && top + dy + row < this.height; row++) {
      const line = (top + dy + row) * this.width + left + dx;
      for (let column = from; column < to; column++) {
        const covered = bytes[row * width + column] as number;
        if (covered !== 0) this.#mix(3 * (line + column), r, g, b, (covered / 255) * alpha);
      }
    }
  }
}

/**
 * What outlines cover of a picture; null when nothing. Every edge adds its signed area to the pixels that it crosses and to the one
 * after, a running sum along each row then gives the coverage.
 */
export function coverageOf(
  outlines: readonly (readonly number[])[],
  pictureWidth: number,
  pictureHeight: number,
  originLeft = 0,
  originTop = 0,
): Coverage | null {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const points of outlines) {
    for (let i = 0; i < points.length; i += 2) {
      const x = points[i] as number;
      const y = points[i + 1] as number;
      if (x < x0) x0 = x;
      if (x > x1) x1 = x;
      if (y < y0) y0 = y;
      if (y > y1) y1 = y;
    }
  }
  const left = Math.max(originLeft, Math.floor(x0));
  const top = Math.max(originTop, Math.floor(y0));
  const width = Math.min(originLeft + pictureWidth, Math.ceil(x1)) - left;
  const height = Math.min(originTop + pictureHeight, Math.ceil(y1)) - top;
  if (!(width > 0 && height > 0)) return null;
  const stride = width + 2;
  if (sums.length < stride * height) sums = new Float32Array(Math.ceil(1.5 * stride * height));
  for (const points of outlines) {
    const n = points.length;
    if (n < 4) continue;
    let px = (points[n - 2] as number) - left;
    let py = (points[n - 1] as number) - top;
    for (let i = 0; i < n; i += 2) {
      const x = (points[i] as number) - left;
      const y = (points[i + 1] as number) - top;
      addEdge(px, py, x, y, width, height, stride);
      px = x;
      py = y;
    }
  }
  const bytes = new Uint8Array(width * height);
  for (let row = 0; row < height; row++) {
    let sum = 0;
    const line = row * stride;
    for (let column = 0; column < width; column++) {
      sum += sums[line + column] as number;
      const covered = sum < 0 ? -sum : sum;
      bytes[row * width + column] = covered >= 1 ? 255 : covered * 255 + 0.5;
    }
    sums.fill(0, line, line + stride);
  }
  return { left, top, width, height, bytes };
}

function addEdge(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  width: number,
  height: number,
  stride: number,
): void {
  if (ay === by) return;
  const sign = ay < by ? 1 : -1;
  const [x0, y0, x1, y1] = sign === 1 ? [ax, ay, bx, by] : [bx, by, ax, ay];
  const slope = (x1 - x0) / (y1 - y0);
  const firstRow = Math.max(0, Math.floor(y0));
  const lastRow = Math.min(height, Math.ceil(y1));
  let x = y0 < 0 ? x0 - y0 * slope : x0;
  for (let row = firstRow; row < lastRow; row++) {
    const dy = Math.min(row + 1, y1) - Math.max(row, y0);
    const next = x + slope * dy;
    // What lies outside on the left counts in the first column, on the right in none.
    const from = clamp(Math.min(x, next), width);
    const to = clamp(Math.max(x, next), width);
    addRow(row * stride, from, to, sign * dy);
    x = next;
  }
}

function clamp(x: number, width: number): number {
  return x < 0 ? 0 : x > width ? width : x;
}

/** An edge within one row, from column position `from` to `to`, with height `d` (signed). */
function addRow(line: number, from: number, to: number, d: number): void {
  const first = Math.floor(from);
  const last = Math.ceil(to);
  if (last <= first + 1) {
    const middle = 0.5 * (from + to) - first;
    add(line + first, d - d * middle);
    add(line + first + 1, d * middle);
    return;
  }
  const s = 1 / (to - from);
  const head = from - first;
  const tail = to - last + 1;
  const a0 = 0.5 * s * (1 - head) * (1 - head);
  const am = 0.5 * s * tail * tail;
  add(line + first, d * a0);
  if (last === first + 2) add(line + first + 1, d * (1 - a0 - am));
  else {
    const a1 = s * (1.5 - head);
    add(line + first + 1, d * (a1 - a0));
    for (let column = first + 2; column < last - 1; column++) add(line + column, d * s);
    const a2 = a1 + (last - first - 3) * s;
    add(line + last - 1, d * (1 - a2 - am));
  }
  add(line + last, d * am);
}

function add(at: number, value: number): void {
  sums[at] = (sums[at] as number) + value;
}
