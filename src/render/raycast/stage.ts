import type { Camera } from './camera.js';
import { enter, type Face, SPHERE, CUBE, type Solid } from './solids.js';

/** A soft-box light: a point for shading, a rectangle in reflections, a disc for penumbrae. */
export interface Light {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Light on a surface that faces it from `reach` away; falls with the square of the distance. */
  readonly power: number;
  readonly reach2: number;
  /** Radius of the light over its distance; 0 for a light that casts no shadow. */
  readonly spread: number;
  /** Unit vector from the origin, and two unit vectors across it, for reflections. */
  readonly kx: number;
  readonly ky: number;
  readonly kz: number;
  readonly hx: number;
  readonly hy: number;
  readonly vx: number;
  readonly vy: number;
  readonly vz: number;
  /** Half width and height of the soft box seen from the origin at distance 1, and its brightness in reflections. */
  readonly boxW: number;
  readonly boxH: number;
  readonly glow: number;
  /** Where on the ground each solid can shade this light: [solid][centre x, centre y, radius squared]. */
  readonly shade_N_3: Float64Array;
}

/** Everything that light needs to know. The lights stand at fixed places as seen from the camera. */
export interface Stage {
  readonly solids: readonly Solid[];
  readonly camera: Camera;
  readonly key: Light;
  readonly fill: Light;
  readonly back: Light;
  /** Where on the ground each solid hides sky that counts: [solid][x, y, radius squared]. */
  readonly near_N_3: Float64Array;
  /** All solids. */
  readonly all: Nearby;
}

/** The solids that can matter at a place: for the shadows of two lights and for the sky they hide. Indices, ascending. */
export interface Nearby {
  readonly key: Int32Array;
  readonly fill: Int32Array;
  readonly sky: Int32Array;
  keys: number;
  fills: number;
  skies: number;
}

/** A list of nearby solids that holds all of `count`. */
export function allNearby(count: number): Nearby {
  const all = () => Int32Array.from({ length: count }, (_, i) => i);
  return { key: all(), fill: all(), sky: all(), keys: count, fills: count, skies: count };
}

/** Writes to `out` the solids that can matter anywhere on the ground within `radius` of a point. */
export function gatherNearby(stage: Stage, x: number, y: number, radius: number, out: Nearby): void {
  out.keys = gather(stage.key.shade_N_3, x, y, radius, out.key);
  out.fills = gather(stage.fill.shade_N_3, x, y, radius, out.fill);
  out.skies = gather(stage.near_N_3, x, y, radius, out.sky);
}

function gather(circles: Float64Array, x: number, y: number, radius: number, out: Int32Array): number {
  let count = 0;
  for (let i = 0; 3 * i < circles.length; i++) {
    const dx = x - (circles[3 * i] as number);
    const dy = y - (circles[3 * i + 1] as number);
    const reach = Math.sqrt(circles[3 * i + 2] as number) + radius * 1.000001;
    if (dx * dx + dy * dy <= reach * reach) out[count++] = i;
  }
  return count;
}

/** Sets the lights up round the scene. */
export function makeStage(solids: readonly Solid[], camera: Camera): Stage {
  const light = (
    side: number,
    front: number,
    up: number,
    power: number,
    spread: number,
    boxW: number,
    boxH: number,
    glow: number,
  ): Light => {
    // (rx, ry) points right as the camera sees it; (ry, -rx) from the scene towards the camera.
    const x = side * camera.rx + front * camera.ry;
    const y = side * camera.ry - front * camera.rx;
    const far = Math.sqrt(x * x + y * y + up * up);
    const flat = Math.sqrt(x * x + y * y);
    const kx = x / far;
    const ky = y / far;
    const kz = up / far;
    const hx = -y / flat;
    const hy = x / flat;
    return {
      x,
      y,
      z: up,
      power,
      reach2: far * far,
      spread,
      kx,
      ky,
      kz,
      hx,
      hy,
      vx: -hy * kz,
      vy: hx * kz,
      vz: hy * kx - hx * ky,
      boxW,
      boxH,
      glow,
      shade_N_3: spread > 0 ? shadeCircles(solids, x, y, up, spread) : new Float64Array(0),
    };
  };
  return {
    solids,
    camera,
    key: light(-4.7, 2.7, 7.5, 1.05, 0.13, 0.32, 0.26, 7),
    fill: light(6.5, 3.2, 5.2, 0.27, 0.2, 0.24, 0.3, 3),
    back: light(1.5, -6.5, 4.6, 0.3, 0, 0.4, 0.12, 1.3),
    near_N_3: Float64Array.from(solids.flatMap((s) => [s.x, s.y, 3.2 * s.top * (3.2 * s.top)])),
    all: allNearby(solids.length),
  };
}

/** Width below which no penumbra gets, world units: keeps contact edges from aliasing. */
const SHARPEST = 0.02;

/**
 * Circles on the ground outside which a solid can't shade a light, for points at any height. Seen from above, a shaded
 * point lies behind the solid within the shadow's length, and beside the line from the light through the solid's centre
 * by no more than footprint and penumbra, widened as lines from the light spread.
 */
function shadeCircles(
  solids: readonly Solid[],
  x: number,
  y: number,
  z: number,
  spread: number,
): Float64Array {
  const out = new Float64Array(3 * solids.length);
  solids.forEach((s, i) => {
    const dx = s.x - x;
    const dy = s.y - y;
    const far = Math.sqrt(dx * dx + dy * dy);
    const fixed = s.foot + SHARPEST + spread * s.top;
    const shrink = 1 - (s.top * (1 + spread)) / z;
    if (shrink <= 0.1 || far < 2 * s.foot) {
      out[3 * i + 2] = Infinity;
      return;
    }
    const behind = ((s.top * (1 + spread) * far) / z + fixed) / shrink;
    const before = fixed + (spread * s.top * far) / z;
    const beside = ((fixed + (spread * s.top * (far + behind)) / z) * (far + behind)) / far;
    const shift = (behind - before) / (2 * far);
    const half = (behind + before) / 2;
    out[3 * i] = s.x + dx * shift;
    out[3 * i + 1] = s.y + dy * shift;
    out[3 * i + 2] = half * half + beside * beside;
  });
  return out;
}

/**
 * How much of a light reaches a point, in [0, 1]: a product over the solids of how much of the light's disc each leaves
 * free. Only the first `count` solids of `list` are asked. `self` (an index, or -1) casts no shadow here: its own dark
 * side is the cosine's.
 */
export function lightReaching(
  stage: Stage,
  light: Light,
  list: Int32Array,
  count: number,
  px: number,
  py: number,
  pz: number,
  self: number,
): number {
  const { solids } = stage;
  const circles = light.shade_N_3;
  let free = 1;
  for (let k = 0; k < count; k++) {
    const i = list[k] as number;
    const ax = px - (circles[3 * i] as number);
    const ay = py - (circles[3 * i + 1] as number);
    if (ax * ax + ay * ay > (circles[3 * i + 2] as number) || i === self) continue;
    free *= 1 - coverOfSolid(solids[i] as Solid, light, px, py, pz);
    if (free < 0.004) return 0;
  }
  return free;
}

/** Share of a light's disc that one solid hides from a point, in [0, 1]. */
function coverOfSolid(s: Solid, light: Light, px: number, py: number, pz: number): number {
  const lz = light.z - pz;
  const rise = s.top - pz;
  if (lz <= 0.1 || rise <= 0) return 0;
  const lx = light.x - px;
  const ly = light.y - py;
  const qx = s.x - px;
  const qy = s.y - py;
  const flat2 = lx * lx + ly * ly;
  const far = Math.sqrt(flat2 + lz * lz);
  if (s.kind === SPHERE) {
    const qz = s.z - pz;
    const t = (qx * lx + qy * ly + qz * lz) / far;
    if (t <= 0) return 0;
    const soft = SHARPEST + light.spread * t;
    const off2 = qx * qx + qy * qy + qz * qz - t * t;
    const reach = s.r + soft;
    if (off2 >= reach * reach) return 0;
    return cover((off2 > 0 ? Math.sqrt(off2) : 0) - s.r, soft, s.r);
  }
  const flat = Math.sqrt(flat2);
  const ux = flat > 0 ? lx / flat : 1;
  const uy = flat > 0 ? ly / flat : 0;
  const length = (rise * flat) / lz;
  const along = qx * ux + qy * uy;
  const reach = s.foot + SHARPEST + (light.spread * rise * far) / lz;
  if (along < -reach || along > length + reach) return 0;
  const across = qx * uy - qy * ux;
  if (across > reach || across < -reach) return 0;
  const stretch = flat > 0 ? far / flat : 0;
  return coverOfPrism(s, qx, qy, ux, uy, length, along, across, stretch, light.spread);
}

/** Share of a light hidden by an edge at signed distance `off` from the ray, with a penumbra of half width `soft`. */
function cover(off: number, soft: number, radius: number): number {
  if (off >= soft) return 0;
  const most = radius >= soft ? 1 : radius / soft;
  if (off <= -soft) return most;
  const x = (soft - off) / (2 * soft);
  return x * x * (3 - 2 * x) * most;
}

/**
 * Share of a light hidden by an upright prism. Seen from above, the way to the light is a segment that ends where it
 * rises over the top; the shadow's edge is where that segment just touches the footprint.
 */
function coverOfPrism(
  s: Solid,
  qx: number,
  qy: number,
  ux: number,
  uy: number,
  length: number,
  along: number,
  across: number,
  stretch: number,
  spread: number,
): number {
  const nearest = along < 0 ? 0 : along > length ? length : along;
  const gone = along - s.r < 0 ? 0 : along - s.r > length ? length : along - s.r;
  const soft = SHARPEST + spread * gone * stretch;
  let off: number;
  if (s.kind === CUBE) {
    // Separating axes: the square's two, and the normal of the segment.
    const half = length / 2;
    const mx = qx - ux * half;
    const my = qy - uy * half;
    const gx = mx * s.cos + my * s.sin;
    const gy = my * s.cos - mx * s.sin;
    const wx = ux * s.cos + uy * s.sin;
    const wy = uy * s.cos - ux * s.sin;
    const ax = wx < 0 ? -wx : wx;
    const ay = wy < 0 ? -wy : wy;
    const sx = (gx < 0 ? -gx : gx) - s.r - ax * half;
    const sy = (gy < 0 ? -gy : gy) - s.r - ay * half;
    const sn = (across < 0 ? -across : across) - s.r * (ax + ay);
    off = sx > sy ? sx : sy;
    if (sn > off) off = sn;
  } else {
    const d = along - nearest;
    off = Math.sqrt(across * across + d * d) - s.r;
  }
  return cover(off, soft, s.r);
}

/** What stands close to a point: how much of its sky is hidden, and the colour that comes from there instead. */
export interface Nearness {
  hidden: number;
  red: number;
  green: number;
  blue: number;
}

/** Sums what the solids near a point hide from its hemisphere round the normal (nx, ny, nz). */
export function nearness(
  stage: Stage,
  list: Int32Array,
  count: number,
  px: number,
  py: number,
  pz: number,
  nx: number,
  ny: number,
  nz: number,
  self: number,
  out: Nearness,
): void {
  const { solids, near_N_3: circles } = stage;
  out.hidden = 0;
  out.red = 0;
  out.green = 0;
  out.blue = 0;
  let free = 1;
  for (let k = 0; k < count; k++) {
    const i = list[k] as number;
    const qx = (circles[3 * i] as number) - px;
    const qy = (circles[3 * i + 1] as number) - py;
    const flat2 = qx * qx + qy * qy;
    if (flat2 > (circles[3 * i + 2] as number) || i === self) continue;
    const s = solids[i] as Solid;
    let f: number;
    if (self < 0 && s.kind !== SPHERE) f = wallFactor(s, qx, qy, flat2);
    else {
      // Form factor of a ball: (n . q) r^2 / |q|^3.
      const qz = s.z - pz;
      const d2 = flat2 + qz * qz;
      const facing = nx * qx + ny * qy + nz * qz;
      if (facing <= 0) continue;
      const rr = s.kind === SPHERE ? s.r * s.r : s.r * s.r * 1.25;
      f = (facing * rr) / (d2 * Math.sqrt(d2));
    }
    if (f < 0.002) continue;
    if (f > 0.85) f = 0.85;
    free *= 1 - f;
    out.red += f * s.red;
    out.green += f * s.green;
    out.blue += f * s.blue;
  }
  out.hidden = 1 - free;
}

/** Form factor of an upright wall of the prism's height and width, seen from the ground beside it. */
function wallFactor(s: Solid, qx: number, qy: number, flat2: number): number {
  let d: number;
  if (s.kind === CUBE) {
    const gx = Math.abs(qx * s.cos + qy * s.sin) - s.r;
    const gy = Math.abs(qy * s.cos - qx * s.sin) - s.r;
    d = gx > 0 && gy > 0 ? Math.sqrt(gx * gx + gy * gy) : gx > gy ? (gx > 0 ? gx : 0) : gy > 0 ? gy : 0;
  } else {
    d = Math.sqrt(flat2) - s.r;
    if (d < 0) d = 0;
  }
  return (0.5 * (1 - d / Math.sqrt(d * d + s.top * s.top)) * s.r) / (s.r + 0.8 * d);
}

/** Index of the first solid that a ray from a point meets, other than `self`; -1 for none. `at.t` gets the distance. */
export function firstHit(
  stage: Stage,
  px: number,
  py: number,
  pz: number,
  dx: number,
  dy: number,
  dz: number,
  self: number,
  at: Face & { t: number },
): number {
  const solids = stage.solids;
  let best = -1;
  let bestT = Infinity;
  let face = 0;
  for (let i = 0; i < solids.length; i++) {
    if (i === self) continue;
    const s = solids[i] as Solid;
    const qx = s.x - px;
    const qy = s.y - py;
    const qz = s.z - pz;
    const along = qx * dx + qy * dy + qz * dz;
    if (along < -s.bound) continue;
    const off2 = qx * qx + qy * qy + qz * qz - along * along;
    if (off2 > s.bound * s.bound) continue;
    const t = enter(s, px, py, pz, dx, dy, dz, at);
    if (t > 0 && t < bestT) {
      bestT = t;
      best = i;
      face = at.face;
    }
  }
  at.t = bestT;
  at.face = face;
  return best;
}
