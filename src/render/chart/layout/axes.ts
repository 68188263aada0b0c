/** What axes are drawn with: ground, grid, ticks, numbers, titles, the mark of an axis that leaves out zero. */
import type { ValueAxis } from '../types.js';
import type { Frame } from './frame.js';
import type { Plan } from './plan.js';
import type { Area } from './sheet.js';

export function drawGround({ sheet }: Plan, plot: Area): void {
  if (sheet.framedGround) sheet.rect(plot.left, plot.top, plot.right, plot.bottom, sheet.theme.ground);
}

/** A line across the plot: level where the value axis goes up. */
export function gridLine({ style, sheet, sizes }: Plan, plot: Area, position: number, level: boolean): void {
  const at = Math.round(position);
  const { grid } = sheet.theme;
  const [from, to] = level ? [plot.left, plot.right] : [plot.top, plot.bottom];
  const [dash, gap] = { solid: [to - from, 0], dashed: [6, 4], dotted: [1.5, 3] }[style.gridLine] as [
    number,
    number,
  ];
  const width = style.gridLine === 'dotted' ? 1.5 : 1;
  const step = style.gridLine === 'solid' ? to - from : (dash + gap) * Math.max(0.6, sizes.unit);
  for (let start = from; start < to; start += step) {
    const end = Math.min(to, start + (step * dash) / (dash + gap));
    if (level) sheet.rect(start, at, end, at + width, grid);
    else sheet.rect(at, start, at + width, end, grid);
  }
}

/** The line that bars stand on where some go the other way. */
export function zeroLine({ sheet }: Plan, plot: Area, position: number, level: boolean): void {
  const at = Math.round(position);
  if (level) sheet.rect(plot.left, at, plot.right, at + 1, sheet.theme.axis);
  else sheet.rect(at, plot.top, at + 1, plot.bottom, sheet.theme.axis);
}

/** A tick on the left side (`level`) or at the bottom. */
export function tick(
  { style, sheet }: Plan,
  plot: Area,
  position: number,
  level: boolean,
  length: number,
): void {
  if (style.ticks === 'none') return;
  const at = Math.round(position);
  const inward = style.ticks === 'inside' ? -1 : 1;
  const { axis } = sheet.theme;
  if (level) sheet.rect(plot.left - inward * length, at, plot.left, at + 1, axis);
  else sheet.rect(at, plot.bottom, at + 1, plot.bottom + inward * length, axis);
}

/** The plot's frame, drawn over the marks. The value axis goes up, or to the right. */
export function drawFrame(plan: Plan, plot: Area, up: boolean): void {
  const { style, sheet } = plan;
  const { left, top, right, bottom } = plot;
  const { axis } = sheet.theme;
  const leftLine = (): void => sheet.rect(left - 1, top, left, bottom + 1, axis);
  const bottomLine = (): void => sheet.rect(left - 1, bottom, right, bottom + 1, axis);
  if (style.frame === 'box' || style.frame === 'axes') {
    leftLine();
    bottomLine();
  }
  if (style.frame === 'box') {
    sheet.rect(left - 1, top - 1, right + 1, top, axis);
    sheet.rect(right, top - 1, right + 1, bottom + 1, axis);
  }
  if (style.frame === 'base') {
    if (up) bottomLine();
    else leftLine();
  }
}

/** Numbers on the left of an axis that goes up, ending at `x`. */
export function numbersBeside({ sheet, sizes }: Plan, { ticks }: ValueAxis, x: number): void {
  const { faint: colour, paper: behind } = sheet.theme;
  for (const { at, label: text } of ticks) {
    sheet.text({
      role: 'tick',
      text,
      x,
      y: at,
      across: 'end',
      down: 'middle',
      size: sizes.text,
      colour,
      behind,
    });
  }
}

/** Numbers under an axis that goes to the right. */
export function numbersBelow({ sheet, sizes }: Plan, { ticks }: ValueAxis, y: number): void {
  const { faint: colour, paper: behind } = sheet.theme;
  for (const { at, label: text } of ticks) {
    sheet.text({
      role: 'tick',
      text,
      x: at,
      y,
      across: 'middle',
      down: 'top',
      size: sizes.text,
      colour,
      behind,
    });
  }
}

/** The title of the axis below, its top at `y`. */
export function axisTitle({ sheet, sizes }: Plan, text: string, x: number, y: number): void {
  const { text: colour, paper: behind } = sheet.theme;
  sheet.text({
    role: 'axis-title',
    text,
    x,
    y,
    across: 'middle',
    down: 'top',
    size: sizes.text,
    colour,
    behind,
  });
}

/** The title of the axis on the left, read from below, its top at `x`. */
export function sideTitle({ sheet, sizes }: Plan, text: string, x: number, y: number): void {
  const { text: colour, paper: behind } = sheet.theme;
  const angle = Math.PI / 2;
  sheet.text({
    role: 'axis-title',
    text,
    x,
    y,
    across: 'middle',
    down: 'top',
    size: sizes.text,
    angle,
    colour,
    behind,
  });
}

/** Shows that an axis leaves out zero: two short strokes through a gap near its beginning. */
export function drawBreak(plan: Plan, { plot, axis }: Frame): void {
  if (!axis.marked) return;
  const { sheet, sizes } = plan;
  const s = Math.max(2.5, 4 * sizes.unit);
  const from = axis.min > 0 ? axis.from : axis.to;
  const inward = axis.min > 0 === (axis.direction === 'up') ? -1 : 1;
  const middle = from + inward * 3 * s;
  const width = Math.max(1.2, 1.6 * sizes.unit);
  const draw = (along: number): void => {
    const points =
      axis.direction === 'up'
        ? [plot.left - 0.5 - 1.6 * s, along + 0.6 * s, plot.left - 0.5 + 1.6 * s, along - 0.6 * s]
        : [along - 0.6 * s, plot.bottom + 0.5 + 1.6 * s, along + 0.6 * s, plot.bottom + 0.5 - 1.6 * s];
    sheet.line(points, width, sheet.theme.text);
  };
  const gap = 0.55 * s;
  if (axis.direction === 'up')
    sheet.rect(plot.left - 1.5, middle - gap, plot.left + 0.5, middle + gap, sheet.theme.paper);
  else sheet.rect(middle - gap, plot.bottom - 0.5, middle + gap, plot.bottom + 1.5, sheet.theme.paper);
  draw(middle - gap);
  draw(middle + gap);
}
