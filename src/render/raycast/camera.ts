import type { CameraPosition, RenderSize } from './types.js';

/** A pinhole camera with its axes: unit vectors in the world, focal length and principal point in pixels. */
export interface Camera {
  readonly ex: number;
  readonly ey: number;
  readonly ez: number;
  readonly rx: number;
  readonly ry: number;
  readonly ux: number;
  readonly uy: number;
  readonly uz: number;
  readonly fx: number;
  readonly fy: number;
  readonly fz: number;
  readonly focal: number;
  readonly cx: number;
  readonly cy: number;
}

/**
 * Axes of a camera at `position` that looks at the origin without roll. The focal length is CLEVR's lens: 525 pixels at
 * 480 x 320, scaled so that nothing of that frame is lost at other proportions. Throws a RangeError when the camera
 * stands straight above the origin (its roll would be undefined) or not above the ground.
 */
export function makeCamera(position: CameraPosition, size: RenderSize): Camera {
  const { x, y, z } = position;
  const flat = Math.sqrt(x * x + y * y);
  if (!(flat > 0) || !(z > 0) || !Number.isFinite(x + y + z)) {
    throw new RangeError(`camera (${x}, ${y}, ${z}): must stand above the ground and beside the origin`);
  }
  const far = Math.sqrt(flat * flat + z * z);
  const fx = -x / far;
  const fy = -y / far;
  const fz = -z / far;
  // right = forward x vertical, up = right x forward.
  const rx = -y / flat;
  const ry = x / flat;
  return {
    ex: x,
    ey: y,
    ez: z,
    rx,
    ry,
    ux: ry * fz,
    uy: -rx * fz,
    uz: rx * fy - ry * fx,
    fx,
    fy,
    fz,
    focal: Math.min(1.09375 * size.width, 1.640625 * size.height),
    cx: size.width / 2,
    cy: size.height / 2,
  };
}

/** Where a world point appears. */
export interface Projection {
  /** Pixels from the left edge. */
  readonly x: number;
  /** Pixels from the top edge. */
  readonly y: number;
  /** Distance along the view axis, world units; not above 0 means behind the camera, and x, y mean nothing. */
  readonly depth: number;
}

/** Projects a world point into a picture of `size` taken from `position`. Throws a RangeError as `makeCamera` does. */
export function project(
  position: CameraPosition,
  point: { readonly x: number; readonly y: number; readonly z: number },
  size: RenderSize,
): Projection {
  return projectWith(makeCamera(position, size), point.x, point.y, point.z);
}

/** `project` with a camera that is already made. */
export function projectWith(camera: Camera, x: number, y: number, z: number): Projection {
  const dx = x - camera.ex;
  const dy = y - camera.ey;
  const dz = z - camera.ez;
  const depth = dx * camera.fx + dy * camera.fy + dz * camera.fz;
  const right = dx * camera.rx + dy * camera.ry;
  const up = dx * camera.ux + dy * camera.uy + dz * camera.uz;
  return { x: camera.cx + (camera.focal * right) / depth, y: camera.cy - (camera.focal * up) / depth, depth };
}
