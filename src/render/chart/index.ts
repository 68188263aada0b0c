/** Charts to pixels: layout with exact geometry, a painter with bundled fonts, and a check that a chart can be read. */
export { NAMED_COLOURS, PALETTES, RAMPS, THEMES, type ColourName } from './palettes.js';
export {
  CHART_STYLE,
  CHART_TYPES,
  DEFAULT_STYLE,
  readStyle,
  type ChartStyle,
  type ChartType,
} from './style.js';
export { difference, worstDifference } from './colour.js';
export { builtInCharts, drawChart } from './draw.js';
export { layoutChart, type ChartLayout } from './layout/layout.js';
export { randomStyle, readableStyle } from './random.js';
export { LEAST_DIFFERENCE, readingProblems, type ReadingNeeds } from './readable.js';
export * from './types.js';
