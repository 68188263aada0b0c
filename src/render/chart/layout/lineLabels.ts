/** Values and names on lines and areas. */
import { contrastOf } from '../colour.js';
import type { PointMark } from '../types.js';
import { valueText } from './bars.js';
import { markerSize } from './marker.js';
import type { Plan } from './plan.js';
import { Refusal, type Area } from './sheet.js';
import { spread } from './spread.js';

/** Values above their points, or below where the line comes down to them from both sides. */
export function labelPoints(plan: Plan, stacked: boolean): void {
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
      if (plan.spec.series.length > 1) labelBand(plan, mark, points);
      else if (category > 0 && category < plan.spec.categories.length - 1) {
        // The ends of an area have no room to their sides.
        sheet.text({ ...common, colour, behind, x: at.x, y: at.y - 0.4 * size, down: 'bottom' });
      }
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

/** A value in its band, where that is high enough over the label's whole width. */
function labelBand(plan: Plan, mark: PointMark, points: readonly PointMark[]): void {
  const { sheet, sizes } = plan;
  const size = sizes.value;
  const { series, category, colour: behind, at } = mark;
  const text = valueText(plan, series, category);
  const half = sheet.widthOf(text, size) / 2 + 0.2 * size;
  const own = (k: number): PointMark | undefined =>
    points.find((point) => point.series === series && point.category === k);
  const sides = [own(category - 1), own(category + 1)];
  // The ends of an area have no room to their sides.
  if (sides.some((side) => side === undefined || Math.abs(side.at.x - at.x) < half)) return;
  const [tops, bottoms] = [[at.y], [mark.base ?? 0]];
  for (const side of sides as PointMark[]) {
    const part = half / Math.abs(side.at.x - at.x);
    tops.push(at.y + (side.at.y - at.y) * part);
    bottoms.push((mark.base ?? 0) + ((side.base ?? 0) - (mark.base ?? 0)) * part);
  }
  const [top, bottom] = [Math.max(...tops), Math.min(...bottoms)];
  if (bottom - top < 1.35 * size) return;
  const ink = { colour: contrastOf(behind), behind };
  const place = { x: at.x, y: (top + bottom) / 2, across: 'middle', down: 'middle' } as const;
  sheet.text({ role: 'value', text, size, series, category, ...ink, ...place });
}

/** Names at the right ends of the lines, moved apart so that they don't touch. */
export function nameEnds(plan: Plan, plot: Area): void {
  const { spec, sheet, sizes } = plan;
  const size = sizes.legend;
  const ends = spec.series.flatMap(({ name }, series) => {
    const last = sheet.marks.findLast((mark) => mark.kind === 'point' && mark.series === series);
    return last?.kind === 'point' ? [{ name, series, y: last.at.y }] : [];
  });
  const ys = spread(
    ends.map(({ y }) => y),
    1.1 * size,
    plot.top,
    plot.bottom,
  );
  if (!ys) throw new Refusal('too-much', 'the names at the ends of the lines have no room');
  ends.forEach(({ name, series }, i) => {
    const { text: colour, paper: behind } = sheet.theme;
    const own = plan.colour(series, name);
    const x = plot.right + 0.35 * size;
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
