/** Structure to pixels: the ray caster for scenes of solids, charts, SVG of unknown origin, PNG files, contact sheets. */
export { encodePng, decodeImage } from './png.js';
export { contactSheet, type SheetOptions } from './sheet.js';
export type { SceneRenderer } from './renderer.js';
export { rayCaster, renderScene } from './raycast/render.js';
export { project, type Projection } from './raycast/camera.js';
export type {
  CameraPosition,
  Geometry,
  ObjectGeometry,
  Rendering,
  RenderObject,
  RenderOptions,
  RenderScene,
  RenderSize,
} from './raycast/types.js';
export {
  checkSvg,
  DEFAULT_SVG_LIMITS,
  extractSvg,
  openSvgRasteriser,
  SVG_PROBLEMS,
  type CheckedSvg,
  type PictureSize,
  type RasteriserOptions,
  type SvgLimits,
  type SvgProblem,
  type SvgRasteriser,
  type SvgRejection,
} from './svg/index.js';
export * from './chart/index.js';
