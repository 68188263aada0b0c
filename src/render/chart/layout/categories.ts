import type { Plan } from './plan.js';
import { Refusal } from './sheet.js';

/** Names on the category axis, broken into lines and turned so that they fit. */
export interface CategoryLabels {
  readonly lines: readonly (readonly string[])[];
  /** Radians counter-clockwise: 0, 45 or 90 degrees. */
  readonly angle: number;
  /** Of all of them together, pixels. */
  readonly height: number;
  readonly widest: number;
  /** How far the first name reaches out to the left of its middle. */
  readonly overhang: number;
}

/** Where categories lie, and which way the other axis goes. */
export interface CategoryPlaces {
  readonly direction: 'up' | 'right';
  category(position: number): number;
}

const LINE_STEP = 1.12;
const MOST_LINES = 3;
const SLANT = Math.PI / 4;
/** Names that are turned may take this much of the picture's height. */
const MOST_HEIGHT = 0.34;

/** Names under the plot, each in a slot of this width. */
export function categoriesAcross(plan: Plan, names: readonly string[], slot: number): CategoryLabels {
  const { style, sheet, sizes } = plan;
  const size = sizes.text;
  if (style.labelAngle === 'auto' || style.labelAngle === 'level') {
    const lines = names.map((name) => sheet.wrap(name, size, slot - 0.6 * size, MOST_LINES));
    if (lines.every((line) => line !== null)) return level(plan, lines);
    if (style.labelAngle === 'level') throw new Refusal('too-much', 'level category labels have no room');
  }
  const widest = Math.max(...names.map((name) => sheet.widthOf(name, size)));
  const lines = names.map((name) => [name]);
  const most = MOST_HEIGHT * sheet.height;
  const slanted = (widest + size) * Math.sin(SLANT);
  const mayTurn = (angle: 'slanted' | 'upright'): boolean =>
    style.labelAngle === 'auto' || style.labelAngle === angle;
  if (mayTurn('slanted') && slot * Math.sin(SLANT) >= 1.05 * size && slanted <= most) {
    const overhang = (sheet.widthOf(names[0] ?? '', size) + 0.6 * size) * Math.cos(SLANT);
    return { lines, angle: SLANT, height: slanted, widest, overhang };
  }
  if (mayTurn('upright') && slot >= 1.1 * size && widest <= most) {
    return { lines, angle: Math.PI / 2, height: widest, widest, overhang: size / 2 };
  }
  throw new Refusal('too-much', `${names.length} category labels have no room`);
}

function level({ sheet, sizes }: Plan, lines: readonly (readonly string[])[]): CategoryLabels {
  const size = sizes.text;
  const width = (line: readonly string[] | undefined): number =>
    Math.max(0, ...(line ?? []).map((text) => sheet.widthOf(text, size)));
  return {
    lines,
    angle: 0,
    height: (1 + (Math.max(...lines.map(({ length }) => length)) - 1) * LINE_STEP) * size,
    widest: Math.max(...lines.map(width)),
    overhang: width(lines[0]) / 2,
  };
}

/** Names on the left of the plot, each in a slot of this height. */
export function categoriesDown(plan: Plan, names: readonly string[], slot: number): CategoryLabels {
  const { sheet, sizes } = plan;
  const most = Math.floor((slot / sizes.text - 1) / LINE_STEP + 1);
  const lines = names.map((name) =>
    sheet.wrap(name, sizes.text, 0.3 * sheet.width, Math.min(MOST_LINES, most)),
  );
  if (!lines.every((line) => line !== null)) {
    throw new Refusal('too-much', `${names.length} category labels have no room`);
  }
  return level(plan, lines);
}

/** Puts the names: below `edge` where the value axis goes up, else on its left. */
export function drawCategories(
  plan: Plan,
  along: CategoryPlaces,
  labels: CategoryLabels,
  edge: number,
): void {
  const { order, sheet, sizes } = plan;
  const size = sizes.text;
  const common = { role: 'category', size, colour: sheet.theme.text, behind: sheet.theme.paper } as const;
  labels.lines.forEach((lines, position) => {
    const middle = along.category(position);
    const category = order[position] as number;
    lines.forEach((text, i) => {
      if (along.direction === 'right') {
        const y = middle + (i - (lines.length - 1) / 2) * LINE_STEP * size;
        sheet.text({ ...common, text, x: edge, y, across: 'end', down: 'middle', category });
      } else if (labels.angle === 0) {
        const y = edge + i * LINE_STEP * size;
        sheet.text({ ...common, text, x: middle, y, across: 'middle', down: 'top', category });
      } else {
        const slanted = labels.angle === SLANT;
        const [x, y] = slanted ? [middle + 0.2 * size, edge + 0.2 * size] : [middle, edge];
        sheet.text({ ...common, text, x, y, across: 'end', down: 'middle', angle: labels.angle, category });
      }
    });
  });
}
