import { type Rng } from '../src/core/rng.js';
import type { RenderObject, RenderScene } from '../src/render/index.js';

/** CLEVR's palette, sRGB. */
export const PALETTE: Readonly<Record<string, readonly [number, number, number]>> = {
  gray: [87, 87, 87],
  red: [173, 35, 35],
  blue: [42, 75, 215],
  green: [29, 105, 20],
  brown: [129, 74, 25],
  purple: [129, 38, 192],
  cyan: [41, 208, 208],
  yellow: [255, 238, 51],
};

/** A scene of `count` solids (fewer when there is no room) placed as CLEVR places them, and a jittered camera. */
export function sampleScene(rng: Rng, count: number): RenderScene {
  const objects: RenderObject[] = [];
  for (let tries = 0; objects.length < count && tries < 200; tries++) {
    const radius = rng.chance(0.5) ? 0.7 : 0.35;
    const x = rng.range(-3, 3);
    const y = rng.range(-3, 3);
    const room = objects.every((o) => {
      const gap = Math.sqrt((o.x - x) * (o.x - x) + (o.y - y) * (o.y - y)) - o.radius - radius;
      return gap > 0.25;
    });
    if (!room) continue;
    objects.push({
      shape: rng.pick(['cube', 'sphere', 'cylinder'] as const),
      material: rng.pick(['rubber', 'metal'] as const),
      rgb: rng.pick(Object.values(PALETTE)),
      radius,
      x,
      y,
      rotation: rng.range(0, 360),
    });
  }
  const jitter = () => rng.range(-0.5, 0.5);
  return { objects, camera: { x: 7.48 + jitter(), y: -6.51 + jitter(), z: 5.34 + jitter() } };
}
