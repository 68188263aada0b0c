/** Glyphs of a TrueType file: OpenType specification, tables `head`, `cmap` (format 4), `hhea`, `hmtx`, `loca` and `glyf`. */

/** Most that a chord may leave a glyph's curve, pixels. */
const FLATNESS = 0.04;
/** Glyphs made of others, made of others in turn, at most this deep. */
const MOST_NESTED = 6;

export interface TrueType {
  readonly unitsPerEm: number;
  /** Position of a character's glyph; 0 when there is none. */
  glyph(codePoint: number): number;
  /** In font units. */
  advance(glyph: number): number;
  /** Closed outlines in pixels from the glyph's origin, y downwards, curves flattened; `scale` is pixels a font unit. */
  outline(glyph: number, scale: number): number[][];
}

/** A point of an outline in font units, on the curve or steering it. */
interface GlyphPoint {
  readonly x: number;
  readonly y: number;
  readonly on: boolean;
}

/** Reads a font of known origin. Throws a RangeError on a file that isn't whole: that is a damaged installation. */
export function readTrueType(bytes: Uint8Array): TrueType {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tables = new Map<string, number>();
  for (let i = 0; i < view.getUint16(4); i++) {
    const entry = 12 + 16 * i;
    tables.set(String.fromCharCode(...bytes.subarray(entry, entry + 4)), view.getUint32(entry + 8));
  }
  const table = (name: string): number => {
    const at = tables.get(name);
    if (at === undefined) throw new RangeError(`the font has no table ${name}`);
    return at;
  };
  const [head, hmtx, loca, glyf] = [table('head'), table('hmtx'), table('loca'), table('glyf')];
  const wide = view.getInt16(head + 50) === 1;
  const metrics = view.getUint16(table('hhea') + 34);
  const glyphs = characterMap(view, table('cmap'));
  const place = (glyph: number): number =>
    wide ? view.getUint32(loca + 4 * glyph) : 2 * view.getUint16(loca + 2 * glyph);
  const contoursOf = (glyph: number, depth: number): GlyphPoint[][] => {
    const at = glyf + place(glyph);
    if (place(glyph) === place(glyph + 1)) return [];
    const count = view.getInt16(at);
    if (count >= 0) return simpleContours(view, at, count);
    return depth > MOST_NESTED ? [] : compositeContours(view, at, (part) => contoursOf(part, depth + 1));
  };
  return {
    unitsPerEm: view.getUint16(head + 18),
    glyph: (codePoint) => glyphs(codePoint),
    advance: (glyph) => view.getUint16(hmtx + 4 * Math.min(glyph, metrics - 1)),
    outline: (glyph, scale) => contoursOf(glyph, 0).map((points) => flatten(points, scale)),
  };
}

/** Looks characters up in the Unicode map of format 4: segments of codes with a shift each, or a list of glyphs. */
function characterMap(view: DataView, cmap: number): (codePoint: number) => number {
  let at = -1;
  for (let i = 0; i < view.getUint16(cmap + 2); i++) {
    const entry = cmap + 4 + 8 * i;
    const [platform, encoding] = [view.getUint16(entry), view.getUint16(entry + 2)];
    const start = cmap + view.getUint32(entry + 4);
    const unicode = platform === 0 || (platform === 3 && encoding === 1);
    if (unicode && view.getUint16(start) === 4) at = start;
  }
  if (at < 0) throw new RangeError('the font has no Unicode map of format 4');
  const segments = view.getUint16(at + 6) / 2;
  const [ends, starts] = [at + 14, at + 16 + 2 * segments];
  const [shifts, offsets] = [starts + 2 * segments, starts + 4 * segments];
  const known = new Map<number, number>();
  const find = (code: number): number => {
    for (let i = 0; i < segments; i++) {
      if (code > view.getUint16(ends + 2 * i)) continue;
      const first = view.getUint16(starts + 2 * i);
      if (code < first) return 0;
      const shift = view.getUint16(shifts + 2 * i);
      const offset = view.getUint16(offsets + 2 * i);
      if (offset === 0) return (code + shift) & 0xffff;
      const glyph = view.getUint16(offsets + 2 * i + offset + 2 * (code - first));
      return glyph === 0 ? 0 : (glyph + shift) & 0xffff;
    }
    return 0;
  };
  return (codePoint) => {
    if (codePoint > 0xffff) return 0;
    let glyph = known.get(codePoint);
    if (glyph === undefined) {
      glyph = find(codePoint);
      known.set(codePoint, glyph);
    }
    return glyph;
  };
}

function simpleContours(view: DataView, at: number, count: number): GlyphPoint[][] {
  const ends = Array.from({ length: count }, (_, i) => view.getUint16(at + 10 + 2 * i));
  const total = (ends.at(-1) ?? -1) + 1;
  let next = at + 10 + 2 * count;
  next += 2 + view.getUint16(next);
  const flags: number[] = [];
  while (flags.length < total) {
    const flag = view.getUint8(next++);
    const repeats = flag & 8 ? view.getUint8(next++) : 0;
    for (let i = 0; i <= repeats; i++) flags.push(flag);
  }
  const axis = (short: number, same: number): number[] => {
    let value = 0;
    return flags.map((flag) => {
      if (flag & short) {
        const step = view.getUint8(next++);
        value += flag & same ? step : -step;
      } else if (!(flag & same)) {
        value += view.getInt16(next);
        next += 2;
      }
      return value;
    });
  };
  const xs = axis(2, 16);
  const ys = axis(4, 32);
  const points = flags.map((flag, i) => ({ x: xs[i] as number, y: ys[i] as number, on: (flag & 1) === 1 }));
  return ends.map((end, i) => points.slice(i === 0 ? 0 : (ends[i - 1] as number) + 1, end + 1));
}

function compositeContours(
  view: DataView,
  at: number,
  contoursOf: (glyph: number) => GlyphPoint[][],
): GlyphPoint[][] {
  const out: GlyphPoint[][] = [];
  let next = at + 10;
  for (;;) {
    const flags = view.getUint16(next);
    const glyph = view.getUint16(next + 2);
    next += 4;
    const words = (flags & 1) !== 0;
    const [dx, dy] = words
      ? [view.getInt16(next), view.getInt16(next + 2)]
      : [view.getInt8(next), view.getInt8(next + 1)];
    next += words ? 4 : 2;
    let [a, b, c, d] = [1, 0, 0, 1];
    const fraction = (): number => {
      next += 2;
      return view.getInt16(next - 2) / 16384;
    };
    if (flags & 8) a = d = fraction();
    else if (flags & 64) [a, d] = [fraction(), fraction()];
    else if (flags & 128) [a, b, c, d] = [fraction(), fraction(), fraction(), fraction()];
    for (const contour of contoursOf(glyph)) {
      out.push(contour.map(({ x, y, on }) => ({ x: a * x + c * y + dx, y: b * x + d * y + dy, on })));
    }
    if (!(flags & 32)) return out;
  }
}

/** Quadratic curves to chords. Two steering points in a row have a point of the curve half way between them. */
function flatten(points: readonly GlyphPoint[], scale: number): number[] {
  const n = points.length;
  const out: number[] = [];
  if (n < 2) return out;
  const at = (i: number): GlyphPoint => points[i % n] as GlyphPoint;
  const start = points.findIndex(({ on }) => on);
  const origin = start >= 0 ? at(start) : middle(at(0), at(n - 1));
  const first = start >= 0 ? start + 1 : 0;
  let [x, y] = [origin.x * scale, -origin.y * scale];
  out.push(x, y);
  const last = first + (start >= 0 ? n - 1 : n);
  for (let i = first; i < last; i++) {
    const point = at(i);
    if (point.on) {
      [x, y] = [point.x * scale, -point.y * scale];
      out.push(x, y);
      continue;
    }
    const following = i + 1 < last ? at(i + 1) : origin;
    const end = following.on || i + 1 >= last ? following : middle(point, following);
    const [cx, cy, ex, ey] = [point.x * scale, -point.y * scale, end.x * scale, -end.y * scale];
    const bend = Math.abs(x - 2 * cx + ex) + Math.abs(y - 2 * cy + ey);
    const steps = Math.max(1, Math.ceil(Math.sqrt(bend / (8 * FLATNESS))));
    for (let k = 1; k <= steps; k++) {
      const t = k / steps;
      const u = 1 - t;
      out.push(u * u * x + 2 * u * t * cx + t * t * ex, u * u * y + 2 * u * t * cy + t * t * ey);
    }
    [x, y] = [ex, ey];
    if (following.on && i + 1 < last) i++;
  }
  return out;
}

function middle(a: GlyphPoint, b: GlyphPoint): GlyphPoint {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, on: true };
}
