import { type Rejection } from '../../core/result.js';
import { contrast, difference, luminance, worstDifference } from './colour.js';
import { covers, crosses, inset } from './overlap.js';
import type { ChartGeometry, ChartMark, Queried, TextGeometry, Unreadable, ValueAxis } from './types.js';

/** What a reader has to find out from a chart. */
export interface ReadingNeeds {
  /** Values that questions need; every one has to be readable. None unless told. */
  readonly queried?: readonly Queried[];
  /** Relative error that a grader accepts, e.g. 0.05 for relaxed accuracy; 0.05 unless told. */
  readonly tolerance?: number;
  /** Absolute error that does no harm, e.g. 0.5 where the value is known to be whole; 0 unless told. */
  readonly slack?: number;
}

type Problem = Rejection<Unreadable>;

/** Pixels by which a reader may misjudge an edge or a point. */
const READING_PIXELS = 1.5;
/** Smallest text, pixels, and its least contrast (WCAG 2, large text). */
const LEAST_SIZE = 8;
const LEAST_CONTRAST = 3;
/** Least CIEDE2000 between colours that are told apart: for normal eyes, and for those that lack a cone. */
export const LEAST_DIFFERENCE = { normal: 14, deficient: 7 } as const;
/** The same for a mark and the ground behind it. */
const LEAST_FROM_GROUND = 14;
/** Contrast (WCAG 2) of marks with the ground; thin ones are lines and dots, which few pixels draw thick. */
const LEAST_MARK_CONTRAST = { any: 1, thin: 1.7, onDark: 1.7, thinOnDark: 2.4 } as const;
/** The smallest step along a ramp of colours that a reader tells from the next, CIEDE2000. */
const RAMP_STEP = 3;

/**
 * Why a chart can't be read, from its geometry alone; empty for a chart that can. Texts that touch, leave the picture or fade into
 * it; series alike in colour; an axis without zero that doesn't say so; a queried value that nothing shows within the tolerance.
 */
export function readingProblems(geometry: ChartGeometry, needs: ReadingNeeds = {}): Problem[] {
  return [
    ...textProblems(geometry),
    ...markOverlaps(geometry),
    ...colourProblems(geometry),
    ...axisProblems(geometry),
    ...(needs.queried ?? []).flatMap((queried) => queriedProblem(geometry, queried, needs) ?? []),
  ];
}

function problem(reason: Unreadable, detail: string): Problem {
  return { reason, detail };
}

function textProblems({ texts, width, height }: ChartGeometry): Problem[] {
  const out: Problem[] = [];
  texts.forEach((text, i) => {
    const own = JSON.stringify(text.text);
    const { left, top, width: w, height: h } = text.box;
    if (left < -0.5 || top < -0.5 || left + w > width + 0.5 || top + h > height + 0.5) {
      out.push(problem('text-outside', `${own} leaves the picture`));
    }
    if (text.size < LEAST_SIZE) out.push(problem('text-illegible', `${own} is ${text.size} pixels high`));
    if (contrast(text.colour, text.behind) < LEAST_CONTRAST) {
      out.push(problem('text-illegible', `${own}: ${text.colour} on ${text.behind}`));
    }
    for (let k = i + 1; k < texts.length; k++) {
      const other = texts[k] as TextGeometry;
      if (covers(inset(text.corners, 0.1 * text.size), inset(other.corners, 0.1 * other.size))) {
        out.push(problem('text-overlap', `${own} and ${JSON.stringify(other.text)}`));
      }
    }
  });
  return out;
}

/** Names and values on marks of others, or on their lines. */
function markOverlaps({ type, texts, marks }: ChartGeometry): Problem[] {
  const out: Problem[] = [];
  const lines = type === 'line' ? segmentsOf(marks) : [];
  for (const text of texts) {
    if ((text.role !== 'value' && text.role !== 'name') || text.category === null) continue;
    const shape = inset(text.corners, 0.04 * text.size);
    const own = ({ series, category }: Queried): boolean =>
      series === text.series && category === text.category;
    const other = marks.find(
      (mark) =>
        mark.kind !== 'slice' &&
        !(mark.kind === 'point' && mark.base !== null) &&
        !own(mark) &&
        covers(shape, cornersOf(mark)),
    );
    const line = lines.find(({ series, from, to }) => series !== text.series && crosses(shape, from, to));
    if (other ?? line) out.push(problem('text-overlap', `${JSON.stringify(text.text)} lies on another mark`));
  }
  return out;
}

function cornersOf({ box: { left, top, width, height } }: ChartMark): TextGeometry['corners'] {
  const [right, bottom] = [left + width, top + height];
  return [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ];
}

function segmentsOf(
  marks: readonly ChartMark[],
): { series: number; from: { x: number; y: number }; to: { x: number; y: number } }[] {
  return marks.flatMap((mark, i) => {
    const next = marks[i + 1];
    if (mark.kind !== 'point' || next?.kind !== 'point') return [];
    if (next.series !== mark.series || next.category !== mark.category + 1) return [];
    return [{ series: mark.series, from: mark.at, to: next.at }];
  });
}

function colourProblems({ kind, type, keys, marks, ground }: ChartGeometry): Problem[] {
  const out: Problem[] = [];
  keys.forEach((a, i) => {
    for (const b of keys.slice(i + 1)) {
      const { normal, deficient } = LEAST_DIFFERENCE;
      const seen = difference(a.colour, b.colour);
      // Dashes tell lines apart for those who can't by colour.
      const alike =
        a.dash === b.dash
          ? seen < normal || worstDifference(a.colour, b.colour) < deficient
          : seen < deficient;
      if (alike) out.push(problem('colours-alike', `${a.name} ${a.colour} and ${b.name} ${b.colour}`));
    }
  });
  if (type === 'heat-map') return out;
  for (const colour of new Set(marks.map((mark) => mark.colour))) {
    const thin = kind === 'full' && (type === 'line' || type === 'scatter');
    const dark = luminance(ground) < 0.2;
    const least = LEAST_MARK_CONTRAST[thin ? (dark ? 'thinOnDark' : 'thin') : dark ? 'onDark' : 'any'];
    if (difference(colour, ground) < LEAST_FROM_GROUND || contrast(colour, ground) < least) {
      out.push(problem('colours-alike', `${colour} on the ground ${ground}`));
    }
  }
  return out;
}

/** Points are read by their place, so that only lengths and areas need zero; a line is read both ways, and counts with these. */
function axisProblems({ type, valueAxis }: ChartGeometry): Problem[] {
  if (type === 'scatter' || !valueAxis?.truncated || valueAxis.marked) return [];
  return [problem('axis-unmarked', `the axis runs from ${valueAxis.min} to ${valueAxis.max}`)];
}

function queriedProblem(geometry: ChartGeometry, queried: Queried, needs: ReadingNeeds): Problem | null {
  const { series, category } = queried;
  const where = `series ${series}, category ${category}`;
  const index = geometry.marks.findIndex(
    (mark) => mark.category === category && (mark.series === series || geometry.type === 'scatter'),
  );
  const mark = geometry.marks[index];
  if (!mark) return problem('mark-hidden', `${where}: there is no mark`);
  const hidden = hiddenBy(geometry, index);
  if (hidden !== null) return problem('mark-hidden', `${where}: ${hidden}`);
  const labelled = geometry.texts.some(
    (text) => text.role === 'value' && text.series === series && text.category === category,
  );
  if (labelled) return null;
  const { error, value } = readingOf(geometry, mark, series);
  const allowed = Math.max((needs.tolerance ?? 0.05) * Math.abs(value), needs.slack ?? 0);
  if (error <= allowed) return null;
  return problem('value-unreadable', `${where}: ${value} can be read to ${error.toPrecision(3)} only`);
}

/** Why a mark can't be seen; null when it can. */
function hiddenBy({ marks }: ChartGeometry, index: number): string | null {
  const mark = marks[index] as ChartMark;
  if (mark.kind === 'bar')
    return Math.abs(mark.tip - mark.base) < READING_PIXELS ? 'its bar has no length' : null;
  if (mark.kind === 'slice') return (mark.end - mark.start) * mark.outer < 3 ? 'its slice is too thin' : null;
  if (mark.kind === 'cell') return null;
  const covered = marks.slice(index + 1).find((other) => {
    if (other.kind !== 'point') return false;
    const apart = Math.hypot(other.at.x - mark.at.x, other.at.y - mark.at.y);
    return other.base === null && apart < 0.3 * mark.box.width;
  });
  return covered ? `it lies under series ${covered.series}, category ${covered.category}` : null;
}

/** The value asked for, and by how much a reader of the picture may be off. */
function readingOf(
  { valueAxis, xAxis, colourScale, marks }: ChartGeometry,
  mark: ChartMark,
  series: number,
): { readonly error: number; readonly value: number } {
  const { value } = mark;
  switch (mark.kind) {
    case 'bar': {
      // A bar that doesn't stand on the axis has two edges to read.
      const standing = valueAxis && Math.abs(mark.base - baseOf(valueAxis)) < 0.5;
      return { value, error: (standing ? 1 : 2) * pixelValue(valueAxis) };
    }
    case 'point': {
      if (xAxis && series === 0) return { value: valueAt(xAxis, mark.at.x), error: pixelValue(xAxis) };
      const lifted = mark.base !== null && valueAxis !== null && Math.abs(mark.base - valueAxis.from) > 0.5;
      return { value, error: (lifted ? 2 : 1) * pixelValue(valueAxis) };
    }
    case 'slice': {
      // Parts can be told from angles; numbers only if the whole is known, as with per cent.
      const total = marks.reduce((sum, other) => sum + other.value, 0);
      const known = Math.abs(total - 100) < 1;
      return { value, error: known ? (READING_PIXELS / (2 * Math.PI * mark.outer)) * 2 * total : Infinity };
    }
    case 'cell': {
      if (!colourScale) return { value, error: Infinity };
      const { min, max, colours } = colourScale;
      const steps = colours
        .slice(1)
        .reduce((sum, colour, i) => sum + difference(colour, colours[i] as string) / RAMP_STEP, 0);
      return { value, error: (max - min) / steps };
    }
    default:
      return mark satisfies never;
  }
}

function pixelValue(axis: ValueAxis | null): number {
  return axis ? (READING_PIXELS * (axis.max - axis.min)) / Math.abs(axis.to - axis.from) : Infinity;
}

/** Where bars stand: at zero, or at the end of an axis that leaves it out. */
function baseOf({ min, max, from, to }: ValueAxis): number {
  return from + ((Math.min(Math.max(0, min), max) - min) / (max - min)) * (to - from);
}

function valueAt({ min, max, from, to }: ValueAxis, at: number): number {
  return min + ((at - from) / (to - from)) * (max - min);
}
