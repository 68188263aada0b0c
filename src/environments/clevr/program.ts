import type { Color, Material, Relation, Shape, Size } from './scene.js';

/** Every function of CLEVR's program language. */
export const FUNCTIONS = [
  'scene',
  'filter_size',
  'filter_color',
  'filter_material',
  'filter_shape',
  'unique',
  'relate',
  'union',
  'intersect',
  'count',
  'exist',
  'query_size',
  'query_color',
  'query_material',
  'query_shape',
  'same_size',
  'same_color',
  'same_material',
  'same_shape',
  'equal_size',
  'equal_color',
  'equal_material',
  'equal_shape',
  'equal_integer',
  'less_than',
  'greater_than',
] as const;

export type ClevrFunction = (typeof FUNCTIONS)[number];

/** One node of a program; inputs are indices of earlier nodes; the last node is the answer. */
export type ProgramNode = {
  readonly function: ClevrFunction;
  readonly inputs: readonly number[];
  /** The literal argument of a filter or a relation; absent elsewhere. */
  readonly value?: Size | Color | Material | Shape | Relation;
};

/** A value in a program: object indices (ascending), one object, a count, a truth value or an attribute word. */
export type ProgramValue =
  | { readonly kind: 'objects'; readonly objects: readonly number[] }
  | { readonly kind: 'object'; readonly object: number }
  | { readonly kind: 'integer'; readonly integer: number }
  | { readonly kind: 'boolean'; readonly boolean: boolean }
  | { readonly kind: 'word'; readonly word: string };

/** The nine template families of CLEVR. */
export const FAMILIES = [
  'zero_hop',
  'one_hop',
  'two_hop',
  'three_hop',
  'single_and',
  'single_or',
  'same_relate',
  'comparison',
  'compare_integer',
] as const;

export type Family = (typeof FAMILIES)[number];

/** A question with the program that answers it. */
export type ClevrQuestion = {
  readonly text: string;
  readonly program: readonly ProgramNode[];
  /** The family where it is known (our generator's), else `other`. */
  readonly family: Family | 'other';
};
