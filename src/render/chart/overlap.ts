import type { Point, TextGeometry } from './types.js';

/** Corners of a rectangle that may be turned, clockwise from its own top left. */
type Quad = TextGeometry['corners'];

/** A quad with every edge moved inwards; its middle where nothing is left. */
export function inset(quad: Quad, by: number): Quad {
  const [a, b, , d] = quad;
  const across = Math.hypot(b.x - a.x, b.y - a.y);
  const down = Math.hypot(d.x - a.x, d.y - a.y);
  const u = across > 0 ? Math.min(0.5, by / across) : 0;
  const v = down > 0 ? Math.min(0.5, by / down) : 0;
  const at = (s: number, t: number): Point => ({
    x: a.x + (b.x - a.x) * s + (d.x - a.x) * t,
    y: a.y + (b.y - a.y) * s + (d.y - a.y) * t,
  });
  return [at(u, v), at(1 - u, v), at(1 - u, 1 - v), at(u, 1 - v)];
}

/** Whether two rectangles share an area: no line along an edge of either parts them. */
export function covers(a: Quad, b: Quad): boolean {
  return ![...axesOf(a), ...axesOf(b)].some((axis) => {
    const [lowA, highA] = extent(a, axis);
    const [lowB, highB] = extent(b, axis);
    return highA <= lowB || highB <= lowA;
  });
}

/** Whether a stretch of a line passes through a rectangle. */
export function crosses(quad: Quad, from: Point, to: Point): boolean {
  const line = { x: -(to.y - from.y), y: to.x - from.x };
  return ![...axesOf(quad), line].some((axis) => {
    const [lowA, highA] = extent(quad, axis);
    const [lowB, highB] = extent([from, to], axis);
    return highA <= lowB || highB <= lowA;
  });
}

function axesOf([a, b, , d]: Quad): readonly [Point, Point] {
  return [
    { x: b.x - a.x, y: b.y - a.y },
    { x: d.x - a.x, y: d.y - a.y },
  ];
}

function extent(points: readonly Point[], axis: Point): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { x, y } of points) {
    const at = x * axis.x + y * axis.y;
    if (at < low) low = at;
    if (at > high) high = at;
  }
  return [low, high];
}
