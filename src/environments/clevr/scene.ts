// Object types of this room are aliases, not interfaces: only an alias is assignable to `Json`.

/** CLEVR's closed vocabulary, in the official order (properties.json). */
export const SHAPES = ['cube', 'sphere', 'cylinder'] as const;
export const COLORS = ['gray', 'red', 'blue', 'green', 'brown', 'purple', 'cyan', 'yellow'] as const;
export const MATERIALS = ['rubber', 'metal'] as const;
export const SIZES = ['small', 'large'] as const;
export const RELATIONS = ['left', 'right', 'front', 'behind'] as const;

export type Shape = (typeof SHAPES)[number];
export type Color = (typeof COLORS)[number];
export type Material = (typeof MATERIALS)[number];
export type Size = (typeof SIZES)[number];
export type Relation = (typeof RELATIONS)[number];

/** Radius (half edge of a cube is radius / sqrt 2) and height of the centre above the ground, world units. */
export const RADIUS: Readonly<Record<Size, number>> = { small: 0.35, large: 0.7 };

/** One object standing on the ground plane z = 0. */
export type ClevrObject = {
  readonly shape: Shape;
  readonly color: Color;
  readonly material: Material;
  readonly size: Size;
  /** Centre on the ground plane, world units; the official generator keeps both in [-3, 3]. */
  readonly x: number;
  readonly y: number;
  /** Turn about the vertical axis in degrees, [0, 360). */
  readonly rotation: number;
};

/** Camera position in world units; it looks at the origin without roll. */
export type ClevrCamera = {
  readonly x: number;
  readonly y: number;
  readonly z: number;
};

/** The structure behind a CLEVR picture (sigma). Object order is identity: edits and traces name objects by index. */
export type ClevrScene = {
  readonly objects: readonly ClevrObject[];
  readonly camera: ClevrCamera;
};

/** Unit vectors on the ground plane (z = 0) for each relation, as seen from the camera. */
export type Directions = Readonly<Record<Relation, readonly [number, number]>>;

/** View direction and image axis of the camera, projected on the ground and normalised (official `directions`). */
export function directions(camera: ClevrCamera): Directions {
  const length = Math.sqrt(camera.x * camera.x + camera.y * camera.y);
  if (!(length > 0)) throw new Error('directions: the camera must not stand straight above the origin');
  const fx = camera.x / length;
  const fy = camera.y / length;
  return { front: [fx, fy], behind: [-fx, -fy], left: [fy, -fx], right: [-fy, fx] };
}
