import type { Rng } from '../../../core/rng.js';
import { comboAt, comboUses } from './combos.js';
import type { Attribute, AttributeValue } from './phrases.js';
import { members, size, type Mask, type PlaceSets, type SceneSets } from './sets.js';

/** A combo at a place: what is counted, tested or asked about. */
export interface Choice {
  readonly place: PlaceSets;
  readonly combo: number;
}

/** A choice that names one object whose attribute is asked for. */
export interface QueryChoice extends Choice {
  readonly attribute: Attribute;
  readonly target: number;
}

/** How often a phrase gets 0 to 4 filters, where the scene leaves the choice. */
const FILTER_WEIGHTS: readonly number[] = [2, 5, 4, 2, 1];

/**
 * How many places are looked at: places come in random order, and `enough` of them with a fitting choice end the
 * search (Infinity: all places are weighed).
 */
export interface Search {
  readonly places: readonly PlaceSets[];
  readonly enough: number;
}

/** Choices with one answer, by number of filters, so that the phrase's length doesn't depend on how many there are. */
class Bucket {
  readonly #bySize: Choice[][] = [[], [], [], [], []];

  add(place: PlaceSets, combo: number): void {
    (this.#bySize[comboAt(combo).filters.length] as Choice[]).push({ place, combo });
  }

  /** A choice, or null where there is none: the number of filters first, then uniform. */
  pick(rng: Rng): Choice | null {
    const weights = this.#bySize.map((list, i) => (list.length > 0 ? (FILTER_WEIGHTS[i] ?? 0) : 0));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    if (total === 0) return null;
    let left = rng.int(total);
    const chosen = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return rng.pick(this.#bySize[chosen] ?? []);
  }
}

/** A random choice among those that `fits` accepts. */
function search(
  sets: SceneSets,
  { places, enough }: Search,
  rng: Rng,
  fits: (place: PlaceSets, combo: number) => boolean,
): Choice | null {
  const bucket = new Bucket();
  let fitting = 0;
  for (const place of places) {
    let any = false;
    for (const combo of sets.candidates) {
      // Without a filter a question about the whole scene is about nothing but its size.
      if (combo === 0 && place.spec.kind === 'scene') continue;
      if (!isPossible(place, combo) || !fits(place, combo)) continue;
      bucket.add(place, combo);
      any = true;
    }
    if (any && ++fitting >= enough) break;
  }
  return bucket.pick(rng);
}

/**
 * A count: first the number, uniform over those that a non-degenerate question at these places can have (numbers are
 * tried in random order), then the question. Null where there are no two such numbers: the kind of question would
 * give the answer away.
 */
export function chooseCount(sets: SceneSets, { places, enough }: Search, rng: Rng): Choice | null {
  const open = places.filter(canNarrow);
  const sizes = open.map((place) => size(place.set));
  const numbers = Array.from({ length: Math.max(0, ...sizes) + 1 }, (_, i) => i);
  let choice: Choice | null = null;
  for (const wanted of rng.shuffle(numbers)) {
    const where = { places: open.filter((_, i) => (sizes[i] ?? 0) >= wanted), enough: choice ? 1 : enough };
    const found = search(
      sets,
      where,
      rng,
      (place, combo) => size(sets.mask(combo) & place.set) === wanted && narrows(sets, place, combo),
    );
    if (found && choice) return choice;
    choice ??= found;
  }
  return null;
}

/**
 * A question about existence: yes or no first, with even chances, then the question. Null unless the scene has
 * questions with either answer: the kind of question would give the answer away.
 */
export function chooseExist(sets: SceneSets, where: Search, rng: Rng): Choice | null {
  const wanted = rng.chance(0.5);
  const narrowing = where.places.filter(canNarrow);
  const [choice, opposite] = [wanted, !wanted].map((yes) =>
    search(
      sets,
      { places: yes ? where.places : narrowing, enough: yes === wanted ? where.enough : 1 },
      rng,
      (place, combo) =>
        ((sets.mask(combo) & place.set) !== 0) === yes && (yes ? canFail : narrows)(sets, place, combo),
    ),
  );
  return (opposite && choice) ?? null;
}

/**
 * A query: attribute first, then the word (uniform over those reachable), then the object and its name. The name never
 * holds the attribute asked for. `allowed` can forbid targets.
 */
export function chooseQuery(
  sets: SceneSets,
  { places, enough }: Search,
  attributes: readonly Attribute[],
  rng: Rng,
  allowed: (place: PlaceSets, target: number) => boolean,
): QueryChoice | null {
  for (const attribute of rng.shuffle(attributes)) {
    const byWord = new Map<AttributeValue, Bucket>();
    let fitting = 0;
    for (const place of places.filter(canNarrow)) {
      const found = queryNames(sets, place, attribute, (target) => allowed(place, target));
      for (const [word, combo] of found) {
        const bucket = byWord.get(word) ?? new Bucket();
        byWord.set(word, bucket);
        bucket.add(place, combo);
      }
      if (found.length > 0 && ++fitting >= enough) break;
    }
    if (byWord.size === 0) continue;
    const choice = byWord.get(rng.pick([...byWord.keys()].sort()))?.pick(rng);
    if (!choice) continue;
    const target = members(sets.mask(choice.combo) & choice.place.set)[0] as number;
    return { ...choice, attribute, target };
  }
  return null;
}

/** The names at a place that leave an attribute open, each with the attribute's word. */
function queryNames(
  sets: SceneSets,
  place: PlaceSets,
  attribute: Attribute,
  allowed: (target: number) => boolean,
): (readonly [AttributeValue, number])[] {
  const { spec } = place;
  if (spec.kind === 'same' && spec.attribute === attribute) return [];
  return members(place.set).flatMap((target) => {
    const object = sets.view.objects[target];
    if (!object || !allowed(target)) return [];
    return sets
      .namesIn(target, place.set, place.without)
      .filter((combo) => !comboUses(combo, attribute) && isPossible(place, combo))
      .map((combo) => [object[attribute], combo] as const);
  });
}

/** After "same color" a colour word says nothing. */
function isPossible(place: PlaceSets, combo: number): boolean {
  return place.spec.kind !== 'same' || !comboUses(combo, place.spec.attribute);
}

/** Whether each relation of a place leaves some object out: a quick test before `narrows`. */
function canNarrow(place: PlaceSets): boolean {
  return place.without.every((wider) => wider !== place.set);
}

/** Whether dropping any one filter or relation lets more objects in (rule 1 of `isDegenerate` for counts and "no"). */
function narrows(sets: SceneSets, place: PlaceSets, combo: number): boolean {
  const mask = sets.mask(combo);
  const set = mask & place.set;
  for (const parent of comboAt(combo).without) if ((sets.mask(parent) & place.set) === set) return false;
  for (const wider of place.without) if ((mask & wider) === set) return false;
  return true;
}

/** Whether each filter and relation has another value that finds nothing (rule 2 of `isDegenerate` for "yes"). */
function canFail(sets: SceneSets, place: PlaceSets, combo: number): boolean {
  const mask = sets.mask(combo);
  const none = (masks: readonly Mask[]): boolean => masks.some((m) => (m & mask) === 0);
  return (
    comboAt(combo).instead.every((others) => others.some((c) => (sets.mask(c) & place.set) === 0)) &&
    place.instead.every(none)
  );
}
