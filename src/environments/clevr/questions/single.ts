import type { Rng } from '../../../core/rng.js';
import { RELATIONS, type Relation } from '../scene.js';
import { chooseCount, chooseExist, chooseQuery, type Search } from './choices.js';
import { comboAt } from './combos.js';
import { ATTRIBUTES, type Form, type NounPhrase, type Place } from './phrases.js';
import type { PlaceSets, PlaceSpec, SceneSets } from './sets.js';

/** What a question about one set asks. */
export type Ask = 'count' | 'exist' | 'query';

/** How many places of `single_and` (a scene has hundreds) are drawn, and how many that fit are weighed. */
const BOTH_PLACES = 64;
const BOTH_ENOUGH = 6;

/** Zero to three hops: `hops` relations, the last of which places what is asked about. Null where the scene has none. */
export function hopForm(sets: SceneSets, hops: number, ask: Ask, rng: Rng): Form | null {
  if (hops === 0) return askAbout(sets, all([sets.whole]), ask, rng, () => []);
  const byEnd = new Map<number, (readonly number[])[]>();
  for (const path of sets.paths(hops)) {
    const end = path.at(-1) as number;
    const list = byEnd.get(end);
    if (list) list.push(path);
    else byEnd.set(end, [path]);
  }
  const places = [...byEnd.keys()].flatMap((end) => RELATIONS.map((r) => sets.relate(r, end)));
  return askAbout(sets, all(places), ask, rng, (place) =>
    place.kind === 'relate' ? (byEnd.get(place.object) ?? []) : [],
  );
}

/** The objects with the same size, color, material or shape as one object. */
export function sameForm(sets: SceneSets, ask: Ask, rng: Rng): Form | null {
  const places = sets.named.flatMap((i) => ATTRIBUTES.map((a) => sets.same(a, i)));
  return askAbout(sets, all(places), ask, rng, (place) => (place.kind === 'same' ? [[place.object]] : []));
}

/** The objects in two relations at once, each to another object. */
export function bothForm(sets: SceneSets, ask: Ask, rng: Rng): Form | null {
  const objects = sets.named;
  if (objects.length < 2) return null;
  const pairs = objects.flatMap((a, i) => objects.slice(i + 1).map((b) => [a, b] as const));
  const codes = rng.shuffle(Array.from({ length: 16 * pairs.length }, (_, code) => code));
  const places = codes.slice(0, BOTH_PLACES).map((code) => {
    const [a, b] = pairs[code >> 4] as readonly [number, number];
    const relations = [RELATIONS[(code >> 2) & 3], RELATIONS[code & 3]] as [Relation, Relation];
    return sets.both(relations, rng.chance(0.5) ? [a, b] : [b, a]);
  });
  return askAbout(sets, { places, enough: BOTH_ENOUGH }, ask, rng, () => []);
}

function all(places: readonly PlaceSets[]): Search {
  return { places, enough: Infinity };
}

/** An object named by adjectives alone. Throws (a bug) where it can't be. */
export function nameObject(sets: SceneSets, object: number, rng: Rng): NounPhrase {
  return { filters: shorter(sets.names[object] ?? [], rng), place: { kind: 'scene' } };
}

/** The end of a path of objects, named by way of the objects before it. */
export function namePath(sets: SceneSets, path: readonly number[], rng: Rng): NounPhrase {
  return path.slice(1).reduce(
    (of, target, i) => {
      const steps = sets.stepsFrom(path[i] as number).filter((s) => s.target === target);
      const { relation, combo } = rng.pick(steps);
      return { filters: comboAt(combo).filters, place: { kind: 'relate', relation, of } };
    },
    nameObject(sets, path[0] as number, rng),
  );
}

/** Of two random names the shorter one. */
function shorter(names: readonly number[], rng: Rng): NounPhrase['filters'] {
  const a = comboAt(rng.pick(names)).filters;
  const b = comboAt(rng.pick(names)).filters;
  return a.length <= b.length ? a : b;
}

/** `routes`: the paths by which the reference of a place can be named. A target never lies on its own route. */
function askAbout(
  sets: SceneSets,
  search: Search,
  ask: Ask,
  rng: Rng,
  routes: (place: PlaceSpec) => readonly (readonly number[])[],
): Form | null {
  if (ask === 'query') {
    const open = (place: PlaceSets, target: number): boolean => {
      const known = routes(place.spec);
      return known.length === 0 || known.some((path) => !path.includes(target));
    };
    const choice = chooseQuery(sets, search, ATTRIBUTES, rng, open);
    if (!choice) return null;
    const free = routes(choice.place.spec).filter((path) => !path.includes(choice.target));
    const { filters } = comboAt(choice.combo);
    const place = namePlace(sets, choice.place.spec, free, rng);
    return { ask, attribute: choice.attribute, one: { filters, place } };
  }
  const choice = ask === 'count' ? chooseCount(sets, search, rng) : chooseExist(sets, search, rng);
  if (!choice) return null;
  const { filters } = comboAt(choice.combo);
  const place = namePlace(sets, choice.place.spec, routes(choice.place.spec), rng);
  return { ask, set: { filters, place } };
}

function namePlace(
  sets: SceneSets,
  spec: PlaceSpec,
  routes: readonly (readonly number[])[],
  rng: Rng,
): Place {
  switch (spec.kind) {
    case 'scene':
      return spec;
    case 'relate':
      return { kind: 'relate', relation: spec.relation, of: namePath(sets, rng.pick(routes), rng) };
    case 'same':
      return { kind: 'same', attribute: spec.attribute, as: nameObject(sets, spec.object, rng) };
    case 'both': {
      const [first, second] = [0, 1].map((i) => ({
        relation: spec.relations[i as 0 | 1],
        of: nameObject(sets, spec.objects[i as 0 | 1], rng),
      })) as [RelationOf, RelationOf];
      return { kind: 'both', first, second };
    }
  }
}

type RelationOf = Extract<Place, { kind: 'both' }>['first'];
