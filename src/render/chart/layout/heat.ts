import { contrastOf } from '../colour.js';
import { RAMPS } from '../palettes.js';
import type { CellMark, ColourScale } from '../types.js';
import { unitOf, valueText } from './bars.js';
import { categoriesAcross, categoriesDown, drawCategories } from './categories.js';
import { axisTitle, drawFrame } from './axes.js';
import { mix, needRoom, type Plan } from './plan.js';
import { domainOf, numberText, scaleOver } from './scale.js';
import { boxOf, type Area } from './sheet.js';

/** A row for each series, a column for each category, a colour for each value, and a bar that says which. */
export function layoutHeat(
  plan: Plan,
  area: Area,
): { readonly plot: Area; readonly colourScale: ColourScale } {
  const { spec, style, sheet, sizes } = plan;
  const { colourScale, ticks, decimals } = rampScale(plan);
  const labels = ticks.map((value) => numberText(value, decimals, style.thousands, unitOf(plan)));
  const barWidth = Math.max(8, Math.round(1.1 * sizes.text));
  const right = Math.max(...labels.map((text) => sheet.widthOf(text, sizes.text))) + barWidth + 2 * sizes.gap;
  const names = spec.series.map(({ name }) => name);
  const title = style.axisTitles ? spec.categoryLabel : '';
  const gap = 0.45 * sizes.text + sizes.tick;
  // Row names first, with the height that is there when columns have one line.
  const rows = categoriesDown(plan, names, (area.bottom - area.top - 3 * sizes.text) / names.length);
  const left = Math.ceil(area.left + rows.widest + gap);
  const end = Math.floor(area.right - right);
  const columns = categoriesAcross(plan, spec.categories, (end - left) / spec.categories.length);
  const bottom = Math.floor(area.bottom - columns.height - gap - (title === '' ? 0 : 1.5 * sizes.text));
  const plot = { left, top: Math.ceil(area.top + 0.3 * sizes.text), right: end, bottom };
  needRoom(sheet, plot.right - plot.left, plot.bottom - plot.top, 'texts and labels');
  sheet.rect(plot.left, plot.top, plot.right, plot.bottom, sheet.theme.ground);
  drawCells(plan, plot, colourScale);
  drawFrame(plan, plot, true);
  const width = (plot.right - plot.left) / spec.categories.length;
  const height = (plot.bottom - plot.top) / names.length;
  const across = { direction: 'up', category: (i: number) => plot.left + (i + 0.5) * width } as const;
  drawCategories(plan, across, columns, plot.bottom + gap);
  drawRows(plan, (i) => plot.top + (i + 0.5) * height, rows.lines, plot.left - gap);
  if (title !== '')
    axisTitle(
      plan,
      title,
      (plot.left + plot.right) / 2,
      plot.bottom + gap + columns.height + 0.5 * sizes.text,
    );
  drawBar(plan, plot, colourScale, ticks, labels, barWidth);
  return { plot, colourScale };
}

/** Which colours stand for which values, and the round numbers among these. */
export function rampScale({ spec, style }: Plan): {
  readonly colourScale: ColourScale;
  readonly ticks: readonly number[];
  readonly decimals: number;
} {
  const values = spec.series.flatMap((series) => series.values.filter((value) => value !== null));
  const [low, high] = spec.range ? [spec.range.min, spec.range.max] : domainOf(values, style.axisRange);
  const { min, max, ticks, decimals } = scaleOver(low, high, style.tickCount, !spec.range);
  return { colourScale: { min, max, colours: RAMPS[style.ramp] }, ticks, decimals };
}

/** The colour of a value. */
export function rampColour({ min, max, colours }: ColourScale, value: number): string {
  const at = Math.min(1, Math.max(0, (value - min) / (max - min))) * (colours.length - 1) || 0;
  const i = Math.min(colours.length - 2, Math.floor(at));
  return mix(colours[i] as string, colours[i + 1] as string, at - i);
}

export function drawCells(plan: Plan, plot: Area, scale: ColourScale): void {
  const { spec, style, sheet, sizes } = plan;
  const x = (i: number): number =>
    Math.round(plot.left + ((plot.right - plot.left) * i) / spec.categories.length);
  const y = (i: number): number => Math.round(plot.top + ((plot.bottom - plot.top) * i) / spec.series.length);
  const gap = style.barOutline ? Math.max(1, Math.round(2 * sizes.unit)) : 0;
  for (const [series, { values }] of spec.series.entries()) {
    for (const [category, value] of values.entries()) {
      if (value === null) continue;
      const colour = rampColour(scale, value);
      const cell = {
        left: x(category) + gap,
        top: y(series) + gap,
        right: x(category + 1) - gap,
        bottom: y(series + 1) - gap,
      };
      sheet.rect(cell.left, cell.top, cell.right, cell.bottom, colour);
      const mark: CellMark = { kind: 'cell', series, category, value, box: boxOf(cell), colour };
      sheet.marks.push(mark);
      if (style.valueLabels !== 'none') labelCell(plan, mark);
    }
  }
}

function labelCell(plan: Plan, { box, colour: behind, series, category }: CellMark): void {
  const { sheet, sizes } = plan;
  const size = sizes.value;
  const text = valueText(plan, series, category);
  if (sheet.widthOf(text, size) + 4 > box.width || 1.1 * size > box.height) return;
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
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
    series,
    category,
  });
}

function drawRows(
  { sheet, sizes }: Plan,
  middle: (row: number) => number,
  rows: readonly (readonly string[])[],
  x: number,
): void {
  const { text: colour, paper: behind } = sheet.theme;
  rows.forEach((lines, series) => {
    lines.forEach((text, i) => {
      const y = middle(series) + (i - (lines.length - 1) / 2) * 1.12 * sizes.text;
      sheet.text({
        role: 'category',
        text,
        x,
        y,
        across: 'end',
        down: 'middle',
        size: sizes.text,
        colour,
        behind,
        series,
      });
    });
  });
}

/** The bar of colours on the right, smallest value at the bottom. */
function drawBar(
  { sheet, sizes }: Plan,
  plot: Area,
  scale: ColourScale,
  ticks: readonly number[],
  labels: readonly string[],
  width: number,
): void {
  const left = Math.round(plot.right + 1.2 * sizes.gap);
  const height = plot.bottom - plot.top;
  for (let row = 0; row < height; row++) {
    const value = scale.max - ((row + 0.5) / height) * (scale.max - scale.min);
    sheet.rect(left, plot.top + row, left + width, plot.top + row + 1, rampColour(scale, value));
  }
  const { faint: colour, paper: behind } = sheet.theme;
  ticks.forEach((value, i) => {
    const y = plot.bottom - ((value - scale.min) / (scale.max - scale.min)) * height;
    const x = left + width + 0.4 * sizes.gap;
    sheet.text({
      role: 'tick',
      text: labels[i] ?? '',
      x,
      y,
      across: 'start',
      down: 'middle',
      size: sizes.text,
      colour,
      behind,
    });
  });
}
