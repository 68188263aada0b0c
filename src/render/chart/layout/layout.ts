import { ok, reject, type Rejection, type Result } from '../../../core/result.js';
import type { Drawing } from '../paint/shapes.js';
import type { ChartGeometry, ChartProblem, ChartSpec, ChartView } from '../types.js';
import { layoutBars } from './bars.js';
import { checkSpec } from './check.js';
import { layoutHeader } from './header.js';
import { layoutHeat } from './heat.js';
import { layoutLines } from './lines.js';
import { layoutMicro } from './micro.js';
import { layoutPie } from './pie.js';
import { planOf, type Plan } from './plan.js';
import { layoutScatter } from './scatter.js';
import { boxOf, Refusal, type Area } from './sheet.js';

/** A chart before it is painted. */
export interface ChartLayout {
  readonly drawing: Drawing;
  readonly geometry: ChartGeometry;
}

type Parts = { readonly plot: Area } & Partial<Pick<ChartGeometry, 'valueAxis' | 'xAxis' | 'colourScale'>>;

/** Places everything of a chart. */
export function layoutChart(spec: ChartSpec, view: ChartView): Result<ChartLayout, Rejection<ChartProblem>> {
  const checked = checkSpec(spec, view);
  if (!checked.ok) return checked;
  try {
    const plan = planOf(spec, view);
    const parts = view.kind === 'micro' ? layoutMicro(plan) : layoutFull(plan);
    const { sheet, keys } = plan;
    const geometry: ChartGeometry = {
      kind: view.kind,
      type: spec.style.type,
      width: sheet.width,
      height: sheet.height,
      plot: boxOf(parts.plot),
      marks: sheet.marks,
      texts: sheet.texts,
      valueAxis: parts.valueAxis ?? null,
      xAxis: parts.xAxis ?? null,
      colourScale: parts.colourScale ?? null,
      keys,
      paper: sheet.theme.paper,
      ground: sheet.theme.ground,
    };
    return ok({ drawing: sheet.drawing(), geometry });
  } catch (cause) {
    if (cause instanceof Refusal) return reject(cause.reason, cause.message);
    throw cause;
  }
}

function layoutFull(plan: Plan): Parts {
  const area = layoutHeader(plan);
  switch (plan.style.type) {
    case 'bar':
    case 'horizontal-bar':
    case 'grouped-bar':
    case 'horizontal-grouped-bar':
    case 'stacked-bar':
    case 'horizontal-stacked-bar':
      return layoutBars(plan, area);
    case 'line':
    case 'area':
      return layoutLines(plan, area);
    case 'pie':
    case 'donut':
      return layoutPie(plan, area);
    case 'scatter':
      return layoutScatter(plan, area);
    case 'heat-map':
      return layoutHeat(plan, area);
    default:
      return plan.style.type satisfies never;
  }
}
