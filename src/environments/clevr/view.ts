import { renderScene, type Geometry, type Rendering, type RenderScene } from '../../render/index.js';
import type { Rejection } from '../../core/result.js';
import { RADIUS, type ClevrScene, type Color } from './scene.js';

/** CLEVR's eight colours, sRGB. */
export const COLOR_RGB: Readonly<Record<Color, readonly [number, number, number]>> = {
  gray: [87, 87, 87],
  red: [173, 35, 35],
  blue: [42, 75, 215],
  green: [29, 105, 20],
  brown: [129, 74, 25],
  purple: [129, 38, 192],
  cyan: [41, 208, 208],
  yellow: [255, 238, 51],
};

/** Size of a picture in pixels. */
export interface View {
  readonly width: number;
  readonly height: number;
}

/** What a renderer draws for a scene; object order is kept. */
export function toRenderScene(scene: ClevrScene): RenderScene {
  return {
    camera: scene.camera,
    objects: scene.objects.map(({ shape, material, color, size, x, y, rotation }) => ({
      shape,
      material,
      rgb: COLOR_RGB[color],
      radius: RADIUS[size],
      x,
      y,
      rotation,
    })),
  };
}

/** Scenes are values, so one that is asked about again needn't be drawn again; forgotten with the scene. */
const drawn = new WeakMap<ClevrScene, { readonly view: View; readonly rendering: Rendering }>();

/** Draws a scene with the built-in ray caster. The same scene object at the same size gives the same picture object. */
export function drawScene(scene: ClevrScene, view: View): Rendering {
  const known = drawn.get(scene);
  if (known && known.view.width === view.width && known.view.height === view.height) return known.rendering;
  const rendering = renderScene(toRenderScene(scene), view);
  drawn.set(scene, { view, rendering });
  return rendering;
}

/** The official generator asks for 200 visible pixels at 480 x 320. */
const OFFICIAL_SHARE = 200 / (480 * 320);

/** Fewest pixels of an object that must be seen in a picture of this size: the official share of it, at least 4. */
export function minVisiblePixels(view: View): number {
  return Math.max(4, OFFICIAL_SHARE * view.width * view.height);
}

/**
 * The first object that can't be seen well enough: its centre lies outside the frame, or fewer than `minVisiblePixels`
 * of it are seen. Null when all can.
 */
export function visibilityProblem(
  geometry: Geometry,
  view: View,
): Rejection<'out-of-frame' | 'object-hidden'> | null {
  const needed = minVisiblePixels(view);
  for (const [index, object] of geometry.objects.entries()) {
    const [x, y] = object.center;
    if (!(x >= 0 && x < view.width && y >= 0 && y < view.height)) {
      return { reason: 'out-of-frame', detail: `the centre of object ${index} lies outside the picture` };
    }
    if (object.visiblePixels < needed) {
      const seen = `${object.visiblePixels.toFixed(1)} of at least ${needed.toFixed(1)} pixels`;
      return { reason: 'object-hidden', detail: `object ${index}: ${seen} can be seen` };
    }
  }
  return null;
}
