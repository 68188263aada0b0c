import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import type { ClevrEdit } from '../../../src/environments/clevr/edit.js';
import { draftEdits } from '../../../src/environments/clevr/editors.js';
import {
  applyEdit,
  applyEdits,
  describeClevrAction,
  editListText,
  inverseEdit,
  inverseEdits,
  sameScene,
} from '../../../src/environments/clevr/edits.js';
import { placementProblem, sampleScene } from '../../../src/environments/clevr/sampler.js';
import {
  CLEVR_ACTION,
  CLEVR_EDIT,
  CLEVR_EDIT_LIST_SCHEMA,
  checkJson,
  editListSchema,
} from '../../../src/environments/clevr/schema.js';
import { COLORS, MATERIALS, SHAPES, SIZES } from '../../../src/environments/clevr/scene.js';

/** Any edit at all of a scene with up to `objects` objects, sensible or not. */
function anyEdit(objects: number): fc.Arbitrary<ClevrEdit> {
  const object = fc.integer({ min: 0, max: objects });
  const place = fc.double({ min: -4, max: 4, noNaN: true });
  const edit = <K extends string>(kind: K) => fc.constant(kind);
  const [color, size] = [fc.constantFrom(...COLORS), fc.constantFrom(...SIZES)];
  const [material, shape] = [fc.constantFrom(...MATERIALS), fc.constantFrom(...SHAPES)];
  return fc.oneof(
    fc.record({ edit: edit('change_attribute'), object, color }),
    fc.record({ edit: edit('change_attribute'), object, size }),
    fc.record({ edit: edit('change_attribute'), object, material }),
    fc.record({ edit: edit('change_category'), object, shape }),
    fc.record({ edit: edit('remove_object'), object }),
    fc.record({ edit: edit('move_object'), object, x: place, y: place }),
    fc.record(
      {
        edit: edit('add_object'),
        shape,
        color,
        material,
        size,
        x: place,
        y: place,
        rotation: fc.double({ min: 0, max: 359, noNaN: true }),
        index: object,
      },
      { requiredKeys: ['edit', 'shape', 'color', 'material', 'size', 'x', 'y'] },
    ),
  );
}

const sample = (seed: number, objects: readonly [number, number] = [1, 8]) =>
  sampleScene(Rng.fromSeed(seed), { objects });

describe('edits', () => {
  it('are undone exactly by their inverse, one by one and as lists', () => {
    let applied = 0;
    fc.assert(
      fc.property(fc.integer(), fc.array(anyEdit(8), { minLength: 1, maxLength: 4 }), (seed, edits) => {
        const scene = sample(seed);
        const before = JSON.stringify(scene);
        const one = applyEdit(scene, edits[0] as ClevrEdit);
        const inverse = inverseEdit(scene, edits[0] as ClevrEdit);
        expect(inverse.ok).toBe(one.ok);
        if (one.ok) {
          applied++;
          expect(one.value).not.toEqual(scene);
          expect(unwrap(applyEdit(one.value, unwrap(inverse)))).toEqual(scene);
        }
        const all = applyEdits(scene, edits);
        if (all.ok) {
          const back = unwrap(inverseEdits(scene, edits));
          expect(unwrap(applyEdits(all.value, back))).toEqual(scene);
        }
        expect(JSON.stringify(scene)).toBe(before);
      }),
      { numRuns: 500 },
    );
    expect(applied).toBeGreaterThan(120);
  });

  it('change what they say and nothing else', () => {
    const scene = sample(3, [3, 3]);
    const other = COLORS.find((color) => color !== scene.objects[1]?.color) ?? 'gray';
    const recoloured = unwrap(applyEdit(scene, { edit: 'change_attribute', object: 1, color: other }));
    expect(recoloured.objects[1]).toEqual({ ...scene.objects[1], color: other });
    expect([recoloured.objects[0], recoloured.objects[2]]).toEqual([scene.objects[0], scene.objects[2]]);
    const fewer = unwrap(applyEdit(scene, { edit: 'remove_object', object: 0 }));
    expect(fewer.objects).toEqual(scene.objects.slice(1));
    const look = { shape: 'cube', color: 'red', material: 'metal', size: 'small' } as const;
    const more = unwrap(applyEdit(scene, { edit: 'add_object', ...look, x: 1, y: -1 }));
    expect(more.objects).toEqual([...scene.objects, { ...look, x: 1, y: -1, rotation: 0 }]);
    const first = unwrap(applyEdit(scene, { edit: 'add_object', ...look, x: 1, y: -1, index: 0 }));
    expect(first.objects.slice(1)).toEqual(scene.objects);
  });

  it('are refused with their reason', () => {
    const scene = sample(4, [2, 2]);
    const color = scene.objects[0]?.color ?? 'red';
    const reason = (edit: ClevrEdit): string | null => {
      const result = applyEdit(scene, edit);
      return result.ok ? null : result.error.reason;
    };
    expect(reason({ edit: 'remove_object', object: 2 })).toBe('unknown-object');
    expect(reason({ edit: 'move_object', object: -1, x: 0, y: 0 })).toBe('unknown-object');
    expect(reason({ edit: 'change_attribute', object: 0, color })).toBe('no-effect');
    expect(reason({ edit: 'move_object', object: 0, x: Number.NaN, y: 0 })).toBe('malformed');
    const { x = 0, y = 0 } = scene.objects[0] ?? {};
    const round: ClevrEdit[] = [
      { edit: 'move_object', object: 0, x: 0.25, y: 0 },
      { edit: 'move_object', object: 0, x, y },
    ];
    const idle = applyEdits(scene, round);
    expect(idle.ok ? null : idle.error.reason).toBe('no-effect');
  });

  it('of a draft keep placement and counts, and no edit speaks of a number that moved', () => {
    const options = { objects: { min: 2, max: 8 }, extent: 3, maxEdits: 4 };
    const kinds = new Map<string, number>();
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const scene = sample(seed, [2, 8]);
        const edits = draftEdits(scene, Rng.fromSeed(seed).child('draft'), options);
        if (!edits) return;
        expect(edits.length).toBeLessThanOrEqual(3);
        const after = unwrap(applyEdits(scene, edits));
        expect(after.objects.length).toBeGreaterThanOrEqual(2);
        expect(after.objects.length).toBeLessThanOrEqual(8);
        after.objects.forEach((_, i) => expect(placementProblem(after, i)).toBeNull());
        const removal = edits.findIndex((edit) => edit.edit === 'remove_object');
        if (removal >= 0) edits.slice(removal).forEach((edit) => expect(edit.edit).toBe('remove_object'));
        for (const edit of edits) {
          kinds.set(edit.edit, (kinds.get(edit.edit) ?? 0) + 1);
          if ('x' in edit) expect([(edit.x * 2) % 1, (edit.y * 2) % 1].map(Math.abs)).toEqual([0, 0]);
        }
      }),
      { numRuns: 400 },
    );
    expect(kinds.size).toBe(5);
    for (const n of kinds.values()) expect(n).toBeGreaterThan(20);
  });

  it('are told in words', () => {
    const edits: ClevrEdit[] = [
      { edit: 'change_attribute', object: 2, color: 'blue' },
      { edit: 'add_object', shape: 'cube', color: 'red', material: 'metal', size: 'large', x: 1.5, y: -2 },
      { edit: 'remove_object', object: 0 },
    ];
    expect(describeClevrAction({ kind: 'edits', edits })).toBe(
      'make object 2 blue; add a large red metal cube at (1.5, -2); remove object 0',
    );
  });

  it('know equal scenes by value', () => {
    const scene = sample(7);
    expect(sameScene(scene, structuredClone(scene))).toBe(true);
    expect(sameScene(scene, { ...scene, camera: { ...scene.camera, z: 5 } })).toBe(false);
    expect(sameScene(scene, { ...scene, objects: scene.objects.slice(1) })).toBe(false);
  });
});

describe('the schema of edits', () => {
  it('takes every edit as JSON and writes it in one key order', () => {
    fc.assert(
      fc.property(anyEdit(9), (edit) => {
        expect(unwrap(checkJson(CLEVR_EDIT, JSON.parse(JSON.stringify(edit)), 'edit'))).toEqual(
          JSON.parse(JSON.stringify(edit)),
        );
        const shuffled = Object.fromEntries(Object.entries(edit).reverse()) as ClevrEdit;
        expect(editListText([shuffled])).toBe(editListText([edit]));
        expect(JSON.parse(editListText([edit]))).toEqual([JSON.parse(JSON.stringify(edit))]);
      }),
    );
  });

  it('is strict and names what is wrong', () => {
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [{ edit: 'remove_object', object: 1, color: 'red' }, /color/],
      [{ edit: 'change_attribute', object: 1, color: 'pink' }, /color/],
      [{ edit: 'change_attribute', object: 1, color: 'red', size: 'small' }, /edit: .*size|edit: .*key/i],
      [{ edit: 'move_object', object: 1, x: '1', y: 2 }, /x: /],
      [{ edit: 'move_object', object: 1.5, x: 1, y: 2 }, /object: /],
      [{ edit: 'paint', object: 1 }, /edit/],
      [{ kind: 'edits', edits: [{ edit: 'remove_object' }] }, /./],
      [7, /./],
    ];
    for (const [json, message] of wrong) {
      const result = checkJson(CLEVR_EDIT, json, 'edit');
      expect(result.ok, JSON.stringify(json)).toBe(false);
      if (!result.ok) {
        expect(result.error.reason).toBe('malformed');
        expect(result.error.detail).toMatch(message);
      }
    }
    const nested = checkJson(CLEVR_ACTION, { kind: 'edits', edits: [{ edit: 'remove_object' }] }, 'action');
    expect(nested.ok ? '' : nested.error.detail).toMatch(/edits\.0\.object/);
  });

  it('becomes a JSON schema without rotation and index, limited to the scene', () => {
    const text = JSON.stringify(CLEVR_EDIT_LIST_SCHEMA);
    expect(CLEVR_EDIT_LIST_SCHEMA).toMatchObject({ type: 'array', minItems: 1, maxItems: 4 });
    for (const kind of [
      'change_attribute',
      'change_category',
      'add_object',
      'remove_object',
      'move_object',
    ]) {
      expect(text).toContain(kind);
    }
    expect(text).not.toMatch(/rotation|"index"|\$schema/);
    const small = JSON.stringify(editListSchema({ objects: 3, maxEdits: 2, extent: 2.5 }));
    expect(small).toContain('"maximum":2');
    expect(small).toContain('"minimum":-2.5');
    expect(small).toContain('"maxItems":2');
  });
});
