import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataError } from '../../../src/core/errors.js';
import { Rng } from '../../../src/core/rng.js';
import { DEFAULT_CLEVR_CONFIG, clevrEnvironment } from '../../../src/environments/clevr/environment.js';
import {
  readOfficialQuestions,
  readOfficialScenes,
  writeOfficialScene,
} from '../../../src/environments/clevr/official.js';
import { FAMILIES } from '../../../src/environments/clevr/program.js';
import { makeSeed, officialSeeds, readSeeds, sampleSeeds } from '../../../src/environments/clevr/seeds.js';

const VIEW = { width: 72, height: 48 };
const OBJECT = { shape: 'cube', color: 'red', material: 'metal', size: 'large', x: -1, y: 2 } as const;
const SCENE = { objects: [OBJECT, { ...OBJECT, color: 'blue', x: 1.5, y: -1, rotation: 30 }] } as const;
const PROGRAM = [
  { function: 'scene', inputs: [], value_inputs: [] },
  { function: 'filter_color', inputs: [0], value_inputs: ['red'] },
  { function: 'count', inputs: [1], value_inputs: [] },
];
const GOOD = { scene: SCENE, question: 'How many red things are there?', program: PROGRAM };

describe('sampleSeeds', () => {
  const options = { objects: [3, 6], families: FAMILIES, questionsPerScene: 3, view: VIEW } as const;

  it('gives as many as asked, scene by scene, and all of them can be realised', async () => {
    const seeds = sampleSeeds(Rng.fromSeed('seeds'), 40, options);
    expect(seeds).toHaveLength(40);
    expect(new Set(seeds.map((seed) => seed.seedId)).size).toBe(40);
    const scenes = new Map<unknown, number>();
    for (const { state } of seeds) scenes.set(state.scene, (scenes.get(state.scene) ?? 0) + 1);
    expect(scenes.size).toBeGreaterThanOrEqual(14);
    expect(Math.max(...scenes.values())).toBe(3);
    const environment = clevrEnvironment({ ...DEFAULT_CLEVR_CONFIG, view: VIEW });
    for (const seed of seeds) {
      expect(seed.actions).toEqual([]);
      expect((await environment.realise(seed, null)).ok).toBe(true);
    }
  });

  it('is a function of its stream, and a longer list begins with the shorter one', () => {
    const draw = (seed: string, count: number) => sampleSeeds(Rng.fromSeed(seed), count, options);
    expect(draw('a', 12)).toEqual(draw('a', 12));
    expect(draw('a', 20).slice(0, 12)).toEqual(draw('a', 12));
    expect(draw('b', 12)).not.toEqual(draw('a', 12));
  });

  it('keeps to the families and numbers of objects it is given', () => {
    const narrow = { ...options, objects: [2, 3], families: ['zero_hop'], paraphrase: false } as const;
    for (const { state } of sampleSeeds(Rng.fromSeed(3), 20, narrow)) {
      expect(state.question.family).toBe('zero_hop');
      expect([2, 3]).toContain(state.scene.objects.length);
    }
  });

  it('gives equal content one id', () => {
    const [seed] = sampleSeeds(Rng.fromSeed(1), 1, options);
    if (!seed) throw new Error('no seed');
    expect(makeSeed(structuredClone(seed.state))).toEqual(seed);
    expect(makeSeed(seed.state, 'mine').seedId).toBe('mine');
  });
});

describe('readSeeds', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'covolve-seeds-'));
    writeFileSync(join(folder, 'picture.png'), '');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const file = (...lines: unknown[]): string => {
    const path = join(folder, 'seeds.jsonl');
    writeFileSync(
      path,
      lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    );
    return path;
  };
  const read = (...lines: unknown[]) => readSeeds(file(...lines), { onBadLine: 'fail' });

  it('reads our form and the official one, either dialect, with and without an answer', async () => {
    const state = {
      ...SCENE,
      camera: { x: 7, y: -7, z: 5 },
      objects: SCENE.objects.map((o) => ({ rotation: 0, ...o })),
    };
    const official = writeOfficialScene(state, { split: 'mine', imageIndex: 7 });
    const engine = PROGRAM.map(({ function: type, ...node }) => ({ type, ...node }));
    const { seeds, skipped } = read(
      GOOD,
      '',
      { ...GOOD, id: 'two', scene: official, program: engine, answer: 1, image: 'picture.png' },
      { ...GOOD, id: 'three', answer: '1' },
    );
    expect(skipped).toEqual([]);
    expect(seeds.map((seed) => seed.seedId).slice(1)).toEqual(['two', 'three']);
    expect(seeds[0]?.seedId).toMatch(/^clevr-[0-9a-f]{16}$/);
    expect(seeds[0]?.state.scene.objects[0]).toEqual({ ...OBJECT, rotation: 0 });
    expect(seeds[1]?.state.scene.objects[1]).toMatchObject({ color: 'blue', x: 1.5, y: -1, rotation: 30 });
    expect(seeds[1]?.state.question).toMatchObject({ text: GOOD.question, family: 'other' });
    const environment = clevrEnvironment({ ...DEFAULT_CLEVR_CONFIG, view: VIEW });
    for (const seed of seeds) {
      const result = await environment.realise(seed, null);
      expect(result.ok && result.value[0]?.task.answer).toBe('1');
    }
  });

  const { program: _program, ...without } = GOOD;
  const bad: readonly (readonly [string, unknown, RegExp])[] = [
    ['no JSON', '{"scene":', /not JSON/],
    ['a list', '[1]', /seed/],
    ['an unknown key', { ...GOOD, colour: 1 }, /colour/],
    ['no question', { ...GOOD, question: ' ' }, /question/],
    ['no program', without, /a program is needed.*neither/],
    ['an answer alone', { ...without, answer: 'yes' }, /a program is needed.*answer alone/],
    [
      'a colour that is none',
      { ...GOOD, scene: { objects: [{ ...OBJECT, color: 'pink' }] } },
      /scene: objects\.0\.color/,
    ],
    ['no objects', { ...GOOD, scene: { objects: [] } }, /scene: objects/],
    ['no scene', { ...GOOD, scene: {} }, /scene/],
    [
      'an official scene with a fault',
      { ...GOOD, scene: { objects: [{ '3d_coords': [1, 2, 3] }] } },
      /^.*scene\.objects\[0\]\.\w+/,
    ],
    [
      'an unknown function',
      { ...GOOD, program: [{ function: 'look', inputs: [] }] },
      /program\[0\]\.function/,
    ],
    ['a program that is none', { ...GOOD, program: PROGRAM.slice(0, 2) }, /program-invalid/],
    ['a wrong answer', { ...GOOD, answer: 2 }, /given as 2, but the program comes to 1/],
    ['no picture', { ...GOOD, image: 'absent.png' }, /absent\.png/],
  ];
  it.each(bad)('names line and reason of %s', (_name, line, message) => {
    let error: unknown;
    try {
      read(GOOD, line);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(DataError);
    expect(error).toMatchObject({ line: 2 });
    expect((error as DataError).message).toMatch(/seeds\.jsonl:2: /);
    expect((error as DataError).problem).toMatch(message);
    expect((error as DataError).message).not.toContain('\n');
    const { seeds, skipped } = readSeeds(file(GOOD, line, { ...GOOD, id: 'b' }), { onBadLine: 'skip' });
    expect(seeds).toHaveLength(2);
    expect(skipped).toEqual([{ line: 2, problem: expect.stringMatching(message) as string }]);
  });

  it('refuses ids that two lines share, files that are not there and files without a good line', () => {
    expect(() => read({ ...GOOD, id: 'a' }, { ...GOOD, id: 'a' })).toThrow(/:2: the same id as line 1: a/);
    expect(() => readSeeds(join(folder, 'absent.jsonl'), { onBadLine: 'skip' })).toThrow(DataError);
    expect(() => readSeeds(file('x', 'y'), { onBadLine: 'skip' })).toThrow(/no usable seeds \(2 bad lines\)/);
  });
});

const DATA = '../shared/data/clevr';

describe.skipIf(!existsSync(join(DATA, 'scenes.json')))(`officialSeeds (needs ${DATA})`, () => {
  it('gives every official question as a seed whose derived answer is the stored one', async () => {
    const json = (name: string): unknown => JSON.parse(readFileSync(join(DATA, name), 'utf8'));
    const scenes = readOfficialScenes(json('scenes.json'), 'scenes.json');
    const questions = readOfficialQuestions(json('questions.json'), 'questions.json');
    const seeds = officialSeeds(scenes, questions);
    expect(seeds).toHaveLength(600);
    const environment = clevrEnvironment({ ...DEFAULT_CLEVR_CONFIG, view: VIEW });
    const rejected = new Set<string>();
    for (const [i, seed] of seeds.entries()) {
      if (i % 5 > 0) continue; // Drawing is what takes the time.
      const result = await environment.realise(seed, null);
      if (result.ok) expect(result.value[0]?.task.answer).toBe(questions[i]?.answer);
      else rejected.add(result.error.reason);
    }
    // Their visibility was checked with discs only, so a real renderer may find an object hidden.
    expect([...rejected].filter((reason) => reason !== 'object-hidden')).toEqual([]);
    expect(() => officialSeeds([], questions)).toThrow(/questions\[0\]: there is no scene/);
  });
});
