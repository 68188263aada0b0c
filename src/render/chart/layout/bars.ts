import { contrastOf } from '../colour.js';
import type { ChartType } from '../style.js';
import type { BarMark, ValueAxis } from '../types.js';
import { drawBreak, drawFrame } from './axes.js';
import { layoutFrame, type Frame } from './frame.js';
import { mix, type Plan } from './plan.js';
import { domainOf, numberText } from './scale.js';
import { boxOf, LINE, type Area } from './sheet.js';

/** Whether bars stand on one another. */
export function isStacked(type: ChartType): boolean {
  return type === 'stacked-bar' || type === 'horizontal-stacked-bar';
}

/** Empty part of the room of one bar in a group. */
const INNER_GAP = 0.06;

/** Bars, up or to the right, side by side or stacked. */
export function layoutBars(plan: Plan, area: Area): { readonly valueAxis: ValueAxis; readonly plot: Area } {
  const { spec, style, sheet, sizes, order } = plan;
  const direction = style.type.startsWith('horizontal') ? 'right' : 'up';
  const stacked = isStacked(style.type);
  const outside = style.valueLabels === 'outside' && !stacked;
  const texts = spec.series.flatMap((_, series) =>
    order.map((category) => valueText(plan, series, category)),
  );
  const widest = Math.max(...texts.map((text) => sheet.widthOf(text, sizes.value)));
  const frameFor = (room: number): Frame =>
    layoutFrame(plan, area, {
      direction,
      domain: spec.range
        ? [spec.range.min, spec.range.max]
        : domainOf(totals(plan, stacked), stacked ? 'zero' : style.axisRange),
      fixed: Boolean(spec.range),
      unit: unitOf(plan),
      valueTitle: spec.valueLabel,
      categoryTitle: spec.categoryLabel,
      categories: order.map((category) => spec.categories[category] ?? ''),
      edges: false,
      room,
    });
  // Level labels above bars that are narrower than they stand upright.
  const across = direction === 'up' ? barWidth(plan, area) : Infinity;
  const upright = outside && widest > across * 1.05;
  const long = direction === 'right' || upright;
  const frame = frameFor(outside ? (long ? widest : sizes.value) + 0.7 * sizes.value : 0);
  drawBars(plan, frame, stacked);
  drawFrame(plan, frame.plot, direction === 'up');
  drawBreak(plan, frame);
  if (style.valueLabels !== 'none') labelBars(plan, stacked, outside, upright);
  return { valueAxis: frame.axis, plot: frame.plot };
}

/** What a value is written as beside its mark; empty where there is none. */
export function valueText({ spec, style }: Plan, series: number, category: number): string {
  const { values, decimals, unit } = spec.series[series] as Plan['spec']['series'][number];
  const value = values[category];
  return value === null || value === undefined ? '' : numberText(value, decimals, style.thousands, unit);
}

/** The unit that all series share; null when they differ. */
export function unitOf({ spec }: Plan): string | null {
  const unit = spec.series[0]?.unit ?? null;
  return spec.series.every((series) => series.unit === unit) ? unit : null;
}

/** Values as they reach along the axis: sums over series, where these are stacked. */
export function totals({ spec }: Plan, stacked: boolean): number[] {
  if (!stacked) return spec.series.flatMap(({ values }) => values.filter((value) => value !== null));
  return spec.categories.map((_, i) => spec.series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0));
}

/** About how wide one bar will be, before the axes are known. */
function barWidth({ spec, style }: Plan, area: Area): number {
  const slot = (0.88 * (area.right - area.left)) / spec.categories.length;
  return isStacked(style.type)
    ? slot
    : slot * (spec.series.length > 1 ? (1 - style.barGap) / spec.series.length : 1);
}

/**
 * Draws all bars. Edges of stacked ones lie between pixels; so that the ground doesn't shine through where two meet, each reaches down to
 * the axis and is painted over by those below it.
 */
export function drawBars(plan: Plan, frame: Frame, stacked: boolean): void {
  const { sheet, style } = plan;
  const marks = [...barMarks(plan, frame, stacked)];
  sheet.marks.push(...marks);
  if (!stacked || style.barOutline) {
    for (const mark of marks) drawBar(plan, mark);
    return;
  }
  const zero = frame.value(0);
  for (const mark of marks.toReversed()) {
    const { left, top, width, height } = mark.box;
    if (mark.direction === 'up') sheet.rect(left, top, left + width, zero, mark.colour);
    else sheet.rect(zero, top, left + width, top + height, mark.colour);
  }
}

/** Bars with their places, category by category in drawing order. */
function* barMarks(plan: Plan, frame: Frame, stacked: boolean): Generator<BarMark> {
  const { spec, style, order } = plan;
  const { axis, slot } = frame;
  const lanes = stacked ? 1 : spec.series.length;
  const room = slot * (1 - style.barGap);
  const lane = room / lanes;
  const inner = lanes > 1 ? INNER_GAP * lane : 0;
  const each = spec.series.length === 1 && (style.barColours === 'each' || plan.micro);
  for (const [position, category] of order.entries()) {
    let below = 0;
    for (const [series, { name, values }] of spec.series.entries()) {
      const value = values[category];
      if (value === null || value === undefined) continue;
      const start = frame.category(position) - room / 2 + (stacked ? 0 : series * lane) + inner / 2;
      const [c0, c1] = wholePixels(start, start + lane - inner);
      // Where the axis leaves out zero bars begin at its end.
      const zero = Math.min(Math.max(0, axis.min), axis.max);
      const base = stacked ? frame.value(below) : frame.value(zero);
      const tip = stacked ? frame.value(below + value) : frame.value(value);
      below += value;
      const edges =
        axis.direction === 'up'
          ? { left: c0, right: c1, top: Math.min(base, tip), bottom: Math.max(base, tip) }
          : { top: c0, bottom: c1, left: Math.min(base, tip), right: Math.max(base, tip) };
      const colour = each
        ? plan.colour(category, spec.categories[category] ?? '')
        : plan.colour(series, name);
      yield {
        kind: 'bar',
        series,
        category,
        value,
        box: boxOf(edges),
        colour,
        direction: axis.direction,
        base,
        tip,
      };
    }
  }
}

/** Edges between pixels would blur along the whole bar. At least one pixel remains. */
function wholePixels(from: number, to: number): readonly [number, number] {
  const start = Math.round(from);
  return [start, Math.max(start + 1, Math.round(to))];
}

function drawBar({ style, sheet }: Plan, { box, colour }: BarMark): void {
  const { left, top } = box;
  const [right, bottom] = [left + box.width, top + box.height];
  if (style.barOutline && box.width > 4 && box.height > 4) {
    sheet.rect(left, top, right, bottom, mix(colour, sheet.theme.text, 0.75));
    sheet.rect(left + 1, top + 1, right - 1, bottom - 1, colour);
  } else sheet.rect(left, top, right, bottom, colour);
}

function labelBars(plan: Plan, stacked: boolean, outside: boolean, upright: boolean): void {
  const { sheet, sizes } = plan;
  const size = sizes.value;
  const gap = 0.35 * size;
  const { text: ink, ground } = sheet.theme;
  const bars = sheet.marks.filter((mark) => mark.kind === 'bar');
  // Bars differ by a pixel; all of them have their labels, or none.
  const thin = Math.min(...bars.map(({ box, direction }) => (direction === 'up' ? box.width : box.height)));
  for (const mark of bars) {
    const text = valueText(plan, mark.series, mark.category);
    const width = sheet.widthOf(text, size);
    const { left, top, width: w, height: h } = mark.box;
    const up = mark.direction === 'up';
    const common = { role: 'value', text, size, series: mark.series, category: mark.category } as const;
    const fits = up ? h >= LINE * size && thin >= width + 4 : w >= width + 2 * gap && thin >= 0.9 * size;
    if (!outside && fits) {
      const colour = contrastOf(mark.colour);
      const sign = mark.tip < mark.base ? -1 : 1;
      const end = stacked
        ? (mark.base + mark.tip) / 2
        : mark.tip - sign * (up ? 0.75 * size : gap + width / 2);
      const [x, y] = up ? [left + w / 2, end] : [end, top + h / 2];
      sheet.text({ ...common, x, y, across: 'middle', down: 'middle', colour, behind: mark.colour });
    } else if (!stacked) {
      const down = up ? mark.tip > mark.base : mark.tip < mark.base;
      const at = { colour: ink, behind: ground };
      if (!up) {
        const x = down ? mark.tip - gap : mark.tip + gap;
        sheet.text({ ...common, ...at, x, y: top + h / 2, across: down ? 'end' : 'start', down: 'middle' });
      } else if (upright || width > thin + 2) {
        const y = down ? mark.tip + gap : mark.tip - gap;
        sheet.text({
          ...common,
          ...at,
          x: left + w / 2,
          y,
          across: down ? 'end' : 'start',
          down: 'middle',
          angle: Math.PI / 2,
        });
      } else {
        const y = down ? mark.tip + gap : mark.tip - 0.5 * gap;
        sheet.text({ ...common, ...at, x: left + w / 2, y, across: 'middle', down: down ? 'top' : 'bottom' });
      }
    }
  }
}
