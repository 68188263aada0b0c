import type { Rng } from '../../../core/rng.js';
import { COLOURS, type Figure, type Mark, type Shape } from './figure.js';

/** Side of a micro picture, pixels. */
export const SIDE = 48;

/** A mark's place and what it shows there, for an encoder to learn to see. */
export interface PlacedMark extends Mark {
  readonly x: number;
  readonly y: number;
}

const OPEN = `<svg viewBox="0 0 ${SIDE} ${SIDE}">`;
const CLOSE = '</svg>';
const AXIS = '<line x1="2" y1="24" x2="46" y2="24" stroke="black"';

/** Corners of the polygons: two large ones side by side (geometry), triangles in four quarters (diagram). */
const POLYGONS = {
  'triangle large 0': '12,12 22,32 2,32',
  'triangle large 1': '36,12 46,32 26,32',
  'pentagon large 0': '12,11 22,19 18,32 6,32 2,19',
  'pentagon large 1': '36,11 46,19 42,32 30,32 26,19',
  'triangle small 0': '10,4 18,20 2,20',
  'triangle small 1': '34,4 42,20 26,20',
  'triangle small 2': '10,28 18,44 2,44',
  'triangle small 3': '34,28 42,44 26,44',
} as const;

const numbers = (name: string, values: readonly number[]): string[] => values.map((v) => `${name}="${v}"`);

/** The pieces of markup that the micro coder writes: tags and whole attributes. */
export const SVG_WORDS: readonly string[] = [
  OPEN,
  CLOSE,
  AXIS,
  '<rect',
  '<circle',
  '<polygon',
  '<text',
  '</text>',
  '/>',
  '>',
  ...numbers('x', [2, 14, 26, 38]),
  ...numbers('y', [4, 12, 20, 28, 36, 44]),
  ...numbers('width', [8, 16, 20]),
  ...numbers('height', [8, 16, 20, 24, 32, 40]),
  ...numbers('cx', [6, 18, 30, 42, 10, 34]),
  ...numbers('cy', [24, 12, 36]),
  ...numbers('r', [5, 8]),
  'font-size="12"',
  ...COLOURS.map((colour) => `fill="${colour}"`),
  ...Object.values(POLYGONS).map((points) => `points="${points}"`),
];

type Element = readonly string[];

/** The drawing of a picture as the micro coder would write it, words apart by single spaces. */
export function svgOf(figure: Figure): string {
  return write(elementsOf(figure));
}

function write(elements: readonly Element[], close = CLOSE): string {
  return [OPEN, ...elements.flat(), ...(close === '' ? [] : [close])].join(' ');
}

function elementsOf({ kind, marks }: Figure): Element[] {
  const drawn = marks.flatMap((mark, i) => elementOf(kind, mark, i));
  return kind === 'timeline' ? [[AXIS, '/>'], ...drawn] : drawn;
}

function elementOf(
  kind: Figure['kind'],
  { colour, value = 1, shape = 'circle' }: Mark,
  i: number,
): Element[] {
  const fill = `fill="${colour}"`;
  switch (kind) {
    case 'bars': {
      const height = 8 * value;
      return [rect([2, 14, 26, 38][i] ?? 2, 44 - height, 8, height, fill)];
    }
    case 'table': {
      const y = 4 + 16 * i;
      const text = ['<text', 'x="26"', `y="${y + 8}"`, 'font-size="12"', '>', String(value), '</text>'];
      return [rect(2, y, 8, 8, fill), text];
    }
    case 'timeline':
      return [['<circle', `cx="${6 + 12 * i}"`, 'cy="24"', 'r="5"', fill, '/>']];
    case 'geometry':
      return shape === 'square'
        ? [rect(2 + 24 * i, 12, 20, 20, fill)]
        : [polygon(`${shape} large ${i}` as keyof typeof POLYGONS, fill)];
    case 'diagram':
      return [quarter(shape, i, fill)];
    default:
      return kind satisfies never;
  }
}

function quarter(shape: Shape, i: number, fill: string): Element {
  const [x, y] = [2 + 24 * (i % 2), 4 + 24 * Math.floor(i / 2)];
  if (shape === 'circle') return ['<circle', `cx="${x + 8}"`, `cy="${y + 8}"`, 'r="8"', fill, '/>'];
  if (shape === 'square') return rect(x, y, 16, 16, fill);
  return polygon(`triangle small ${i}` as keyof typeof POLYGONS, fill);
}

function rect(x: number, y: number, width: number, height: number, fill: string): Element {
  return ['<rect', `x="${x}"`, `y="${y}"`, `width="${width}"`, `height="${height}"`, fill, '/>'];
}

function polygon(name: keyof typeof POLYGONS, fill: string): Element {
  return ['<polygon', `points="${POLYGONS[name]}"`, fill, '/>'];
}

/** The drawing with one mistake that leaves it not well-formed: what a careless hand writes. */
export function brokenSvgOf(figure: Figure, rng: Rng): string {
  const elements = elementsOf(figure);
  const at = rng.int(elements.length);
  const broken = (change: (element: Element) => Element): string =>
    write(elements.map((element, i) => (i === at ? change(element) : element)));
  switch (rng.int(3)) {
    case 0:
      return broken((element) => element.slice(0, -1));
    case 1:
      // The same attribute twice.
      return broken((element) =>
        element.length > 2 ? insert(element, 1, element[1] ?? '') : element.slice(0, -1),
      );
    default:
      return write(elements, '');
  }
}

function insert(list: Element, at: number, word: string): Element {
  return [...list.slice(0, at), word, ...list.slice(at)];
}

/** Where each mark shows what it is. A row of a table shows its colour and its number in two places. */
export function placedMarks({ kind, marks }: Figure): PlacedMark[] {
  return marks.flatMap((mark, i): PlacedMark[] => {
    switch (kind) {
      case 'bars':
        return [{ ...mark, x: 6 + 12 * i, y: 44 - 8 * (mark.value ?? 1) }];
      case 'table':
        return [
          { ...mark, x: 6, y: 8 + 16 * i },
          { ...mark, x: 30, y: 8 + 16 * i },
        ];
      case 'timeline':
        return [{ ...mark, x: 6 + 12 * i, y: 24 }];
      case 'geometry':
        return [{ ...mark, x: 12 + 24 * i, y: 22 }];
      case 'diagram':
        return [{ ...mark, x: 10 + 24 * (i % 2), y: 12 + 24 * Math.floor(i / 2) }];
      default:
        return kind satisfies never;
    }
  });
}
