import type { PointMark, ValueAxis } from '../types.js';
import { drawBreak, drawFrame } from './axes.js';
import { totals, unitOf } from './bars.js';
import { layoutFrame, type Frame } from './frame.js';
import { labelPoints, nameEnds } from './lineLabels.js';
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
  if (direct) nameEnds(plan, frame.plot);
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
