import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lineage, Realised } from '../../../src/core/environment.js';
import { ConfigError } from '../../../src/core/errors.js';
import { unwrap } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import type { ClevrAction, ClevrEdit, ClevrState } from '../../../src/environments/clevr/edit.js';
import { inverseEdits } from '../../../src/environments/clevr/edits.js';
import {
  DEFAULT_CLEVR_CONFIG,
  clevrEnvironment,
  type ClevrConfig,
  type ClevrTrace,
} from '../../../src/environments/clevr/environment.js';
import { FAMILIES, type ClevrQuestion, type ProgramNode } from '../../../src/environments/clevr/program.js';
import { CLEVR_REJECTIONS } from '../../../src/environments/clevr/rejections.js';
import type { ClevrObject, ClevrScene } from '../../../src/environments/clevr/scene.js';
import { makeSeed, sampleSeeds, type ClevrSeed } from '../../../src/environments/clevr/seeds.js';
import { drawScene, minVisiblePixels } from '../../../src/environments/clevr/view.js';
import { environmentContract } from '../contract.js';
import { secondOpinion } from './second-opinion.js';

const VIEW = { width: 72, height: 48 };
const MICRO: ClevrConfig = {
  ...DEFAULT_CLEVR_CONFIG,
  view: VIEW,
  objects: { min: 2, max: 10 },
  promptStyle: 'micro',
};

function seedsOf(name: string, count: number, questionsPerScene = 2): ClevrSeed[] {
  const options = { objects: [3, 8], families: FAMILIES, questionsPerScene, view: VIEW } as const;
  return sampleSeeds(Rng.fromSeed(name), count, options);
}

function invert(before: Lineage<ClevrState>, action: ClevrAction): ClevrAction | null {
  if (action.kind === 'ask') return { kind: 'ask', question: before.state.question };
  return { kind: 'edits', edits: unwrap(inverseEdits(before.state.scene, action.edits)) };
}

environmentContract('clevr, micro', () => ({
  environment: clevrEnvironment(MICRO),
  seeds: seedsOf('micro', 12),
  inverse: invert,
  reasons: CLEVR_REJECTIONS,
}));

environmentContract('clevr, full', () => ({
  environment: clevrEnvironment({ ...MICRO, promptStyle: 'full', view: { width: 120, height: 80 } }),
  seeds: seedsOf('full', 6),
  inverse: invert,
  reasons: CLEVR_REJECTIONS,
}));

async function realise(
  state: ClevrState,
  action: ClevrAction | null,
  config: Partial<ClevrConfig> = {},
): Promise<Realised<ClevrState> | string> {
  const result = await clevrEnvironment({ ...MICRO, ...config }).realise(makeSeed(state, 'test'), action);
  return result.ok ? (result.value[0] as Realised<ClevrState>) : result.error.reason;
}

describe('labels', () => {
  it('equal a second derivation written differently, on seeds, edits of edits and redrawn questions', async () => {
    const environment = clevrEnvironment(MICRO);
    const seeds = seedsOf('labels', 90, 9);
    let compared = 0;
    let changed = 0;
    const check = (realised: Realised<ClevrState>): void => {
      const { scene, question } = realised.lineage.state;
      expect(realised.task.answer, question.text).toBe(secondOpinion(scene, question.program));
      compared++;
    };
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: seeds.length - 1 }), fc.integer(), async (which, salt) => {
        const rng = Rng.fromSeed(salt);
        let lineage: Lineage<ClevrState> = seeds[which] as ClevrSeed;
        let answer = '';
        for (let depth = 0; depth < 4; depth++) {
          const draw = rng.child(depth);
          const action =
            depth === 0
              ? null
              : depth === 3
                ? environment.redrawQuestion(lineage, draw)
                : environment.randomEdit(lineage, draw);
          const result = await environment.realise(lineage, action);
          if (!result.ok) continue;
          const realised = result.value[0] as Realised<ClevrState>;
          check(realised);
          if (answer !== '' && realised.task.answer !== answer) changed++;
          answer = realised.task.answer;
          lineage = realised.lineage;
        }
      }),
      { numRuns: 60 },
    );
    expect(compared).toBeGreaterThan(180);
    expect(changed).toBeGreaterThan(20);
  });

  it('carry the trace of the program and what is seen of every object', async () => {
    const seed = seedsOf('trace', 1)[0] as ClevrSeed;
    const { task, lineage } = (await realise(seed.state, null)) as Realised<ClevrState>;
    if (task.label.origin !== 'derived') throw new Error('not derived');
    const { derivation } = task.label;
    expect(derivation.rule).toBe('recompute');
    const trace = derivation.trace as unknown as ClevrTrace;
    expect(trace.program).toEqual(lineage.state.question.program);
    expect(trace.values).toHaveLength(trace.program.length);
    expect(trace.visible).toHaveLength(lineage.state.scene.objects.length);
    expect(task.facts).toMatchObject({
      family: lineage.state.question.family,
      objects: lineage.state.scene.objects.length,
      programLength: trace.program.length,
    });
  });
});

describe('accepted scenes', () => {
  it('hide no object, after random edits and after scripted ones', async () => {
    const environment = clevrEnvironment(MICRO);
    let accepted = 0;
    let scripted = 0;
    for (const [i, seed] of seedsOf('visible', 40).entries()) {
      const actions = [
        environment.randomEdit(seed, Rng.fromSeed(i)),
        environment.scriptedEditor(seed, Rng.fromSeed(i)),
      ];
      for (const [k, action] of actions.entries()) {
        if (action === null) continue;
        const result = await environment.realise(seed, action);
        if (k === 1) {
          expect(result.ok).toBe(true);
          scripted++;
        }
        if (!result.ok) continue;
        accepted++;
        const { scene } = (result.value[0] as Realised<ClevrState>).lineage.state;
        const { objects } = drawScene(scene, VIEW).geometry;
        expect(objects).toHaveLength(scene.objects.length);
        for (const { visiblePixels, center } of objects) {
          expect(visiblePixels).toBeGreaterThanOrEqual(minVisiblePixels(VIEW));
          expect(center[0] >= 0 && center[0] < 72 && center[1] >= 0 && center[1] < 48).toBe(true);
        }
      }
    }
    expect(scripted).toBe(40);
    expect(accepted).toBeGreaterThan(65);
  });

  it('ask for the official share of pixels', () => {
    expect(minVisiblePixels({ width: 480, height: 320 })).toBeCloseTo(200);
    expect(minVisiblePixels({ width: 240, height: 160 })).toBeCloseTo(50);
    expect(minVisiblePixels({ width: 48, height: 48 })).toBe(4);
  });
});

const CAMERA = { x: 7.48113, y: -6.50764, z: 5.34367 };
const spot = (part: Partial<ClevrObject>): ClevrObject => ({
  shape: 'cube',
  color: 'red',
  material: 'metal',
  size: 'small',
  x: 0,
  y: 0,
  rotation: 0,
  ...part,
});
const SCENE: ClevrScene = {
  camera: CAMERA,
  objects: [
    spot({ x: 2, y: 0.5 }),
    spot({ shape: 'sphere', color: 'blue', x: -1, y: 2 }),
    spot({ shape: 'sphere', color: 'green', size: 'large', x: -1, y: -1.5 }),
  ],
};
const COUNT_RED: readonly ProgramNode[] = [
  { function: 'scene', inputs: [] },
  { function: 'filter_color', inputs: [0], value: 'red' },
  { function: 'count', inputs: [1] },
];
const ask = (program: readonly ProgramNode[], text = 'How many red things are there?'): ClevrQuestion => ({
  text,
  program,
  family: 'zero_hop',
});
const STATE: ClevrState = { scene: SCENE, question: ask(COUNT_RED) };
const WHICH_SHAPE = ask(
  [
    { function: 'scene', inputs: [] },
    { function: 'filter_color', inputs: [0], value: 'red' },
    { function: 'unique', inputs: [1] },
    { function: 'query_shape', inputs: [2] },
  ],
  'What shape is the red thing?',
);
const edits = (...list: ClevrEdit[]): ClevrAction => ({ kind: 'edits', edits: list });
const add = (x: number, y: number, part: Partial<ClevrObject> = {}): ClevrEdit => {
  const { shape, color, material, size } = spot(part);
  return { edit: 'add_object', shape, color, material, size, x, y };
};

describe('refusals', () => {
  it('accepts the scene they start from', async () => {
    const own = (await realise(STATE, null)) as Realised<ClevrState>;
    expect([own.task.answer, own.task.answerKind]).toEqual(['1', 'number']);
    const twin = (await realise(STATE, edits(add(1, 2.5)))) as Realised<ClevrState>;
    expect(twin.task.answer).toBe('2');
  });

  const cases: readonly (readonly [string, ClevrState, ClevrAction | null, Partial<ClevrConfig>])[] = [
    ['too-many-edits', STATE, edits(add(1, 2.5), add(3, 3)), { maxEdits: 1 }],
    ['no-effect', STATE, edits({ edit: 'change_attribute', object: 0, color: 'red' }), {}],
    ['no-effect', STATE, { kind: 'ask', question: STATE.question }, {}],
    ['no-effect', STATE, edits(), {}],
    ['unknown-object', STATE, edits({ edit: 'remove_object', object: 3 }), {}],
    ['too-many-objects', STATE, edits(add(1, 2.5)), { objects: { min: 1, max: 3 } }],
    ['too-few-objects', STATE, edits({ edit: 'remove_object', object: 1 }), { objects: { min: 3, max: 4 } }],
    ['overlap', STATE, edits(add(2, 0)), {}],
    ['margin', STATE, edits({ edit: 'move_object', object: 0, x: 2, y: -3 }, add(-0.3, 2.9)), {}],
    ['out-of-frame', STATE, edits(add(2.5, 3)), { extent: 2 }],
    ['answer-unchanged', STATE, edits(add(1, 2.5, { color: 'gray' })), { requireAnswerChange: true }],
    ['question-degenerate', STATE, edits(...[1, 2].map((object) => red(object))), { rejectDegenerate: true }],
    ['not-unique', { ...STATE, question: WHICH_SHAPE }, edits(add(1, 2.5)), {}],
    ['not-unique', { ...STATE, question: WHICH_SHAPE }, edits({ edit: 'remove_object', object: 0 }), {}],
    ['program-invalid', { ...STATE, question: ask(COUNT_RED.slice(0, 2)) }, null, {}],
    ['program-invalid', STATE, { kind: 'ask', question: ask([{ function: 'count', inputs: [0] }]) }, {}],
  ];
  function red(object: number): ClevrEdit {
    return { edit: 'change_attribute', object, color: 'red' };
  }
  it.each(cases)('%s', async (reason, state, action, config) => {
    expect(await realise(state, action, config)).toBe(reason);
  });

  it('object-hidden: a small thing right behind a large one', async () => {
    const ground = Math.hypot(CAMERA.x, CAMERA.y);
    const [fx, fy] = [CAMERA.x / ground, CAMERA.y / ground];
    const large = SCENE.objects[2] as ClevrObject;
    // Behind along the view axis and a little to the side, as near as placement allows.
    const at = (back: number, side: number): readonly [number, number] => [
      large.x - back * fx - side * fy,
      large.y - back * fy + side * fx,
    ];
    const hidden: ClevrState = {
      ...STATE,
      scene: { ...SCENE, objects: [large, spot({ x: at(1.3, 0.05)[0], y: at(1.3, 0.05)[1] })] },
    };
    expect(await realise(hidden, null)).toBe('object-hidden');
    expect(await realise({ ...STATE, scene: { ...SCENE, objects: [spot({ x: 6.5, y: -5.5 })] } }, null)).toBe(
      'out-of-frame',
    );
  });

  it('leave a seed that breaks a rule already editable elsewhere', async () => {
    const crowded: ClevrState = {
      ...STATE,
      scene: { ...SCENE, objects: [...SCENE.objects, spot({ x: 2, y: 1.3, color: 'cyan' })] },
    };
    const config = { objects: { min: 1, max: 3 } };
    expect(
      await realise(crowded, edits({ edit: 'change_attribute', object: 1, color: 'red' }), config),
    ).toHaveProperty('task');
    expect(
      await realise(crowded, edits({ edit: 'change_attribute', object: 0, size: 'large' }), config),
    ).toBe('overlap');
  });
});

describe('the configuration', () => {
  it.each([
    [{ extent: 4 }],
    [{ objects: { min: 5, max: 4 } }],
    [{ objects: { min: 3, max: 11 } }],
    [{ maxEdits: 0 }],
    [{ families: [] }],
    [{ view: { width: 0, height: 48 } }],
  ] as readonly [Partial<ClevrConfig>][])('refuses %o', (part) => {
    expect(() => clevrEnvironment({ ...MICRO, ...part })).toThrow(ConfigError);
  });
});

describe('editors', () => {
  it('keep the family when a question is redrawn, and the scene', () => {
    const environment = clevrEnvironment(MICRO);
    for (const [i, seed] of seedsOf('redraw', 30).entries()) {
      const action = environment.redrawQuestion(seed, Rng.fromSeed(i));
      if (action?.kind !== 'ask') continue;
      expect(action.question.family).toBe(seed.state.question.family);
      expect(action.question.program).not.toEqual(seed.state.question.program);
    }
  });

  it('give random edits that mostly survive', async () => {
    const environment = clevrEnvironment(MICRO);
    let accepted = 0;
    const seeds = seedsOf('survive', 100, 5);
    for (const [i, seed] of seeds.entries()) {
      const result = await environment.realise(seed, environment.randomEdit(seed, Rng.fromSeed(i)));
      if (result.ok) accepted++;
    }
    expect(accepted / seeds.length).toBeGreaterThan(0.9);
  });

  it('change the answer where that is required', async () => {
    const environment = clevrEnvironment({ ...MICRO, requireAnswerChange: true });
    let found = 0;
    for (const [i, seed] of seedsOf('change', 20).entries()) {
      const own = unwrap(await environment.realise(seed, null))[0];
      const action = environment.scriptedEditor(seed, Rng.fromSeed(i));
      if (action === null) continue;
      const twin = unwrap(await environment.realise(seed, action))[0];
      expect(twin?.task.answer).not.toBe(own?.task.answer);
      found++;
    }
    expect(found).toBeGreaterThan(15);
  });
});
