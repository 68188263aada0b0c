import type { FontFamily } from './font.js';

/** One thing to draw, in order from back to front. Pixels from the top left corner; colours `#rrggbb`; `alpha` 1 unless told. */
export type Shape =
  | {
      readonly kind: 'rect';
      readonly left: number;
      readonly top: number;
      readonly right: number;
      readonly bottom: number;
      readonly fill: string;
      readonly alpha?: number;
    }
  | {
      readonly kind: 'polygon';
      readonly points: readonly number[];
      readonly fill: string;
      readonly alpha?: number;
    }
  | {
      readonly kind: 'line';
      readonly points: readonly number[];
      readonly width: number;
      readonly colour: string;
      /** Lengths drawn and left out in turn. */
      readonly dash?: readonly number[];
      readonly closed?: boolean;
    }
  | {
      readonly kind: 'sector';
      readonly cx: number;
      readonly cy: number;
      readonly inner: number;
      readonly outer: number;
      /** Radians clockwise from twelve o'clock. */
      readonly start: number;
      readonly end: number;
      readonly fill: string;
    }
  | {
      readonly kind: 'disc';
      readonly cx: number;
      readonly cy: number;
      readonly radius: number;
      readonly fill: string;
    }
  | {
      readonly kind: 'text';
      readonly text: string;
      /** Start of the baseline. */
      readonly x: number;
      readonly y: number;
      readonly family: FontFamily;
      readonly bold: boolean;
      readonly size: number;
      /** Radians counter-clockwise. */
      readonly angle: number;
      readonly colour: string;
    };

/** A whole drawing. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly paper: string;
  readonly shapes: readonly Shape[];
}
