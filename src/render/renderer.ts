import type { Rendering, RenderScene, RenderSize } from './raycast/types.js';

export type { RenderSize } from './raycast/types.js';

/**
 * A back end that draws scenes: the built-in ray caster, or a program outside (Blender). Equal calls give equal pixels.
 * A back end that lives outside this process throws an OutageError when it is away.
 */
export interface SceneRenderer {
  /** Names the back end and everything else that decides the pixels, e.g. `raycast`. */
  readonly name: string;
  render(scene: RenderScene, size: RenderSize): Rendering | Promise<Rendering>;
}
