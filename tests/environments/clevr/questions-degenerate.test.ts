import { describe, expect, it } from 'vitest';
import { isDegenerate } from '../../../src/environments/clevr/questions/index.js';
import type { SceneView } from '../../../src/environments/clevr/relations.js';
import { parseQuestion } from './questions-parser.js';

type Words = readonly [
  'small' | 'large',
  'red' | 'blue' | 'green' | 'gray',
  'metal' | 'rubber',
  'cube' | 'sphere' | 'cylinder',
];

/** Objects in one row, from left to right, and all as far from the camera as one another. */
function row(...objects: Words[]): SceneView {
  const none = objects.map(() => []);
  return {
    objects: objects.map(([size, color, material, shape]) => ({ size, color, material, shape })),
    relationships: {
      left: objects.map((_, i) => [...Array(i).keys()]),
      right: objects.map((_, i) => [...objects.keys()].slice(i + 1)),
      front: none,
      behind: none,
    },
  };
}

const view = row(
  ['small', 'red', 'metal', 'cube'],
  ['large', 'red', 'rubber', 'sphere'],
  ['large', 'blue', 'metal', 'cube'],
  ['small', 'green', 'metal', 'cylinder'],
);

const cases: readonly (readonly [question: string, degenerate: boolean, why: string])[] = [
  ['How many red cubes are there?', false, '1, but 2 red things and 2 cubes'],
  ['How many small metal things are there?', true, '2: all small things are metal'],
  ['How many large cylinders are there?', false, '0, but there are large things and a cylinder'],
  ['How many blue cylinders are there?', false, '0, but there is a blue thing and a cylinder'],
  ['How many gray cylinders are there?', true, '0: nothing is gray'],
  ['How many gray rubber cylinders are there?', true, '0 even without "rubber" or "gray"'],
  ['What size is the red cube?', false, 'two red things, two cubes'],
  ['What size is the green cylinder?', true, '"green" alone is enough'],
  ['What material is the sphere?', false, 'without "sphere" it could be anything'],
  ['Are there any red cubes?', false, 'yes; no gray cubes, no red cylinders'],
  ['Are there any cubes?', true, 'yes, as there are spheres and cylinders: no other shape says no'],
  ['Are there any gray things?', false, 'no'],
  ['Are there any small spheres?', false, 'no'],
  ['How many cubes are right of the sphere?', false, '1 of 2 cubes and of 2 things there'],
  ['How many cubes are left of the sphere?', true, '1, the only thing there'],
  ['How many spheres are left of the cylinder?', true, '1, and there is no other sphere'],
  ['How many things are left of the cylinder?', true, '3: all others'],
  ['How many things are right of the sphere?', false, '2 of 3'],
  ['Are any cubes right of the sphere?', false, 'yes; none in front of it'],
  ['What color is the cube right of the sphere?', false, 'two cubes, two things there'],
  ['What color is the cube left of the sphere?', true, 'the only thing there'],
  ['What color is the cylinder right of the sphere?', true, 'one cylinder'],
  ['What color is the thing left of the sphere?', false, 'one of three'],
  ['How many things are right of the red cube and left of the cylinder?', true, 'left of it are all others'],
  [
    'How many things are right of the sphere and left of the blue thing?',
    false,
    '0, but 1 for either relation',
  ],
  ['How many things are cubes or red things?', false, '3 of 2 and 2'],
  ['How many things are red cubes or cubes?', true, '"red" changes nothing'],
  ['How many things are gray things or cubes?', false, 'no gray ones: worth knowing'],
  ['How many things are cylinders or green things?', true, 'each is the other'],
  ['How many other things have the same size as the sphere?', false, '1 of 3'],
  ['How many other cylinders have the same material as the blue thing?', true, 'the only cylinder'],
  ['Does the red cube have the same size as the cylinder?', false, 'both references are minimal'],
  ['Does the red cube have the same size as the green cylinder?', true, '"green" is idle'],
  ['Are there more cubes than spheres?', false, '2 > 1; no other way round with cylinders'],
  ['Are there fewer gray things than cubes?', true, 'whatever the shape, there are some'],
  ['Are there fewer red things than cubes?', false, '2 and 2; but 2 < 4 things, and 1 blue < 2'],
];

describe('isDegenerate', () => {
  it.each(cases)('%s -> %s (%s)', (question, degenerate) => {
    expect(isDegenerate(parseQuestion(question), view)).toBe(degenerate);
  });

  it('counts a program without an answer as degenerate', () => {
    expect(isDegenerate(parseQuestion('What size is the cube?'), view)).toBe(true);
    expect(isDegenerate([], view)).toBe(true);
    expect(isDegenerate([{ function: 'scene', inputs: [] }], view)).toBe(true);
  });
});
