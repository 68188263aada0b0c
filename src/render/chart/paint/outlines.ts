/** Outlines of lines and round shapes, as polygons `x, y, x, y, ...`. */

/** Most that a chord may leave the curve that it stands for, pixels. */
const FLATNESS = 0.03;
/** Corners are pointed up to this many half widths, then cut. */
const MITRE_LIMIT = 3;

/** The outline of a line of one width: a piece for each stretch and each corner, all going round the same way. */
export function strokeOutlines(points: readonly number[], width: number, closed = false): number[][] {
  const line = withoutRepeats(points, closed);
  const half = width / 2;
  const n = line.length / 2;
  const pieces: number[][] = [];
  const stretches = closed ? n : n - 1;
  const at = (i: number): readonly [number, number] => {
    const k = ((i % n) + n) % n;
    return [line[2 * k] as number, line[2 * k + 1] as number];
  };
  const normal = (i: number): readonly [number, number] => {
    const [x0, y0] = at(i);
    const [x1, y1] = at(i + 1);
    const length = Math.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2);
    return [-(y1 - y0) / length, (x1 - x0) / length];
  };
  for (let i = 0; i < stretches; i++) {
    const [x0, y0] = at(i);
    const [x1, y1] = at(i + 1);
    const [nx, ny] = normal(i);
    const [dx, dy] = [nx * half, ny * half];
    pieces.push(clockwise([x0 + dx, y0 + dy, x1 + dx, y1 + dy, x1 - dx, y1 - dy, x0 - dx, y0 - dy]));
    if (i + 1 < stretches || closed) {
      const corner = cornerOutline(at(i + 1), normal(i), normal(i + 1), half);
      if (corner) pieces.push(clockwise(corner));
    }
  }
  return pieces;
}

/** The wedge between two stretches, on the outer side of their corner. */
function cornerOutline(
  [x, y]: readonly [number, number],
  [ax, ay]: readonly [number, number],
  [bx, by]: readonly [number, number],
  half: number,
): number[] | null {
  const cross = ax * by - ay * bx;
  if (Math.abs(cross) < 1e-6) return null;
  const side = cross > 0 ? -half : half;
  const wedge = [x, y, x + ax * side, y + ay * side];
  const cosine = ax * bx + ay * by;
  // The tip lies along the sum of both normals, at half / cos(half the turn).
  const reach = 2 / (1 + cosine);
  if (cosine > -0.999 && reach <= MITRE_LIMIT ** 2) {
    wedge.push(x + ((ax + bx) * side) / (1 + cosine), y + ((ay + by) * side) / (1 + cosine));
  }
  wedge.push(x + bx * side, y + by * side);
  return wedge;
}

function withoutRepeats(points: readonly number[], closed: boolean): number[] {
  const out: number[] = [];
  for (let i = 0; i < points.length; i += 2) {
    const [x, y] = [points[i] as number, points[i + 1] as number];
    const n = out.length;
    if (n > 0 && Math.abs((out[n - 2] as number) - x) + Math.abs((out[n - 1] as number) - y) < 1e-6) continue;
    out.push(x, y);
  }
  const n = out.length;
  if (closed && n > 2 && out[0] === out[n - 2] && out[1] === out[n - 1]) out.length = n - 2;
  return out;
}

function clockwise(points: number[]): number[] {
  let area = 0;
  for (let i = 0, j = points.length - 2; i < points.length; j = i, i += 2) {
    area +=
      (points[j] as number) * (points[i + 1] as number) - (points[i] as number) * (points[j + 1] as number);
  }
  if (area >= 0) return points;
  const out: number[] = [];
  for (let i = points.length - 2; i >= 0; i -= 2) out.push(points[i] as number, points[i + 1] as number);
  return out;
}

/** Cuts a line into dashes: lengths drawn and left out in turn, pixels. */
export function dashed(points: readonly number[], pattern: readonly number[]): number[][] {
  const out: number[][] = [];
  let [index, left, drawing] = [0, pattern[0] as number, true];
  let piece: number[] = [points[0] as number, points[1] as number];
  for (let i = 2; i < points.length; i += 2) {
    let [x, y] = [points[i - 2] as number, points[i - 1] as number];
    const [x1, y1] = [points[i] as number, points[i + 1] as number];
    let rest = Math.sqrt((x1 - x) ** 2 + (y1 - y) ** 2);
    while (rest > left) {
      x += ((x1 - x) * left) / rest;
      y += ((y1 - y) * left) / rest;
      rest -= left;
      if (drawing) out.push([...piece, x, y]);
      piece = [x, y];
      drawing = !drawing;
      index = (index + 1) % pattern.length;
      left = pattern[index] as number;
    }
    left -= rest;
    piece.push(x1, y1);
  }
  if (drawing && piece.length >= 4) out.push(piece);
  return out;
}

/** Points of an arc, angles in radians clockwise from twelve o'clock; both ends are among them. */
export function arcPoints(cx: number, cy: number, radius: number, start: number, end: number): number[] {
  const step = 2 * Math.acos(1 - Math.min(1, FLATNESS / Math.max(radius, FLATNESS)));
  const n = Math.max(2, Math.ceil(Math.abs(end - start) / step));
  const out: number[] = [];
  for (let i = 0; i <= n; i++) {
    const angle = start + ((end - start) * i) / n;
    out.push(cx + radius * Math.sin(angle), cy - radius * Math.cos(angle));
  }
  return out;
}

/** A slice of a ring, or of a disc when `inner` is 0. */
export function sectorOutline(
  cx: number,
  cy: number,
  inner: number,
  outer: number,
  start: number,
  end: number,
): number[] {
  const rim = arcPoints(cx, cy, outer, start, end);
  return inner > 0 ? [...rim, ...arcPoints(cx, cy, inner, end, start)] : [...rim, cx, cy];
}

/** A whole disc. */
export function discOutline(cx: number, cy: number, radius: number): number[] {
  return arcPoints(cx, cy, radius, 0, 2 * Math.PI).slice(0, -2);
}
