import type { Json } from '../../../core/json.js';
import type { Grammar, OutputConstraint } from '../../../core/role.js';
import { editListSchema } from '../schema.js';
import { placementProblem } from '../sampler.js';
import { COLORS, MATERIALS, SHAPES, SIZES, type ClevrObject, type ClevrScene } from '../scene.js';
import { gridCoordinates } from './micro.js';

/** What a list of edits may hold. */
export interface EditListLimits {
  /** Objects in the scene; edits name 0 to `objects - 1`. */
  readonly objects: number;
  readonly maxEdits: number;
  /** Coordinates are grid points in [-extent, extent]. */
  readonly extent: number;
  /**
   * The scene as it is, where it is known: a change then has to name another value than the present one, and objects are put
   * only where the scene has room for them. (A second edit of one list may still undo the first, or get in its way.)
   */
  readonly scene?: ClevrScene;
}

const literal = (text: string): Grammar => ({ kind: 'literal', text });
const sequence = (...items: Grammar[]): Grammar => ({ kind: 'sequence', items });
const choice = (texts: readonly (string | number)[]): Grammar => ({
  kind: 'choice',
  options: texts.map((text) => literal(String(text))),
});
const quoted = (words: readonly string[]): Grammar => choice(words.map((word) => JSON.stringify(word)));

/** Coordinates as the grammar writes them, x with the y's that go with it. */
type Places = ReadonlyMap<number, readonly number[]>;

/** Grid points for which `fits` holds; without it all of them. */
function placesWhere(grid: readonly number[], fits: (x: number, y: number) => boolean): Places {
  const rows = grid.map((x) => [x, grid.filter((y) => fits(x, y))] as const);
  return new Map(rows.filter(([, ys]) => ys.length > 0));
}

function placeGrammar(places: Places): Grammar {
  const options = [...places].map(([x, ys]) => sequence(literal(String(x)), literal(',"y":'), choice(ys)));
  return sequence(literal(',"x":'), { kind: 'choice', options }, literal('}'));
}

/** Where a scene has room: for a new object of a size, and for an object of its own to be moved to. */
function roomIn(
  scene: ClevrScene,
  extent: number,
): { add(size: ClevrObject['size']): Places; move(object: number): Places } {
  const grid = gridCoordinates(extent);
  const fits = (objects: readonly ClevrObject[], index: number): boolean =>
    placementProblem({ ...scene, objects }, index, extent) === null;
  return {
    add(size) {
      const plain = { shape: SHAPES[0], color: COLORS[0], material: MATERIALS[0], rotation: 0 };
      return placesWhere(grid, (x, y) =>
        fits([...scene.objects, { ...plain, size, x, y }], scene.objects.length),
      );
    },
    move(object) {
      const moved = scene.objects[object] as ClevrObject;
      return placesWhere(
        grid,
        (x, y) =>
          (x !== moved.x || y !== moved.y) && fits(scene.objects.with(object, { ...moved, x, y }), object),
      );
    },
  };
}

/**
 * The language of `editListText`: a JSON array of 1 to `maxEdits` edits. Its literals are whole JSON fragments, so that
 * any sequence of them is still JSON when white space is put between. Coordinates are limited to the 0.5 grid.
 */
export function editListGrammar(limits: EditListLimits): Grammar {
  const edit: Grammar = {
    kind: 'choice',
    options: [...changeGrammars(limits), ...additions(limits), removal(limits), ...moves(limits)],
  };
  const more: Grammar = {
    kind: 'repeat',
    item: sequence(literal(','), edit),
    min: 0,
    max: limits.maxEdits - 1,
  };
  return sequence(literal('['), edit, more, literal(']'));
}

const value = (key: string, words: readonly string[]): Grammar =>
  sequence(literal(`,"${key}":`), quoted(words));

function indices({ objects }: EditListLimits): Grammar {
  return choice(Array.from({ length: objects }, (_, i) => i));
}

/** Attributes and category. */
function changeGrammars(limits: EditListLimits): Grammar[] {
  const others = (words: readonly string[], now: string | undefined): readonly string[] =>
    words.filter((word) => word !== now);
  /** An object's number followed by what may be said of it; one branch for all objects while none is known. */
  const changes = (values: (object: ClevrObject | undefined) => Grammar): Grammar =>
    limits.scene
      ? {
          kind: 'choice',
          options: limits.scene.objects.map((object, i) => sequence(literal(String(i)), values(object))),
        }
      : sequence(indices(limits), values(undefined));
  return [
    sequence(
      literal('{"edit":"change_attribute","object":'),
      changes((now) => ({
        kind: 'choice',
        options: [
          value('color', others(COLORS, now?.color)),
          value('size', others(SIZES, now?.size)),
          value('material', others(MATERIALS, now?.material)),
        ],
      })),
      literal('}'),
    ),
    sequence(
      literal('{"edit":"change_category","object":'),
      changes((now) => value('shape', others(SHAPES, now?.shape))),
      literal('}'),
    ),
  ];
}

/** New objects where there is room for them; nothing where there is none. */
function additions({ scene, extent }: EditListLimits): Grammar[] {
  const room = scene ? roomIn(scene, extent) : null;
  const sizes = SIZES.flatMap((size) => branch(JSON.stringify(size), room?.add(size) ?? null, extent));
  if (sizes.length === 0) return [];
  return [
    sequence(
      literal('{"edit":"add_object","shape":'),
      quoted(SHAPES),
      value('color', COLORS),
      value('material', MATERIALS),
      literal(',"size":'),
      { kind: 'choice', options: sizes },
    ),
  ];
}

function removal(limits: EditListLimits): Grammar {
  return sequence(literal('{"edit":"remove_object","object":'), indices(limits), literal('}'));
}

/** Objects moved to where there is room for them; nothing where there is none. */
function moves({ scene, extent, objects }: EditListLimits): Grammar[] {
  const room = scene ? roomIn(scene, extent) : null;
  const options = Array.from({ length: objects }, (_, i) =>
    branch(String(i), room?.move(i) ?? null, extent),
  ).flat();
  if (options.length === 0) return [];
  return [sequence(literal('{"edit":"move_object","object":'), { kind: 'choice', options })];
}

/** A word followed by one of the places, all of the grid where none are named; nothing when there is no place. */
function branch(word: string, places: Places | null, extent: number): Grammar[] {
  if (places?.size === 0) return [];
  const anywhere = choice(gridCoordinates(extent));
  const where = places
    ? placeGrammar(places)
    : sequence(literal(',"x":'), anywhere, literal(',"y":'), anywhere, literal('}'));
  return [sequence(literal(word), where)];
}

/** How a rewriter's output is constrained: by the grammar where the engine decodes itself, by the schema elsewhere. */
export function editListConstraint(limits: EditListLimits): OutputConstraint {
  const jsonSchema: Json = editListSchema(limits);
  return { grammar: editListGrammar(limits), jsonSchema };
}

export { grammarLiterals } from '../../../core/grammar.js';
