import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DataError } from '../../../src/core/errors.js';
import { execute } from '../../../src/environments/clevr/executor.js';
import {
  OFFICIAL_CAMERA,
  parseJsonText,
  projectPoint,
  readOfficialQuestion,
  readOfficialQuestions,
  readOfficialScenes,
  writeOfficialQuestion,
  writeOfficialScene,
} from '../../../src/environments/clevr/official.js';
import type { ClevrQuestion } from '../../../src/environments/clevr/program.js';
import { sceneView } from '../../../src/environments/clevr/relations.js';
import {
  COLORS,
  directions,
  MATERIALS,
  RADIUS,
  SHAPES,
  SIZES,
  type ClevrScene,
} from '../../../src/environments/clevr/scene.js';

const folder = new URL('../../../../shared/data/clevr/', import.meta.url);
const present = existsSync(folder);
if (!present) console.warn('../shared/data/clevr is absent: the tests on official files are skipped');
const load = (name: string): unknown => parseJsonText(readFileSync(new URL(name, folder), 'utf8'), name);

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const scene: ClevrScene = {
  camera: { x: 7.1, y: -6.9, z: 5.2 },
  objects: [
    { shape: 'cube', color: 'red', material: 'metal', size: 'large', x: 1.25, y: -2, rotation: 12.5 },
    { shape: 'sphere', color: 'cyan', material: 'rubber', size: 'small', x: -2.5, y: 0.1, rotation: 359 },
  ],
};
const image = { split: 'val', imageIndex: 7 };
const question: ClevrQuestion = {
  text: 'How many red things are there?',
  family: 'zero_hop',
  program: [
    { function: 'scene', inputs: [] },
    { function: 'filter_color', inputs: [0], value: 'red' },
    { function: 'count', inputs: [1] },
  ],
};

function executed(asked: ClevrQuestion) {
  const run = execute(asked.program, sceneView(scene));
  if (!run.ok) throw new Error(run.error.detail);
  return run.value;
}

/** The written scene or question as plain JSON, changed by `change`. */
function changed(written: unknown, change: (entry: Record<string, never>) => void): unknown {
  const copy = throughJson(written) as Record<string, never>;
  change(copy);
  return copy;
}

describe.skipIf(!present)('the official fixtures', () => {
  test('relationships computed from the positions equal the stored ones in all 60 scenes', () => {
    const scenes = readOfficialScenes(load('scenes.json'), 'scenes.json');
    expect(scenes).toHaveLength(60);
    for (const read of scenes) {
      expect(read.cameraFrom).toBe('directions');
      expect(sceneView(read.scene).relationships).toEqual(read.storedRelationships);
      expect(read.view.relationships).toBe(read.storedRelationships);
      expect(read.pixelCoords).toHaveLength(read.scene.objects.length);
    }
  });

  test('the recovered camera has the stored directions', () => {
    const json = load('scenes.json') as { scenes: { directions: Record<string, number[]> }[] };
    for (const [i, read] of readOfficialScenes(json, 'scenes.json').entries()) {
      const axes = directions(read.scene.camera);
      const stored = json.scenes[i]?.directions ?? {};
      for (const relation of ['left', 'right', 'front', 'behind'] as const) {
        expect(axes[relation][0]).toBeCloseTo(stored[relation]?.[0] ?? NaN, 6);
        expect(axes[relation][1]).toBeCloseTo(stored[relation]?.[1] ?? NaN, 6);
      }
    }
  });

  test('the projection gives the stored pixels once the lost camera distance is fitted', () => {
    for (const read of readOfficialScenes(load('scenes.json'), 'scenes.json')) {
      const pixels = read.pixelCoords ?? [];
      const camera = fitCamera(
        read.scene,
        pixels.map(([, , depth]) => depth),
      );
      // The fixtures jitter every camera coordinate by at most 0.5.
      expect(Math.abs(camera.z - OFFICIAL_CAMERA.z)).toBeLessThan(0.51);
      const written = writeOfficialScene({ ...read.scene, camera }, image);
      for (const [i, { pixel_coords }] of written.objects.entries()) {
        const [px, py, depth] = pixels[i] ?? [NaN, NaN, NaN];
        expect(Math.abs(pixel_coords[0] - px)).toBeLessThanOrEqual(1);
        expect(Math.abs(pixel_coords[1] - py)).toBeLessThanOrEqual(1);
        expect(pixel_coords[2]).toBeCloseTo(depth, 3);
      }
    }
  });

  test('every question is read, with its family', () => {
    const questions = readOfficialQuestions(load('questions.json'), 'questions.json');
    expect(questions).toHaveLength(600);
    expect(count(questions.map((q) => q.question.family))).toEqual({
      compare_integer: 49,
      comparison: 109,
      one_hop: 42,
      same_relate: 196,
      single_and: 30,
      single_or: 48,
      three_hop: 42,
      two_hop: 42,
      zero_hop: 42,
    });
    expect(new Set(questions.map((q) => q.imageIndex)).size).toBe(60);
  });

  test('questions and scenes survive being written and read, in both dialects', () => {
    const scenes = readOfficialScenes(load('scenes.json'), 'scenes.json');
    for (const [i, read] of readOfficialQuestions(load('questions.json'), 'questions.json').entries()) {
      const of = scenes.find((s) => s.imageIndex === read.imageIndex);
      const run = of && execute(read.question.program, of.view);
      if (!run?.ok) throw new Error(`question ${i} has no answer`);
      const where = { split: 'dev', imageIndex: read.imageIndex ?? -1, questionIndex: i };
      for (const dialect of ['v1.0', 'engine'] as const) {
        const written = throughJson(writeOfficialQuestion(read.question, run.value, where, dialect));
        const again = readOfficialQuestion(written, 'written.json', i);
        expect(again).toEqual({
          ...read,
          outputs: dialect === 'engine' ? read.outputs : read.outputs.map(() => undefined),
        });
      }
    }
  });
});

function count(items: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[item] = (counts[item] ?? 0) + 1;
  return counts;
}

/** Ground radius and height of a camera of known azimuth that sees the objects at these depths (Gauss-Newton). */
function fitCamera({ objects, camera }: ClevrScene, depths: readonly number[]) {
  const { front } = directions(camera);
  let [radius, height] = [Math.hypot(camera.x, camera.y), camera.z];
  const residuals = (r: number, h: number): number[] =>
    objects.map((o, i) => {
      const distance = Math.hypot(r, h);
      const along = o.x * front[0] + o.y * front[1];
      return distance - (along * r + RADIUS[o.size] * h) / distance - (depths[i] ?? NaN);
    });
  for (let step = 0; step < 20; step++) {
    const now = residuals(radius, height);
    const byRadius = residuals(radius + 1e-5, height).map((v, i) => (v - (now[i] ?? NaN)) / 1e-5);
    const byHeight = residuals(radius, height + 1e-5).map((v, i) => (v - (now[i] ?? NaN)) / 1e-5);
    const dot = (a: number[], b: number[]): number => a.reduce((sum, v, i) => sum + v * (b[i] ?? NaN), 0);
    const [a, b, c] = [dot(byRadius, byRadius), dot(byRadius, byHeight), dot(byHeight, byHeight)];
    const [u, v] = [dot(byRadius, now), dot(byHeight, now)];
    radius -= (c * u - b * v) / (a * c - b * b);
    height -= (a * v - b * u) / (a * c - b * b);
  }
  return { x: radius * front[0], y: radius * front[1], z: height };
}

describe('scenes', () => {
  const coordinate = fc.double({ min: -3, max: 3, noNaN: true }).map((x) => x + 0);
  const anyScene = fc.record({
    camera: fc
      .tuple(fc.double({ min: 0, max: 6.28, noNaN: true }), fc.double({ min: 3, max: 9, noNaN: true }))
      .map(([angle, z]) => ({ x: 9 * Math.cos(angle), y: 9 * Math.sin(angle), z })),
    objects: fc.array(
      fc.record({
        shape: fc.constantFrom(...SHAPES),
        color: fc.constantFrom(...COLORS),
        material: fc.constantFrom(...MATERIALS),
        size: fc.constantFrom(...SIZES),
        x: coordinate,
        y: coordinate,
        rotation: fc.double({ min: 0, max: 359.999, noNaN: true }).map((x) => x + 0),
      }),
      { maxLength: 10 },
    ),
  });

  test('read(write(scene)) is the scene, camera included', () => {
    fc.assert(
      fc.property(anyScene, (any) => {
        const [read] = readOfficialScenes(
          throughJson({ scenes: [writeOfficialScene(any, image)] }),
          's.json',
        );
        expect(read?.scene).toEqual(any);
        expect(read?.view.relationships).toEqual(sceneView(any).relationships);
        expect(read).toMatchObject({
          imageIndex: 7,
          imageFilename: 'CLEVR_val_000007.png',
          cameraFrom: 'stored',
        });
      }),
    );
  });

  test('without our camera key the azimuth is kept, at the official distance and height', () => {
    fc.assert(
      fc.property(anyScene, (any) => {
        const entry = changed(writeOfficialScene(any, image), (s) => delete s['covolve_camera']);
        const [read] = readOfficialScenes({ scenes: [entry] }, 's.json');
        const camera = read?.scene.camera ?? any.camera;
        expect(camera.z).toBe(OFFICIAL_CAMERA.z);
        expect(Math.hypot(camera.x, camera.y)).toBeCloseTo(
          Math.hypot(OFFICIAL_CAMERA.x, OFFICIAL_CAMERA.y),
          9,
        );
        expect(camera.x * any.camera.y).toBeCloseTo(camera.y * any.camera.x, 6);
        expect(camera.x * any.camera.x + camera.y * any.camera.y).toBeGreaterThan(0);
        expect(read?.scene.objects).toEqual(any.objects);
      }),
    );
  });

  test('what the file lacks is made up for', () => {
    const entry = changed(writeOfficialScene(scene, image), (s) => {
      for (const key of ['covolve_camera', 'directions', 'relationships', 'image_index', 'split'])
        delete s[key];
      const [first] = s['objects'] as unknown as Record<string, unknown>[];
      delete first?.['pixel_coords'];
      delete first?.['rotation'];
    });
    const [read] = readOfficialScenes({ scenes: [entry] }, 's.json');
    expect(read).toMatchObject({
      imageIndex: 7,
      cameraFrom: 'default',
      pixelCoords: null,
      storedRelationships: null,
      scene: { camera: OFFICIAL_CAMERA },
    });
    expect(read?.scene.objects[0]?.rotation).toBe(0);
    expect(read?.view).toEqual(
      sceneView({ ...scene, camera: OFFICIAL_CAMERA, objects: read?.scene.objects ?? [] }),
    );
  });

  test('the origin falls in the middle of the picture; up is up and right is right', () => {
    const [px, py, depth] = projectPoint([0, 0, 0], scene.camera);
    expect([px, py]).toEqual([240, 160]);
    expect(depth).toBeCloseTo(Math.hypot(7.1, 6.9, 5.2), 12);
    expect(projectPoint([0, 0, 1], scene.camera)[1]).toBeLessThan(160);
    const { right } = directions(scene.camera);
    expect(projectPoint([right[0], right[1], 0], scene.camera)[0]).toBeCloseTo(240 + 525 / depth, 9);
    const half = { width: 240, height: 160, focal: 262.5 };
    expect(projectPoint([1, 2, 0.35], scene.camera, half)[0] * 2).toBeCloseTo(
      projectPoint([1, 2, 0.35], scene.camera)[0],
      9,
    );
  });

  const bad = (change: (entry: Record<string, never>) => void): unknown => ({
    scenes: [writeOfficialScene(scene, image), changed(writeOfficialScene(scene, image), change)],
  });
  const set = (path: (string | number)[], value: unknown) => (entry: Record<string, never>) => {
    let at = entry as Record<string | number, unknown>;
    for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
    at[path.at(-1) ?? ''] = value;
  };
  test.each([
    [{ questions: [] }, 's.json: scenes: missing; a CLEVR scenes file is an object with a list "scenes"'],
    [null, 's.json: scenes: missing; a CLEVR scenes file is an object with a list "scenes"'],
    [{ scenes: [3] }, 's.json: scenes[0]: expected object, received number'],
    [
      bad(set(['objects', 1, 'shape'], 'spheer')),
      's.json: scenes[1].objects[1].shape: unknown "spheer", the nearest valid one is "sphere"',
    ],
    [bad(set(['objects', 0, 'size'], undefined)), 's.json: scenes[1].objects[0].size: missing'],
    [
      bad(set(['objects', 0, '3d_coords', 1], 'x')),
      's.json: scenes[1].objects[0].3d_coords[1]: expected number, received string',
    ],
    [bad(set(['relationships', 'left'], [[]])), 's.json: scenes[1].relationships.left: 1 rows for 2 objects'],
    [
      bad(set(['relationships', 'left'], [[], [0, 2]])),
      's.json: scenes[1].relationships.left[1][1]: there is no object 2',
    ],
    [
      bad(set(['directions', 'front'], [0, 0, 1])),
      's.json: scenes[1].directions.front: has no direction on the ground',
    ],
    [
      bad(set(['covolve_camera'], [0, 0, 9])),
      's.json: scenes[1].covolve_camera: stands straight above the origin',
    ],
    [
      bad(set(['covolve_camera'], [-7, 7, 5])),
      's.json: scenes[1].covolve_camera: contradicts directions.front; remove one of them',
    ],
  ])('bad file %#', (json, message) => {
    expect(() => readOfficialScenes(json, 's.json')).toThrow(new DataError('s.json', null, message.slice(8)));
  });
});

describe('questions', () => {
  const where = { ...image, questionIndex: 3 };
  test('the published dialect', () => {
    expect(writeOfficialQuestion(question, executed(question), where)).toEqual({
      split: 'val',
      image_filename: 'CLEVR_val_000007.png',
      image_index: 7,
      image: 'CLEVR_val_000007',
      question: 'How many red things are there?',
      program: [
        { function: 'scene', inputs: [], value_inputs: [] },
        { function: 'filter_color', inputs: [0], value_inputs: ['red'] },
        { function: 'count', inputs: [1], value_inputs: [] },
      ],
      answer: '1',
      template_filename: 'zero_hop.json',
      question_index: 3,
    });
  });

  test("the engine's dialect", () => {
    const exist: ClevrQuestion = {
      text: 'Are there red things?',
      family: 'other',
      program: [...question.program.slice(0, 2), { function: 'exist', inputs: [1] }],
    };
    const written = writeOfficialQuestion(
      exist,
      executed(exist),
      { ...where, questionFamilyIndex: 2 },
      'engine',
    );
    expect(written).toMatchObject({
      program: [
        { type: 'scene', _output: [0, 1] },
        { type: 'filter_color', _output: [0] },
        { type: 'exist', _output: true },
      ],
      answer: true,
      question_family_index: 2,
    });
    expect(written).not.toHaveProperty('template_filename');
    const read = readOfficialQuestion(written, 'q.json', 0);
    expect(read).toMatchObject({ question: exist, answer: 'yes', outputs: [[0, 1], [0], true] });
  });

  test("the engine's own key for literals is understood", () => {
    const written = writeOfficialQuestion(question, executed(question), where);
    const program = written.program.map(({ value_inputs, ...node }) => ({
      ...node,
      side_inputs: value_inputs,
    }));
    expect(readOfficialQuestion({ ...written, program }, 'q.json', 0).question).toEqual(question);
  });

  const node = (change: Record<string, unknown>): unknown => ({
    question: 'q',
    answer: 'yes',
    program: [
      { function: 'scene', inputs: [] },
      { function: 'exist', inputs: [0], ...change },
    ],
  });
  test.each([
    [
      node({ function: 'exists' }),
      'questions[17].program[1].function: unknown "exists", the nearest valid one is "exist"',
    ],
    [node({ function: undefined }), 'questions[17].program[1].function: missing (and no type)'],
    [node({ type: 'count' }), 'questions[17].program[1].type: "count" contradicts function "exist"'],
    [node({ inputs: [0.5] }), 'questions[17].program[1].inputs[0]: expected int, received number'],
    [
      node({ value_inputs: ['redd'] }),
      'questions[17].program[1].value_inputs[0]: unknown "redd", the nearest valid one is "red"',
    ],
    [{ question: 'q', program: [] }, 'questions[17].answer: missing'],
    [
      { question: 'q', answer: [], program: [] },
      'questions[17].answer: expected a string, a number or a truth value',
    ],
    [{ question: 'q', answer: 1 }, 'questions[17].program: missing'],
  ])('bad question %#', (entry, problem) => {
    expect(() => readOfficialQuestion(entry, 'q.json', 17)).toThrow(new DataError('q.json', null, problem));
  });

  test('text that is no JSON names file and line', () => {
    expect(() => parseJsonText('{\n"a": 1,\n"b" 2}', 'q.json')).toThrow(/^q\.json:3: not JSON: /);
    expect(() => parseJsonText('{"a": ', 'q.json')).toThrow(/^q\.json(:\d+)?: not JSON: /);
  });
});
