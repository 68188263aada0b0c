import { EXTENT } from '../sampler.js';
import type { ClevrScene } from '../scene.js';

/** Step of the coordinates that a micro rewriter reads and writes, world units. */
export const GRID_STEP = 0.5;

/** All grid coordinates in [-extent, extent], ascending; zero is never negative. */
export function gridCoordinates(extent: number = EXTENT): number[] {
  const steps = Math.floor(extent / GRID_STEP);
  return Array.from({ length: 2 * steps + 1 }, (_, i) => (i - steps) * GRID_STEP + 0);
}

/** The nearest grid coordinate in [-3, 3]; how a micro rewriter is shown where an object stands. */
export function toGrid(value: number): number {
  const nearest = Math.round(value / GRID_STEP) * GRID_STEP;
  return Math.max(-EXTENT, Math.min(EXTENT, nearest)) + 0;
}

/** The objects of a scene as the micro rewriter reads them, e.g. `0 large red metal cube -1.5 2 | 1 ...`. */
export function microScene(scene: ClevrScene): string {
  return scene.objects
    .map((o, i) => `${i} ${o.size} ${o.color} ${o.material} ${o.shape} ${toGrid(o.x)} ${toGrid(o.y)}`)
    .join(' | ');
}

export { closedWords as microQuestion, eighths as microPassRate } from '../../../core/closedText.js';
