import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lineage, Realised } from '../../../src/core/environment.js';
import { imageRef, type Image } from '../../../src/core/image.js';
import { unwrap, type Rejection, type Result } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import { commentLine } from '../../../src/environments/transforms/comments.js';
import {
  challenger,
  pictureSeed,
  QUESTION_KINDS,
  SEED_PROGRAMS,
  TRANSFORM_REJECTIONS,
  transformEnvironment,
  transformSolver,
  VARIED_STEPS,
  variedProgram,
  type AlikeRule,
  type TransformAction,
  type TransformEnvironment,
  type TransformState,
} from '../../../src/environments/transforms/index.js';
import { grade } from '../../../src/rewards/grading.js';
import { openSandbox, type ProgramSandbox } from '../../../src/sandbox/index.js';
import { unavailable } from '../../sandbox/fixtures.js';
import { solvableTests } from '../shared.js';

/** A picture of soft light and dark with a tint, a bright corner, and a few hard edges when `blocks` is set. */
function soft(n: number, blocks: boolean, width = 96, height = 80): Image {
  const rgb = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const light = 110 + 60 * Math.sin((x + 9 * n) / 17) * Math.cos(y / 23) + (x * y) / 300;
      const block = blocks ? 60 * (((x >> 5) + (y >> 5) + n) % 3) : 0;
      const tint = [25, 0, -25].map((by) => Math.max(0, Math.min(255, light + by - block)));
      rgb.set(tint, 3 * (y * width + x));
    }
  }
  return { width, height, rgb };
}

/** All of a result but its pixels. */
function outcome(result: Result<readonly Realised<TransformState>[], Rejection>): unknown {
  return result.ok ? result.value.map(({ task, lineage }) => ({ task, lineage })) : result.error;
}

interface Made {
  readonly seed: Lineage<TransformState>;
  readonly action: TransformAction;
  readonly tasks: readonly Realised<TransformState>[];
}

describe.skipIf(unavailable !== null)(`transforms: the contract (${unavailable ?? 'isolated'})`, () => {
  const pictures = Array.from({ length: 8 }, (_, n) => soft(n, true));
  const plain = soft(0, false);
  const byHash = new Map([...pictures, plain].map((image) => [imageRef(image).hash, image]));
  let sandbox: ProgramSandbox;
  let environment: TransformEnvironment;
  const made: Made[] = [];
  const withRule = (alike: AlikeRule): TransformEnvironment =>
    transformEnvironment({
      config: { questions: QUESTION_KINDS, alike },
      sandbox,
      findImage: (hash) => Promise.resolve(byHash.get(hash) ?? null),
      solver: transformSolver,
      challenger,
    });

  beforeAll(async () => {
    sandbox = await openSandbox({ workers: 2, minPixels: 16 });
    environment = withRule('pixels');
    for (const [i, picture] of pictures.entries()) {
      const seed = pictureSeed(imageRef(picture));
      const drawn = variedProgram(Rng.fromSeed('contract').child(i), picture);
      for (const action of [SEED_PROGRAMS[i % SEED_PROGRAMS.length], drawn?.action]) {
        if (!action) continue;
        const result = await environment.realise(seed, action);
        if (result.ok) made.push({ seed, action, tasks: result.value });
        else expect(TRANSFORM_REJECTIONS).toContain(result.error.reason);
      }
    }
    expect(made.length).toBeGreaterThan(pictures.length);
  }, 60_000);
  afterAll(async () => {
    await sandbox.close();
  });

  solvableTests<TransformState, TransformAction>(
    () => environment,
    () => made,
  );

  it('makes no task of a picture alone', async () => {
    for (const { seed } of made) expect(unwrap(await environment.realise(seed, null))).toEqual([]);
  });

  it('runs no program on a task, and refuses what is no state or action', async () => {
    const task = made[0]?.tasks[0];
    if (!task) throw new Error('no task');
    const { program } = made[0]?.action ?? { program: '' };
    expect(await environment.realise(task.lineage, { program })).toMatchObject({
      ok: false,
      error: { reason: 'bad-state' },
    });
    for (const value of [null, 3, 'x', [], {}, { program: 4 }, { program: '', more: 1 }, { image: 'x' }]) {
      expect(environment.parseState(value).ok).toBe(false);
      expect(environment.parseAction(value).ok).toBe(false);
    }
  });

  it('runs a hundred generated programs again to the same tasks, each with one right option', async () => {
    const steps = new Set<string>();
    let questions = 0;
    for (let i = 0; i < 100; i++) {
      const picture = pictures[i % pictures.length] as Image;
      const drawn = variedProgram(Rng.fromSeed('again').child(i), picture);
      if (!drawn) continue;
      const seed = pictureSeed(imageRef(picture));
      const [first, again] = await Promise.all([
        environment.realise(seed, drawn.action),
        environment.realise(seed, drawn.action),
      ]);
      // Hashes stand for the pixels: comparing these one by one takes minutes.
      expect(outcome(again)).toEqual(outcome(first));
      // A generated program is never broken: only what its outputs look like may speak against it.
      if (!first.ok)
        expect([first.error.reason, drawn.action.program]).toEqual(['alike', drawn.action.program]);
      if (!first.ok) continue;
      drawn.steps.forEach((step) => steps.add(step));
      for (const { task } of first.value) {
        expect('ABCD'.split('').filter((letter) => grade(letter, task))).toEqual([task.answer]);
        expect(new Set(task.choices).size).toBe(4);
        expect(new Set(task.images.slice(1).map(({ hash }) => hash)).size).toBe(task.images.length - 1);
        questions++;
      }
    }
    expect(steps.size).toBeGreaterThan(VARIED_STEPS.length / 2);
    expect(questions).toBeGreaterThan(200);
  }, 300_000);

  it.each([
    [
      'hue',
      'hue, sat, val = img.convert("HSV").split()\n    hue = hue.point([(i + by) % 256 for i in range(256)])\n    return Image.merge("HSV", (hue, sat, val)).convert("RGB")',
      [0, 60, 120, 180],
    ],
    ['brightness', 'return ImageEnhance.Brightness(img).enhance(by)', [0.6, 0.8, 1, 1.2]],
  ])('keeps programs of %s by our rule, and loses them by the bare hash', async (_, body, values) => {
    const sets = values.map((by) => `{"by": ${by}}`).join(', ');
    const program = `from PIL import Image, ImageEnhance\ndef edit_image(img, by):\n    ${body}\nargs_list = [${sets}]\n`;
    const seed = pictureSeed(imageRef(plain));
    expect(await withRule('pixels').realise(seed, { program })).toMatchObject({ ok: true });
    expect(await withRule('hash').realise(seed, { program })).toMatchObject({
      ok: false,
      error: { reason: 'alike' },
    });
  });

  it('sees the comments that Python sees', async () => {
    const strings = [
      '"#"',
      "'#'",
      '"""#\n#"""',
      "'\\'#'",
      'r"\\"#"',
      '"a" "#"',
      "b'#'",
      '""',
      "''''#'''",
      'f"#{1}#"',
    ];
    const marks = ['#', ' # why', '\\', '"', "'", '\n', '"""', '""'];
    let [commented, clean] = [0, 0];
    for (let i = 0; i < 90; i++) {
      const rng = Rng.fromSeed('comments').child(i);
      let program = `def edit_image(img, a):\n    x = ${rng.pick(strings)}\n    y = [${rng.pick(strings)},\n ${rng.pick(strings)}]\n    return img.rotate(a)\nargs_list = [{"a": 1}, {"a": 20}, {"a": 40}, {"a": 60}]\n`;
      for (let k = rng.int(3); k > 0; k--) {
        const at = rng.int(program.length);
        program = program.slice(0, at) + (rng.chance(0.5) ? '#' : rng.pick(marks)) + program.slice(at);
      }
      const result = await sandbox.run(program, plain);
      const reason = result.status === 'ok' ? '' : result.reason;
      // What is no Python has no comments that anyone could agree on.
      if (reason.startsWith('no Python')) continue;
      const theirs = result.status !== 'ok' && reason === 'has a comment' ? result.line : null;
      expect([program, commentLine(program)]).toEqual([program, theirs]);
      if (theirs === null) clean++;
      else commented++;
    }
    expect(Math.min(commented, clean)).toBeGreaterThan(10);
  }, 300_000);
});
