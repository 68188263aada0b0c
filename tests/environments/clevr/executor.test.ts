import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerKind, describeTrace, execute, SIGNATURES } from '../../../src/environments/clevr/executor.js';
import { FUNCTIONS, type ProgramNode, type ProgramValue } from '../../../src/environments/clevr/program.js';
import { relationMargin, relationships, sceneView } from '../../../src/environments/clevr/relations.js';
import {
  COLORS,
  MATERIALS,
  RELATIONS,
  SHAPES,
  SIZES,
  type ClevrObject,
  type ClevrScene,
} from '../../../src/environments/clevr/scene.js';

/** Camera on the x axis: front is +x, behind -x; to its left is -y... of a viewer looking along -x, so right is +y. */
const camera = { x: 8, y: 0, z: 5 };
const object = (
  size: string,
  color: string,
  material: string,
  shape: string,
  x: number,
  y: number,
): ClevrObject => ({ size, color, material, shape, x, y, rotation: 0 }) as ClevrObject;

const scene: ClevrScene = {
  camera,
  objects: [
    object('large', 'red', 'rubber', 'cube', 2, -2),
    object('small', 'blue', 'metal', 'sphere', 0, 0),
    object('large', 'red', 'metal', 'cylinder', -2, 1),
    object('small', 'green', 'rubber', 'cube', -0.1, 2),
  ],
};
const view = sceneView(scene);

/** `scene`, `filter_color red 0`, `union 1 2`: one node a string; a word that is no number is the value. */
function program(...lines: string[]): ProgramNode[] {
  return lines.map((line) => {
    const [name, ...rest] = line.split(' ');
    const value = rest.find((part) => Number.isNaN(Number(part)));
    const inputs = rest.filter((part) => part !== value).map(Number);
    return { function: name, inputs, ...(value !== undefined && { value }) } as ProgramNode;
  });
}

function answer(...lines: string[]): string {
  const run = execute(program(...lines), view);
  return run.ok ? run.value.answer : run.error.reason;
}

/** The value of the node before a final `count`. */
function objectsOf(...lines: string[]): readonly number[] {
  const run = execute(program(...lines, `count ${lines.length - 1}`), view);
  const value = run.ok ? run.value.trace.at(-2) : undefined;
  if (value?.kind !== 'objects') throw new Error(JSON.stringify(run));
  return value.objects;
}

const unique = (filter: string): string[] => ['scene', `${filter} 0`, 'unique 1'];
const ball = unique('filter_shape sphere');

describe('relationships', () => {
  test('front, behind, left and right are as seen from the camera', () => {
    expect(view.relationships).toEqual({
      front: [[], [0], [0, 1, 3], [0]],
      behind: [[1, 2, 3], [2], [], [2]],
      right: [[1, 2, 3], [2, 3], [3], []],
      left: [[], [0], [0, 1], [0, 1, 2]],
    });
  });

  test('objects within 0.2 along a direction are in neither relation', () => {
    expect(view.relationships.front[1]).not.toContain(3);
    expect(view.relationships.behind[1]).not.toContain(3);
    expect(relationMargin(scene, 'behind', 1, 3)).toBeCloseTo(-0.1);
    expect(relationMargin(scene, 'front', 1, 0)).toBeCloseTo(1.8);
    expect(() => relationMargin(scene, 'front', 1, 4)).toThrow('no object 4');
  });

  test('a view is made once for a scene', () => {
    expect(sceneView(scene)).toBe(view);
    expect(sceneView({ ...scene })).not.toBe(view);
  });
});

describe('every function by hand', () => {
  test('scene and the filters', () => {
    expect(objectsOf('scene')).toEqual([0, 1, 2, 3]);
    expect(objectsOf('scene', 'filter_size large 0')).toEqual([0, 2]);
    expect(objectsOf('scene', 'filter_color red 0')).toEqual([0, 2]);
    expect(objectsOf('scene', 'filter_material metal 0')).toEqual([1, 2]);
    expect(objectsOf('scene', 'filter_shape cube 0')).toEqual([0, 3]);
    expect(objectsOf('scene', 'filter_shape cube 0', 'filter_size large 1')).toEqual([0]);
    expect(objectsOf('scene', 'filter_color cyan 0')).toEqual([]);
  });

  test('unique, query', () => {
    expect(answer(...ball, 'query_size 2')).toBe('small');
    expect(answer(...ball, 'query_color 2')).toBe('blue');
    expect(answer(...ball, 'query_material 2')).toBe('metal');
    expect(answer(...ball, 'query_shape 2')).toBe('sphere');
    expect(answer(...unique('filter_shape cube'), 'query_color 2')).toBe('not-unique');
    expect(answer(...unique('filter_color cyan'), 'query_color 2')).toBe('not-unique');
  });

  test('relate and same_*, which leave the object itself out', () => {
    expect(objectsOf(...ball, 'relate left 2')).toEqual([0]);
    expect(objectsOf(...ball, 'relate right 2')).toEqual([2, 3]);
    expect(objectsOf(...ball, 'relate front 2')).toEqual([0]);
    expect(objectsOf(...ball, 'relate behind 2')).toEqual([2]);
    expect(objectsOf(...ball, 'same_size 2')).toEqual([3]);
    expect(objectsOf(...ball, 'same_color 2')).toEqual([]);
    expect(objectsOf(...ball, 'same_material 2')).toEqual([2]);
    expect(objectsOf(...unique('filter_color green'), 'same_shape 2')).toEqual([0]);
  });

  test('union and intersect', () => {
    const two = ['scene', 'filter_color green 0', 'scene', 'filter_size large 2'];
    expect(objectsOf(...two, 'union 1 3')).toEqual([0, 2, 3]);
    expect(objectsOf(...two, 'intersect 1 3')).toEqual([]);
    expect(objectsOf('scene', 'filter_color red 0', 'scene', 'filter_material metal 2', 'union 1 3')).toEqual(
      [0, 1, 2],
    );
    expect(
      objectsOf('scene', 'filter_color red 0', 'scene', 'filter_material metal 2', 'intersect 1 3'),
    ).toEqual([2]);
  });

  test('count, exist and the comparisons of integers', () => {
    expect(answer('scene', 'count 0')).toBe('4');
    expect(answer('scene', 'filter_color cyan 0', 'count 1')).toBe('0');
    expect(answer('scene', 'exist 0')).toBe('yes');
    expect(answer('scene', 'filter_color cyan 0', 'exist 1')).toBe('no');
    const counts = (a: string, b: string): string[] => [
      'scene',
      `filter_color ${a} 0`,
      'count 1',
      'scene',
      `filter_color ${b} 3`,
      'count 4',
    ];
    const table: [string, string, string, string, string][] = [
      ['red', 'blue', 'no', 'no', 'yes'],
      ['blue', 'red', 'no', 'yes', 'no'],
      ['blue', 'green', 'yes', 'no', 'no'],
    ];
    for (const [a, b, equal, less, greater] of table) {
      expect(answer(...counts(a, b), 'equal_integer 2 5')).toBe(equal);
      expect(answer(...counts(a, b), 'less_than 2 5')).toBe(less);
      expect(answer(...counts(a, b), 'greater_than 2 5')).toBe(greater);
    }
  });

  test('equal_* compares two words of one attribute', () => {
    const pair = (attribute: string): string =>
      answer(
        ...ball,
        ...['scene', 'filter_color green 3', 'unique 4'],
        `query_${attribute} 2`,
        `query_${attribute} 5`,
        `equal_${attribute} 6 7`,
      );
    expect(['size', 'color', 'material', 'shape'].map(pair)).toEqual(['yes', 'no', 'no', 'no']);
    expect(answer(...ball, 'query_color 2', 'query_color 2', 'equal_color 3 4')).toBe('yes');
    expect(answer(...ball, 'query_color 2', 'query_shape 2', 'equal_color 3 4')).toBe('program-invalid');
  });

  test('kinds of answers, and the trace in words', () => {
    const lines = program(...ball, 'relate right 2', 'filter_color cyan 3', 'exist 4');
    const run = execute(lines, view);
    if (!run.ok) throw new Error(run.error.detail);
    expect(answerKind(run.value.value)).toBe('yes-no');
    expect(answerKind({ kind: 'integer', integer: 2 })).toBe('number');
    expect(answerKind({ kind: 'word', word: 'red' })).toBe('word');
    expect(describeTrace(lines, run.value.trace)).toEqual([
      '#0 scene = objects 0, 1, 2, 3',
      '#1 filter_shape[sphere](#0) = objects 1',
      '#2 unique(#1) = object 1',
      '#3 relate[right](#2) = objects 2, 3',
      '#4 filter_color[cyan](#3) = no objects',
      '#5 exist(#4) = no',
    ]);
    expect(() => describeTrace(lines.slice(1), run.value.trace)).toThrow('6 values');
  });
});

describe('bad programs are rejected with a reason', () => {
  const detail = (nodes: unknown): string => {
    const run = execute(nodes as ProgramNode[], view);
    return run.ok ? `answered ${run.value.answer}` : `${run.error.reason}: ${run.error.detail}`;
  };
  test.each([
    [[], 'program-invalid: the program is empty'],
    [null, 'program-invalid: the program is empty'],
    [[null], 'program-invalid: node 0 is not an object'],
    [program('scene'), 'program-invalid: the program ends in objects 0, 1, 2, 3, which is no answer'],
    [program(...ball), 'program-invalid: the program ends in object 1, which is no answer'],
    [program('scene', 'filter_colour red 0'), 'program-invalid: node 1: unknown function "filter_colour"'],
    [[{ function: 'toString', inputs: [] }], 'program-invalid: node 0: unknown function "toString"'],
    [[{ function: 'scene' }], 'program-invalid: node 0 (scene) takes 0 inputs, got undefined'],
    [program('scene', 'count'), 'program-invalid: node 1 (count) takes 1 inputs, got 0'],
    [program('scene', 'count 1'), 'program-invalid: node 1 (count): input 1 is no earlier node'],
    [program('scene', 'count -1'), 'program-invalid: node 1 (count): input -1 is no earlier node'],
    [program('scene', 'count 0.5'), 'program-invalid: node 1 (count): input 0.5 is no earlier node'],
    [
      [...program('scene'), { function: 'count', inputs: ['0'] }],
      'program-invalid: node 1 (count): input "0" is no earlier node',
    ],
    [program('scene', 'count red 0'), 'program-invalid: node 1 (count) takes no value, got "red"'],
    [
      program('scene', 'filter_size 0'),
      'program-invalid: node 1 (filter_size): undefined is none of small, large',
    ],
    [
      program('scene', 'filter_size red 0'),
      'program-invalid: node 1 (filter_size): "red" is none of small, large',
    ],
    [
      program('scene', 'query_color 0'),
      'program-invalid: node 1 (query_color) takes object, got objects 0, 1, 2, 3',
    ],
    [
      program('scene', 'count 0', 'exist 0', 'less_than 1 2'),
      'program-invalid: node 3 (less_than) takes integer and integer, got 4 and yes',
    ],
    [program('scene', 'unique 0', 'query_size 1'), 'not-unique: node 1 (unique) got objects 0, 1, 2, 3'],
  ])('case %#', (nodes, expected) => {
    expect(detail(nodes)).toBe(expected);
  });

  test('fuzzed programs never throw, and what they answer fits the signatures', () => {
    const words = [...SHAPES, ...COLORS, ...MATERIALS, ...SIZES, ...RELATIONS];
    const nearly = fc.record(
      {
        function: fc.oneof(
          { weight: 9, arbitrary: fc.constantFrom<string>(...FUNCTIONS) },
          { weight: 1, arbitrary: fc.string() },
        ),
        inputs: fc.oneof(
          { weight: 9, arbitrary: fc.array(fc.integer({ min: -1, max: 6 }), { maxLength: 3 }) },
          { weight: 1, arbitrary: fc.anything() },
        ),
        value: fc.oneof(fc.constantFrom(...words), fc.constant(undefined), fc.anything()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 9, arbitrary: nearly }, fc.anything()), { maxLength: 7 }),
        (nodes) => {
          const run = execute(nodes as ProgramNode[], view);
          if (!run.ok) {
            expect(run.error.detail).not.toBe('');
            return;
          }
          expect(run.value.trace).toHaveLength(nodes.length);
          for (const [i, node] of (nodes as ProgramNode[]).entries()) {
            expect(run.value.trace[i]?.kind).toBe(SIGNATURES[node.function].output);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });
});

/** Written the other way round: each node asks its inputs, sets are predicates over positions and attributes. */
function secondDerivation(nodes: readonly ProgramNode[], { objects }: ClevrScene): string {
  const everyone = objects.map((_, i) => i);
  const members = (k: number): number[] => everyone.filter((i) => belongs(k, i));
  const node = (k: number): ProgramNode => nodes[k] as ProgramNode;
  const input = (k: number, n: number): number => node(k).inputs[n] as number;
  const the = (k: number): number => members(input(k, 0))[0] as number;
  const attribute = (name: string, i: number): unknown =>
    Object.entries(objects[i] as ClevrObject).find(([key]) => name.endsWith(key))?.[1];
  function belongs(k: number, i: number): boolean {
    const name = node(k).function;
    if (name === 'scene') return true;
    if (name === 'union') return belongs(input(k, 0), i) || belongs(input(k, 1), i);
    if (name === 'intersect') return belongs(input(k, 0), i) && belongs(input(k, 1), i);
    if (name.startsWith('filter_')) return belongs(input(k, 0), i) && attribute(name, i) === node(k).value;
    const self = the(input(k, 0));
    if (name.startsWith('same_')) return i !== self && attribute(name, i) === attribute(name, self);
    const [a, b] = [objects[self] as ClevrObject, objects[i] as ClevrObject];
    // The test camera stands on the x axis.
    const shift = { front: b.x - a.x, behind: a.x - b.x, right: b.y - a.y, left: a.y - b.y };
    return shift[node(k).value as keyof typeof shift] > 0.2;
  }
  function result(k: number): unknown {
    const name = node(k).function;
    if (name === 'count') return members(input(k, 0)).length;
    if (name === 'exist') return members(input(k, 0)).length > 0;
    if (name.startsWith('query_')) return attribute(name, the(input(k, 0)));
    const [a, b] = [result(input(k, 0)) as number, result(input(k, 1)) as number];
    return name === 'less_than' ? a < b : name === 'greater_than' ? b < a : a === b;
  }
  const value = result(nodes.length - 1);
  return value === true ? 'yes' : value === false ? 'no' : String(value);
}

test('random programs on random scenes agree with a second derivation', () => {
  const randomObject = fc.record({
    shape: fc.constantFrom(...SHAPES),
    color: fc.constantFrom(...COLORS.slice(0, 3)),
    material: fc.constantFrom(...MATERIALS),
    size: fc.constantFrom(...SIZES),
    x: fc.integer({ min: -6, max: 6 }).map((n) => n / 2),
    y: fc.integer({ min: -6, max: 6 }).map((n) => n / 2),
    rotation: fc.constant(0),
  });
  const randomScene = fc
    .array(randomObject, { minLength: 1, maxLength: 8 })
    .map((objects) => ({ objects, camera }));
  const draws = fc.array(fc.nat(), { minLength: 40, maxLength: 40 });
  let answered = 0;
  const seen = new Set<string>();
  fc.assert(
    fc.property(randomScene, draws, (random, numbers) => {
      const nodes: ProgramNode[] = [];
      const kinds: ProgramValue['kind'][] = [];
      let next = 0;
      const pick = <T>(items: readonly T[]): T => items[(numbers[next++ % 40] as number) % items.length] as T;
      while (nodes.length < 9) {
        const usable = FUNCTIONS.filter(
          (name) =>
            (name !== 'scene' || nodes.length === 0 || nodes.length === 4) &&
            !(name.startsWith('equal_') && name !== 'equal_integer') &&
            SIGNATURES[name].inputs.every((kind) => kinds.includes(kind)),
        );
        const name = pick(usable);
        const { inputs, values, output } = SIGNATURES[name];
        const chosen = inputs.map((kind) => pick([...kinds.keys()].filter((k) => kinds[k] === kind)));
        nodes.push({ function: name, inputs: chosen, ...(values && { value: pick(values) }) } as ProgramNode);
        kinds.push(output);
        if (output !== 'objects' && output !== 'object') {
          const run = execute(nodes, sceneView(random));
          if (!run.ok) {
            expect(run.error.reason).toBe('not-unique');
            return;
          }
          expect(run.value.answer).toBe(secondDerivation(nodes, random));
          answered++;
          seen.add(name);
        }
      }
    }),
    { numRuns: 3000 },
  );
  expect(answered).toBeGreaterThan(3000);
  expect(seen.size).toBe(9); // count, exist, four queries, three comparisons
});

test('relationships are antisymmetric and follow the camera', () => {
  const coordinate = fc.double({ min: -3, max: 3, noNaN: true });
  const azimuth = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(coordinate, coordinate), { maxLength: 6 }), azimuth, (points, angle) => {
      const turned = { x: 9 * Math.cos(angle), y: 9 * Math.sin(angle), z: 5 };
      const made = relationships({
        camera: turned,
        objects: points.map(([x, y]) => object('small', 'red', 'metal', 'cube', x, y)),
      });
      for (const [i, a] of points.entries()) {
        for (const [j, b] of points.entries()) {
          expect(made.left[i]?.includes(j)).toBe(made.right[j]?.includes(i));
          expect(made.front[i]?.includes(j)).toBe(made.behind[j]?.includes(i));
          // In front means nearer to the camera, by the distance along its axis.
          const nearer = (b[0] - a[0]) * Math.cos(angle) + (b[1] - a[1]) * Math.sin(angle);
          if (Math.abs(nearer - 0.2) > 1e-9) expect(made.front[i]?.includes(j)).toBe(nearer > 0.2);
        }
      }
    }),
  );
});
