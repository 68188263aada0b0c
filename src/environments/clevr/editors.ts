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

/**
 * The paper's four edit classes, the third (adding or removing an object) as two, each as often as it stands here. Half of
 * all edits add or remove, three times as many add: a step of a list that finds no room is left out, and with equal shares
 * fewer than one edit in ten would make a scene larger.
 */
const STEPS = ['attribute', 'attribute', 'category', 'add', 'add', 'add', 'remove', 'place'] as const;
type Step = (typeof STEPS)[number];

const MAX_DRAFT_EDITS = 3;
const PLACEMENT_TRIES = 50;

/**
 * A random list of edits that keeps the rules of placement and the number of objects at every step: length uniform,
 * kind of each edit as in STEPS, everything else uniform.
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
    const next = draftStep(edited, step, rng, options, scene);
    if (!next) continue;
    edits.push(next.edit);
    edited = next.scene;
  }
  return edits.length > 0 && applyEdits(scene, edits).ok ? edits : null;
}

/**
 * One edit of a kind with the scene it leads to; null when 50 tries found none. It names one of the objects that were there
 * before the list, in `original`, and a place that was free there: a rewriter can't name what it has only just added, and
 * its grammar knows the room of the scene that it was shown.
 */
function draftStep(
  scene: ClevrScene,
  step: Step,
  rng: Rng,
  options: DraftOptions,
  original: ClevrScene,
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
    const edit = drawEdit(Math.min(original.objects.length, count), step, rng, grid, look);
    const applied = applyEdit(scene, edit);
    if (!applied.ok) continue;
    if (!hasRoom(scene, edit, options.extent) || !hasRoom(original, edit, options.extent)) continue;
    return { edit, scene: applied.value };
  }
  return null;
}

/** Whether the object that an edit adds, moves or enlarges fits between the others of a scene. */
function hasRoom(scene: ClevrScene, edit: ClevrEdit, extent: number): boolean {
  if (edit.edit === 'remove_object') return true;
  const applied = applyEdit(scene, edit);
  // Without effect here, so it takes no room here.
  if (!applied.ok) return true;
  const index = edit.edit === 'add_object' ? scene.objects.length : edit.object;
  return placementProblem(applied.value, index, extent) === null;
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
