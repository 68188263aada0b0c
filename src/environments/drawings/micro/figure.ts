import { z } from 'zod';
import type { Rng } from '../../../core/rng.js';
import type { ContentType } from '../proposal.js';

export const COLOURS = ['red', 'blue', 'green', 'yellow', 'purple', 'black'] as const;
export type Colour = (typeof COLOURS)[number];

export const SHAPES = ['circle', 'square', 'triangle', 'pentagon'] as const;
export type Shape = (typeof SHAPES)[number];

/** The kinds of picture that the micro roles know, each with its content type and the words its caption begins with. */
export const KINDS = ['bars', 'table', 'geometry', 'timeline', 'diagram'] as const;
export type Kind = (typeof KINDS)[number];

const LOOKS = {
  bars: { contentType: 'data_chart', caption: 'bar chart', fewest: 2, most: 4 },
  table: { contentType: 'table', caption: 'table', fewest: 2, most: 3 },
  geometry: { contentType: 'geometry', caption: 'geometry', fewest: 2, most: 2 },
  timeline: { contentType: 'timeline', caption: 'timeline', fewest: 3, most: 4 },
  diagram: { contentType: 'diagram', caption: 'diagram', fewest: 2, most: 4 },
} as const satisfies Record<
  Kind,
  { contentType: ContentType; caption: string; fewest: number; most: number }
>;

/** One mark of a picture: a bar, a row, a figure or an event. No two marks of a picture have the same colour. */
export type Mark = {
  readonly colour: Colour;
  /** Bars and rows: 1 to 5. */
  readonly value?: number;
  /** Geometry (never a circle) and diagrams (never a pentagon). */
  readonly shape?: Shape;
};

/** The structure behind a micro picture: its marks in reading order. */
export type Figure = { readonly kind: Kind; readonly marks: readonly Mark[] };

export const MOST_VALUE = 5;

/** Reads a figure that was stored. */
export const figureSchema = z.strictObject({
  kind: z.enum(KINDS),
  marks: z
    .array(
      z.strictObject({
        colour: z.enum(COLOURS),
        value: z.int().min(1).max(MOST_VALUE).optional(),
        shape: z.enum(SHAPES).optional(),
      }),
    )
    .min(1)
    .max(4),
}) as unknown as z.ZodType<Figure>;

/** Shapes that a kind of picture can show. */
export function shapesOf(kind: Kind): readonly Shape[] {
  if (kind === 'geometry') return ['square', 'triangle', 'pentagon'];
  return kind === 'diagram' ? ['circle', 'square', 'triangle'] : [];
}

export function contentTypeOf(kind: Kind): ContentType {
  return LOOKS[kind].contentType;
}

/** Words that captions begin with. */
export const CAPTION_WORDS: readonly string[] = KINDS.map((kind) => LOOKS[kind].caption);

/** A random picture of a kind. */
export function sampleFigure(rng: Rng, kind: Kind): Figure {
  const { fewest, most } = LOOKS[kind];
  const count = fewest + rng.int(most - fewest + 1);
  const shapes = shapesOf(kind);
  const marks = rng
    .shuffle(COLOURS)
    .slice(0, count)
    .map((colour): Mark => {
      if (kind === 'bars' || kind === 'table') return { colour, value: 1 + rng.int(MOST_VALUE) };
      return shapes.length > 0 ? { colour, shape: rng.pick(shapes) } : { colour };
    });
  return { kind, marks };
}

/** The picture in words, e.g. `bar chart : red 3 , blue 1`. */
export function captionOf({ kind, marks }: Figure): string {
  const said = marks.map(({ colour, value, shape }) => [colour, value ?? shape].filter(Boolean).join(' '));
  return `${LOOKS[kind].caption} : ${said.join(' , ')}`;
}

/** The structure that a caption tells; null for one that isn't exactly of the form above. */
export function parseCaption(caption: string): Figure | null {
  const at = caption.indexOf(' : ');
  const kind = KINDS.find((known) => LOOKS[known].caption === caption.slice(0, Math.max(0, at)));
  if (kind === undefined) return null;
  const { fewest, most } = LOOKS[kind];
  const marks = caption
    .slice(at + 3)
    .split(' , ')
    .map((text) => parseMark(kind, text));
  const whole = marks.filter((mark) => mark !== null);
  if (whole.length !== marks.length || whole.length < fewest || whole.length > most) return null;
  if (new Set(whole.map(({ colour }) => colour)).size !== whole.length) return null;
  return { kind, marks: whole };
}

function parseMark(kind: Kind, text: string): Mark | null {
  const [first, second, ...more] = text.split(' ');
  const colour = COLOURS.find((known) => known === first);
  if (colour === undefined || more.length > 0) return null;
  if (kind === 'timeline') return second === undefined ? { colour } : null;
  if (kind === 'bars' || kind === 'table') {
    const value = Number(second);
    return Number.isInteger(value) && value >= 1 && value <= MOST_VALUE ? { colour, value } : null;
  }
  const shape = shapesOf(kind).find((known) => known === second);
  return shape === undefined ? null : { colour, shape };
}
