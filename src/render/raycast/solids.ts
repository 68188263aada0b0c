import type { Camera } from './camera.js';
import { linearFromSrgb, sinCosDegrees } from './numbers.js';
import type { RenderObject } from './types.js';

/** Kinds of solid, as small integers for the inner loops. */
export const SPHERE = 0;
export const CUBE = 1;
export const CYLINDER = 2;

/** An object made ready for rays. All fields are there for every kind, so that hot code sees one shape of record. */
export interface Solid {
  readonly kind: number;
  readonly metal: boolean;
  /** Radius, or a cube's half edge. */
  readonly r: number;
  readonly x: number;
  readonly y: number;
  /** Height of the centre. */
  readonly z: number;
  /** Height of the top. */
  readonly top: number;
  readonly cos: number;
  readonly sin: number;
  /** Radius of the sphere round the centre that holds it all, and of the circle that holds its footprint. */
  readonly bound: number;
  readonly foot: number;
  /** Linear albedo. */
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/** Makes an object ready. Throws a RangeError on a number that isn't finite or a radius not above 0. */
export function makeSolid(object: RenderObject, index: number): Solid {
  const { radius, x, y, rotation, rgb } = object;
  if (!(radius > 0) || !Number.isFinite(radius + x + y + rotation + rgb[0] + rgb[1] + rgb[2])) {
    throw new RangeError(`object ${index}: radius must be above 0 and every number finite`);
  }
  const cube = object.shape === 'cube';
  const r = cube ? radius / Math.SQRT2 : radius;
  const [sin, cos] = cube ? sinCosDegrees(rotation) : [0, 1];
  return {
    kind: object.shape === 'sphere' ? SPHERE : cube ? CUBE : CYLINDER,
    metal: object.material === 'metal',
    r,
    x,
    y,
    z: r,
    top: 2 * r,
    cos,
    sin,
    bound: r * (object.shape === 'sphere' ? 1 : Math.sqrt(cube ? 3 : 2)),
    foot: cube ? r * Math.SQRT2 : r,
    red: linearFromSrgb(rgb[0] / 255),
    green: linearFromSrgb(rgb[1] / 255),
    blue: linearFromSrgb(rgb[2] / 255),
  };
}

/** Which part of a solid's surface was hit: a cube's axis (0, 1 sides, 2 top), a cylinder's side (0) or top (2). */
export interface Face {
  face: number;
}

/**
 * Distance t > 0 at which the ray origin + t * direction enters a solid, or -1. The direction needn't have length 1.
 * Writes the face that was hit.
 */
export function enter(
  s: Solid,
  ox: number,
  oy: number,
  oz: number,
  dx: number,
  dy: number,
  dz: number,
  hit: Face,
): number {
  if (s.kind === SPHERE) {
    hit.face = 0;
    return enterSphere(s, ox - s.x, oy - s.y, oz - s.z, dx, dy, dz);
  }
  if (s.kind === CUBE) return enterCube(s, ox - s.x, oy - s.y, oz - s.z, dx, dy, dz, hit);
  return enterCylinder(s, ox - s.x, oy - s.y, oz - s.z, dx, dy, dz, hit);
}

function enterSphere(s: Solid, ox: number, oy: number, oz: number, dx: number, dy: number, dz: number) {
  const a = dx * dx + dy * dy + dz * dz;
  const b = ox * dx + oy * dy + oz * dz;
  const c = ox * ox + oy * oy + oz * oz - s.r * s.r;
  const disc = b * b - a * c;
  if (disc < 0 || b > 0) return -1;
  const t = (-b - Math.sqrt(disc)) / a;
  return t > 0 ? t : -1;
}

function enterCube(
  s: Solid,
  ox: number,
  oy: number,
  oz: number,
  dx: number,
  dy: number,
  dz: number,
  hit: Face,
): number {
  const r = s.r;
  const lx = ox * s.cos + oy * s.sin;
  const ly = oy * s.cos - ox * s.sin;
  const mx = dx * s.cos + dy * s.sin;
  const my = dy * s.cos - dx * s.sin;
  let near = -Infinity;
  let far = Infinity;
  let face = 0;
  if (mx !== 0) {
    near = mx > 0 ? (-r - lx) / mx : (r - lx) / mx;
    far = mx > 0 ? (r - lx) / mx : (-r - lx) / mx;
  } else if (lx < -r || lx > r) return -1;
  if (my !== 0) {
    const a = my > 0 ? (-r - ly) / my : (r - ly) / my;
    const b = my > 0 ? (r - ly) / my : (-r - ly) / my;
    if (a > near) {
      near = a;
      face = 1;
    }
    if (b < far) far = b;
  } else if (ly < -r || ly > r) return -1;
  if (dz !== 0) {
    const a = dz > 0 ? (-r - oz) / dz : (r - oz) / dz;
    const b = dz > 0 ? (r - oz) / dz : (-r - oz) / dz;
    if (a > near) {
      near = a;
      face = 2;
    }
    if (b < far) far = b;
  } else if (oz < -r || oz > r) return -1;
  hit.face = face;
  return near <= far && near > 0 ? near : -1;
}

function enterCylinder(
  s: Solid,
  ox: number,
  oy: number,
  oz: number,
  dx: number,
  dy: number,
  dz: number,
  hit: Face,
): number {
  const r = s.r;
  const a = dx * dx + dy * dy;
  const b = ox * dx + oy * dy;
  const c = ox * ox + oy * oy - r * r;
  let near = -Infinity;
  let far = Infinity;
  if (a > 0) {
    const disc = b * b - a * c;
    if (disc < 0) return -1;
    const q = Math.sqrt(disc);
    near = (-b - q) / a;
    far = (-b + q) / a;
  } else if (c > 0) return -1;
  let face = 0;
  if (dz !== 0) {
    const low = dz > 0 ? (-r - oz) / dz : (r - oz) / dz;
    const high = dz > 0 ? (r - oz) / dz : (-r - oz) / dz;
    if (low > near) {
      near = low;
      face = 2;
    }
    if (high < far) far = high;
  } else if (oz < -r || oz > r) return -1;
  hit.face = face;
  return near <= far && near > 0 ? near : -1;
}

/** Bounds of a solid's outline in pixel coordinates; infinite where it reaches behind the camera. */
export interface Bounds {
  readonly x0: number;
  readonly x1: number;
  readonly y0: number;
  readonly y1: number;
}

/** Exact bounds of a solid's outline in the picture, not clipped to the frame. */
export function outlineBounds(s: Solid, camera: Camera): Bounds {
  const cx = s.x - camera.ex;
  const cy = s.y - camera.ey;
  const cz = s.z - camera.ez;
  const depth = cx * camera.fx + cy * camera.fy + cz * camera.fz;
  if (depth - s.bound <= 1e-6) return { x0: -Infinity, x1: Infinity, y0: -Infinity, y1: Infinity };
  const [left, right] = slopes(s, camera, cx, cy, cz, camera.rx, camera.ry, 0);
  const [low, high] = slopes(s, camera, cx, cy, cz, camera.ux, camera.uy, camera.uz);
  return {
    x0: camera.cx + camera.focal * left,
    x1: camera.cx + camera.focal * right,
    y0: camera.cy - camera.focal * high,
    y1: camera.cy - camera.focal * low,
  };
}

/** Least and greatest of (p . axis) / (p . forward) over the solid; its centre relative to the eye is given. */
function slopes(
  s: Solid,
  camera: Camera,
  cx: number,
  cy: number,
  cz: number,
  ax: number,
  ay: number,
  az: number,
): readonly [number, number] {
  const { fx, fy, fz } = camera;
  const p = cx * ax + cy * ay + cz * az;
  const q = cx * fx + cy * fy + cz * fz;
  const rr = s.r * s.r;
  if (s.kind === SPHERE) return tangents(p, q, rr, 0, rr);
  if (s.kind === CYLINDER) {
    // The two rims; everything else lies in their hull.
    const aa = rr * (ax * ax + ay * ay);
    const af = rr * (ax * fx + ay * fy);
    const ff = rr * (fx * fx + fy * fy);
    const top = tangents(p + s.r * az, q + s.r * fz, aa, af, ff);
    const base = tangents(p - s.r * az, q - s.r * fz, aa, af, ff);
    return [Math.min(top[0], base[0]), Math.max(top[1], base[1])];
  }
  let low = Infinity;
  let high = -Infinity;
  for (let corner = 0; corner < 8; corner++) {
    const u = corner & 1 ? s.r : -s.r;
    const v = corner & 2 ? s.r : -s.r;
    const w = corner & 4 ? s.r : -s.r;
    const wx = u * s.cos - v * s.sin;
    const wy = u * s.sin + v * s.cos;
    const slope = (p + wx * ax + wy * ay + w * az) / (q + wx * fx + wy * fy + w * fz);
    low = Math.min(low, slope);
    high = Math.max(high, slope);
  }
  return [low, high];
}

/**
 * Slopes k of the planes through the eye that touch a round body: the body's extent along axis - k * forward is
 * sqrt(aa - 2 k af + k^2 ff), so (p - k q)^2 equals what is under the root.
 */
function tangents(p: number, q: number, aa: number, af: number, ff: number): readonly [number, number] {
  const a = q * q - ff;
  const b = p * q - af;
  const c = p * p - aa;
  const d = Math.sqrt(Math.max(0, b * b - a * c));
  return [(b - d) / a, (b + d) / a];
}
