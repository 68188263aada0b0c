import type { ValueAxis } from '../types.js';
import {
  axisTitle,
  drawGround,
  gridLine,
  numbersBelow,
  numbersBeside,
  sideTitle,
  tick,
  zeroLine,
} from './axes.js';
import { categoriesAcross, categoriesDown, drawCategories } from './categories.js';
import { needRoom, type Plan } from './plan.js';
import { isShort, numberText, scaleOver, type Scale } from './scale.js';
import { Refusal, type Area } from './sheet.js';

/** What the axes of a chart have to show. */
export interface FrameRequest {
  /** Of the value axis; categories lie along the other. */
  readonly direction: 'up' | 'right';
  /** Ends of the value axis before rounding; `fixed` ends stay as they are. */
  readonly domain: readonly [number, number];
  readonly fixed: boolean;
  /** Sign of currency, `%` or a word behind the numbers; null for none. */
  readonly unit: string | null;
  readonly valueTitle: string;
  readonly categoryTitle: string;
  /** Names in drawing order. */
  readonly categories: readonly string[];
  /** Whether the first and last category lie on the plot's edges. */
  readonly edges: boolean;
  /** Pixels beyond the largest value (and the smallest, where it is negative) for labels. */
  readonly room: number;
  /** Pixels on the right that are taken by something else. */
  readonly right?: number;
}

/** Where values and categories lie. */
export interface Frame {
  readonly plot: Area;
  readonly axis: ValueAxis;
  /** Room for a category along its axis, pixels. */
  readonly slot: number;
  /** Centre of the category drawn at this position. */
  category(position: number): number;
  value(value: number): number;
}

/** Lays out axes, labels and axis titles in an area, and draws everything that stands behind the marks. */
export function layoutFrame(plan: Plan, area: Area, request: FrameRequest): Frame {
  const { style } = plan;
  for (let count = style.tickCount; ; count--) {
    const scale = scaleOver(request.domain[0], request.domain[1], count, !request.fixed);
    const frame =
      request.direction === 'up'
        ? frameUp(plan, area, request, scale)
        : frameRight(plan, area, request, scale);
    if (frame) return frame;
    if (count <= 2) throw new Refusal('too-much', 'the numbers of the value axis have no room');
  }
}

function tickTexts({ style }: Plan, { unit }: FrameRequest, { ticks, decimals }: Scale): string[] {
  return ticks.map((value) => numberText(value, decimals, style.thousands, unit));
}

/** The value axis's title, with a unit that is too long to stand with each number. */
function titleOf({ style }: Plan, { valueTitle, unit }: FrameRequest): string {
  if (!style.axisTitles) return '';
  const long = unit !== null && !isShort(unit);
  if (!long) return valueTitle;
  return valueTitle === '' ? unit : `${valueTitle} (${unit})`;
}

function frameUp(plan: Plan, area: Area, request: FrameRequest, scale: Scale): Frame | null {
  const { style, sheet, sizes } = plan;
  const { categories, edges, room, right = 0 } = request;
  const texts = tickTexts(plan, request, scale);
  const valueTitle = titleOf(plan, request);
  const categoryTitle = style.axisTitles ? request.categoryTitle : '';
  const widest = Math.max(...texts.map((text) => sheet.widthOf(text, sizes.text)));
  const labelGap = 0.45 * sizes.text;
  let left = area.left + (valueTitle === '' ? 0 : 1.5 * sizes.text) + widest + labelGap + sizes.tick;
  const plotRight = Math.floor(area.right - right);
  const slotOf = (from: number): number =>
    edges ? (plotRight - from) / Math.max(1, categories.length - 1) : (plotRight - from) / categories.length;
  left = Math.ceil(left);
  let labels = categoriesAcross(plan, categories, slotOf(left));
  // A slanted first label reaches out to the left.
  const out = labels.overhang - (edges ? 0 : slotOf(left) / 2) - (left - area.left);
  if (out > 0) {
    left = Math.ceil(left + out);
    labels = categoriesAcross(plan, categories, slotOf(left));
  }
  const last = edges && labels.angle === 0 ? labels.widest / 2 : 0;
  const plotEnd = Math.floor(Math.min(plotRight, area.right - last));
  const below = labels.height + labelGap + sizes.tick + (categoryTitle === '' ? 0 : 1.5 * sizes.text);
  const plot = {
    left,
    top: Math.ceil(area.top + 0.5 * sizes.text),
    right: plotEnd,
    bottom: Math.floor(area.bottom - below),
  };
  needRoom(sheet, plot.right - plot.left, plot.bottom - plot.top, 'texts and labels');
  const ends = { from: plot.bottom - (scale.min < 0 ? room : 0), to: plot.top + room };
  const axis = axisOf(plan, 'up', scale, ends, texts);
  if (!tickRoom(axis, 1.35 * sizes.text)) return null;
  const slot = edges
    ? (plot.right - plot.left) / Math.max(1, categories.length - 1)
    : (plot.right - plot.left) / categories.length;
  const frame = frameOf(plot, axis, slot, (position) => plot.left + (position + (edges ? 0 : 0.5)) * slot);
  drawBack(plan, frame, categories.length);
  numbersBeside(plan, axis, plot.left - sizes.tick - labelGap);
  if (valueTitle !== '') sideTitle(plan, valueTitle, area.left, (plot.top + plot.bottom) / 2);
  const y = plot.bottom + sizes.tick + labelGap;
  drawCategories(plan, { direction: 'up', category: frame.category }, labels, y);
  if (categoryTitle !== '')
    axisTitle(plan, categoryTitle, (plot.left + plot.right) / 2, y + labels.height + 0.5 * sizes.text);
  return frame;
}

function frameRight(plan: Plan, area: Area, request: FrameRequest, scale: Scale): Frame | null {
  const { style, sheet, sizes } = plan;
  const { categories, room } = request;
  const texts = tickTexts(plan, request, scale);
  const valueTitle = titleOf(plan, request);
  const categoryTitle = style.axisTitles ? request.categoryTitle : '';
  const labelGap = 0.45 * sizes.text;
  const below = sizes.tick + labelGap + sizes.text + (valueTitle === '' ? 0 : 1.5 * sizes.text);
  const top = Math.ceil(area.top + 0.3 * sizes.text);
  const bottom = Math.floor(area.bottom - below);
  const labels = categoriesDown(plan, categories, (bottom - top) / categories.length);
  const left = Math.ceil(
    area.left + (categoryTitle === '' ? 0 : 1.5 * sizes.text) + labels.widest + labelGap + sizes.tick,
  );
  const end = sheet.widthOf(texts.at(-1) ?? '', sizes.text) / 2;
  const plot = { left, top, right: Math.floor(area.right - Math.max(0, end - room)), bottom };
  needRoom(sheet, plot.right - plot.left, plot.bottom - plot.top, 'texts and labels');
  const ends = { from: plot.left + (scale.min < 0 ? room : 0), to: plot.right - room };
  const axis = axisOf(plan, 'right', scale, ends, texts);
  const widest = Math.max(...texts.map((text) => sheet.widthOf(text, sizes.text)));
  if (!tickRoom(axis, widest + 0.8 * sizes.text)) return null;
  const slot = (plot.bottom - plot.top) / categories.length;
  const frame = frameOf(plot, axis, slot, (position) => plot.top + (position + 0.5) * slot);
  drawBack(plan, frame, categories.length);
  const y = plot.bottom + sizes.tick + labelGap;
  numbersBelow(plan, axis, y);
  if (valueTitle !== '') axisTitle(plan, valueTitle, (plot.left + plot.right) / 2, y + 1.5 * sizes.text);
  drawCategories(
    plan,
    { direction: 'right', category: frame.category },
    labels,
    plot.left - sizes.tick - labelGap,
  );
  if (categoryTitle !== '') sideTitle(plan, categoryTitle, area.left, (plot.top + plot.bottom) / 2);
  return frame;
}

/** Whether neighbouring numbers lie at least this far apart. */
export function tickRoom({ ticks }: ValueAxis, apart: number): boolean {
  return ticks.every(({ at }, i) => i === 0 || Math.abs(at - (ticks[i - 1]?.at ?? 0)) >= apart);
}

/** An axis with its ticks placed between `from` and `to`. */
export function axisOf(
  { style }: Plan,
  direction: ValueAxis['direction'],
  { min, max, ticks }: Scale,
  { from, to }: { readonly from: number; readonly to: number },
  labels: readonly string[],
): ValueAxis {
  const truncated = min > 0 || max < 0;
  const at = (value: number): number => from + ((value - min) / (max - min)) * (to - from);
  return {
    direction,
    min,
    max,
    from,
    to,
    ticks: ticks.map((value, i) => ({ value, at: at(value), label: labels[i] ?? '' })),
    truncated,
    marked: truncated && style.axisBreak,
  };
}

/** Places along both axes. */
export function frameOf(plot: Area, axis: ValueAxis, slot: number, category: Frame['category']): Frame {
  const { min, max, from, to } = axis;
  return { plot, axis, slot, category, value: (value) => from + ((value - min) / (max - min)) * (to - from) };
}

/** Ground, grid and ticks. */
function drawBack(plan: Plan, frame: Frame, count: number): void {
  const { style, sizes } = plan;
  const { plot, axis } = frame;
  drawGround(plan, plot);
  const up = axis.direction === 'up';
  const lines = axis.ticks.map(({ at }) => at);
  const middles = Array.from({ length: count }, (_, i) => frame.category(i));
  if (style.grid !== 'none') for (const at of lines) gridLine(plan, plot, at, up);
  if (style.grid === 'both') for (const at of middles) gridLine(plan, plot, at, !up);
  for (const at of lines) tick(plan, plot, at, up, sizes.tick);
  for (const at of middles) tick(plan, plot, at, !up, sizes.tick);
  if (axis.min < 0 && axis.max > 0) zeroLine(plan, plot, frame.value(0), up);
}
