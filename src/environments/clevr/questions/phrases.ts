import type { ClevrFunction, ProgramNode } from '../program.js';
import {
  COLORS,
  MATERIALS,
  SHAPES,
  SIZES,
  type Color,
  type Material,
  type Relation,
  type Shape,
  type Size,
} from '../scene.js';

/** The four attributes, in the order in which adjectives are written and filters are applied. */
export const ATTRIBUTES = ['size', 'color', 'material', 'shape'] as const;

export type Attribute = (typeof ATTRIBUTES)[number];

export type AttributeValue = Size | Color | Material | Shape;

/** The words of each attribute. */
export const ATTRIBUTE_VALUES: Readonly<Record<Attribute, readonly AttributeValue[]>> = {
  size: SIZES,
  color: COLORS,
  material: MATERIALS,
  shape: SHAPES,
};

export interface Filter {
  readonly attribute: Attribute;
  readonly value: AttributeValue;
}

/** "left of the red cube". */
export interface RelationPhrase {
  readonly relation: Relation;
  readonly of: NounPhrase;
}

/** Where the objects of a noun phrase are looked for. */
export type Place =
  | { readonly kind: 'scene' }
  | ({ readonly kind: 'relate' } & RelationPhrase)
  | { readonly kind: 'both'; readonly first: RelationPhrase; readonly second: RelationPhrase }
  | { readonly kind: 'same'; readonly attribute: Attribute; readonly as: NounPhrase };

/** A set of objects in words: filters in the order of `ATTRIBUTES`, and a place. After "the" it names one object. */
export interface NounPhrase {
  readonly filters: readonly Filter[];
  readonly place: Place;
}

/** How two counts are compared. */
export type CountTest = 'equal_integer' | 'less_than' | 'greater_than';

/** A question before it becomes words and a program. */
export type Form =
  | { readonly ask: 'count' | 'exist'; readonly set: NounPhrase }
  | { readonly ask: 'query'; readonly attribute: Attribute; readonly one: NounPhrase }
  | {
      readonly ask: 'count_either';
      /** Filters on the whole union, applied after it. */
      readonly filters: readonly Filter[];
      readonly first: NounPhrase;
      readonly second: NounPhrase;
    }
  | {
      readonly ask: 'compare_counts';
      readonly test: CountTest;
      readonly first: NounPhrase;
      readonly second: NounPhrase;
    }
  | {
      readonly ask: 'compare_attribute';
      readonly attribute: Attribute;
      readonly first: NounPhrase;
      readonly second: NounPhrase;
    };

/** Appends nodes; `add` gives back the index of the new one. */
class ProgramBuilder {
  readonly nodes: ProgramNode[] = [];

  add(fn: ClevrFunction, inputs: readonly number[], value?: ProgramNode['value']): number {
    this.nodes.push(value === undefined ? { function: fn, inputs } : { function: fn, inputs, value });
    return this.nodes.length - 1;
  }

  filtered(input: number, filters: readonly Filter[]): number {
    return filters.reduce((last, f) => this.add(`filter_${f.attribute}`, [last], f.value), input);
  }

  related(phrase: RelationPhrase): number {
    return this.add('relate', [this.one(phrase.of)], phrase.relation);
  }

  placed(place: Place): number {
    switch (place.kind) {
      case 'scene':
        return this.add('scene', []);
      case 'relate':
        return this.related(place);
      case 'both': {
        const first = this.related(place.first);
        return this.add('intersect', [first, this.related(place.second)]);
      }
      case 'same':
        return this.add(`same_${place.attribute}`, [this.one(place.as)]);
    }
  }

  set(phrase: NounPhrase): number {
    return this.filtered(this.placed(phrase.place), phrase.filters);
  }

  one(phrase: NounPhrase): number {
    return this.add('unique', [this.set(phrase)]);
  }
}

/** The program of a form: nodes depth first, filters in the order of `ATTRIBUTES`, as in the official programs. */
export function formProgram(form: Form): readonly ProgramNode[] {
  const b = new ProgramBuilder();
  switch (form.ask) {
    case 'count':
    case 'exist':
      b.add(form.ask, [b.set(form.set)]);
      break;
    case 'query':
      b.add(`query_${form.attribute}`, [b.one(form.one)]);
      break;
    case 'count_either': {
      const first = b.set(form.first);
      const union = b.add('union', [first, b.set(form.second)]);
      b.add('count', [b.filtered(union, form.filters)]);
      break;
    }
    case 'compare_counts': {
      const first = b.add('count', [b.set(form.first)]);
      b.add(form.test, [first, b.add('count', [b.set(form.second)])]);
      break;
    }
    case 'compare_attribute': {
      const words = [form.first, form.second].map((one) => b.add(`query_${form.attribute}`, [b.one(one)]));
      b.add(`equal_${form.attribute}`, words);
    }
  }
  return b.nodes;
}
