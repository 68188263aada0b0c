import { ok, type Rejection, type Result } from '../../core/result.js';
import { layoutChart } from './layout/layout.js';
import { paint } from './paint/paint.js';
import type { ChartProblem, ChartRenderer, ChartSpec, ChartView, DrawnChart } from './types.js';

/** Draws a chart. Equal calls give equal pixels, on every machine; the picture belongs to the caller. */
export function drawChart(spec: ChartSpec, view: ChartView): Result<DrawnChart, Rejection<ChartProblem>> {
  const layout = layoutChart(spec, view);
  if (!layout.ok) return layout;
  const { drawing, geometry } = layout.value;
  return ok({ image: paint(drawing), geometry });
}

/** The built-in back end. */
export const builtInCharts: ChartRenderer = { name: 'charts', draw: drawChart };
