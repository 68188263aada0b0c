import type { Image } from '../../core/image.js';
import type { Rejection, Result } from '../../core/result.js';
import type { ChartStyle } from './style.js';

/** Values under one name; one colour of the chart, where there is more than one series. */
export interface ChartSeries {
  readonly name: string;
  /** Shown with the numbers: `%` or a word behind them, a currency sign before them; null for none. */
  readonly unit: string | null;
  /** Digits behind the decimal point in value labels, 0 to 20. */
  readonly decimals: number;
  /** One for each category, in order; null where there is none. Finite. */
  readonly values: readonly (number | null)[];
}

/**
 * What a chart shows, apart from any table or question. Bars, lines and areas put the categories on one axis and the values on the
 * other. A pie or donut has one series, its categories are the slices. A scatter chart has two: x, then y; its categories name the
 * points. A heat map has a row for each series, its values are colours.
 */
export interface ChartSpec {
  /** Above the chart; empty for none. */
  readonly title: string;
  /** What the categories are, e.g. `Country`; empty for none. */
  readonly categoryLabel: string;
  /** What the values are, e.g. `Share in per cent`; empty for none. A scatter chart takes its series' names instead. */
  readonly valueLabel: string;
  readonly categories: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly style: ChartStyle;
  /**
   * Fixed ends of the value axis (of the colours, for a heat map), for pictures without numbers that have to be comparable; values
   * outside are refused. Null or absent: the style's `axisRange` decides. No effect on pies and scatter charts.
   */
  readonly range?: { readonly min: number; readonly max: number } | null;
}

/** The size to draw at. */
export interface ChartView {
  /** `full` with text, from 240 x 180; `micro` without any, from 32 x 32 to 160 x 160, where `aspect` and fonts have no effect. */
  readonly kind: 'full' | 'micro';
  /** Pixels. A full chart of another `aspect` than `view` has as many pixels as this, in other proportions. */
  readonly width: number;
  readonly height: number;
}

/** Pixels from the picture's top left corner; may be fractions. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface MarkBase {
  /** Positions in the spec's series and categories. */
  readonly series: number;
  readonly category: number;
  readonly value: number;
  /** What encloses the mark as drawn. */
  readonly box: Box;
  /** Its fill, `#rrggbb`, as it comes out on the chart's background. */
  readonly colour: string;
}

/** A bar or a segment of one; from `base` to `tip`, pixels along the value axis. */
export interface BarMark extends MarkBase {
  readonly kind: 'bar';
  readonly direction: 'up' | 'right';
  readonly base: number;
  readonly tip: number;
}

/**
 * A vertex of a line, an area's upper edge, or a dot of a scatter chart. `base` is the y of the area's lower edge there, null
 * where there is none.
 */
export interface PointMark extends MarkBase {
  readonly kind: 'point';
  readonly at: Point;
  readonly base: number | null;
}

/** A slice of a pie; angles in radians clockwise from twelve o'clock, `end - start` in (0, 2 pi]. */
export interface SliceMark extends MarkBase {
  readonly kind: 'slice';
  readonly centre: Point;
  readonly inner: number;
  readonly outer: number;
  readonly start: number;
  readonly end: number;
}

/** A cell of a heat map. */
export interface CellMark extends MarkBase {
  readonly kind: 'cell';
}

/** One value as it was drawn. */
export type ChartMark = BarMark | PointMark | SliceMark | CellMark;

/** What a text is for. `name` stands beside its mark (a slice, a dot), `value` on or beside it. */
export type TextRole = 'title' | 'axis-title' | 'tick' | 'category' | 'legend' | 'name' | 'value';

/** A line of text as it was drawn. */
export interface TextGeometry {
  readonly role: TextRole;
  readonly text: string;
  /** What encloses it. */
  readonly box: Box;
  /** Corners of the line itself, clockwise; a slanted line fills only a part of its box. */
  readonly corners: readonly [Point, Point, Point, Point];
  /** Font size in pixels. */
  readonly size: number;
  readonly colour: string;
  /** Colour that it stands on. */
  readonly behind: string;
  /** The series and category that it belongs to; null where it belongs to none. */
  readonly series: number | null;
  readonly category: number | null;
}

/** An axis of numbers: `from` is where `min` lies, `to` where `max` does, pixels along it. */
export interface ValueAxis {
  readonly direction: 'up' | 'right';
  readonly min: number;
  readonly max: number;
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly { readonly value: number; readonly at: number; readonly label: string }[];
  /** Whether it leaves out zero, and whether a break shows that. */
  readonly truncated: boolean;
  readonly marked: boolean;
}

/** The colours of a heat map: from `min` to `max` along `colours`, evenly spaced, straight lines between them in sRGB. */
export interface ColourScale {
  readonly min: number;
  readonly max: number;
  readonly colours: readonly string[];
}

/** What tells one series from others, in the legend's words. */
export interface ChartKey {
  readonly name: string;
  readonly colour: string;
  /** Which pattern of dashes its line has; 0 for a whole line. */
  readonly dash: number;
}

/** Everything that was drawn, with the place where it stands. */
export interface ChartGeometry {
  readonly kind: ChartView['kind'];
  readonly type: ChartStyle['type'];
  readonly width: number;
  readonly height: number;
  /** Where marks may be. */
  readonly plot: Box;
  readonly marks: readonly ChartMark[];
  readonly texts: readonly TextGeometry[];
  /** Of the values (y for a scatter chart); null for pies and heat maps. */
  readonly valueAxis: ValueAxis | null;
  /** Of a scatter chart's x; null for all others. */
  readonly xAxis: ValueAxis | null;
  readonly colourScale: ColourScale | null;
  /** What is told apart by colour: series; slices, where a legend names them; in a micro chart of one series, its categories. Empty for none. */
  readonly keys: readonly ChartKey[];
  /** Colours of the picture and of the plot, `#rrggbb`. */
  readonly paper: string;
  readonly ground: string;
}

/** Why a chart can't be drawn. */
export const CHART_PROBLEMS = [
  /** Lists of different lengths, numbers that aren't finite, a size out of range. */
  'malformed',
  /** There is no value to draw. */
  'empty',
  /** The type can't show these data: a pie of negative or missing values, a scatter chart of other than two series, ... */
  'unsuitable',
  /** So many marks or so much text that no room is left for the plot. */
  'too-much',
  /** A value lies outside the fixed range. */
  'out-of-range',
  /** A character that the bundled fonts don't have. */
  'no-glyph',
] as const;

export type ChartProblem = (typeof CHART_PROBLEMS)[number];

/** A chart as pixels, with the place of everything on it. */
export interface DrawnChart {
  readonly image: Image;
  readonly geometry: ChartGeometry;
}

/**
 * A back end that draws charts. Equal calls give equal pixels. A back end that lives outside this process throws an OutageError
 * when it is away.
 */
export interface ChartRenderer {
  /** Names the back end and everything else that decides the pixels. */
  readonly name: string;
  draw(
    spec: ChartSpec,
    view: ChartView,
  ): Result<DrawnChart, Rejection<ChartProblem>> | Promise<Result<DrawnChart, Rejection<ChartProblem>>>;
}

/** A queried value, by position. */
export interface Queried {
  readonly series: number;
  readonly category: number;
}

/** Why a chart that was drawn isn't fit to be asked about. */
export const UNREADABLE = [
  /** Two texts cover one another, or one covers a mark that it doesn't belong to. */
  'text-overlap',
  'text-outside',
  /** Too small, or too close to its background in colour. */
  'text-illegible',
  /** No value label, and a pixel on the axis stands for more than the tolerance allows. */
  'value-unreadable',
  /** A queried mark is covered by another, or isn't there. */
  'mark-hidden',
  /** Two series alike in colour, for eyes of any common kind. */
  'colours-alike',
  /** The axis leaves out zero and nothing shows that. */
  'axis-unmarked',
] as const;

export type Unreadable = (typeof UNREADABLE)[number];
