import type { Image } from '../../core/image.js';

/** One solid standing on the ground plane z = 0. Lengths are world units. */
export interface RenderObject {
  readonly shape: 'cube' | 'sphere' | 'cylinder';
  readonly material: 'rubber' | 'metal';
  /** Surface colour, sRGB, each 0 to 255. */
  readonly rgb: readonly [number, number, number];
  /** Radius of the sphere or cylinder (height 2 r); a cube's half edge is radius / sqrt 2. Above 0. */
  readonly radius: number;
  /** Centre on the ground plane. */
  readonly x: number;
  readonly y: number;
  /** Turn about the vertical in degrees, counter-clockwise from above. */
  readonly rotation: number;
}

/** Where the camera stands; it looks at the origin and is never rolled. z must be above 0, x and y not both 0. */
export interface CameraPosition {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** What is drawn. Order of objects is identity: `Geometry.objects[i]` speaks of `objects[i]`. */
export interface RenderScene {
  readonly objects: readonly RenderObject[];
  readonly camera: CameraPosition;
}

/** Size of a picture in pixels. */
export interface RenderSize {
  readonly width: number;
  readonly height: number;
}

/** Size, and how many sub-samples a pixel has along each axis. */
export interface RenderOptions extends RenderSize {
  /** Sub-samples along one axis of a pixel, 1 to 8; 3 unless told. */
  readonly supersample?: number;
}

/** Where one object lies in the picture. Pixel coordinates: x to the right, y down, (0, 0) the top left corner. */
export interface ObjectGeometry {
  /** Pixels in which it is seen, counted in sub-samples of 1 / supersample^2 pixel. */
  readonly visiblePixels: number;
  /** Pixels it would cover if it stood alone, inside the frame, counted the same way. */
  readonly totalPixels: number;
  /** Pixels with at least one visible sub-sample: x0, y0 inclusive, x1, y1 exclusive; null when it isn't seen. */
  readonly box: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number } | null;
  /** Its centre, projected; may lie outside the frame. */
  readonly center: readonly [number, number];
  /** Distance of its centre from the camera along the view axis, world units. */
  readonly depth: number;
  /** Whether any part of its outline lies outside the frame. */
  readonly clipped: boolean;
}

/** Where everything lies in the picture, objects in the scene's order. */
export interface Geometry {
  readonly objects: readonly ObjectGeometry[];
}

/** A picture and where everything lies in it. Owned by the receiver. */
export interface Rendering {
  readonly image: Image;
  readonly geometry: Geometry;
}
