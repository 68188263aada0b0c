import type { Shape } from '../paint/shapes.js';
import type { Point } from '../types.js';
import type { Plan } from './plan.js';

const MARKERS = ['circle', 'square', 'triangle', 'diamond'] as const;

/** Across, pixels; 0 when the style has no markers. */
export function markerSize({ style, sizes }: Plan): number {
  return style.marker === 'none' ? 0 : style.markerSize * Math.max(0.6, sizes.unit);
}

/** The marker of a series at a point. Where lines differ by dashes they differ by markers too. */
export function markerShapes(plan: Plan, series: number, at: Point, fill: string): Shape[] {
  const { marker, lineDash, type } = plan.style;
  if (marker === 'none') return [];
  const vary = lineDash && type === 'line';
  const kind = vary ? MARKERS[(MARKERS.indexOf(marker) + series) % MARKERS.length] : marker;
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
