import { ok, reject, type Result } from '../../core/result.js';
import type { ClevrAction, ClevrEdit } from './edit.js';
import type { ClevrRejection } from './rejections.js';
import type { ClevrObject, ClevrScene } from './scene.js';

/** Edits must not differ in effect from what their JSON does, and JSON has no NaN and no infinity. */
function finite(...values: readonly number[]): boolean {
  return values.every((value) => Number.isFinite(value));
}

function unknownObject(edit: ClevrEdit['edit'], index: number, count: number): Result<never, ClevrRejection> {
  return reject('unknown-object', `${edit}: there is no object ${index}, the scene has ${count}`);
}

/**
 * One edit applied to a scene, which is left unchanged. Refused as `unknown-object`, `no-effect` or `malformed`;
 * whether the outcome is a good scene (places, counts, visibility) is for the environment to say, since a later edit of
 * the same list may mend it.
 */
export function applyEdit(scene: ClevrScene, edit: ClevrEdit): Result<ClevrScene, ClevrRejection> {
  const count = scene.objects.length;
  if (edit.edit === 'add_object') {
    const { edit: _edit, index = count, rotation = 0, ...rest } = edit;
    if (!Number.isInteger(index) || index < 0 || index > count) return unknownObject(edit.edit, index, count);
    if (!finite(rest.x, rest.y, rotation))
      return reject('malformed', 'add_object: coordinates must be finite');
    return ok({ ...scene, objects: scene.objects.toSpliced(index, 0, { ...rest, rotation }) });
  }
  const before = scene.objects[edit.object];
  if (!before) return unknownObject(edit.edit, edit.object, count);
  if (edit.edit === 'remove_object')
    return ok({ ...scene, objects: scene.objects.toSpliced(edit.object, 1) });
  const changes = changesOf(edit);
  if (!finite(changes.x ?? 0, changes.y ?? 0))
    return reject('malformed', `${edit.edit}: coordinates must be finite`);
  const after: ClevrObject = { ...before, ...changes };
  if (sameObject(before, after)) {
    return reject('no-effect', `${edit.edit}: object ${edit.object} is that way already`);
  }
  return ok({ ...scene, objects: scene.objects.with(edit.object, after) });
}

type ObjectEdit = Exclude<ClevrEdit, { edit: 'add_object' | 'remove_object' }>;

function changesOf(edit: ObjectEdit): Partial<ClevrObject> {
  switch (edit.edit) {
    case 'change_category':
      return { shape: edit.shape };
    case 'move_object':
      return { x: edit.x, y: edit.y };
    case 'change_attribute':
      if ('color' in edit) return { color: edit.color };
      return 'size' in edit ? { size: edit.size } : { material: edit.material };
    default:
      return edit satisfies never;
  }
}

function sameObject(a: ClevrObject, b: ClevrObject): boolean {
  return (
    a.shape === b.shape &&
    a.color === b.color &&
    a.material === b.material &&
    a.size === b.size &&
    a.x === b.x &&
    a.y === b.y &&
    a.rotation === b.rotation
  );
}

/** Whether two scenes are the same, object order included. */
export function sameScene(a: ClevrScene, b: ClevrScene): boolean {
  return (
    a.objects.length === b.objects.length &&
    a.camera.x === b.camera.x &&
    a.camera.y === b.camera.y &&
    a.camera.z === b.camera.z &&
    a.objects.every((object, i) => sameObject(object, b.objects[i] as ClevrObject))
  );
}

/**
 * Edits applied in order, each to the scene that the one before left (so removing object 2 makes object 3 number 2).
 * The first refusal refuses the list, and so does a list that ends where it began (`no-effect`).
 */
export function applyEdits(
  scene: ClevrScene,
  edits: readonly ClevrEdit[],
): Result<ClevrScene, ClevrRejection> {
  let edited = scene;
  for (const edit of edits) {
    const step = applyEdit(edited, edit);
    if (!step.ok) return step;
    edited = step.value;
  }
  if (sameScene(scene, edited)) return reject('no-effect', 'the edits leave the scene as it was');
  return ok(edited);
}

/**
 * The edit that takes `applyEdit(scene, edit)` back to `scene`, exactly. Refused when the edit itself would be.
 */
export function inverseEdit(scene: ClevrScene, edit: ClevrEdit): Result<ClevrEdit, ClevrRejection> {
  const applied = applyEdit(scene, edit);
  if (!applied.ok) return applied;
  if (edit.edit === 'add_object') {
    return ok({ edit: 'remove_object', object: edit.index ?? scene.objects.length });
  }
  const object = scene.objects[edit.object] as ClevrObject;
  switch (edit.edit) {
    case 'remove_object':
      return ok({ edit: 'add_object', ...object, index: edit.object });
    case 'move_object':
      return ok({ edit: 'move_object', object: edit.object, x: object.x, y: object.y });
    case 'change_category':
      return ok({ edit: 'change_category', object: edit.object, shape: object.shape });
    case 'change_attribute': {
      const base = { edit: 'change_attribute', object: edit.object } as const;
      if ('color' in edit) return ok({ ...base, color: object.color });
      return ok('size' in edit ? { ...base, size: object.size } : { ...base, material: object.material });
    }
    default:
      return edit satisfies never;
  }
}

/** The list that undoes `applyEdits(scene, edits)`, exactly. Refused when one of the edits would be. */
export function inverseEdits(
  scene: ClevrScene,
  edits: readonly ClevrEdit[],
): Result<readonly ClevrEdit[], ClevrRejection> {
  const inverses: ClevrEdit[] = [];
  let edited = scene;
  for (const edit of edits) {
    const inverse = inverseEdit(edited, edit);
    if (!inverse.ok) return inverse;
    inverses.unshift(inverse.value);
    const step = applyEdit(edited, edit);
    if (!step.ok) return step;
    edited = step.value;
  }
  return ok(inverses);
}

/**
 * The edits as JSON text in the one key order that the rewriter's grammar knows, without white space: what a rewriter
 * is taught to write. `rotation` and `index` are left out when absent.
 */
export function editListText(edits: readonly ClevrEdit[]): string {
  return `[${edits.map((edit) => JSON.stringify(ordered(edit))).join(',')}]`;
}

function ordered(edit: ClevrEdit): ClevrEdit {
  if (edit.edit === 'add_object') {
    const { edit: kind, shape, color, material, size, x, y, rotation, index } = edit;
    return {
      ...{ edit: kind, shape, color, material, size, x, y },
      ...(rotation !== undefined && { rotation }),
      ...(index !== undefined && { index }),
    };
  }
  const { edit: kind, object, ...rest } = edit;
  if ('x' in rest) return { edit: kind, object, x: rest.x, y: rest.y } as ClevrEdit;
  return { edit: kind, object, ...rest } as ClevrEdit;
}

/** An action in words, for people, e.g. `object 2: blue; add a large red metal cube at (1.5, -2)`. */
export function describeClevrAction(action: ClevrAction): string {
  return action.kind === 'ask' ? `ask: ${action.question.text}` : action.edits.map(describeEdit).join('; ');
}

function describeEdit(edit: ClevrEdit): string {
  switch (edit.edit) {
    case 'change_attribute': {
      const change = 'color' in edit ? edit.color : 'size' in edit ? edit.size : edit.material;
      return `make object ${edit.object} ${change}`;
    }
    case 'change_category':
      return `turn object ${edit.object} into a ${edit.shape}`;
    case 'add_object':
      return `add a ${edit.size} ${edit.color} ${edit.material} ${edit.shape} at (${edit.x}, ${edit.y})`;
    case 'remove_object':
      return `remove object ${edit.object}`;
    case 'move_object':
      return `move object ${edit.object} to (${edit.x}, ${edit.y})`;
    default:
      return edit satisfies never;
  }
}
