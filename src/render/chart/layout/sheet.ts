import { ASCENT, DESCENT, fontOf, type Font, type FontFamily } from '../paint/font.js';
import type { Drawing, Shape } from '../paint/shapes.js';
import { THEMES, type Theme } from '../palettes.js';
import type { ChartStyle } from '../style.js';
import type { Box, ChartMark, ChartProblem, Point, TextGeometry, TextRole } from '../types.js';

/** Ends a layout; never leaves this folder. */
export class Refusal extends Error {
  constructor(
    readonly reason: ChartProblem,
    detail: string,
  ) {
    super(detail);
  }
}

/** A line of text to be put somewhere. */
export interface TextRequest {
  readonly role: TextRole;
  readonly text: string;
  /** The point that `across` and `down` speak of. */
  readonly x: number;
  readonly y: number;
  readonly across: 'start' | 'middle' | 'end';
  readonly down: 'top' | 'middle' | 'bottom';
  readonly size: number;
  readonly bold?: boolean;
  /** Radians counter-clockwise. */
  readonly angle?: number;
  readonly colour: string;
  readonly behind: string;
  readonly series?: number;
  readonly category?: number;
}

/** Half the height of digits, in parts of the font size: what `middle` centres on. */
const MIDDLE = 0.365;
/** From one line to the next, in parts of the font size. */
export const LINE = 1.2;

/** A chart under way: shapes from back to front, with the geometry of what they stand for. */
export class Sheet {
  readonly shapes: Shape[] = [];
  readonly texts: TextGeometry[] = [];
  readonly marks: ChartMark[] = [];
  readonly theme: Theme;
  readonly family: FontFamily;

  constructor(
    readonly width: number,
    readonly height: number,
    readonly style: ChartStyle,
  ) {
    this.theme = THEMES[style.theme];
    this.family = style.font;
  }

  drawing(): Drawing {
    const { width, height, shapes } = this;
    return { width, height, paper: this.theme.paper, shapes };
  }

  /** Whether paper and plot have different colours. */
  get framedGround(): boolean {
    return this.theme.paper !== this.theme.ground;
  }

  widthOf(text: string, size: number, bold = false): number {
    return this.#font(bold).width(text, size);
  }

  /** A text broken between words (and after `-` and `/`) so that no line is wider than `width`; null when that takes more lines than `most`, or a word is too wide. */
  wrap(text: string, size: number, width: number, most: number, bold = false): string[] | null {
    const pieces = text.trim().split(/(?<=[\s/-])/);
    const lines: string[] = [];
    let line = '';
    for (const piece of pieces) {
      if (line !== '' && this.widthOf((line + piece).trimEnd(), size, bold) > width) {
        lines.push(line.trim());
        line = '';
      }
      line += piece;
      if (this.widthOf(line.trimEnd(), size, bold) > width) return null;
    }
    if (line.trim() !== '') lines.push(line.trim());
    return lines.length <= most ? lines : null;
  }

  rect(left: number, top: number, right: number, bottom: number, fill: string, alpha?: number): void {
    this.shapes.push({
      kind: 'rect',
      left,
      top,
      right,
      bottom,
      fill,
      ...(alpha === undefined ? {} : { alpha }),
    });
  }

  line(points: readonly number[], width: number, colour: string, dash?: readonly number[]): void {
    this.shapes.push({ kind: 'line', points, width, colour, ...(dash === undefined ? {} : { dash }) });
  }

  /** Puts a line of text; the empty one leaves no trace. */
  text(request: TextRequest): void {
    const {
      role,
      text,
      size,
      bold = false,
      angle = 0,
      colour,
      behind,
      series = null,
      category = null,
    } = request;
    if (text === '') return;
    const font = this.#font(bold);
    const missing = font.missing(text);
    if (missing !== null) {
      throw new Refusal(
        'no-glyph',
        `the fonts have no ${JSON.stringify(missing)}, in ${JSON.stringify(text)}`,
      );
    }
    const width = font.width(text, size);
    const [up, down] = [ASCENT * size, DESCENT * size];
    const u = request.across === 'start' ? 0 : request.across === 'middle' ? width / 2 : width;
    const v = request.down === 'top' ? -up : request.down === 'bottom' ? down : -MIDDLE * size;
    const [cos, sin] = angle === 0 ? [1, 0] : [Math.cos(angle), Math.sin(angle)];
    let x = request.x - u * cos - v * sin;
    let y = request.y + u * sin - v * cos;
    // A level line's baseline lies between two rows of pixels, and its first letter begins with one.
    if (angle === 0) [x, y] = [Math.round(x), Math.round(y)];
    this.shapes.push({ kind: 'text', text, x, y, family: this.family, bold, size, angle, colour });
    const corner = (along: number, under: number): Point => ({
      x: x + along * cos + under * sin,
      y: y - along * sin + under * cos,
    });
    const corners = [corner(0, -up), corner(width, -up), corner(width, down), corner(0, down)] as const;
    this.texts.push({ role, text, box: boxAround(corners), corners, size, colour, behind, series, category });
  }

  #font(bold: boolean): Font {
    return fontOf(this.family, bold);
  }
}

/** The upright box around some points. */
export function boxAround(points: readonly Point[]): Box {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { left, top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

/** A rectangle by its edges. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export function boxOf({ left, top, right, bottom }: Area): Box {
  return { left, top, width: right - left, height: bottom - top };
}
