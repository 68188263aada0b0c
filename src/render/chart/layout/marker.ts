import type { Shape } from '../paint/shapes.js';
import type { Point } from '../types.js';
import type { Plan } from './plan.js';

const MARKERS = ['circle', 'square', 'triangle', 'diamond'] as const;

/** Whether lines differ by dashes. A value may lie in a gap of its line, so that these have markers in any style, and differing ones. */
function varied({ spec, style }: Plan): boolean {
  return style.type === 'line' && style.lineDash && spec.series.length > 1;
}

/** Across, pixels; 0 when the style has no markers. */
export function markerSize(plan: Plan): number {
  const { style, sizes } = plan;
  return style.marker === 'none' && !varied(plan) ? 0 : style.markerSize * Math.max(0.6, sizes.unit);
}

/** The marker of a series at a point. */
export function markerShapes(plan: Plan, series: number, at: Point, fill: string): Shape[] {
  if (markerSize(plan) === 0) return [];
  const own = plan.style.marker === 'none' ? 'circle' : plan.style.marker;
  const kind = varied(plan) ? MARKERS[(MARKERS.indexOf(own) + series) % MARKERS.length] : own;
  const { x, y } = at;
  const r = markerSize(plan) / 2;
  switch (kind) {
    case 'square':
      return [
        {
          kind: 'rect',
          left: x - 0.88 * r,
          top: y - 0.88 * r,
          right: x + 0.88 * r,
          bottom: y + 0.88 * r,
          fill,
        },
      ];
    case 'triangle':
      return [{ kind: 'polygon', points: [x, y - 1.15 * r, x + r, y + 0.75 * r, x - r, y + 0.75 * r], fill }];
    case 'diamond':
      return [
        {
          kind: 'polygon',
          points: [x, y - 1.15 * r, x + 1.15 * r, y, x, y + 1.15 * r, x - 1.15 * r, y],
          fill,
        },
      ];
    default:
      return [{ kind: 'disc', cx: x, cy: y, radius: r, fill }];
  }
}
