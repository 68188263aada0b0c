import type { ChartGeometry, PointMark } from '../types.js';
import { gridLine, zeroLine } from './axes.js';
import { drawBars, isStacked, totals } from './bars.js';
import { axisOf, frameOf, type Frame } from './frame.js';
import { drawCells, rampScale } from './heat.js';
import { drawSeries } from './lines.js';
import { drawGaps, slicesOf } from './pie.js';
import type { Plan } from './plan.js';
import { domainOf, scaleOver, type Scale } from './scale.js';
import type { Area } from './sheet.js';

/** What a layout says of itself besides the sheet. */
type Parts = Pick<ChartGeometry, 'valueAxis' | 'xAxis' | 'colourScale'> & { readonly plot: Area };

const NOTHING = { valueAxis: null, xAxis: null, colourScale: null };
/** Pixels at the edges: ticks on the side of the numbers, a little air elsewhere. */
const SIDE = 4;
const AIR = 2;

/**
 * A chart of few pixels without text: what has a name in a full chart has a colour here, what has a number has its height, its angle
 * or its shade; ticks show the axis's steps.
 */
export function layoutMicro(plan: Plan): Parts {
  const { sheet, style } = plan;
  const { width, height } = sheet;
  const plot = { left: SIDE, top: AIR, right: width - AIR, bottom: height - AIR - 1 };
  if (style.type === 'pie' || style.type === 'donut') return microPie(plan);
  if (style.type === 'heat-map') return microHeat(plan);
  if (style.type === 'scatter') return microScatter(plan, { ...plot, bottom: height - SIDE });
  const up = !style.type.startsWith('horizontal');
  return microAxes(plan, up ? plot : { ...plot, left: AIR + 1, bottom: height - SIDE }, up);
}

function microAxes(plan: Plan, plot: Area, up: boolean): Parts {
  const { spec, style } = plan;
  const stacked = isStacked(style.type);
  const lines = style.type === 'line' || style.type === 'area';
  const values = totals(plan, stacked || style.type === 'area');
  const domain = spec.range ? ([spec.range.min, spec.range.max] as const) : domainOf(values, 'zero');
  const scale = scaleOver(domain[0], domain[1], style.tickCount, !spec.range);
  // Dots at either end of a line keep inside the plot.
  const inset = style.type === 'line' ? 2 : 0;
  const ends = up
    ? { from: plot.bottom - inset, to: plot.top + inset }
    : { from: plot.left + inset, to: plot.right - inset };
  const axis = axisOf(plan, up ? 'up' : 'right', scale, ends, labelsOf(scale));
  const count = spec.categories.length;
  const edges = style.type === 'area';
  const [start, end] = up ? [plot.left, plot.right] : [plot.top, plot.bottom];
  const slot = (end - start) / (edges ? Math.max(1, count - 1) : count);
  const frame = frameOf(plot, axis, slot, (position) => start + (position + (edges ? 0 : 0.5)) * slot);
  drawBack(plan, frame, up);
  if (style.type === 'line' && spec.series.length === 1) microLine(plan, frame);
  else if (lines) {
    const below = spec.categories.map(() => 0);
    for (const series of spec.series.keys()) drawSeries(plan, frame, series, edges, below);
  } else drawBars(plan, frame, stacked);
  baseLine(plan, plot, up);
  return { ...NOTHING, plot, valueAxis: axis };
}

function labelsOf({ ticks }: Scale): string[] {
  return ticks.map(String);
}

function drawBack(plan: Plan, frame: Frame, up: boolean): void {
  const { plot, axis } = frame;
  const { sheet, style } = plan;
  sheet.rect(plot.left, plot.top, plot.right, plot.bottom, sheet.theme.ground);
  if (style.grid !== 'none') for (const { at } of axis.ticks) gridLine(plan, plot, at, up);
  microTicks(plan, plot, axis.ticks, up);
  if (axis.min < 0 && axis.max > 0) zeroLine(plan, plot, frame.value(0), up);
}

function microTicks(
  { sheet }: Plan,
  plot: Area,
  ticks: readonly { readonly at: number }[],
  up: boolean,
): void {
  for (const { at } of ticks) {
    const t = Math.round(at);
    if (up) sheet.rect(plot.left - 3, t, plot.left - 1, t + 1, sheet.theme.axis);
    else sheet.rect(t, plot.bottom + 1, t + 1, plot.bottom + 3, sheet.theme.axis);
  }
}

/** The line that the marks stand on. */
function baseLine({ sheet }: Plan, { left, top, right, bottom }: Area, up: boolean): void {
  if (up) sheet.rect(left - 1, bottom, right, bottom + 1, sheet.theme.axis);
  else sheet.rect(left - 1, top, left, bottom + 1, sheet.theme.axis);
}

/** One line: its dots have the colours of their categories. */
function microLine(plan: Plan, frame: Frame): void {
  const { spec, sheet } = plan;
  const values = spec.series[0]?.values ?? [];
  const radius = Math.min(2.5, 0.45 * frame.slot);
  const points: PointMark[] = [];
  values.forEach((value, category) => {
    if (value === null) return;
    const at = { x: frame.category(category), y: frame.value(value) };
    const colour = plan.colour(category, spec.categories[category] ?? '');
    const box = { left: at.x - radius, top: at.y - radius, width: 2 * radius, height: 2 * radius };
    points.push({ kind: 'point', series: 0, category, value, box, colour, at, base: null });
  });
  for (const [i, point] of points.entries()) {
    const next = points[i + 1];
    if (next?.category === point.category + 1)
      sheet.line([point.at.x, point.at.y, next.at.x, next.at.y], 1, sheet.theme.axis);
  }
  for (const { at, colour } of points)
    sheet.shapes.push({ kind: 'disc', cx: at.x, cy: at.y, radius, fill: colour });
  sheet.marks.push(...points);
}

function microPie(plan: Plan): Parts {
  const { sheet, style } = plan;
  const centre = { x: sheet.width / 2, y: sheet.height / 2 };
  const outer = Math.min(sheet.width, sheet.height) / 2 - AIR;
  const slices = slicesOf(plan, centre, style.type === 'donut' ? outer * style.donutHole : 0, outer);
  for (const { inner, start, end, colour: fill } of slices) {
    sheet.shapes.push({ kind: 'sector', cx: centre.x, cy: centre.y, inner, outer, start, end, fill });
  }
  if (slices.length > 1) drawGaps(plan, slices);
  sheet.marks.push(...slices);
  const plot = {
    left: centre.x - outer,
    top: centre.y - outer,
    right: centre.x + outer,
    bottom: centre.y + outer,
  };
  return { ...NOTHING, plot };
}

/** Cells, with strips of colour that stand for the names of rows and columns where these are colours. */
function microHeat(plan: Plan): Parts {
  const { spec, style, sheet } = plan;
  const strip = style.palette === 'named' ? SIDE : AIR;
  const plot = { left: strip, top: AIR, right: sheet.width - AIR, bottom: sheet.height - strip };
  const colourScale = rampScale(plan).colourScale;
  drawCells(plan, plot, colourScale);
  if (style.palette === 'named') {
    const [w, h] = [
      (plot.right - plot.left) / spec.categories.length,
      (plot.bottom - plot.top) / spec.series.length,
    ];
    spec.categories.forEach((name, i) => {
      const left = plot.left + i * w;
      sheet.rect(left + 1, plot.bottom + 1, left + w - 1, sheet.height - 1, plan.colour(i, name));
    });
    spec.series.forEach(({ name }, i) => {
      const top = plot.top + i * h;
      sheet.rect(1, top + 1, plot.left - 1, top + h - 1, plan.colour(i, name));
    });
  }
  return { ...NOTHING, plot, colourScale };
}

function microScatter(plan: Plan, plot: Area): Parts {
  const { spec, sheet, style } = plan;
  const radius = 2.5;
  const axes = (['right', 'up'] as const).map((direction, i) => {
    const values = spec.series[i]?.values.filter((value) => value !== null) ?? [];
    const domain = spec.range ? ([spec.range.min, spec.range.max] as const) : domainOf(values, 'zero');
    const scale = scaleOver(domain[0], domain[1], style.tickCount, !spec.range);
    const ends =
      direction === 'up'
        ? { from: plot.bottom - radius, to: plot.top + radius }
        : { from: plot.left + radius, to: plot.right - radius };
    return axisOf(plan, direction, scale, ends, labelsOf(scale));
  });
  const [xAxis, valueAxis] = axes as [(typeof axes)[number], (typeof axes)[number]];
  const yFrame = frameOf(plot, valueAxis, 0, () => 0);
  const xFrame = frameOf(plot, xAxis, 0, () => 0);
  drawBack(plan, yFrame, true);
  if (style.grid === 'both') for (const { at } of xAxis.ticks) gridLine(plan, plot, at, false);
  microTicks(plan, plot, xAxis.ticks, false);
  baseLine(plan, plot, true);
  baseLine(plan, plot, false);
  spec.categories.forEach((name, category) => {
    const [x, y] = spec.series.map(({ values }) => values[category] ?? null);
    if (typeof x !== 'number' || typeof y !== 'number') return;
    const at = { x: xFrame.value(x), y: yFrame.value(y) };
    const colour = plan.colour(category, name);
    sheet.shapes.push({ kind: 'disc', cx: at.x, cy: at.y, radius, fill: colour });
    const box = { left: at.x - radius, top: at.y - radius, width: 2 * radius, height: 2 * radius };
    sheet.marks.push({ kind: 'point', series: 1, category, value: y, box, colour, at, base: null });
  });
  return { plot, valueAxis, xAxis, colourScale: null };
}
