import { ATTRIBUTE_VALUES, ATTRIBUTES, type Attribute, type Filter } from './phrases.js';

/** One choice of adjectives and noun: for each attribute a value or none. All relatives are indices into `COMBOS`. */
export interface Combo {
  readonly filters: readonly Filter[];
  /** The same combo without one of its filters, in the order of `filters`. */
  readonly without: readonly number[];
  /** For each filter, the combos with another value in its place. */
  readonly instead: readonly (readonly number[])[];
}

/** Distance in `COMBOS` between neighbouring values of an attribute (mixed radix; digit 0 is "no filter"). */
const STRIDES: Readonly<Record<Attribute, number>> = { size: 108, color: 12, material: 4, shape: 1 };

/** All (2+1)(8+1)(2+1)(3+1) = 324 combos; `COMBOS[0]` has no filter. */
export const COMBOS: readonly Combo[] = Array.from({ length: 324 }, (_, index) => combo(index));

function digit(index: number, attribute: Attribute): number {
  return Math.floor(index / STRIDES[attribute]) % (ATTRIBUTE_VALUES[attribute].length + 1);
}

function combo(index: number): Combo {
  const used = ATTRIBUTES.filter((a) => digit(index, a) > 0);
  return {
    filters: used.map((a) => ({
      attribute: a,
      value: ATTRIBUTE_VALUES[a][digit(index, a) - 1] as Filter['value'],
    })),
    without: used.map((a) => index - digit(index, a) * STRIDES[a]),
    instead: used.map((a) => {
      const base = index - digit(index, a) * STRIDES[a];
      return ATTRIBUTE_VALUES[a].map((_, i) => base + (i + 1) * STRIDES[a]).filter((i) => i !== index);
    }),
  };
}

/** The combo at an index; throws (a bug) on an index outside `COMBOS`. */
export function comboAt(index: number): Combo {
  const found = COMBOS[index];
  if (!found) throw new Error(`comboAt: no combo ${index}`);
  return found;
}

/** Whether a combo filters by an attribute. */
export function comboUses(index: number, attribute: Attribute): boolean {
  return digit(index, attribute) > 0;
}

/** The index of a combo given by filters (any order, one an attribute at most). */
export function comboOf(filters: readonly Filter[]): number {
  return filters.reduce(
    (sum, f) => sum + (ATTRIBUTE_VALUES[f.attribute].indexOf(f.value) + 1) * STRIDES[f.attribute],
    0,
  );
}
