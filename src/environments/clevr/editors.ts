import type { Rng } from '../../core/rng.js';
import { applyEdit, applyEdits } from './edits.js';
import type { ClevrEdit } from './edit.js';
import { gridCoordinates } from './roles/micro.js';
import { placementProblem } from './sampler.js';
import { COLORS, MATERIALS, SHAPES, SIZES, type ClevrObject, type ClevrScene } from './scene.js';

/** What a random draft keeps to. */
export interface DraftOptions {
  /** Fewest and most objects after every edit. */
  readonly objects: { readonly min: number; readonly max: number };
  /** Objects stand in [-extent, extent] on both axes, world units. */
  readonly extent: number;
  /** Most edits in a list; drafts hold 1 to min(3, maxEdits). */
  readonly maxEdits: number;
}

/** The paper's four edit classes; the third, adding or removing an object, counts as two. */
const STEPS = ['attribute', 'category', 'add', 'remove', 'place'] as const;
type Step = (typeof STEPS)[number];

const MAX_DRAFT_EDITS = 3;
const PLACEMENT_TRIES = 50;

/**
 * A random list of edits that keeps the rules of placement and the number of objects at every step: length uniform,
 * kind of each edit uniform over the five kinds, everything else uniform.
 * Places are grid points and new objects are not turned, exactly as in what a micro rewriter can write, so that random
 * and learned edits differ by choice alone. Removals come last: no edit then speaks of a number that moved. Null when
 * nothing could be done to the scene.
 */
export function draftEdits(scene: ClevrScene, rng: Rng, options: DraftOptions): ClevrEdit[] | null {
  const length = 1 + rng.int(Math.min(MAX_DRAFT_EDITS, options.maxEdits));
  const steps = Array.from({ length }, (): Step => rng.pick(STEPS));
  const last = (step: Step): number => (step === 'remove' ? 1 : 0);
  steps.sort((a, b) => last(a) - last(b));
  const edits: ClevrEdit[] = [];
  let edited = scene;
  for (const step of steps) {
    const next = draftStep(edited, step, rng, options, scene.objects.length);
    if (!next) continue;
    edits.push(next.edit);
    edited = next.scene;
  }
  return edits.length > 0 && applyEdits(scene, edits).ok ? edits : null;
}

/**
 * One edit of a kind with the scene it leads to; null when 50 tries found none. It names one of the `known` objects that were
 * there before the list: a rewriter can't name what it has only just added.
 */
function draftStep(
  scene: ClevrScene,
  step: Step,
  rng: Rng,
  options: DraftOptions,
  known: number,
): { readonly edit: ClevrEdit; readonly scene: ClevrScene } | null {
  const count = scene.objects.length;
  if (step === 'add' ? count >= options.objects.max : count === 0) return null;
  if (step === 'remove' && count <= Math.max(1, options.objects.min)) return null;
  const grid = gridCoordinates(options.extent);
  // Attributes of a new object are drawn once: trying others when it doesn't fit would favour small ones.
  const look = {
    shape: rng.pick(SHAPES),
    color: rng.pick(COLORS),
    material: rng.pick(MATERIALS),
    size: rng.pick(SIZES),
  };
  for (let attempt = 0; attempt < PLACEMENT_TRIES; attempt++) {
    const edit = drawEdit(Math.min(known, count), step, rng, grid, look);
    const applied = applyEdit(scene, edit);
    if (!applied.ok) continue;
    const moved = step === 'add' ? count : step === 'remove' ? null : 'object' in edit ? edit.object : null;
    if (moved !== null && placementProblem(applied.value, moved, options.extent) !== null) continue;
    return { edit, scene: applied.value };
  }
  return null;
}

type Look = Pick<ClevrObject, 'shape' | 'color' | 'material' | 'size'>;

function drawEdit(objects: number, step: Step, rng: Rng, grid: readonly number[], look: Look): ClevrEdit {
  if (step === 'add') return { edit: 'add_object', ...look, x: rng.pick(grid), y: rng.pick(grid) };
  const object = rng.int(objects);
  switch (step) {
    case 'remove':
      return { edit: 'remove_object', object };
    case 'place':
      return { edit: 'move_object', object, x: rng.pick(grid), y: rng.pick(grid) };
    case 'category':
      return { edit: 'change_category', object, shape: rng.pick(SHAPES) };
    case 'attribute': {
      const edit = 'change_attribute';
      const which = rng.int(3);
      if (which === 0) return { edit, object, color: rng.pick(COLORS) };
      return which === 1
        ? { edit, object, size: rng.pick(SIZES) }
        : { edit, object, material: rng.pick(MATERIALS) };
    }
    default:
      return step satisfies never;
  }
}
