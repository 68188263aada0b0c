/** Every type's values read back from its pixels, and held against the table. */
import type {
  BarMark,
  ChartSpec,
  ChartType,
  DrawnChart,
  PointMark,
  SliceMark,
} from '../../../src/render/index.js';
import {
  apart,
  barEnd,
  extent,
  patchCentre,
  perPixel,
  pixel,
  rgb,
  runsAt,
  sliceStarts,
  valueAt,
} from './decode.js';

export type Chart = DrawnChart & { readonly spec: ChartSpec };

/** How far one decoded value is from the table's, in pixels (cells: in steps of 1/255 of the ramp's range), or why it wasn't decoded. */
export type Reading = { readonly off: number } | { readonly covered: string };

/** One reading for each mark, in the order of the geometry's marks. */
export const decoders: Record<ChartType, (chart: Chart) => Reading[]> = {
  bar: bars,
  'horizontal-bar': bars,
  'grouped-bar': bars,
  'horizontal-grouped-bar': bars,
  'stacked-bar': segments,
  'horizontal-stacked-bar': segments,
  line: linePoints,
  area: areaBands,
  pie: sliceAngles,
  donut: sliceAngles,
  scatter: dots,
  'heat-map': cells,
};

function tableValue(spec: ChartSpec, series: number, category: number): number {
  return spec.series[series]!.values[category]!;
}

/** Bars by their length in pixels, from where bars stand. */
function bars({ image, geometry, spec }: Chart): Reading[] {
  const axis = geometry.valueAxis!;
  return (geometry.marks as BarMark[]).map((mark) => {
    const value = tableValue(spec, mark.series, mark.category);
    const zero = Math.min(Math.max(0, axis.min), axis.max);
    const sign = (value >= zero ? 1 : -1) * (axis.to > axis.from ? 1 : -1);
    const start = axis.from + ((zero - axis.min) / (axis.max - axis.min)) * (axis.to - axis.from);
    const length = Math.abs(value - zero) / perPixel(axis);
    if (length < 4) return { off: extentOff(image, mark, length) };
    const end = barEnd(image, mark, start, sign as 1 | -1);
    return { off: Math.abs(valueAt(axis, end) - value) / perPixel(axis) };
  });
}

/** A bar too short to have a colour of its own inside: it must not be longer than it says. */
function extentOff(image: Chart['image'], mark: BarMark, length: number): number {
  const up = mark.direction === 'up';
  const read = (at: number): ReturnType<typeof pixel> =>
    up ? pixel(image, mark.box.left, at) : pixel(image, at, mark.box.top);
  const middle = up ? mark.box.top : mark.box.left;
  const size = up ? image.height : image.width;
  const found = extent(read, Math.max(0, middle - 8), Math.min(size, middle + 8), rgb(mark.colour));
  return found ? Math.max(0, found[1] - found[0] - length - 1) : 0;
}

/** Segments by the pixels of their colour, along the first line inside the outline. */
function segments({ image, geometry, spec }: Chart): Reading[] {
  const axis = geometry.valueAxis!;
  const { plot } = geometry;
  return (geometry.marks as BarMark[]).map((mark) => {
    const up = mark.direction === 'up';
    const outline = spec.style.barOutline && mark.box.width > 4 && mark.box.height > 4 ? 1 : 0;
    const read = (at: number): ReturnType<typeof pixel> =>
      up ? pixel(image, mark.box.left + outline, at) : pixel(image, at, mark.box.top + outline);
    const [from, to] = up ? [plot.top, plot.top + plot.height] : [plot.left, plot.left + plot.width];
    const found = extent(read, from, to, rgb(mark.colour));
    const length = tableValue(spec, mark.series, mark.category) / perPixel(axis);
    const seen = found ? found[1] - found[0] + 2 * outline : 0;
    return { off: Math.abs(seen - length) };
  });
}

/** Points by the middle of their colour's run in the column. */
function linePoints({ image, geometry, spec }: Chart): Reading[] {
  const axis = geometry.valueAxis!;
  const points = geometry.marks as PointMark[];
  return points.map((mark) => {
    const value = tableValue(spec, mark.series, mark.category);
    const wanted = axis.from + ((value - axis.min) / (axis.max - axis.min)) * (axis.to - axis.from);
    const near = points.find((other) => {
      const close =
        Math.abs(other.at.x - mark.at.x) < 1 && Math.abs(other.at.y - mark.at.y) < mark.box.height + 3;
      return other.series > mark.series && close;
    });
    if (near) return { covered: `by series ${near.series}` };
    // The last point of a line may be the edge of a pixel.
    const columns = [Math.floor(mark.at.x), Math.ceil(mark.at.x) - 1];
    const runs = columns.flatMap((x) => runsAt(image, geometry, x, rgb(mark.colour)));
    const off = Math.min(...runs.map((y) => Math.abs(y - wanted)));
    return { off: Number.isFinite(off) ? off : Infinity };
  });
}

/** Bands by the lowest pixel of the band above, or by the upper edge of the topmost one. */
function areaBands({ image, geometry, spec }: Chart): Reading[] {
  const axis = geometry.valueAxis!;
  const { plot } = geometry;
  const points = geometry.marks as PointMark[];
  const last = spec.series.length - 1;
  const boundary = (mark: PointMark): number | null => {
    const x = Math.min(
      Math.max(Math.floor(mark.at.x), Math.ceil(plot.left) + 1),
      Math.floor(plot.left + plot.width) - 2,
    );
    const read = (y: number): ReturnType<typeof pixel> => pixel(image, x, y);
    const above = points.find(
      ({ series, category }) => series === mark.series + 1 && category === mark.category,
    );
    const colour = above?.colour ?? mark.colour;
    const found = extent(read, plot.top, plot.top + plot.height, rgb(colour));
    if (!found) return null;
    if (mark.series < last) return found[1];
    // Above the topmost band lies the half of its line that sticks out; where both have one colour, its width is the style's.
    const ground = rgb(geometry.ground);
    const half = apart(rgb(mark.colour), ground) / 2;
    let top = found[0];
    while (top > plot.top - 4 && apart(read(top - 1), ground) > half) top--;
    return top < found[0] ? (top + found[0]) / 2 : top + 0.5 * spec.style.lineWidth;
  };
  return points.map((mark) => {
    const value = tableValue(spec, mark.series, mark.category);
    const below = points.find(
      ({ series, category }) => series === mark.series - 1 && category === mark.category,
    );
    const [upper, lower] = [boundary(mark), below ? boundary(below) : axis.from];
    if (upper === null || lower === null) return { covered: 'the band is thinner than its line' };
    return { off: Math.abs(lower - upper - value / perPixel(axis)) };
  });
}

/** Slices by the angles at which colours change near the rim, as pixels along it. */
function sliceAngles({ image, geometry, spec }: Chart): Reading[] {
  const slices = geometry.marks as SliceMark[];
  const starts = sliceStarts(image, slices);
  const total = spec.series[0]!.values.reduce<number>((sum, value) => sum + value!, 0);
  return slices.map((slice, k) => {
    const turn = (starts[(k + 1) % starts.length]! - starts[k]! + 4 * Math.PI) % (2 * Math.PI);
    const wanted = (2 * Math.PI * tableValue(spec, 0, slice.category)) / total;
    return { off: Math.abs(turn - wanted) * slice.outer * 0.94 };
  });
}

/** Dots by the middle of their patch of colour, in both directions. */
function dots({ image, geometry, spec }: Chart): Reading[] {
  const points = geometry.marks as PointMark[];
  return points.map((mark) => {
    const reach = Math.ceil(mark.box.width / 2) + 1;
    const near = points.find(
      (other) => other !== mark && Math.hypot(other.at.x - mark.at.x, other.at.y - mark.at.y) < 2.2 * reach,
    );
    const text = geometry.texts.find(
      ({ box }) =>
        box.left < mark.at.x + reach + 1 &&
        box.left + box.width > mark.at.x - reach - 1 &&
        box.top < mark.at.y + reach + 1 &&
        box.top + box.height > mark.at.y - reach - 1 &&
        apart(rgb(mark.colour), rgb(geometry.texts[0]!.colour)) <= 90,
    );
    if (near ?? text) return { covered: near ? 'by another dot' : 'by a name of its colour' };
    const centre = patchCentre(image, mark, reach);
    const [x, y] = [0, 1].map((series) => tableValue(spec, series, mark.category)) as [number, number];
    if (!centre) return { off: Infinity };
    const dx = Math.abs(valueAt(geometry.xAxis!, centre.x) - x) / perPixel(geometry.xAxis!);
    const dy = Math.abs(valueAt(geometry.valueAxis!, centre.y) - y) / perPixel(geometry.valueAxis!);
    return { off: Math.max(dx, dy) };
  });
}

/** Cells by their shade, found again along the ramp. */
function cells({ image, geometry, spec }: Chart): Reading[] {
  const { min, max, colours } = geometry.colourScale!;
  const stops = colours.map(rgb);
  const shade = (part: number): [number, number, number] => {
    const i = Math.min(stops.length - 2, Math.floor(part * (stops.length - 1)));
    const t = part * (stops.length - 1) - i;
    return stops[i]!.map((value, c) => value + (stops[i + 1]![c]! - value) * t) as [number, number, number];
  };
  return geometry.marks.map((mark) => {
    const seen = pixel(image, mark.box.left + 1, mark.box.top + 1);
    const nearest = (from: number, to: number, steps: number): number => {
      let best = { part: from, apart: Infinity };
      for (let k = 0; k <= steps; k++) {
        const part = Math.min(1, Math.max(0, from + ((to - from) * k) / steps));
        const off = apart(seen, shade(part));
        if (off < best.apart) best = { part, apart: off };
      }
      return best.part;
    };
    const about = nearest(0, 1, 250);
    const part = nearest(about - 0.006, about + 0.006, 100);
    const value = tableValue(spec, mark.series, mark.category);
    return { off: (255 * Math.abs(min + part * (max - min) - value)) / (max - min) };
  });
}
