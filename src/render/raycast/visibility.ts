import { type Camera, projectWith } from './camera.js';
import { type Bounds, enter, type Face, outlineBounds, type Solid } from './solids.js';
import type { Geometry, ObjectGeometry } from './types.js';

/** Bits of a surface code that hold the face; the rest is the object's number plus 1. Code 0 is the ground. */
export const FACE_BITS = 2;

/** What every sub-sample of the picture sees. */
export interface Visibility {
  /** By pixel, row by row: its block of sub-samples, or 0 where all of them see the ground. */
  readonly blocks_P: Int32Array;
  /** Surface code by [block][sub-sample], sub-samples row by row; S * S to a block. Block 0 is not used. */
  readonly codes_B_S: Uint16Array;
  readonly geometry: Geometry;
}

/** Casts a ray through every sub-sample of every object's screen box; the nearest surface wins, ties the first object. */
export function castVisibility(
  solids: readonly Solid[],
  camera: Camera,
  width: number,
  height: number,
  supersample: number,
): Visibility {
  const samples = supersample * supersample;
  const outlines = solids.map((solid) => outlineBounds(solid, camera));
  const frames = outlines.map((bounds) => ({
    x0: Math.max(0, Math.floor(bounds.x0 - 0.01)),
    y0: Math.max(0, Math.floor(bounds.y0 - 0.01)),
    x1: Math.min(width, Math.ceil(bounds.x1 + 0.01)),
    y1: Math.min(height, Math.ceil(bounds.y1 + 0.01)),
  }));
  const boxes = frames.reduce((n, f) => n + Math.max(0, f.x1 - f.x0) * Math.max(0, f.y1 - f.y0), 0);
  const most = (1 + Math.min(width * height, boxes)) * samples;
  const target: Target = {
    width,
    supersample,
    blocks: new Int32Array(width * height),
    codes: new Uint16Array(most),
    depths: new Float64Array(most),
    used: 1,
  };
  const totals = solids.map((solid, i) => castSolid(solid, i, camera, frames[i] as Frame, target));
  const objects = solids.map((solid, i): ObjectGeometry => {
    const seen = countVisible(i, frames[i] as Frame, target);
    const center = projectWith(camera, solid.x, solid.y, solid.z);
    const outline = outlines[i] as Bounds;
    return {
      visiblePixels: seen.count / samples,
      totalPixels: (totals[i] as number) / samples,
      box: seen.box,
      center: [center.x, center.y],
      depth: center.depth,
      clipped: outline.x0 < 0 || outline.y0 < 0 || outline.x1 > width || outline.y1 > height,
    };
  });
  return { blocks_P: target.blocks, codes_B_S: target.codes, geometry: { objects } };
}

/** Buffers that objects are cast into; `used` counts the blocks given out. */
interface Target {
  readonly width: number;
  readonly supersample: number;
  readonly blocks: Int32Array;
  readonly codes: Uint16Array;
  readonly depths: Float64Array;
  used: number;
}

interface Frame {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** Casts one object into the buffers. Returns how many sub-samples it covers, hidden or not. */
function castSolid(solid: Solid, index: number, camera: Camera, frame: Frame, target: Target): number {
  const { ex, ey, ez, rx, ry, ux, uy, uz, fx, fy, fz, focal, cx, cy } = camera;
  const { width, supersample, blocks, codes, depths } = target;
  const samples = supersample * supersample;
  const base = (index + 1) << FACE_BITS;
  const hit: Face = { face: 0 };
  let total = 0;
  for (let py = frame.y0; py < frame.y1; py++) {
    for (let px = frame.x0; px < frame.x1; px++) {
      const pixel = py * width + px;
      // A block that no ray has filled yet is the next free one; it is kept only if a ray hits.
      const own = blocks[pixel] as number;
      let slot = (own === 0 ? target.used : own) * samples;
      let any = 0;
      for (let j = 0; j < supersample; j++) {
        const v = (cy - (py + (j + 0.5) / supersample)) / focal;
        const bx = fx + v * ux;
        const by = fy + v * uy;
        const dz = fz + v * uz;
        for (let i = 0; i < supersample; i++, slot++) {
          const h = (px + (i + 0.5) / supersample - cx) / focal;
          const t = enter(solid, ex, ey, ez, bx + h * rx, by + h * ry, dz, hit);
          if (t < 0) continue;
          any++;
          if (codes[slot] === 0 || t < (depths[slot] as number)) {
            codes[slot] = base | hit.face;
            depths[slot] = t;
          }
        }
      }
      if (any === 0) continue;
      total += any;
      if (own === 0) blocks[pixel] = target.used++;
    }
  }
  return total;
}

/** Counts the sub-samples that see an object, and bounds the pixels they lie in. */
function countVisible(index: number, frame: Frame, target: Target) {
  const { width, supersample, blocks, codes } = target;
  const samples = supersample * supersample;
  const id = index + 1;
  let count = 0;
  let x0 = Infinity;
  let y0 = Infinity;
  let x1 = -1;
  let y1 = -1;
  for (let py = frame.y0; py < frame.y1; py++) {
    for (let px = frame.x0; px < frame.x1; px++) {
      const block = blocks[py * width + px] as number;
      if (block === 0) continue;
      let here = 0;
      for (let k = 0; k < samples; k++)
        if ((codes[block * samples + k] as number) >> FACE_BITS === id) here++;
      if (here === 0) continue;
      count += here;
      if (px < x0) x0 = px;
      if (px >= x1) x1 = px + 1;
      if (py < y0) y0 = py;
      if (py >= y1) y1 = py + 1;
    }
  }
  return { count, box: count === 0 ? null : { x0, y0, x1, y1 } };
}
