/** How far apart colours are, for eyes of the common kinds. */
import { hexOf, rgbOf, type Rgb } from './paint/canvas.js';

type Triple = readonly [number, number, number];

/** sRGB 0 to 255 to linear light 0 to 1 (IEC 61966-2-1). */
function linear(value: number): number {
  const v = value / 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
}

function encoded(value: number): number {
  const v = Math.min(1, Math.max(0, value));
  return Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055));
}

function times(matrix: readonly Triple[], [a, b, c]: Triple): Triple {
  const row = (i: 0 | 1 | 2): number => {
    const [x, y, z] = matrix[i] as Triple;
    return x * a + y * b + z * c;
  };
  return [row(0), row(1), row(2)];
}

/** What eyes see that lack one kind of cone wholly: Machado, Oliveira and Fernandes 2009, severity 1, on linear light. */
const DEFICIENCIES = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const satisfies Record<string, readonly Triple[]>;

export type Deficiency = keyof typeof DEFICIENCIES;
export const DEFICIENCY_NAMES = Object.keys(DEFICIENCIES) as readonly Deficiency[];

/** A colour as it looks with a deficiency. */
export function seenWith(hex: string, deficiency: Deficiency): string {
  const [r, g, b] = rgbOf(hex);
  const seen = times(DEFICIENCIES[deficiency], [linear(r), linear(g), linear(b)]);
  return hexOf(seen.map(encoded) as unknown as Rgb);
}

/** Relative luminance, 0 to 1 (WCAG 2). */
export function luminance(hex: string): number {
  const [r, g, b] = rgbOf(hex);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** Contrast of two colours, 1 to 21 (WCAG 2). */
export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** Black or white, whichever stands out from a colour. */
export function contrastOf(behind: string): string {
  return contrast(behind, '#ffffff') >= contrast(behind, '#111111') ? '#ffffff' : '#111111';
}

/** CIE L*a*b* of an sRGB colour under D65. */
export function labOf(hex: string): Triple {
  const [r, g, b] = rgbOf(hex);
  const [x, y, z] = times(
    [
      [0.4124564, 0.3575761, 0.1804375],
      [0.2126729, 0.7151522, 0.072175],
      [0.0193339, 0.119192, 0.9503041],
    ],
    [linear(r), linear(g), linear(b)],
  );
  const f = (t: number): number => (t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27) * (t / 116) + 16 / 116);
  const [fx, fy, fz] = [f(x / 0.95047), f(y), f(z / 1.08883)];
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

const DEGREE = Math.PI / 180;

/** Difference of two colours in L*a*b*: CIEDE2000 (Sharma, Wu and Dalal 2005), all weights 1. About 1 is just noticeable. */
export function ciede2000([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)));
  const [p1, p2] = [(1 + g) * a1, (1 + g) * a2];
  const [c1, c2] = [Math.hypot(p1, b1), Math.hypot(p2, b2)];
  const hue = (a: number, b: number): number =>
    a === 0 && b === 0 ? 0 : (Math.atan2(b, a) / DEGREE + 360) % 360;
  const [h1, h2] = [hue(p1, b1), hue(p2, b2)];
  const grey = c1 * c2 === 0;
  let turn = h2 - h1;
  if (turn > 180) turn -= 360;
  else if (turn < -180) turn += 360;
  if (grey) turn = 0;
  const dl = l2 - l1;
  const dc = c2 - c1;
  const dh = 2 * Math.sqrt(c1 * c2) * Math.sin((turn * DEGREE) / 2);
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  let h = h1 + h2;
  if (!grey) h = Math.abs(h1 - h2) <= 180 ? h / 2 : h < 360 ? (h + 360) / 2 : (h - 360) / 2;
  const cos = (degrees: number): number => Math.cos(degrees * DEGREE);
  const t = 1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.2 * cos(4 * h - 63);
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const sc = 1 + 0.045 * c;
  const sh = 1 + 0.015 * c * t;
  const rc = 2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  const rt = -Math.sin(2 * 30 * DEGREE * Math.exp(-(((h - 275) / 25) ** 2))) * rc;
  return Math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * (dc / sc) * (dh / sh));
}

/** CIEDE2000 of two colours as normal eyes see them. */
export function difference(a: string, b: string): number {
  return ciede2000(labOf(a), labOf(b));
}

/** The smallest difference over the three deficiencies. */
export function worstDifference(a: string, b: string): number {
  return Math.min(...DEFICIENCY_NAMES.map((kind) => difference(seenWith(a, kind), seenWith(b, kind))));
}
