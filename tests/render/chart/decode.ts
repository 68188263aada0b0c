/** Values read back from pixels. Geometry says where to look and what the axis means; lengths, places, angles and shades are the pixels' own. */
import type { Image } from '../../../src/core/image.js';
import type { BarMark, ChartGeometry, PointMark, SliceMark, ValueAxis } from '../../../src/render/index.js';

type Rgb = readonly [number, number, number];

export function pixel({ width, height, rgb }: Image, x: number, y: number): Rgb {
  if (!(x >= 0 && y >= 0 && x < width && y < height)) throw new RangeError(`no pixel at ${x}, ${y}`);
  const at = 3 * (Math.floor(y) * width + Math.floor(x));
  return [rgb[at]!, rgb[at + 1]!, rgb[at + 2]!];
}

export function rgb(hex: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
}

export function apart(a: Rgb, b: Rgb): number {
  return Math.max(Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1]), Math.abs(a[2] - b[2]));
}

const SAME = 6;

export function valueAt({ min, max, from, to }: ValueAxis, at: number): number {
  return min + ((at - from) / (to - from)) * (max - min);
}

/** Value of a pixel along an axis. */
export function perPixel({ min, max, from, to }: ValueAxis): number {
  return (max - min) / Math.abs(to - from);
}

/**
 * Where a bar that stands at `start` (pixels along the value axis) ends, going by `sign`: pixels of the bar's colour along its edge,
 * then the part of the next one that is of its colour.
 */
export function barEnd(image: Image, mark: BarMark, start: number, sign: 1 | -1): number {
  const { left, top } = mark.box;
  const read = (along: number): Rgb =>
    mark.direction === 'up' ? pixel(image, left, along) : pixel(image, along, top);
  const limit = mark.direction === 'up' ? image.height : image.width;
  const inside = (along: number): boolean => along >= 0 && along < limit;
  const first = sign === 1 ? Math.ceil(start) + 1 : Math.floor(start) - 2;
  const own = read(first);
  let at = first;
  while (inside(at + sign) && apart(read(at + sign), own) <= SAME) at += sign;
  const edge = sign === 1 ? at + 1 : at;
  if (!inside(at + 2 * sign)) return edge;
  // How much of the pixel at the edge is the bar's.
  const [last, beyond] = [read(at + sign), read(at + 2 * sign)];
  const channel = [0, 1, 2].reduce(
    (a, b) => (Math.abs(own[b]! - beyond[b]!) > Math.abs(own[a]! - beyond[a]!) ? b : a),
    0,
  );
  const part = (last[channel]! - beyond[channel]!) / (own[channel]! - beyond[channel]! || 1);
  return edge + sign * Math.min(1, Math.max(0, part));
}

/**
 * Where a colour begins and ends along a line of pixels. Text may lie in between; runs of fewer than three pixels don't count where
 * there are longer ones, since a grid line may have the colour too. Null when there is none.
 */
export function extent(
  read: (at: number) => Rgb,
  from: number,
  to: number,
  colour: Rgb,
): readonly [number, number] | null {
  const runs: (readonly [number, number])[] = [];
  let start = -1;
  for (let at = Math.max(0, Math.floor(from)); at <= to; at++) {
    const match = at < to && apart(read(at), colour) <= SAME;
    if (match && start < 0) start = at;
    if (!match && start >= 0) {
      runs.push([start, at]);
      start = -1;
    }
  }
  const long = runs.filter(([first, end]) => end - first >= 3);
  const [head] = long.length > 0 ? long : runs;
  return head ? [head[0], (long.length > 0 ? long : runs).at(-1)![1]] : null;
}

/** Middles of the runs of a colour in one column of the plot. */
export function runsAt(image: Image, { plot }: ChartGeometry, x: number, colour: Rgb, near = 40): number[] {
  const out: number[] = [];
  let start = -1;
  const end = Math.min(image.height, Math.ceil(plot.top + plot.height) + 4);
  for (let y = Math.max(0, Math.floor(plot.top) - 4); y <= end; y++) {
    const match = y < end && apart(pixel(image, Math.min(image.width - 1, x), y), colour) <= near;
    if (match && start < 0) start = y;
    if (!match && start >= 0) {
      out.push((start + y) / 2);
      start = -1;
    }
  }
  return out;
}

/** Angles at which slices begin, from the colours on a circle near the rim; in the order of the slices. */
export function sliceStarts(image: Image, slices: readonly SliceMark[]): number[] {
  const { centre, inner, outer } = slices[0]!;
  const radius = Math.min(inner + 0.94 * (outer - inner), outer - 1.5);
  const steps = Math.ceil(8 * Math.PI * radius);
  const colours = slices.map(({ colour }) => rgb(colour));
  const owner = Array.from({ length: steps }, (_, i) => {
    const angle = (2 * Math.PI * i) / steps;
    const seen = pixel(image, centre.x + radius * Math.sin(angle), centre.y - radius * Math.cos(angle));
    const best = colours.reduce(
      (a, colour, k) => (apart(seen, colour) < apart(seen, colours[a]!) ? k : a),
      0,
    );
    return apart(seen, colours[best]!) <= SAME ? best : -1;
  });
  // In a gap colours may mix to another slice's.
  let run = 0;
  for (let i = 1; i <= 2 * steps; i++) {
    if (owner[i % steps] === owner[(i - 1) % steps]) continue;
    if (i - run < 5) for (let j = run; j < i; j++) owner[j % steps] = -1;
    run = i;
  }
  return slices.map((_, k) => {
    const before = (k + slices.length - 1) % slices.length;
    // The last sample of the slice before, the first of this one; what lies between belongs to both by halves.
    for (let i = 0; i < steps; i++) {
      if (owner[i] !== before) continue;
      let gap = 1;
      while (owner[(i + gap) % steps] === -1 && gap < steps / 4) gap++;
      if (owner[(i + gap) % steps] === k && slices.length > 1)
        return ((2 * Math.PI * (i + gap / 2)) / steps) % (2 * Math.PI);
    }
    return NaN;
  });
}

/** Centre of the patch of one colour around a place, within a window; null when the place itself has another colour. */
export function patchCentre(image: Image, mark: PointMark, reach: number): { x: number; y: number } | null {
  const colour = rgb(mark.colour);
  const [x0, y0] = [Math.floor(mark.at.x), Math.floor(mark.at.y)];
  let [sx, sy, n] = [0, 0, 0];
  for (let y = Math.max(0, y0 - reach); y <= Math.min(image.height - 1, y0 + reach); y++) {
    for (let x = Math.max(0, x0 - reach); x <= Math.min(image.width - 1, x0 + reach); x++) {
      if (apart(pixel(image, x, y), colour) > 60) continue;
      sx += x + 0.5;
      sy += y + 0.5;
      n++;
    }
  }
  return n === 0 ? null : { x: sx / n, y: sy / n };
}
