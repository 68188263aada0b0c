/** SVG of unknown origin to pixels: checked, then drawn in a process that can be stopped, with bundled fonts. */
export { checkSvg } from './check.js';
export { extractSvg } from './extract.js';
export {
  openSvgRasteriser,
  type PictureSize,
  type RasteriserOptions,
  type SvgRasteriser,
} from './rasteriser.js';
export {
  DEFAULT_SVG_LIMITS,
  SVG_PROBLEMS,
  type CheckedSvg,
  type SvgLimits,
  type SvgProblem,
  type SvgRejection,
} from './types.js';
