import type { Box, PointMark, ValueAxis } from '../types.js';
import {
  axisTitle,
  drawFrame,
  drawGround,
  gridLine,
  numbersBelow,
  numbersBeside,
  sideTitle,
  tick,
} from './axes.js';
import { axisOf, tickRoom } from './frame.js';
import { markerShapes, markerSize } from './marker.js';
import { needRoom, type Plan } from './plan.js';
import { domainOf, numberText, scaleOver, type Scale } from './scale.js';
import { Refusal, type Area } from './sheet.js';

/** Dots by two numbers each, with their names beside them. */
export function layoutScatter(
  plan: Plan,
  area: Area,
): { readonly plot: Area; readonly xAxis: ValueAxis; readonly valueAxis: ValueAxis } {
  const { spec, style, sheet, sizes } = plan;
  const pairs = spec.categories.flatMap((name, category) => {
    const [x, y] = spec.series.map(({ values }) => values[category] ?? null);
    return typeof x === 'number' && typeof y === 'number' ? [{ name, category, x, y }] : [];
  });
  if (pairs.length === 0) throw new Refusal('empty', 'no category has both numbers');
  const titles = spec.series.map(({ name }) => (style.axisTitles ? name : ''));
  const gap = 0.45 * sizes.text + sizes.tick;
  for (let count = style.tickCount; ; count--) {
    const scales = [pairs.map(({ x }) => x), pairs.map(({ y }) => y)].map((values) => {
      const [low, high] = domainOf(values, style.axisRange);
      return scaleOver(low, high, count, true);
    }) as [Scale, Scale];
    const [xTexts, yTexts] = scales.map(({ ticks, decimals }, i) =>
      ticks.map((value) => numberText(value, decimals, style.thousands, spec.series[i]?.unit ?? null)),
    ) as [string[], string[]];
    const widest = (texts: readonly string[]): number =>
      Math.max(...texts.map((text) => sheet.widthOf(text, sizes.text)));
    const plot = {
      left: Math.ceil(area.left + (titles[1] === '' ? 0 : 1.5 * sizes.text) + widest(yTexts) + gap),
      top: Math.ceil(area.top + 0.5 * sizes.text),
      right: Math.floor(area.right - sheet.widthOf(xTexts.at(-1) ?? '', sizes.text) / 2),
      bottom: Math.floor(area.bottom - gap - sizes.text - (titles[0] === '' ? 0 : 1.5 * sizes.text)),
    };
    needRoom(sheet, plot.right - plot.left, plot.bottom - plot.top, 'texts and labels');
    const inset = markerSize(plan) / 2 + 2;
    const xAxis = axisOf(
      plan,
      'right',
      scales[0],
      { from: plot.left + inset, to: plot.right - inset },
      xTexts,
    );
    const valueAxis = axisOf(
      plan,
      'up',
      scales[1],
      { from: plot.bottom - inset, to: plot.top + inset },
      yTexts,
    );
    const roomy =
      tickRoom(xAxis, widest(xTexts) + 0.8 * sizes.text) && tickRoom(valueAxis, 1.35 * sizes.text);
    if (!roomy) {
      if (count <= 2) throw new Refusal('too-much', 'the numbers of an axis have no room');
      continue;
    }
    drawAxes(plan, area, plot, xAxis, valueAxis, titles, gap);
    const place = ({ min, max, from, to }: ValueAxis, value: number): number =>
      from + ((value - min) / (max - min)) * (to - from);
    const size = Math.max(markerSize(plan), 4);
    for (const { category, x, y } of pairs) {
      const at = { x: place(xAxis, x), y: place(valueAxis, y) };
      const colour = plan.colour(
        style.barColours === 'each' ? category : 0,
        style.barColours === 'each' ? (spec.categories[category] ?? '') : '',
      );
      const box = { left: at.x - size / 2, top: at.y - size / 2, width: size, height: size };
      sheet.marks.push({ kind: 'point', series: 1, category, value: y, box, colour, at, base: null });
      const shapes = markerShapes(plan, 0, at, colour);
      sheet.shapes.push(
        ...(shapes.length > 0
          ? shapes
          : [{ kind: 'disc', cx: at.x, cy: at.y, radius: size / 2, fill: colour } as const]),
      );
    }
    drawFrame(plan, plot, true);
    nameDots(plan, plot);
    return { plot, xAxis, valueAxis };
  }
}

function drawAxes(
  plan: Plan,
  area: Area,
  plot: Area,
  xAxis: ValueAxis,
  yAxis: ValueAxis,
  titles: readonly string[],
  gap: number,
): void {
  const { style, sizes } = plan;
  drawGround(plan, plot);
  if (style.grid !== 'none') for (const { at } of yAxis.ticks) gridLine(plan, plot, at, true);
  if (style.grid === 'both') for (const { at } of xAxis.ticks) gridLine(plan, plot, at, false);
  for (const { at } of yAxis.ticks) tick(plan, plot, at, true, sizes.tick);
  for (const { at } of xAxis.ticks) tick(plan, plot, at, false, sizes.tick);
  numbersBeside(plan, yAxis, plot.left - gap);
  numbersBelow(plan, xAxis, plot.bottom + gap);
  const [x = '', y = ''] = titles;
  if (x !== '') axisTitle(plan, x, (plot.left + plot.right) / 2, plot.bottom + gap + 1.5 * sizes.text);
  if (y !== '') sideTitle(plan, y, area.left, (plot.top + plot.bottom) / 2);
}

/** Names go where they cover neither a dot nor another name: right, left, above, below; else to the right all the same. */
function nameDots(plan: Plan, plot: Area): void {
  const { spec, sheet, sizes } = plan;
  const size = sizes.value;
  const dots = sheet.marks.filter((mark): mark is PointMark => mark.kind === 'point');
  const taken: Box[] = dots.map(({ box }) => box);
  for (const dot of dots) {
    const text = spec.categories[dot.category] ?? '';
    const [width, height, off] = [sheet.widthOf(text, size), size, dot.box.width / 2 + 0.3 * size];
    const { x, y } = dot.at;
    const places = [
      { across: 'start', down: 'middle', x: x + off, y, left: x + off, top: y - height / 2 },
      { across: 'end', down: 'middle', x: x - off, y, left: x - off - width, top: y - height / 2 },
      { across: 'middle', down: 'bottom', x, y: y - off, left: x - width / 2, top: y - off - height },
      { across: 'middle', down: 'top', x, y: y + off, left: x - width / 2, top: y + off },
    ] as const;
    const free = ({ left, top }: (typeof places)[number]): boolean =>
      left >= plot.left &&
      left + width <= plot.right &&
      top >= plot.top &&
      top + height <= plot.bottom &&
      !taken.some((box) =>
        overlap(box, { left: left - 1, top: top - 1, width: width + 2, height: height + 2 }),
      );
    const place = places.find(free) ?? places[0];
    taken.push({ left: place.left, top: place.top, width, height });
    const { text: colour, ground: behind } = sheet.theme;
    const { across, down } = place;
    sheet.text({
      role: 'name',
      text,
      x: place.x,
      y: place.y,
      across,
      down,
      size,
      colour,
      behind,
      series: 1,
      category: dot.category,
    });
  }
}

/** Whether two boxes share more than an edge. */
export function overlap(a: Box, b: Box): boolean {
  return (
    a.left < b.left + b.width &&
    b.left < a.left + a.width &&
    a.top < b.top + b.height &&
    b.top < a.top + a.height
  );
}
