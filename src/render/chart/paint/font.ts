import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { coverageOf, type Coverage } from './canvas.js';
import { readTrueType, type TrueType } from './trueType.js';

/** The bundled fonts by the names that a drawing calls them; `-bold` is appended for the bold cut. */
const FILES = {
  sans: 'DejaVuSans',
  condensed: 'DejaVuSansCondensed',
  serif: 'DejaVuSerif',
  'serif-condensed': 'DejaVuSerifCondensed',
  mono: 'DejaVuSansMono',
} as const;

export type FontFamily = keyof typeof FILES;

/** Above and below the baseline, in parts of the font size: what letters fill, accents on capitals apart. */
export const ASCENT = 0.77;
export const DESCENT = 0.24;

/** Glyphs of one size are kept at this many places between two pixels. */
const PLACES = 4;
/** Kept glyph pictures of one font; all are dropped when there are more. */
const MOST_GLYPHS = 4096;

/** A font of the package, with the glyph pictures that were drawn so far. */
export class Font {
  readonly #file: TrueType;
  readonly #pictures = new Map<string, Coverage | null>();

  constructor(file: TrueType) {
    this.#file = file;
  }

  /** Width of a line in pixels. */
  width(text: string, size: number): number {
    let units = 0;
    for (const character of text)
      units += this.#file.advance(this.#file.glyph(character.codePointAt(0) ?? 0));
    return (units * size) / this.#file.unitsPerEm;
  }

  /** The first character that the font doesn't have; null when it has all. */
  missing(text: string): string | null {
    for (const character of text) if (this.#file.glyph(character.codePointAt(0) ?? 0) === 0) return character;
    return null;
  }

  /** Pictures of a level line's glyphs and where they go: `draw` gets each with the shift in whole pixels. */
  level(
    text: string,
    x: number,
    y: number,
    size: number,
    draw: (shape: Coverage, dx: number, dy: number) => void,
  ): void {
    const scale = size / this.#file.unitsPerEm;
    const baseline = Math.round(y);
    let pen = x;
    for (const character of text) {
      const glyph = this.#file.glyph(character.codePointAt(0) ?? 0);
      const snapped = Math.round(pen * PLACES);
      const whole = Math.floor(snapped / PLACES);
      const picture = this.#picture(glyph, size, snapped - whole * PLACES);
      if (picture) draw(picture, whole, baseline);
      pen += this.#file.advance(glyph) * scale;
    }
  }

  /** Outlines of a line from (x, y) in the direction `angle`, radians counter-clockwise. */
  outlines(text: string, x: number, y: number, size: number, angle: number): number[][] {
    const scale = size / this.#file.unitsPerEm;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const out: number[][] = [];
    let pen = 0;
    for (const character of text) {
      const glyph = this.#file.glyph(character.codePointAt(0) ?? 0);
      for (const contour of this.#file.outline(glyph, scale)) {
        const points = new Array<number>(contour.length);
        for (let i = 0; i < contour.length; i += 2) {
          const [u, v] = [pen + (contour[i] as number), contour[i + 1] as number];
          points[i] = x + u * cos + v * sin;
          points[i + 1] = y - u * sin + v * cos;
        }
        out.push(points);
      }
      pen += this.#file.advance(glyph) * scale;
    }
    return out;
  }

  #picture(glyph: number, size: number, place: number): Coverage | null {
    const key = `${glyph} ${size} ${place}`;
    const known = this.#pictures.get(key);
    if (known !== undefined) return known;
    const contours = this.#file.outline(glyph, size / this.#file.unitsPerEm);
    const moved = contours.map((points) =>
      points.map((value, i) => (i % 2 === 0 ? value + place / PLACES : value)),
    );
    const picture = moved.length === 0 ? null : coverageOf(moved, 4096, 4096, -2048, -2048);
    if (this.#pictures.size >= MOST_GLYPHS) this.#pictures.clear();
    this.#pictures.set(key, picture);
    return picture;
  }
}

const loaded = new Map<string, Font>();

/** A bundled font; read from its package when it is first asked for, then kept. */
export function fontOf(family: FontFamily, bold: boolean): Font {
  const file = bold ? `${FILES[family]}-Bold` : FILES[family];
  let font = loaded.get(file);
  if (!font) {
    const folder = path.dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json'));
    font = new Font(readTrueType(readFileSync(path.join(folder, 'ttf', `${file}.ttf`))));
    loaded.set(file, font);
  }
  return font;
}
