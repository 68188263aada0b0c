import { contrastOf } from '../colour.js';
import { arcPoints } from '../paint/outlines.js';
import type { Point, SliceMark } from '../types.js';
import { valueText } from './bars.js';
import { needRoom, type Plan } from './plan.js';
import { boxAround, Refusal, type Area } from './sheet.js';
import { spread } from './spread.js';

/** What stands beside a slice. */
interface Callout {
  readonly slice: SliceMark;
  readonly name: readonly string[];
  /** Empty when the value stands in the slice, or nowhere. */
  readonly value: string;
  readonly width: number;
  readonly height: number;
  readonly right: boolean;
}

const LINE_STEP = 1.12;

/** A pie, or a ring. */
export function layoutPie(plan: Plan, area: Area): { readonly plot: Area } {
  const { sheet, sizes, style } = plan;
  const besides = style.pieNames === 'beside' || style.valueLabels === 'outside';
  const reach = besides ? sideRoom(plan, area) : 0;
  const [width, height] = [area.right - area.left - 2 * reach, area.bottom - area.top];
  needRoom(sheet, width, height, 'names and labels');
  const outer = Math.min(width, height - (besides ? 2 * sizes.text : 0)) / 2 - 0.3 * sizes.gap;
  const centre = { x: Math.round((area.left + area.right) / 2), y: Math.round((area.top + area.bottom) / 2) };
  const inner = style.type === 'donut' ? outer * style.donutHole : 0;
  const slices = slicesOf(plan, centre, inner, outer);
  for (const { inner: from, outer: to, start, end, colour } of slices) {
    sheet.shapes.push({
      kind: 'sector',
      cx: centre.x,
      cy: centre.y,
      inner: from,
      outer: to,
      start,
      end,
      fill: colour,
    });
  }
  if (slices.length > 1) drawGaps(plan, slices);
  sheet.marks.push(...slices);
  drawCallouts(plan, area, centre, outer, slices);
  const [left, top] = [centre.x - outer, centre.y - outer];
  return { plot: { left, top, right: left + 2 * outer, bottom: top + 2 * outer } };
}

/** Room that names and values need on each side. */
function sideRoom(plan: Plan, area: Area): number {
  const { spec, sheet, sizes } = plan;
  const widths = spec.categories.map((_, category) => {
    const { name, value } = words(plan, category, area);
    return Math.max(0, ...[...name, value].map((text) => sheet.widthOf(text, sizes.text)));
  });
  return Math.max(...widths) + 2.4 * sizes.text;
}

/** The words beside a slice, if all of its words stood there. */
function words(plan: Plan, category: number, area: Area): Pick<Callout, 'name' | 'value'> {
  const { spec, style, sheet, sizes } = plan;
  const own = spec.categories[category] ?? '';
  const name =
    style.pieNames === 'beside' ? sheet.wrap(own, sizes.text, 0.26 * (area.right - area.left), 3) : [];
  if (!name) throw new Refusal('too-much', `the slice ${JSON.stringify(own)} has no room for its name`);
  const value = style.valueLabels === 'none' ? '' : valueText(plan, 0, category);
  return { name, value };
}

/** Slices with their angles, from `pieStart` on. */
export function slicesOf(plan: Plan, centre: Point, inner: number, outer: number): SliceMark[] {
  const { spec, style } = plan;
  const values = spec.series[0]?.values ?? [];
  const total = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  let turn = (style.pieStart * Math.PI) / 180;
  return spec.categories.map((name, category) => {
    const value = values[category] ?? 0;
    const start = turn;
    const end = start + (2 * Math.PI * value) / total;
    turn = end;
    const rim = arcPoints(centre.x, centre.y, outer, start, end);
    const hub = inner > 0 ? arcPoints(centre.x, centre.y, inner, start, end) : [centre.x, centre.y];
    const box = boxAround(pairs([...rim, ...hub]));
    const colour = plan.colour(category, name);
    return { kind: 'slice', series: 0, category, value, box, colour, centre, inner, outer, start, end };
  });
}

function pairs(points: readonly number[]): Point[] {
  const out: Point[] = [];
  for (let i = 0; i < points.length; i += 2) out.push({ x: points[i] as number, y: points[i + 1] as number });
  return out;
}

/** Lines of the ground's colour between slices. */
export function drawGaps({ style, sheet, sizes }: Plan, slices: readonly SliceMark[]): void {
  const width = style.pieGap * Math.max(0.5, sizes.unit);
  if (width === 0) return;
  for (const { centre, inner, outer, start } of slices) {
    const [sin, cos] = [Math.sin(start), -Math.cos(start)];
    const along = (r: number): number[] => [centre.x + r * sin, centre.y + r * cos];
    sheet.line([...along(inner > 0 ? inner - 1 : 0), ...along(outer + 1)], width, sheet.theme.paper);
  }
}

function drawCallouts(
  plan: Plan,
  area: Area,
  centre: Point,
  outer: number,
  slices: readonly SliceMark[],
): void {
  const { style, sheet, sizes } = plan;
  const callouts = slices.flatMap((slice): Callout[] => {
    const { name, value } = words(plan, slice.category, area);
    const within = value !== '' && style.valueLabels === 'inside' && labelInside(plan, slice, value);
    const outside = within || (style.pieNames === 'legend' && style.valueLabels === 'inside') ? '' : value;
    const lines = outside === '' ? name : [...name, outside];
    if (lines.length === 0) return [];
    const width = Math.max(...lines.map((text) => sheet.widthOf(text, sizes.text)));
    const height = (lines.length * LINE_STEP + 0.35) * sizes.text;
    return [{ slice, name, value: outside, width, height, right: Math.sin(middleOf(slice)) >= 0 }];
  });
  for (const right of [true, false]) {
    const side = callouts.filter((callout) => callout.right === right);
    const ys = spread(
      side.map(({ slice }) => centre.y - (outer + 1.2 * sizes.text) * Math.cos(middleOf(slice))),
      side.map(({ height }) => height),
      area.top,
      area.bottom,
    );
    if (!ys) throw new Refusal('too-much', `${side.length} names on one side of the pie have no room`);
    side.forEach((callout, i) => drawCallout(plan, callout, centre, outer, ys[i] as number));
  }
}

function middleOf({ start, end }: SliceMark): number {
  return (start + end) / 2;
}

/** Puts a value into its slice; false when it has no room there. */
function labelInside({ sheet, sizes }: Plan, slice: SliceMark, text: string): boolean {
  const { centre, inner, outer, start, end, category, colour: behind } = slice;
  const size = sizes.value;
  const width = sheet.widthOf(text, size);
  const radius = inner > 0 ? (inner + outer) / 2 : 0.66 * outer;
  const diagonal = Math.sqrt(width ** 2 + size ** 2);
  const chord = end - start >= Math.PI ? 2 * radius : 2 * radius * Math.sin((end - start) / 2);
  if (chord < diagonal + 0.3 * size || outer - Math.max(inner, 0) < diagonal) return false;
  const angle = middleOf(slice);
  const [x, y] = [centre.x + radius * Math.sin(angle), centre.y - radius * Math.cos(angle)];
  const colour = contrastOf(behind);
  sheet.text({
    role: 'value',
    text,
    x,
    y,
    across: 'middle',
    down: 'middle',
    size,
    colour,
    behind,
    series: 0,
    category,
  });
  return true;
}

function drawCallout(plan: Plan, callout: Callout, centre: Point, outer: number, y: number): void {
  const { sheet, sizes } = plan;
  const { slice, name, value, right } = callout;
  const size = sizes.text;
  const sign = right ? 1 : -1;
  const angle = middleOf(slice);
  const rim = (r: number): number[] => [centre.x + r * Math.sin(angle), centre.y - r * Math.cos(angle)];
  // The text hugs the rim where the rim turns away from it.
  const off = Math.min(1, Math.abs(y - centre.y) / (outer + size));
  const elbow = centre.x + sign * ((outer + size) * Math.sqrt(Math.max(0, 1 - off * off)) + 0.9 * size);
  sheet.line(
    [...rim(outer + 1), ...rim(outer + 0.55 * size), elbow, y],
    Math.max(1, sizes.unit),
    sheet.theme.axis,
  );
  const lines = value === '' ? name : [...name, value];
  lines.forEach((text, i) => {
    sheet.text({
      role: value !== '' && i === lines.length - 1 ? 'value' : 'name',
      text,
      x: elbow + sign * 0.4 * size,
      y: y + (i - (lines.length - 1) / 2) * LINE_STEP * size,
      across: right ? 'start' : 'end',
      down: 'middle',
      size,
      colour: sheet.theme.text,
      behind: sheet.theme.paper,
      series: 0,
      category: slice.category,
    });
  });
}
