import type { SceneView } from '../relations.js';
import { RELATIONS, type Relation } from '../scene.js';
import { COMBOS, comboAt, comboOf } from './combos.js';
import { ATTRIBUTES, type Attribute } from './phrases.js';

/** A set of objects: bit i is object i. */
export type Mask = number;

/** One way to name `target` by its place beside `from`: "the {combo} {relation} the ...". */
export interface Step {
  readonly from: number;
  readonly relation: Relation;
  readonly target: number;
  readonly combo: number;
}

/** Which place of `phrases.ts` this is, with objects in place of the phrases that name them. */
export type PlaceSpec =
  | { readonly kind: 'scene' }
  | { readonly kind: 'relate'; readonly relation: Relation; readonly object: number }
  | {
      readonly kind: 'both';
      readonly relations: readonly [Relation, Relation];
      readonly objects: readonly [number, number];
    }
  | { readonly kind: 'same'; readonly attribute: Attribute; readonly object: number };

/** A place with the sets that the degenerate check compares. */
export interface PlaceSets {
  readonly spec: PlaceSpec;
  readonly set: Mask;
  /** For each relation of the place, the set when that relation is dropped (every object but its reference). */
  readonly without: readonly Mask[];
  /** For each relation of the place, the sets with another relation in its stead. */
  readonly instead: readonly (readonly Mask[])[];
}

/** The most objects a scene may have: masks are 31-bit integers. */
export const MAX_OBJECTS = 30;

/** What the generator knows of one scene. Pure, and made anew for each scene; steps are computed when first asked for. */
export class SceneSets {
  readonly count: number;
  readonly all: Mask;
  /** The objects of each combo of `COMBOS`, anywhere in the scene. */
  readonly masks: Int32Array;
  /**
   * The combos that can be about something: without any one filter they hold for some object. Of the others every
   * set is empty with or without that filter.
   */
  readonly candidates: readonly number[];
  /** For each object the combos that name it alone in the scene, none with a filter to spare. */
  readonly names: readonly (readonly number[])[];
  /** The objects that adjectives alone can name. */
  readonly named: readonly number[];
  /** The whole scene as a place. */
  readonly whole: PlaceSets;
  readonly #same: Readonly<Record<Attribute, readonly Mask[]>>;
  readonly #related: Readonly<Record<Relation, readonly Mask[]>>;
  readonly #combosOf: readonly (readonly number[])[];
  readonly #steps = new Map<number, readonly Step[]>();
  readonly #relates = new Map<string, PlaceSets>();
  readonly #paths = new Map<number, readonly (readonly number[])[]>();

  /** Throws (a bug) on a scene of more than `MAX_OBJECTS` objects. */
  constructor(readonly view: SceneView) {
    this.count = view.objects.length;
    if (this.count > MAX_OBJECTS) throw new Error(`SceneSets: more than ${MAX_OBJECTS} objects`);
    this.all = 2 ** this.count - 1;
    this.#combosOf = view.objects.map((object) => combosOf(object));
    this.masks = new Int32Array(COMBOS.length);
    for (const [i, combos] of this.#combosOf.entries()) {
      for (const combo of combos) this.masks[combo] = this.mask(combo) | (1 << i);
    }
    this.candidates = [...COMBOS.keys()].filter((c) => comboAt(c).without.every((p) => this.mask(p) !== 0));
    const related = (relation: Relation): Mask[] =>
      view.relationships[relation].map((row) => row.reduce((mask, i) => mask | (1 << i), 0));
    this.#related = {
      left: related('left'),
      right: related('right'),
      front: related('front'),
      behind: related('behind'),
    };
    const same = (attribute: Attribute): Mask[] =>
      view.objects.map((o, i) => this.mask(comboOf([{ attribute, value: o[attribute] }])) & ~(1 << i));
    this.#same = {
      size: same('size'),
      color: same('color'),
      material: same('material'),
      shape: same('shape'),
    };
    this.names = view.objects.map((_, i) => this.namesIn(i, this.all, []));
    this.named = [...this.names.keys()].filter((i) => this.names[i]?.length);
    this.whole = { spec: { kind: 'scene' }, set: this.all, without: [], instead: [] };
  }

  mask(combo: number): Mask {
    return this.masks[combo] as number;
  }

  related(relation: Relation, object: number): Mask {
    return this.#related[relation][object] as number;
  }

  /**
   * The combos that name `target` alone within `set`, where every filter is needed, and within each of `wider` (the
   * set with one relation dropped) the combo no longer names it alone.
   */
  namesIn(target: number, set: Mask, wider: readonly Mask[]): number[] {
    const bit = 1 << target;
    return (this.#combosOf[target] as readonly number[]).filter(
      (c) =>
        (this.mask(c) & set) === bit &&
        comboAt(c).without.every((p) => (this.mask(p) & set) !== bit) &&
        wider.every((w) => (this.mask(c) & w) !== bit),
    );
  }

  /** All steps from one object to another by one relation. */
  stepsFrom(from: number): readonly Step[] {
    let steps = this.#steps.get(from);
    if (!steps) {
      const others = this.all & ~(1 << from);
      steps = RELATIONS.flatMap((relation) => {
        const set = this.related(relation, from);
        return members(set).flatMap((target) =>
          this.namesIn(target, set, [others]).map((combo) => ({ from, relation, target, combo })),
        );
      });
      this.#steps.set(from, steps);
    }
    return steps;
  }

  /** All paths of `length` different objects: the first has a name of its own, each other is a step from the one before. */
  paths(length: number): readonly (readonly number[])[] {
    let paths = this.#paths.get(length);
    if (!paths) {
      paths =
        length <= 1
          ? this.named.map((i) => [i])
          : this.paths(length - 1).flatMap((path) => {
              const targets = new Set(this.stepsFrom(path.at(-1) as number).map((s) => s.target));
              return [...targets].filter((t) => !path.includes(t)).map((t) => [...path, t]);
            });
      this.#paths.set(length, paths);
    }
    return paths;
  }

  relate(relation: Relation, object: number): PlaceSets {
    const key = `${relation}${object}`;
    let place = this.#relates.get(key);
    if (!place) {
      place = {
        spec: { kind: 'relate', relation, object },
        set: this.related(relation, object),
        without: [this.all & ~(1 << object)],
        instead: [RELATIONS.filter((r) => r !== relation).map((r) => this.related(r, object))],
      };
      this.#relates.set(key, place);
    }
    return place;
  }

  same(attribute: Attribute, object: number): PlaceSets {
    return {
      spec: { kind: 'same', attribute, object },
      set: this.#same[attribute][object] as number,
      without: [this.all & ~(1 << object)],
      instead: [ATTRIBUTES.filter((a) => a !== attribute).map((a) => this.#same[a][object] as number)],
    };
  }

  /** The parts beside `set` are computed when first asked for: most of a scene's hundreds of pairs never are. */
  both(relations: readonly [Relation, Relation], objects: readonly [number, number]): PlaceSets {
    const first = this.relate(relations[0], objects[0]);
    const second = this.relate(relations[1], objects[1]);
    const and = (masks: readonly Mask[], set: Mask): Mask[] => masks.map((m) => m & set);
    let without: readonly Mask[] | undefined;
    let instead: readonly (readonly Mask[])[] | undefined;
    return {
      spec: { kind: 'both', relations, objects },
      set: first.set & second.set,
      get without() {
        return (without ??= [...and(first.without, second.set), ...and(second.without, first.set)]);
      },
      get instead() {
        return (instead ??= [
          ...first.instead.map((masks) => and(masks, second.set)),
          ...second.instead.map((masks) => and(masks, first.set)),
        ]);
      },
    };
  }
}

/** The objects of a mask, ascending. */
export function members(mask: Mask): number[] {
  const found: number[] = [];
  for (let rest = mask; rest !== 0; rest &= rest - 1) found.push(31 - Math.clz32(rest & -rest));
  return found;
}

/** The number of objects in a mask. */
export function size(mask: Mask): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** The 16 combos that hold for an object. */
function combosOf(object: SceneView['objects'][number]): readonly number[] {
  const single = ATTRIBUTES.map((attribute) => comboOf([{ attribute, value: object[attribute] }]));
  return single.reduce<number[]>((sums, part) => [...sums, ...sums.map((sum) => sum + part)], [0]);
}
