import type { Rejection } from '../../core/result.js';

/** Why markup gives no picture. */
export const SVG_PROBLEMS = [
  /** There is no `<svg>` element. */
  'not-found',
  /** It isn't well-formed XML. */
  'syntax',
  /** It asks for something outside itself, runs something, or uses what no drawing needs. */
  'forbidden',
  /** It is larger than a limit. */
  'too-large',
  /** Drawing took too long, and was stopped. */
  'timeout',
  /** Every pixel has the same colour. */
  'blank',
  /** The process that draws ended, or could make nothing of it. */
  'crashed',
] as const;

export type SvgProblem = (typeof SVG_PROBLEMS)[number];

/** A refusal, with the place in the markup where there is one: line and column from 1. */
export interface SvgRejection extends Rejection<SvgProblem> {
  readonly position?: { readonly line: number; readonly column: number };
}

/** How large a picture may be, and how long drawing may take. */
export interface SvgLimits {
  /** Of the markup, UTF-8. */
  readonly bytes: number;
  readonly elements: number;
  /** Elements with every reference to another followed: `use`, patterns, masks, markers, filters. */
  readonly expanded: number;
  readonly nesting: number;
  /** Of one attribute, characters; embedded pictures have a limit of their own. */
  readonly attribute: number;
  /** Of one embedded picture as base64, characters. */
  readonly embedded: number;
  /** Drawing commands of all paths and corners of all polygons together. */
  readonly pathCommands: number;
  /** Steps of all filters together. */
  readonly filterSteps: number;
  /** Width times height. */
  readonly pixels: number;
  /** The longer side, pixels. */
  readonly side: number;
  readonly milliseconds: number;
}

export const DEFAULT_SVG_LIMITS: SvgLimits = {
  bytes: 524_288,
  elements: 5_000,
  expanded: 20_000,
  nesting: 64,
  attribute: 65_536,
  embedded: 262_144,
  pathCommands: 50_000,
  filterSteps: 32,
  pixels: 4_194_304,
  side: 4_096,
  milliseconds: 5_000,
};

/** Markup that passed every check. */
export interface CheckedSvg {
  /** With namespaces and a size in pixels, added where they were missing; otherwise as it came. */
  readonly markup: string;
  /** Its own size, whole pixels. */
  readonly width: number;
  readonly height: number;
  readonly elements: number;
}
