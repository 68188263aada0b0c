import type { Image } from '../../../core/image.js';
import { Canvas } from './canvas.js';
import { fontOf } from './font.js';
import { dashed, discOutline, sectorOutline, strokeOutlines } from './outlines.js';
import type { Drawing, Shape } from './shapes.js';

/** Paints a drawing. Pixels are a function of the drawing and the bundled fonts alone. */
export function paint({ width, height, paper, shapes }: Drawing): Image {
  const canvas = new Canvas(width, height, paper);
  for (const shape of shapes) paintShape(canvas, shape);
  return canvas.finish();
}

function paintShape(canvas: Canvas, shape: Shape): void {
  switch (shape.kind) {
    case 'rect':
      return canvas.rect(shape.left, shape.top, shape.right, shape.bottom, shape.fill, shape.alpha);
    case 'polygon':
      return canvas.fill([shape.points], shape.fill, shape.alpha);
    case 'line': {
      const { points, width, colour, dash, closed } = shape;
      const lines = dash ? dashed(points, dash) : [points];
      return canvas.fill(
        lines.flatMap((line) => strokeOutlines(line, width, closed)),
        colour,
      );
    }
    case 'sector': {
      const { cx, cy, inner, outer, start, end, fill } = shape;
      return canvas.fill([sectorOutline(cx, cy, inner, outer, start, end)], fill);
    }
    case 'disc':
      return canvas.fill([discOutline(shape.cx, shape.cy, shape.radius)], shape.fill);
    case 'text': {
      const { text, x, y, family, bold, size, angle, colour } = shape;
      const font = fontOf(family, bold);
      if (angle !== 0) return canvas.fill(font.outlines(text, x, y, size, angle), colour);
      return font.level(text, x, y, size, (glyph, dx, dy) => canvas.stamp(glyph, colour, 1, dx, dy));
    }
    default:
      return shape satisfies never;
  }
}
