import { CUBE, enter, type Solid, SPHERE } from './solids.js';
import { firstHit, type Light, lightReaching, type Nearby, nearness, type Stage } from './stage.js';

/** Linear albedo of the ground, and the grey that distance fades into. */
const GROUND = 0.47;
const DISTANCE = 0.3;
/** Light from everywhere on a surface that faces up. */
const SKY = 0.24;

/** Working memory of one picture's shading; the colour of the last call is in red, green, blue (linear). */
export interface Shader {
  readonly stage: Stage;
  red: number;
  green: number;
  blue: number;
  readonly near: { hidden: number; red: number; green: number; blue: number };
  readonly at: { face: number; t: number };
  nx: number;
  ny: number;
  nz: number;
  /** How far the last normal leans over an edge, 0 (flat) to 1. */
  edge: number;
}

/** A shader for one stage. */
export function makeShader(stage: Stage): Shader {
  return {
    stage,
    red: 0,
    green: 0,
    blue: 0,
    near: { hidden: 0, red: 0, green: 0, blue: 0 },
    at: { face: 0, t: 0 },
    nx: 0,
    ny: 0,
    nz: 0,
    edge: 0,
  };
}

/** Light on a surface from one lamp, without shadows. */
function lampLight(
  light: Light,
  px: number,
  py: number,
  pz: number,
  nx: number,
  ny: number,
  nz: number,
): number {
  const lx = light.x - px;
  const ly = light.y - py;
  const lz = light.z - pz;
  const facing = lx * nx + ly * ny + lz * nz;
  if (facing <= 0) return 0;
  const d2 = lx * lx + ly * ly + lz * lz;
  return (light.power * light.reach2 * facing) / (d2 * Math.sqrt(d2));
}

/** Colour of what a ray from the eye sees where no object is: the ground, or distance at and above the horizon. */
export function shadeGroundRay(sh: Shader, list: Nearby, dx: number, dy: number, dz: number): void {
  const camera = sh.stage.camera;
  if (dz >= -1e-6) {
    sh.red = sh.green = sh.blue = DISTANCE;
    return;
  }
  const t = -camera.ez / dz;
  shadeGround(sh, list, camera.ex + t * dx, camera.ey + t * dy);
}

/** Colour of the ground at a point: lamps with soft shadows, sky less what stands near, fading with distance. */
function shadeGround(sh: Shader, list: Nearby, px: number, py: number): void {
  const { stage, near } = sh;
  const d2 = px * px + py * py;
  const d4 = d2 * d2;
  const fade = d4 / (d4 + 40000);
  if (fade > 0.995) {
    sh.red = sh.green = sh.blue = DISTANCE;
    return;
  }
  nearness(stage, list.sky, list.skies, px, py, 0, 0, 0, 1, -1, near);
  const direct =
    lampLight(stage.key, px, py, 0, 0, 0, 1) *
      lightReaching(stage, stage.key, list.key, list.keys, px, py, 0, -1) +
    lampLight(stage.fill, px, py, 0, 0, 0, 1) *
      lightReaching(stage, stage.fill, list.fill, list.fills, px, py, 0, -1);
  const free = 1 - near.hidden;
  const grey = direct + SKY * (0.12 + 0.88 * free);
  const keep = GROUND * (1 - fade);
  const far = DISTANCE * fade;
  const bounce = 0.35 * direct;
  sh.red = keep * (grey + bounce * near.red) + far;
  sh.green = keep * (grey + bounce * near.green) + far;
  sh.blue = keep * (grey + bounce * near.blue) + far;
}

/** Width of the rounded edges over the half edge or radius. */
const BEVEL = 0.11;

/** Outward unit normal at a surface point; edges of cubes and rims of cylinders lean over, so that they catch the light. */
function surfaceNormal(sh: Shader, s: Solid, face: number, px: number, py: number, pz: number): void {
  const x = px - s.x;
  const y = py - s.y;
  const z = pz - s.z;
  let nx: number;
  let ny: number;
  let nz: number;
  if (s.kind === SPHERE) {
    nx = x / s.r;
    ny = y / s.r;
    nz = z / s.r;
  } else if (s.kind === CUBE) {
    const lx = (x * s.cos + y * s.sin) / s.r;
    const ly = (y * s.cos - x * s.sin) / s.r;
    const lz = z / s.r;
    const mx = face === 0 ? (lx > 0 ? 1 : -1) : lean(lx);
    const my = face === 1 ? (ly > 0 ? 1 : -1) : lean(ly);
    nx = mx * s.cos - my * s.sin;
    ny = mx * s.sin + my * s.cos;
    nz = face === 2 ? (lz > 0 ? 1 : -1) : lean(lz);
  } else {
    const rho = Math.sqrt(x * x + y * y);
    const radial = face === 2 ? lean(rho / s.r) : 1;
    nx = rho > 0 ? (radial * x) / rho : 0;
    ny = rho > 0 ? (radial * y) / rho : 0;
    nz = face === 2 ? (z > 0 ? 1 : -1) : lean(z / s.r);
  }
  const square = nx * nx + ny * ny + nz * nz;
  const size = 1 / Math.sqrt(square);
  sh.edge = s.kind === SPHERE ? 0 : square > 2 ? 1 : square - 1;
  sh.nx = nx * size;
  sh.ny = ny * size;
  sh.nz = nz * size;
}

/** How far the normal leans at position u in [-1, 1] across a face: 0 on the flat, 1 (45 degrees) at the edge. */
function lean(u: number): number {
  const a = (u < 0 ? -u : u) - (1 - BEVEL);
  if (a <= 0) return 0;
  const w = a / BEVEL;
  return u < 0 ? -w * w : w * w;
}

/** Colour of object `index` where a ray from the eye meets it. */
export function shadeObjectRay(sh: Shader, index: number, dx: number, dy: number, dz: number): void {
  const { stage, at } = sh;
  const { ex, ey, ez } = stage.camera;
  const s = stage.solids[index] as Solid;
  const t = enter(s, ex, ey, ez, dx, dy, dz, at);
  if (t < 0) throw new Error(`object ${index}: shaded where no ray meets it`);
  const face = at.face;
  const px = ex + t * dx;
  const py = ey + t * dy;
  const pz = ez + t * dz;
  const size = 1 / Math.sqrt(dx * dx + dy * dy + dz * dz);
  surfaceNormal(sh, s, face, px, py, pz);
  if (s.metal) shadeMetal(sh, s, index, px, py, pz, dx * size, dy * size, dz * size);
  else shadeRubber(sh, s, index, px, py, pz, dx * size, dy * size, dz * size);
}

/** Rubber: diffuse light, the colour of the solids near it, a faint broad highlight. */
function shadeRubber(
  sh: Shader,
  s: Solid,
  self: number,
  px: number,
  py: number,
  pz: number,
  dx: number,
  dy: number,
  dz: number,
): void {
  const { stage, near, nx, ny, nz } = sh;
  const keyFree = lightReaching(stage, stage.key, stage.all.key, stage.all.keys, px, py, pz, self);
  const fillFree = lightReaching(stage, stage.fill, stage.all.fill, stage.all.fills, px, py, pz, self);
  const light = diffuseLight(sh, s, self, px, py, pz, keyFree, fillFree);
  const gloss =
    0.07 * keyFree * sheen(stage.key, px, py, pz, nx, ny, nz, dx, dy, dz) +
    0.02 * fillFree * sheen(stage.fill, px, py, pz, nx, ny, nz, dx, dy, dz) +
    0.015 * (1 - near.hidden);
  sh.red = s.red * (light + 0.3 * near.red) + gloss;
  sh.green = s.green * (light + 0.3 * near.green) + gloss;
  sh.blue = s.blue * (light + 0.3 * near.blue) + gloss;
}

/** Neutral light on a surface point: lamps, sky above, ground below; leaves what is near it in `sh.near`. */
function diffuseLight(
  sh: Shader,
  s: Solid,
  self: number,
  px: number,
  py: number,
  pz: number,
  keyFree: number,
  fillFree: number,
): number {
  const { stage, near, nx, ny, nz } = sh;
  nearness(stage, stage.all.sky, stage.all.skies, px, py, pz, nx, ny, nz, self, near);
  const lamps =
    lampLight(stage.key, px, py, pz, nx, ny, nz) * keyFree +
    lampLight(stage.fill, px, py, pz, nx, ny, nz) * fillFree +
    lampLight(stage.back, px, py, pz, nx, ny, nz);
  // Near its foot an object looks at ground that it darkens itself.
  const foot = pz / s.top;
  const ground = (0.5 - 0.5 * nz) * (0.2 + 0.55 * foot * (2 - foot)) * 0.62;
  const sky = (0.5 + 0.5 * nz) * SKY * 1.1;
  return 1.15 * lamps + (sky + ground) * (1 - near.hidden);
}

/** A broad highlight: the cosine of the half vector to the 16th power. */
function sheen(
  light: Light,
  px: number,
  py: number,
  pz: number,
  nx: number,
  ny: number,
  nz: number,
  dx: number,
  dy: number,
  dz: number,
): number {
  const lx = light.x - px;
  const ly = light.y - py;
  const lz = light.z - pz;
  if (lx * nx + ly * ny + lz * nz <= 0) return 0;
  const far = 1 / Math.sqrt(lx * lx + ly * ly + lz * lz);
  const hx = lx * far - dx;
  const hy = ly * far - dy;
  const hz = lz * far - dz;
  const c = (hx * nx + hy * ny + hz * nz) / Math.sqrt(hx * hx + hy * hy + hz * hz);
  if (c <= 0) return 0;
  const c2 = c * c;
  const c4 = c2 * c2;
  const c8 = c4 * c4;
  return c8 * c8;
}

/** Metal: a tinted mirror over a little diffuse light; its flat sides are brushed, so that lamps draw out into streaks. */
function shadeMetal(
  sh: Shader,
  s: Solid,
  self: number,
  px: number,
  py: number,
  pz: number,
  dx: number,
  dy: number,
  dz: number,
): void {
  const { stage, near, nx, ny, nz } = sh;
  const keyFree = lightReaching(stage, stage.key, stage.all.key, stage.all.keys, px, py, pz, self);
  const fillFree = lightReaching(stage, stage.fill, stage.all.fill, stage.all.fills, px, py, pz, self);
  const calm = 1 - 0.75 * sh.edge;
  const body = 0.3 * diffuseLight(sh, s, self, px, py, pz, keyFree, fillFree);
  const bodyRed = body + 0.1 * near.red;
  const bodyGreen = body + 0.1 * near.green;
  const bodyBlue = body + 0.1 * near.blue;
  const facing = -(dx * nx + dy * ny + dz * nz);
  const rx = dx + 2 * facing * nx;
  const ry = dy + 2 * facing * ny;
  const rz = dz + 2 * facing * nz;
  const away = 1 - (facing > 0 ? facing : 0);
  const away2 = away * away;
  const fresnel = 0.5 * away2 * away2 * away;
  const white = 0.07 + fresnel;
  const own = 0.93 - fresnel;
  const streak = s.kind === SPHERE ? 0 : calm * brushed(stage, s, pz, nz, rx, ry, keyFree, fillFree);
  reflected(sh, self, px, py, pz, rx, ry, rz, keyFree * calm, fillFree * calm);
  const glare = s.kind === CUBE ? 0.2 * streak : 0.35 * streak;
  sh.red = s.red * bodyRed + (s.red * own + white) * (sh.red + streak) + glare;
  sh.green = s.green * bodyGreen + (s.green * own + white) * (sh.green + streak) + glare;
  sh.blue = s.blue * bodyBlue + (s.blue * own + white) * (sh.blue + streak) + glare;
}

/** Lamps drawn out by the grain of flat metal: on tops the back light, on sides the key and the fill light. */
function brushed(
  stage: Stage,
  s: Solid,
  pz: number,
  nz: number,
  rx: number,
  ry: number,
  keyFree: number,
  fillFree: number,
): number {
  if (nz > 0.75) return 0.4 * panel(stage.back, rx, ry);
  const lamps = 0.75 * panel(stage.key, rx, ry) * keyFree + 0.35 * panel(stage.fill, rx, ry) * fillFree;
  if (s.kind !== CUBE) return lamps;
  const height = pz / s.top;
  return (lamps + 0.3 * height * (0.3 + 0.7 * keyFree)) * height;
}

/**
 * Brightness of a lamp on an upright metal side. Brushed metal draws a reflection out along the vertical, so only the
 * compass direction of the mirrored ray counts.
 */
function panel(light: Light, rx: number, ry: number): number {
  if (rx * light.kx + ry * light.ky <= 0) return 0;
  const u = Math.abs(rx * light.hx + ry * light.hy) / Math.sqrt(rx * rx + ry * ry);
  if (u >= 0.6) return 0;
  const x = 1 - u / 0.6;
  return x * x * (3 - 2 * x);
}

/** What a mirror at a point sees in a unit direction: another object, the ground, or the studio above. */
function reflected(
  sh: Shader,
  self: number,
  px: number,
  py: number,
  pz: number,
  rx: number,
  ry: number,
  rz: number,
  keyFree: number,
  fillFree: number,
): void {
  const { stage, at } = sh;
  const other = firstHit(stage, px, py, pz, rx, ry, rz, self, at);
  if (other >= 0) {
    const s = stage.solids[other] as Solid;
    const t = at.t;
    const qx = px + t * rx;
    const qy = py + t * ry;
    const qz = pz + t * rz;
    surfaceNormal(sh, s, at.face, qx, qy, qz);
    const light = 0.25 + diffuseLight(sh, s, other, qx, qy, qz, 0.9, 0.9);
    // Rough metal blurs what is far from it into its surroundings.
    const clear = 1 / (1 + 0.35 * t * t);
    const haze = 0.3 * (1 - clear);
    sh.red = clear * s.red * light + haze;
    sh.green = clear * s.green * light + haze;
    sh.blue = clear * s.blue * light + haze;
    return;
  }
  if (rz < -0.02) {
    const t = -pz / rz;
    shadeGround(sh, stage.all, px + t * rx, py + t * ry);
    return;
  }
  // The studio: grey walls that darken upwards, and the lamps as bright soft boxes.
  const up = rz > 0 ? rz : 0;
  const wall = 0.3 * (1 - up) * (1 - up) + 0.1 * up + 0.06;
  const lamps =
    softBox(stage.key, rx, ry, rz) * (0.2 + 0.8 * keyFree) +
    softBox(stage.fill, rx, ry, rz) * (0.2 + 0.8 * fillFree) +
    softBox(stage.back, rx, ry, rz);
  sh.red = sh.green = sh.blue = wall + lamps;
}

/** Brightness of a lamp's rectangle in a direction, with a soft rim and a faint halo. */
function softBox(light: Light, rx: number, ry: number, rz: number): number {
  const c = rx * light.kx + ry * light.ky + rz * light.kz;
  if (c < 0.3) return 0;
  const u = Math.abs((rx * light.hx + ry * light.hy) / c) - light.boxW;
  const v = Math.abs((rx * light.vx + ry * light.vy + rz * light.vz) / c) - light.boxH;
  const c4 = c * c * c * c;
  const halo = 0.05 * light.glow * c4 * c4;
  return light.glow * rim(u) * rim(v) + halo;
}

/** 1 inside, 0 outside, smooth over a rim of 0.1. */
function rim(u: number): number {
  if (u <= -0.05) return 1;
  if (u >= 0.05) return 0;
  const x = (0.05 - u) * 10;
  return x * x * (3 - 2 * x);
}
