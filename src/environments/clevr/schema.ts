import { z } from 'zod';
import type { Json } from '../../core/json.js';
import { ok, reject, type Result } from '../../core/result.js';
import type { ClevrAction, ClevrEdit, ClevrState } from './edit.js';
import { FAMILIES, FUNCTIONS, type ClevrQuestion } from './program.js';
import type { ClevrRejection } from './rejections.js';
import { EXTENT, MAX_OBJECTS } from './sampler.js';
import { COLORS, MATERIALS, RELATIONS, SHAPES, SIZES, type ClevrScene } from './scene.js';

/** Most edits that one action holds unless the configuration says otherwise. */
export const DEFAULT_MAX_EDITS = 4;

const shape = z.enum(SHAPES);
const color = z.enum(COLORS);
const material = z.enum(MATERIALS);
const size = z.enum(SIZES);
const rotation = z.number().min(0).lt(360);

function addSchema(coordinate: z.ZodType<number>) {
  const edit = z.literal('add_object');
  return z.strictObject({ edit, shape, color, material, size, x: coordinate, y: coordinate });
}

function editSchema<Add extends z.ZodType>(
  index: z.ZodType<number>,
  coordinate: z.ZodType<number>,
  add: Add,
) {
  const object = index;
  return z.union([
    z.strictObject({ edit: z.literal('change_attribute'), object, color }),
    z.strictObject({ edit: z.literal('change_attribute'), object, size }),
    z.strictObject({ edit: z.literal('change_attribute'), object, material }),
    z.strictObject({ edit: z.literal('change_category'), object, shape }),
    add,
    z.strictObject({ edit: z.literal('remove_object'), object }),
    z.strictObject({ edit: z.literal('move_object'), object, x: coordinate, y: coordinate }),
  ]);
}

const anyIndex = z.int().min(0).max(MAX_OBJECTS);
const anyCoordinate = z.number();

/** One edit, strictly: unknown keys are refused. Whether the object exists is checked when the edit is applied. */
export const CLEVR_EDIT: z.ZodType<ClevrEdit> = editSchema(
  anyIndex,
  anyCoordinate,
  addSchema(anyCoordinate).extend({ rotation: rotation.exactOptional(), index: anyIndex.exactOptional() }),
);

const question: z.ZodType<ClevrQuestion> = z.strictObject({
  text: z.string().trim().min(1),
  program: z
    .array(
      z.strictObject({
        function: z.enum(FUNCTIONS),
        inputs: z.array(z.int().min(0)),
        value: z.enum([...SIZES, ...COLORS, ...MATERIALS, ...SHAPES, ...RELATIONS]).exactOptional(),
      }),
    )
    .min(1)
    .max(100),
  family: z.enum([...FAMILIES, 'other']),
});

/** An action: a list of edits, or another question with its program. */
export const CLEVR_ACTION: z.ZodType<ClevrAction> = z.union([
  z.strictObject({ kind: z.literal('edits'), edits: z.array(CLEVR_EDIT).min(1) }),
  z.strictObject({ kind: z.literal('ask'), question }),
]);

/** A scene in our own form (see `ClevrScene`). */
export const CLEVR_SCENE: z.ZodType<ClevrScene> = z.strictObject({
  objects: z
    .array(z.strictObject({ shape, color, material, size, x: z.number(), y: z.number(), rotation }))
    .min(1)
    .max(MAX_OBJECTS),
  camera: z
    .strictObject({ x: z.number(), y: z.number(), z: z.number() })
    .refine((c) => c.z > 0 && (c.x !== 0 || c.y !== 0), 'must stand above the ground and beside the origin'),
});

/** A scene with its question. */
export const CLEVR_STATE: z.ZodType<ClevrState> = z.strictObject({ scene: CLEVR_SCENE, question });

/** The value as the schema has it, or a `malformed` rejection whose one line names the first thing that is wrong. */
export function checkJson<T>(schema: z.ZodType<T>, json: unknown, what: string): Result<T, ClevrRejection> {
  const parsed = schema.safeParse(json);
  return parsed.success
    ? ok(parsed.data)
    : reject('malformed', `${what}: ${firstIssue(parsed.error.issues)}`);
}

/**
 * JSON schema of the list of edits that a model writes, for constrained decoding: 1 to `maxEdits` edits, objects from 0
 * to `objects - 1`, coordinates in [-extent, extent]. `rotation` and `index` are left out: no model needs them.
 */
export function editListSchema(limits: { objects: number; maxEdits: number; extent: number }): Json {
  const index = z
    .int()
    .min(0)
    .max(Math.max(0, limits.objects - 1));
  const coordinate = z.number().min(-limits.extent).max(limits.extent);
  const edit = editSchema(index, coordinate, addSchema(coordinate));
  const { $schema: _dialect, ...schema } = z.toJSONSchema(z.array(edit).min(1).max(limits.maxEdits));
  return schema as Json;
}

/** `editListSchema` at CLEVR's own limits: 10 objects, 4 edits, coordinates in [-3, 3]. */
export const CLEVR_EDIT_LIST_SCHEMA: Json = editListSchema({
  objects: MAX_OBJECTS,
  maxEdits: DEFAULT_MAX_EDITS,
  extent: EXTENT,
});

/** A union's issue is that no option fits; its most telling part is the option that came nearest. */
function firstIssue(issues: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[] = []): string {
  const issue = issues[0];
  if (!issue) return 'not of the expected form';
  const path = [...prefix, ...issue.path];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const depth = (option: readonly z.core.$ZodIssue[]): number =>
      option.some((i) => i.path.length <= 1 && (i.path[0] === 'edit' || i.path[0] === 'kind'))
        ? 100
        : option.length;
    const nearest = [...issue.errors].sort((a, b) => depth(a) - depth(b))[0];
    if (nearest && nearest.length > 0) return firstIssue(nearest, path);
  }
  return path.length === 0 ? issue.message : `${path.map(String).join('.')}: ${issue.message}`;
}
