import { ConfigError } from '../../core/errors.js';
import type { Rejection } from '../../core/result.js';
import type { Rng } from '../../core/rng.js';
import { OFFICIAL_CAMERA } from './official.js';
import {
  COLORS,
  MATERIALS,
  RADIUS,
  SHAPES,
  SIZES,
  directions,
  type ClevrCamera,
  type ClevrObject,
  type ClevrScene,
  type Color,
  type Material,
  type Shape,
  type Size,
} from './scene.js';

/** Half side of the square that the official generator places objects in, world units. */
export const EXTENT = 3;
/** Smallest distance between the rims of two objects, world units (official `min_dist`). */
export const MIN_RIM_DISTANCE = 0.25;
/** Smallest distance of two centres along each of left/right and front/behind, world units (official `margin`). */
export const MIN_MARGIN = 0.4;
/** Most objects a CLEVR scene holds. */
export const MAX_OBJECTS = 10;
/** Largest jitter of every camera coordinate around `OFFICIAL_CAMERA`, world units. */
export const CAMERA_JITTER = 0.5;

/** Official scene files hold coordinates in single precision, so a scene at the very limit may fall short by a hair. */
const TOLERANCE = 1e-6;
const TRIES_PER_OBJECT = 50;
const MAX_RESTARTS = 1_000;

/** Where new objects may come from. Everything but `objects` has CLEVR's own default. */
export interface SampleSceneOptions {
  /** Fewest and most objects, both included; the number is uniform between them. */
  readonly objects: readonly [min: number, max: number];
  /** Centres lie in [-extent, extent] on both axes; in (0, 3]. */
  readonly extent?: number;
  readonly shapes?: readonly Shape[];
  readonly colors?: readonly Color[];
  readonly materials?: readonly Material[];
  readonly sizes?: readonly Size[];
}

/**
 * A scene by the official placement rules: uniform attributes and places, the rims of two objects at least 0.25 apart,
 * their centres at least 0.4 apart along left/right and along front/behind, 50 tries for an object before the scene
 * starts over. Whether every object can be seen is up to the renderer (see `view.ts`).
 *
 * Throws a ConfigError when that many objects can't be placed in the extent.
 */
export function sampleScene(rng: Rng, options: SampleSceneOptions): ClevrScene {
  const [min, max] = options.objects;
  const extent = options.extent ?? EXTENT;
  if (!Number.isInteger(min) || !Number.isInteger(max) || min < 0 || max < min || max > MAX_OBJECTS) {
    throw new ConfigError(
      'objects',
      options.objects,
      `must be two integers with 0 <= min <= max <= ${MAX_OBJECTS}`,
    );
  }
  if (!(extent > 0 && extent <= EXTENT)) throw new ConfigError('extent', extent, `must be in (0, ${EXTENT}]`);
  const count = min + rng.int(max - min + 1);
  const camera: ClevrCamera = {
    x: OFFICIAL_CAMERA.x + rng.range(-CAMERA_JITTER, CAMERA_JITTER),
    y: OFFICIAL_CAMERA.y + rng.range(-CAMERA_JITTER, CAMERA_JITTER),
    z: OFFICIAL_CAMERA.z + rng.range(-CAMERA_JITTER, CAMERA_JITTER),
  };
  for (let restart = 0; restart < MAX_RESTARTS; restart++) {
    const objects = tryObjects(rng, camera, count, extent, options);
    if (objects) return { objects, camera };
  }
  throw new ConfigError(
    'objects',
    options.objects,
    `that many don't fit within ${extent} of the centre; use fewer`,
  );
}

function tryObjects(
  rng: Rng,
  camera: ClevrCamera,
  count: number,
  extent: number,
  options: SampleSceneOptions,
): ClevrObject[] | null {
  const objects: ClevrObject[] = [];
  while (objects.length < count) {
    const attributes = {
      shape: rng.pick(options.shapes ?? SHAPES),
      color: rng.pick(options.colors ?? COLORS),
      material: rng.pick(options.materials ?? MATERIALS),
      size: rng.pick(options.sizes ?? SIZES),
      rotation: rng.range(0, 360),
    };
    let placed = false;
    for (let attempt = 0; attempt < TRIES_PER_OBJECT && !placed; attempt++) {
      const object = { ...attributes, x: rng.range(-extent, extent), y: rng.range(-extent, extent) };
      placed = placementProblem({ objects: [...objects, object], camera }, objects.length, extent) === null;
      if (placed) objects.push(object);
    }
    if (!placed) return null;
  }
  return objects;
}

/**
 * What is wrong with where one object stands, against the frame and all other objects; null when nothing is. `extent`
 * is in world units. Throws when there is no such object.
 */
export function placementProblem(
  scene: ClevrScene,
  index: number,
  extent: number = EXTENT,
): Rejection<'overlap' | 'margin' | 'out-of-frame'> | null {
  const object = scene.objects[index];
  if (!object) throw new Error(`placementProblem: no object ${index}`);
  if (Math.abs(object.x) > extent + TOLERANCE || Math.abs(object.y) > extent + TOLERANCE) {
    const where = `(${round2(object.x)}, ${round2(object.y)})`;
    return {
      reason: 'out-of-frame',
      detail: `object ${index} at ${where} is outside [-${extent}, ${extent}]`,
    };
  }
  const axes = directions(scene.camera);
  for (const [otherIndex, other] of scene.objects.entries()) {
    if (otherIndex === index) continue;
    const dx = object.x - other.x;
    const dy = object.y - other.y;
    const rim = Math.sqrt(dx * dx + dy * dy) - RADIUS[object.size] - RADIUS[other.size];
    if (rim < MIN_RIM_DISTANCE - TOLERANCE) {
      const detail = `objects ${index} and ${otherIndex} are ${round2(rim)} apart, at least ${MIN_RIM_DISTANCE} is needed`;
      return { reason: 'overlap', detail };
    }
    for (const axis of ['right', 'front'] as const) {
      const along = Math.abs(dx * axes[axis][0] + dy * axes[axis][1]);
      if (along >= MIN_MARGIN - TOLERANCE) continue;
      const pair = axis === 'right' ? 'left/right' : 'front/behind';
      const detail = `objects ${index} and ${otherIndex} are ${round2(along)} apart along ${pair}, at least ${MIN_MARGIN} is needed`;
      return { reason: 'margin', detail };
    }
  }
  return null;
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}
