import * as fc from 'fast-check';
import type { RenderObject, RenderScene } from '../../src/render/index.js';

export const RED = [173, 35, 35] as const;
export const BLUE = [42, 75, 215] as const;
export const YELLOW = [255, 238, 51] as const;
export const CAMERA = { x: 7.48, y: -6.51, z: 5.34 };

/** A solid with defaults, for scenes written by hand. */
export function solid(over: Partial<RenderObject> = {}): RenderObject {
  return { shape: 'cube', material: 'rubber', rgb: RED, radius: 0.7, x: 0, y: 0, rotation: 0, ...over };
}

/** Evenly spread: fast-check's liking for extremes would put many solids in the very same place, where depths tie. */
const real = (min: number, max: number) =>
  fc.noBias(fc.integer({ min: 0, max: 2 ** 31 - 1 })).map((n) => min + ((max - min) * n) / 2 ** 31);

export const anyObject: fc.Arbitrary<RenderObject> = fc.record({
  shape: fc.constantFrom('cube', 'sphere', 'cylinder'),
  material: fc.constantFrom('rubber', 'metal'),
  rgb: fc.constantFrom(RED, BLUE, YELLOW),
  radius: real(0.2, 0.9),
  x: real(-5, 5),
  y: real(-5, 5),
  rotation: real(-400, 400),
});

/** Scenes of 0 to 6 solids, which may overlap or leave the frame, seen from CLEVR's camera or round it. */
export const anyScene: fc.Arbitrary<RenderScene> = fc.record({
  objects: fc.array(anyObject, { maxLength: 6 }),
  camera: fc.record({ x: real(5, 9), y: real(-9, -5), z: real(3.5, 9) }),
});

/** Three fixed scenes for golden pictures. */
export const FIXED: Readonly<Record<string, RenderScene>> = {
  empty: { objects: [], camera: CAMERA },
  shapes: {
    camera: CAMERA,
    objects: [
      solid({ x: -2, y: 0.5, rotation: 33, material: 'metal' }),
      solid({ shape: 'sphere', rgb: BLUE, x: 0.2, y: -0.4, material: 'metal' }),
      solid({ shape: 'cylinder', rgb: YELLOW, x: 1.8, y: 1.9 }),
      solid({ shape: 'sphere', rgb: RED, radius: 0.35, x: 2, y: -1.5 }),
    ],
  },
  crowded: {
    camera: { x: 7.1, y: -6.9, z: 5.7 },
    objects: [
      solid({ x: 2.4, y: -2.2, rotation: 71, rgb: BLUE }),
      solid({ x: 1.4, y: -1.1, radius: 0.35, shape: 'cylinder', material: 'metal' }),
      solid({ x: -0.3, y: 0.6, shape: 'sphere', rgb: YELLOW }),
      solid({ x: -2.6, y: 2.3, shape: 'cylinder', material: 'metal', rgb: BLUE }),
      solid({ x: 2.9, y: 2.8, radius: 0.35, rotation: 12.5 }),
      solid({ x: -2.4, y: -2.7, radius: 0.35, shape: 'sphere', material: 'metal', rgb: YELLOW }),
    ],
  },
};
