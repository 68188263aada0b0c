import type { Json } from '../../../core/json.js';
import type { Grammar, OutputConstraint } from '../../../core/role.js';
import { editListSchema } from '../schema.js';
import { COLORS, MATERIALS, SHAPES, SIZES, type ClevrObject } from '../scene.js';
import { gridCoordinates } from './micro.js';

/** What a list of edits may hold. */
export interface EditListLimits {
  /** Objects in the scene; edits name 0 to `objects - 1`. */
  readonly objects: number;
  readonly maxEdits: number;
  /** Coordinates are grid points in [-extent, extent]. */
  readonly extent: number;
  /**
   * The objects as they are, where they are known: a change then has to name another value than the present one. (A second
   * change of the same object in one list may still undo the first.)
   */
  readonly present?: readonly ClevrObject[];
}

const literal = (text: string): Grammar => ({ kind: 'literal', text });
const sequence = (...items: Grammar[]): Grammar => ({ kind: 'sequence', items });
const choice = (texts: readonly (string | number)[]): Grammar => ({
  kind: 'choice',
  options: texts.map((text) => literal(String(text))),
});
const quoted = (words: readonly string[]): Grammar => choice(words.map((word) => JSON.stringify(word)));

/**
 * The language of `editListText`: a JSON array of 1 to `maxEdits` edits. Its literals are whole JSON fragments, so that
 * any sequence of them is still JSON when white space is put between. Coordinates are limited to the 0.5 grid.
 */
export function editListGrammar(limits: EditListLimits): Grammar {
  const index = choice(Array.from({ length: limits.objects }, (_, i) => i));
  const coordinate = choice(gridCoordinates(limits.extent));
  const close = literal('}');
  const place = [literal(',"x":'), coordinate, literal(',"y":'), coordinate, close];
  const value = (key: string, words: readonly string[]): Grammar =>
    sequence(literal(`,"${key}":`), quoted(words));
  const others = (words: readonly string[], now: string | undefined): readonly string[] =>
    words.filter((word) => word !== now);
  /** An object's number followed by what may be said of it; one branch for all objects while none is known. */
  const changes = (values: (object: ClevrObject | undefined) => Grammar): Grammar =>
    limits.present
      ? {
          kind: 'choice',
          options: limits.present.map((object, i) => sequence(literal(String(i)), values(object))),
        }
      : sequence(index, values(undefined));
  const edit: Grammar = {
    kind: 'choice',
    options: [
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
        close,
      ),
      sequence(
        literal('{"edit":"change_category","object":'),
        changes((now) => value('shape', others(SHAPES, now?.shape))),
        close,
      ),
      sequence(
        literal('{"edit":"add_object","shape":'),
        quoted(SHAPES),
        value('color', COLORS),
        value('material', MATERIALS),
        value('size', SIZES),
        ...place,
      ),
      sequence(literal('{"edit":"remove_object","object":'), index, close),
      sequence(literal('{"edit":"move_object","object":'), index, ...place),
    ],
  };
  const more: Grammar = {
    kind: 'repeat',
    item: sequence(literal(','), edit),
    min: 0,
    max: limits.maxEdits - 1,
  };
  return sequence(literal('['), edit, more, literal(']'));
}

/** How a rewriter's output is constrained: by the grammar where the engine decodes itself, by the schema elsewhere. */
export function editListConstraint(limits: EditListLimits): OutputConstraint {
  const jsonSchema: Json = editListSchema(limits);
  return { grammar: editListGrammar(limits), jsonSchema };
}

/** Every literal of a grammar, each once, in order of first appearance. */
export function grammarLiterals(grammar: Grammar): string[] {
  const literals = new Set<string>();
  const walk = (node: Grammar): void => {
    switch (node.kind) {
      case 'literal':
        literals.add(node.text);
        return;
      case 'sequence':
        node.items.forEach(walk);
        return;
      case 'choice':
        node.options.forEach(walk);
        return;
      case 'repeat':
        walk(node.item);
        return;
      default:
        node satisfies never;
    }
  };
  walk(grammar);
  return [...literals];
}
