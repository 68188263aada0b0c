import { contrastOf } from '../colour.js';
import type { PointMark, ValueAxis } from '../types.js';
import { drawBreak, drawFrame } from './axes.js';
import { totals, unitOf, valueText } from './bars.js';
import { layoutFrame, type Frame } from './frame.js';
import { markerShapes, markerSize } from './marker.js';
import { DASHES, mix, type Plan } from './plan.js';
import { domainOf } from './scale.js';
import { Refusal, type Area } from './sheet.js';

/** Lines, or areas stacked on one another. */
export function layoutLines(plan: Plan, area: Area): { readonly valueAxis: ValueAxis; readonly plot: Area } {
  const { spec, style, sheet, sizes } = plan;
  const stacked = style.type === 'area';
  const direct = style.type === 'line' && spec.series.length > 1 && style.legend === 'none';
  const names = direct ? spec.series.map(({ name }) => name) : [];
  const widest = Math.max(0, ...names.map((name) => sheet.widthOf(name, sizes.legend)));
  if (widest > 0.3 * sheet.width)
    throw new Refusal('too-much', 'the names at the ends of the lines are too wide');
  const labelled = style.valueLabels !== 'none';
  const frame = layoutFrame(plan, area, {
    direction: 'up',
    domain: spec.range
      ? [spec.range.min, spec.range.max]
      : domainOf(totals(plan, stacked), stacked ? 'zero' : style.axisRange),
    fixed: Boolean(spec.range),
    unit: unitOf(plan),
    valueTitle: spec.valueLabel,
    categoryTitle: spec.categoryLabel,
    categories: spec.categories,
    edges: stacked,
    room: labelled ? 1.6 * sizes.value : 0.5 * markerSize(plan),
    right: direct ? widest + sizes.legend : 0,
  });
  const below = spec.categories.map(() => 0);
  for (const series of spec.series.keys()) drawSeries(plan, frame, series, stacked, below);
  drawFrame(plan, frame.plot, true);
  drawBreak(plan, frame);
  if (labelled) labelPoints(plan, stacked);
  if (direct) nameEnds(plan, frame);
  return { valueAxis: frame.axis, plot: frame.plot };
}

/** One line or area with its marks; `below` is what is stacked so far, and is raised. */
export function drawSeries(
  plan: Plan,
  frame: Frame,
  series: number,
  stacked: boolean,
  below: number[],
): void {
  const { spec, style, sheet, sizes } = plan;
  const { name, values } = spec.series[series] as Plan['spec']['series'][number];
  const own = plan.colour(series, name);
  const ground = sheet.theme.ground;
  const colour = stacked ? mix(ground, own, style.areaOpacity) : own;
  const width = style.lineWidth * Math.max(0.6, sizes.unit);
  const size = stacked ? width : Math.max(width, markerSize(plan));
  const runs: PointMark[][] = [[]];
  values.forEach((value, category) => {
    if (value === null) return void runs.push([]);
    const base = stacked ? (below[category] as number) : 0;
    if (stacked) below[category] = base + value;
    const at = { x: frame.category(category), y: frame.value(base + value) };
    const box = { left: at.x - size / 2, top: at.y - size / 2, width: size, height: size };
    runs.at(-1)?.push({
      kind: 'point',
      series,
      category,
      value,
      box,
      colour,
      at,
      base: stacked ? frame.value(base) : null,
    });
  });
  for (const run of runs) {
    if (run.length === 0) continue;
    const line = run.flatMap(({ at }) => [at.x, at.y]);
    if (stacked) {
      const lower = run.toReversed().flatMap(({ at, base }) => [at.x, base ?? 0]);
      sheet.shapes.push({ kind: 'polygon', points: [...line, ...lower], fill: colour });
    }
    if (run.length > 1) {
      const dash =
        style.lineDash && !stacked ? DASHES[series % DASHES.length]?.map((part) => part * width) : undefined;
      sheet.line(line, width, own, dash?.length ? dash : undefined);
    }
  }
  const marks = runs.flat();
  if (!stacked) {
    for (const { at } of marks) sheet.shapes.push(...markerShapes(plan, series, at, own));
    lonelyPoints(plan, runs, own, width);
  }
  sheet.marks.push(...marks);
}

/** A value between two gaps has no line; without markers it would not be seen. */
function lonelyPoints(plan: Plan, runs: readonly PointMark[][], fill: string, width: number): void {
  if (markerSize(plan) > 0) return;
  for (const run of runs) {
    const [only] = run;
    if (run.length === 1 && only)
      plan.sheet.shapes.push({ kind: 'disc', cx: only.at.x, cy: only.at.y, radius: 1.2 * width, fill });
  }
}

/** Values above their points, or below where the line comes down to them from both sides. */
function labelPoints(plan: Plan, stacked: boolean): void {
  const { sheet, sizes } = plan;
  const size = sizes.value;
  const points = sheet.marks.filter((mark) => mark.kind === 'point');
  const yOf = new Map(points.map((mark) => [`${mark.series} ${mark.category}`, mark.at.y]));
  for (const mark of points) {
    const { series, category, at, base } = mark;
    const text = valueText(plan, series, category);
    const common = { role: 'value', text, size, series, category, across: 'middle' } as const;
    const { text: colour, ground: behind } = sheet.theme;
    if (stacked && base !== null) {
      // In the band, if it is high enough; the ends of an area have no room to their sides.
      const inside = plan.spec.series.length > 1;
      if (inside && base - at.y < 1.3 * size) continue;
      if (category === 0 || category === plan.spec.categories.length - 1) continue;
      const y = inside ? (at.y + base) / 2 : at.y - 0.4 * size;
      const ink = inside ? { colour: contrastOf(mark.colour), behind: mark.colour } : { colour, behind };
      sheet.text({ ...common, ...ink, x: at.x, y, down: inside ? 'middle' : 'bottom' });
      continue;
    }
    const around = [category - 1, category + 1].flatMap((k) => yOf.get(`${series} ${k}`) ?? []);
    const valley = around.length > 0 && around.every((y) => y < at.y - 0.1 * size);
    const gap = markerSize(plan) / 2 + 0.3 * size;
    sheet.text({
      ...common,
      colour,
      behind,
      x: at.x,
      y: valley ? at.y + gap : at.y - gap,
      down: valley ? 'top' : 'bottom',
    });
  }
}

/** Names at the right ends of the lines, moved apart so that they don't touch. */
function nameEnds(plan: Plan, frame: Frame): void {
  const { spec, sheet, sizes } = plan;
  const size = sizes.legend;
  const ends = spec.series.flatMap(({ name }, series) => {
    const last = sheet.marks.findLast((mark) => mark.kind === 'point' && mark.series === series);
    return last?.kind === 'point' ? [{ name, series, y: last.at.y }] : [];
  });
  const ys = spread(
    ends.map(({ y }) => y),
    1.1 * size,
    frame.plot.top,
    frame.plot.bottom,
  );
  if (!ys) throw new Refusal('too-much', 'the names at the ends of the lines have no room');
  ends.forEach(({ name, series }, i) => {
    const { text: colour, paper: behind } = sheet.theme;
    const own = plan.colour(series, name);
    const x = frame.plot.right + 0.35 * size;
    const y = ys[i] as number;
    sheet.rect(x, y - 0.3 * size, x + 0.35 * size, y + 0.3 * size, own);
    sheet.text({
      role: 'name',
      text: name,
      x: x + 0.6 * size,
      y,
      across: 'start',
      down: 'middle',
      size,
      colour,
      behind,
      series,
    });
  });
}

/** Positions at least `apart` from one another and within bounds, in the same order along the line, near the wanted ones; null when they don't fit. */
export function spread(
  wanted: readonly number[],
  apart: number | readonly number[],
  low: number,
  high: number,
): number[] | null {
  const half = (i: number): number => (typeof apart === 'number' ? apart : (apart[i] as number)) / 2;
  const order = [...wanted.keys()].sort((a, b) => (wanted[a] as number) - (wanted[b] as number) || a - b);
  const out = [...wanted];
  let edge = low;
  for (const i of order) {
    out[i] = Math.max(wanted[i] as number, edge + half(i));
    edge = out[i] + half(i);
  }
  edge = high;
  for (const i of order.toReversed()) {
    out[i] = Math.min(out[i] as number, edge - half(i));
    edge = out[i] - half(i);
  }
  return edge >= low - 1e-9 ? out : null;
}
