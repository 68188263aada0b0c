import type { Rng } from '../../../core/rng.js';
import { RELATIONS } from '../scene.js';
import { comboAt, comboOf, comboUses } from './combos.js';
import {
  ATTRIBUTE_VALUES,
  ATTRIBUTES,
  type Attribute,
  type CountTest,
  type Filter,
  type Form,
  type NounPhrase,
} from './phrases.js';
import { members, size, type Mask, type PlaceSets, type SceneSets } from './sets.js';
import { nameObject, namePath } from './single.js';

/** How many random pairs of sets are looked at, at most; a union is chosen among the first `UNION_ENOUGH` that fit. */
const UNION_TRIES = 160;
const UNION_ENOUGH = 16;
const COMPARE_TRIES = 400;

/** One of two sets: a combo at the whole scene or beside one object. */
interface Side {
  readonly place: PlaceSets;
  readonly combo: number;
}

/** "How many {filters} things are {first} or {second}?": the count is uniform over those found among random pairs. */
export function eitherForm(sets: SceneSets, rng: Rng): Form | null {
  const hops = drawHops(sets, rng);
  const found = new Map<number, (readonly [Side, Side, number])[]>();
  let fitting = 0;
  for (let i = 0; i < UNION_TRIES && fitting < UNION_ENOUGH; i++) {
    const outer = rng.chance(0.3) ? drawCombo(sets, sets.all, [1], rng) : 0;
    const first = drawSide(sets, hops[0], rng);
    const second = drawSide(sets, hops[1], rng);
    if (first.combo === 0 || second.combo === 0) continue;
    if (overlap(outer, first.combo) || overlap(outer, second.combo)) continue;
    const count = unionCount(sets, first, second, outer);
    if (count === null) continue;
    fitting++;
    const list = found.get(count);
    if (list) list.push([first, second, outer]);
    else found.set(count, [[first, second, outer]]);
  }
  if (found.size === 0) return null;
  const count = rng.pick([...found.keys()].sort((a, b) => a - b));
  const [first, second, outer] = rng.pick(found.get(count) ?? []);
  return {
    ask: 'count_either',
    filters: comboAt(outer).filters,
    first: nameSide(sets, first, rng),
    second: nameSide(sets, second, rng),
  };
}

/** Whether two combos filter by a common attribute. */
function overlap(a: number, b: number): boolean {
  return a !== 0 && ATTRIBUTES.some((attribute) => comboUses(a, attribute) && comboUses(b, attribute));
}

/** The size of the union, or null where a filter, a relation or a branch makes no difference to it. */
function unionCount(sets: SceneSets, a: Side, b: Side, outer: number): number | null {
  const whole = sets.mask(outer);
  const setA = sets.mask(a.combo) & a.place.set;
  const setB = sets.mask(b.combo) & b.place.set;
  const union = (setA | setB) & whole;
  // Every change below only adds objects (a branch dropped only takes some away): equal counts are equal sets.
  const idle =
    comboAt(outer).without.some((c) => ((setA | setB) & sets.mask(c)) === union) ||
    widened(sets, a).some((set) => ((set | setB) & whole) === union) ||
    widened(sets, b).some((set) => ((setA | set) & whole) === union) ||
    (setA !== 0 && (setB & whole) === union) ||
    (setB !== 0 && (setA & whole) === union);
  return idle ? null : size(union);
}

/** The set of a side with each of its filters and relations dropped in turn. */
function widened(sets: SceneSets, side: Side): Mask[] {
  return [
    ...comboAt(side.combo).without.map((c) => sets.mask(c) & side.place.set),
    ...side.place.without.map((set) => sets.mask(side.combo) & set),
  ];
}

const TESTS: Readonly<Record<CountTest, (a: number, b: number) => boolean>> = {
  equal_integer: (a, b) => a === b,
  less_than: (a, b) => a < b,
  greater_than: (a, b) => a > b,
};

/**
 * Compares the sizes of two sets: kind of test first, then yes or no with even chances, then the sets. Where no pair
 * with the wanted answer turns up, one with the other answer is taken.
 */
export function compareCountsForm(sets: SceneSets, rng: Rng): Form | null {
  const test = rng.pick(['equal_integer', 'less_than', 'greater_than'] as const);
  const wanted = rng.chance(0.5);
  const hops = drawHops(sets, rng);
  let other: readonly [Side, Side] | null = null;
  for (let i = 0; i < COMPARE_TRIES; i++) {
    const first = drawSide(sets, hops[0], rng);
    const second = drawSide(sets, hops[1], rng);
    const counts = [first, second].map((s) => size(sets.mask(s.combo) & s.place.set)) as [number, number];
    const answer = TESTS[test](...counts);
    if (answer !== wanted && other) continue;
    // Two empty sets are dull; some stay, so that "equal" doesn't mean "there are some".
    if (counts[0] + counts[1] === 0 && !rng.chance(0.25)) continue;
    if (isNested(first, second) || isNested(second, first)) continue;
    const fixedFirst = sideChanges(sets, first).every((counted) =>
      counted.some((c) => TESTS[test](c, counts[1]) !== answer),
    );
    const fixedSecond = sideChanges(sets, second).every((counted) =>
      counted.some((c) => TESTS[test](counts[0], c) !== answer),
    );
    if (!fixedFirst || !fixedSecond) continue;
    if (answer === wanted) return compareCounts(sets, test, first, second, rng);
    other = [first, second];
  }
  return other && compareCounts(sets, test, ...other, rng);
}

function compareCounts(sets: SceneSets, test: CountTest, first: Side, second: Side, rng: Rng): Form {
  const [a, b] = [nameSide(sets, first, rng), nameSide(sets, second, rng)];
  return { ask: 'compare_counts', test, first: a, second: b };
}

/** For each filter and relation of a side, the counts without it and with other values in its place. */
function sideChanges(sets: SceneSets, side: Side): number[][] {
  const mask = sets.mask(side.combo);
  const combo = comboAt(side.combo);
  const { set, without, instead } = side.place;
  return [
    ...combo.without.map((c, i) =>
      [c, ...(combo.instead[i] ?? [])].map((other) => size(sets.mask(other) & set)),
    ),
    ...without.map((wider, i) => [wider, ...(instead[i] ?? [])].map((other) => size(other & mask))),
  ];
}

/** Whether the words alone say that `inner` is a part of `outer` (or the same set). */
function isNested(inner: Side, outer: Side): boolean {
  const [a, b] = [inner.place.spec, outer.place.spec];
  const samePlace =
    b.kind === 'scene' ||
    (a.kind === 'relate' && b.kind === 'relate' && a.relation === b.relation && a.object === b.object);
  const has = comboAt(inner.combo).filters;
  return samePlace && comboAt(outer.combo).filters.every((f) => has.some((g) => g.value === f.value));
}

/** A name for one object: its own adjectives, and the whole phrase (by adjectives alone, or a step from another). */
interface Name {
  readonly combo: number;
  readonly phrase: (rng: Rng) => NounPhrase;
}

/**
 * Whether two objects agree in an attribute: attribute and yes or no first, then hops, objects and names. The other
 * answer is taken only where no attribute has the wanted one.
 */
export function compareAttributeForm(sets: SceneSets, rng: Rng): Form | null {
  const wanted = rng.chance(0.5);
  const attributes = rng.shuffle(ATTRIBUTES);
  const shapes = rng.shuffle([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ] as const);
  for (const answer of [wanted, !wanted]) {
    for (const attribute of attributes) {
      for (const [hopA, hopB] of shapes) {
        const form = attributePair(sets, attribute, answer, [hopA, hopB], rng);
        if (form) return form;
      }
    }
  }
  return null;
}

function attributePair(
  sets: SceneSets,
  attribute: Attribute,
  answer: boolean,
  hops: readonly [boolean, boolean],
  rng: Rng,
): Form | null {
  const [first, second] = hops.map((hop) =>
    namesByObject(sets, hop).map((list) => list.filter((n) => !comboUses(n.combo, attribute))),
  ) as [Name[][], Name[][]];
  const word = (i: number): string | undefined => sets.view.objects[i]?.[attribute];
  const pairs = [...first.keys()].flatMap((a) =>
    [...second.keys()]
      .filter((b) => a !== b && first[a]?.length && second[b]?.length && (word(a) === word(b)) === answer)
      .map((b) => [a, b] as const),
  );
  if (pairs.length === 0) return null;
  const [a, b] = rng.pick(pairs);
  return {
    ask: 'compare_attribute',
    attribute,
    first: rng.pick(first[a] ?? []).phrase(rng),
    second: rng.pick(second[b] ?? []).phrase(rng),
  };
}

/** The names of every object, all with or all without a hop. */
function namesByObject(sets: SceneSets, hop: boolean): Name[][] {
  if (!hop) {
    return sets.names.map((combos) =>
      combos.map((combo) => ({
        combo,
        phrase: () => ({ filters: comboAt(combo).filters, place: { kind: 'scene' } }),
      })),
    );
  }
  const names: Name[][] = sets.names.map(() => []);
  for (const from of sets.named) {
    for (const { relation, target, combo } of sets.stepsFrom(from)) {
      names[target]?.push({
        combo,
        phrase: (rng) => ({
          filters: comboAt(combo).filters,
          place: { kind: 'relate', relation, of: nameObject(sets, from, rng) },
        }),
      });
    }
  }
  return names;
}

/** Which of two sides have a hop, all four ways alike; none where no object can be named. */
function drawHops(sets: SceneSets, rng: Rng): readonly [boolean, boolean] {
  const hops = [rng.chance(0.5), rng.chance(0.5)] as const;
  return sets.named.length === 0 ? [false, false] : hops;
}

function drawSide(sets: SceneSets, hop: boolean, rng: Rng): Side {
  if (!hop) return { place: sets.whole, combo: drawCombo(sets, sets.all, [1, 1, 1, 2, 2], rng) };
  const place = sets.relate(rng.pick(RELATIONS), rng.pick(sets.named));
  return { place, combo: drawCombo(sets, place.set, [0, 1, 1, 1, 2], rng) };
}

/** A random combo with one of `sizes` (0 to 2) filters, mostly one that holds for some object of `set`. */
function drawCombo(sets: SceneSets, set: Mask, sizes: readonly number[], rng: Rng): number {
  const first = rng.int(ATTRIBUTES.length);
  const second = (first + 1 + rng.int(ATTRIBUTES.length - 1)) % ATTRIBUTES.length;
  const model = set !== 0 && rng.chance(0.75) ? sets.view.objects[rng.pick(members(set))] : undefined;
  const filters = [first, second].slice(0, rng.pick(sizes)).map((i): Filter => {
    const attribute = ATTRIBUTES[i] as Attribute;
    return { attribute, value: model?.[attribute] ?? rng.pick(ATTRIBUTE_VALUES[attribute]) };
  });
  return comboOf(filters);
}

function nameSide(sets: SceneSets, side: Side, rng: Rng): NounPhrase {
  const { filters } = comboAt(side.combo);
  const { spec } = side.place;
  if (spec.kind !== 'relate') return { filters, place: { kind: 'scene' } };
  const of = namePath(sets, [spec.object], rng);
  return { filters, place: { kind: 'relate', relation: spec.relation, of } };
}
