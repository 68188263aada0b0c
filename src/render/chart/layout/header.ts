import { markerShapes } from './marker.js';
import { DASHES, type Plan } from './plan.js';
import { LINE, Refusal, type Area } from './sheet.js';

/** Draws title and legend; what is left of the picture. */
export function layoutHeader(plan: Plan): Area {
  const { sheet, sizes } = plan;
  const whole = {
    left: sizes.gap,
    top: sizes.gap,
    right: sheet.width - sizes.gap,
    bottom: sheet.height - sizes.gap,
  };
  return layoutLegend(plan, layoutTitle(plan, whole));
}

function layoutTitle({ spec, style, sheet, sizes }: Plan, area: Area): Area {
  if (spec.title.trim() === '') return area;
  const bold = style.titleBold;
  const lines = sheet.wrap(spec.title, sizes.title, area.right - area.left, 3, bold);
  if (!lines) throw new Refusal('too-much', 'the title takes more than three lines');
  const x = { left: area.left, centre: sheet.width / 2, right: area.right }[style.titlePlace];
  const across = ({ left: 'start', centre: 'middle', right: 'end' } as const)[style.titlePlace];
  const { text: colour, paper: behind } = sheet.theme;
  lines.forEach((text, i) => {
    const y = area.top + i * LINE * sizes.title;
    sheet.text({ role: 'title', text, x, y, across, down: 'top', size: sizes.title, bold, colour, behind });
  });
  return { ...area, top: area.top + lines.length * LINE * sizes.title + 0.6 * sizes.gap };
}

/** One entry of a legend, measured. */
interface Entry {
  readonly key: number;
  readonly lines: readonly string[];
  readonly width: number;
}

function layoutLegend(plan: Plan, area: Area): Area {
  const { style, keys } = plan;
  if (keys.length === 0) return area;
  if (style.legend === 'none') {
    if (style.type === 'line') return area;
    throw new Refusal('unsuitable', `legend none: a ${style.type} chart of several colours needs one`);
  }
  const order = [...keys.keys()];
  if (style.legendOrder === 'reversed') order.reverse();
  return style.legend === 'top' || style.legend === 'bottom'
    ? legendRows(plan, area, order, style.legend)
    : legendColumn(plan, area, order, style.legend);
}

function legendRows(plan: Plan, area: Area, order: readonly number[], place: 'top' | 'bottom'): Area {
  const { sheet, sizes, keys } = plan;
  const room = area.right - area.left;
  const rows: Entry[][] = [[]];
  let used = 0;
  for (const key of order) {
    const name = keys[key]?.name ?? '';
    const width = swatchWidth(plan) + sheet.widthOf(name, sizes.legend);
    if (width > room)
      throw new Refusal('too-much', `the legend's ${JSON.stringify(name)} is wider than the picture`);
    const between = 1.5 * sizes.gap;
    if (used > 0 && used + between + width > room) {
      rows.push([]);
      used = 0;
    }
    rows.at(-1)?.push({ key, lines: [name], width });
    used += width + (used > 0 ? between : 0);
  }
  const step = 1.45 * sizes.legend;
  const height = rows.length * step;
  if (height > 0.3 * sheet.height) throw new Refusal('too-much', `the legend takes ${rows.length} rows`);
  const top = place === 'top' ? area.top : area.bottom - height;
  rows.forEach((row, i) => {
    const width = row.reduce((sum, entry) => sum + entry.width, 1.5 * sizes.gap * (row.length - 1));
    let x = area.left + (room - width) / 2;
    for (const entry of row) {
      drawEntry(plan, entry, x, top + (i + 0.5) * step);
      x += entry.width + 1.5 * sizes.gap;
    }
  });
  const taken = height + 0.7 * sizes.gap;
  return place === 'top' ? { ...area, top: area.top + taken } : { ...area, bottom: area.bottom - taken };
}

function legendColumn(plan: Plan, area: Area, order: readonly number[], place: 'left' | 'right'): Area {
  const { sheet, sizes, keys } = plan;
  const most = 0.3 * sheet.width - swatchWidth(plan);
  const entries = order.map((key): Entry => {
    const name = keys[key]?.name ?? '';
    const lines = sheet.wrap(name, sizes.legend, most, 3);
    if (!lines) throw new Refusal('too-much', `the legend has no room for ${JSON.stringify(name)}`);
    return { key, lines, width: Math.max(...lines.map((line) => sheet.widthOf(line, sizes.legend))) };
  });
  const heightOf = ({ lines }: Entry): number => (1.1 * lines.length + 0.4) * sizes.legend;
  const height = entries.reduce((sum, entry) => sum + heightOf(entry), 0);
  if (height > area.bottom - area.top) throw new Refusal('too-much', 'the legend is higher than the picture');
  const width = swatchWidth(plan) + Math.max(...entries.map((entry) => entry.width));
  const x = place === 'left' ? area.left : area.right - width;
  let y = area.top + (area.bottom - area.top - height) / 2;
  for (const entry of entries) {
    drawEntry(plan, entry, x, y + heightOf(entry) / 2);
    y += heightOf(entry);
  }
  const taken = width + (place === 'left' ? 2 : 1.2) * sizes.gap;
  return place === 'left' ? { ...area, left: area.left + taken } : { ...area, right: area.right - taken };
}

function swatchWidth({ style, sizes }: Plan): number {
  return (style.type === 'line' ? 2.6 : 1.4) * sizes.legend;
}

/** A swatch at `left` and the name beside it, centred on `y`. */
function drawEntry(plan: Plan, { key, lines }: Entry, left: number, y: number): void {
  const { style, sheet, sizes, keys } = plan;
  const { colour, dash } = keys[key] as Plan['keys'][number];
  const size = sizes.legend;
  if (style.type === 'line') {
    const width = style.lineWidth * Math.max(0.6, sizes.unit);
    const pattern = DASHES[dash]?.map((part) => part * width);
    sheet.line([left, y, left + 2.1 * size, y], width, colour, pattern?.length ? pattern : undefined);
    sheet.shapes.push(...markerShapes(plan, key, { x: left + 1.05 * size, y }, colour));
  } else {
    const half = 0.42 * size;
    const [x0, y0] = [Math.round(left), Math.round(y - half)];
    sheet.rect(x0, y0, x0 + Math.round(2 * half), y0 + Math.round(2 * half), colour);
  }
  lines.forEach((text, i) => {
    sheet.text({
      role: 'legend',
      text,
      x: left + swatchWidth(plan),
      y: y + (i - (lines.length - 1) / 2) * 1.1 * size,
      across: 'start',
      down: 'middle',
      size,
      colour: sheet.theme.text,
      behind: sheet.theme.paper,
      series: key,
    });
  });
}
