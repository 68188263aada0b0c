import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replay } from '../../../src/core/environment.js';
import { imageRef, type Image } from '../../../src/core/image.js';
import { promptImages, promptText } from '../../../src/core/prompt.js';
import { unwrap } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import { makeTokenizer } from '../../../src/engines/micro/tokenizer.js';
import {
  challenger,
  DEFAULT_TRANSFORM_CONFIG,
  linesOf,
  MICRO_SEED_PROGRAMS,
  microChallenger,
  microSolver,
  microWording,
  MOSAIC,
  parseProgram,
  pictureSeed,
  scriptedProgram,
  SEED_PROGRAMS,
  TRANSFORM_VOCABULARY,
  transformEnvironment,
  transformSolver,
  type TransformParts,
} from '../../../src/environments/transforms/index.js';
import { grade } from '../../../src/rewards/grading.js';
import { openSandbox, type ProgramSandbox } from '../../../src/sandbox/index.js';
import { picture, unavailable } from '../../sandbox/fixtures.js';

/** A small picture with something to see: blocks of colour on a ramp. */
function blocks(n: number): Image {
  const side = 24;
  const rgb = new Uint8Array(3 * side * side);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const block = ((x >> 3) + 3 * (y >> 3) + n) % 9;
      rgb.set(
        [(block * 29 + x * 3) % 256, (block * 67 + y * 4) % 256, (block * 113 + n) % 256],
        3 * (y * side + x),
      );
    }
  }
  return { width: side, height: side, rgb };
}

describe.skipIf(unavailable !== null)(`transformations (${unavailable ?? 'isolated'})`, () => {
  const images = [picture, ...Array.from({ length: 12 }, (_, n) => blocks(n))];
  const byHash = new Map(images.map((image) => [imageRef(image).hash, image]));
  const seeds = images.map((image) => pictureSeed(imageRef(image)));
  let sandbox: ProgramSandbox;
  let small: ProgramSandbox;
  const parts = (more: Partial<TransformParts> = {}): TransformParts => ({
    config: DEFAULT_TRANSFORM_CONFIG,
    sandbox,
    findImage: (hash) => Promise.resolve(byHash.get(hash) ?? null),
    solver: transformSolver,
    challenger,
    ...more,
  });
  const micro = () =>
    transformEnvironment(
      parts({
        sandbox: small,
        solver: microSolver,
        challenger: microChallenger,
        seedPrograms: MICRO_SEED_PROGRAMS,
        wording: microWording,
      }),
    );
  const run = (program: string, more: Partial<TransformParts> = {}) =>
    transformEnvironment(parts(more)).realise(seeds[0] ?? pictureSeed(imageRef(picture)), { program });

  beforeAll(async () => {
    sandbox = await openSandbox({ workers: 2 });
    small = await openSandbox({ workers: 2, minPixels: 16 });
  });
  afterAll(async () => {
    await sandbox.close();
    await small.close();
  });

  it('make one question of each kind from every seed program', async () => {
    for (const { program } of SEED_PROGRAMS) {
      const made = unwrap(
        await run(program, {
          sandbox: small,
          config: { questions: ['arguments-to-image', 'image-to-arguments', 'match'], alike: 'pixels' },
        }),
      );
      expect(made.map(({ task }) => task.images.length)).toEqual([5, 2, 5]);
      for (const { task, images: shown } of made) {
        expect(shown.map(imageRef)).toEqual(task.images);
        expect(grade(task.answer, task)).toBe(true);
        expect('ABCD'.split('').filter((letter) => grade(letter, task))).toEqual([task.answer]);
        expect(task.question).not.toContain('args_list');
        expect(promptImages(transformSolver.prompt({ task, images: shown }))).toHaveLength(shown.length);
      }
    }
  });

  it('are labelled by what the run made: the picture behind the right letter is that of the arguments', async () => {
    const program = `def edit_image(img, shade):
    return img.point([shade] * 768)
args_list = [{"shade": 10}, {"shade": 80}, {"shade": 160}, {"shade": 240}]
`;
    const [forward, back] = unwrap(await run(program));
    if (!forward || !back) throw new Error('two questions were to be made');
    const shadeOf = (image: Image | undefined): number => image?.rgb[0] ?? -1;
    const asked = Number(/"shade": (\d+)/.exec(forward.task.question.split('**')[1] ?? '')?.[1]);
    expect(shadeOf(forward.images['ABCD'.indexOf(forward.task.answer) + 1])).toBe(asked);
    const option = back.task.choices?.['ABCD'.indexOf(back.task.answer)] ?? '';
    expect(shadeOf(back.images[1])).toBe(Number(/\d+/.exec(option)?.[0]));
  });

  it.each([
    [
      'alike',
      'def edit_image(img, a):\n    return img.copy()\nargs_list = [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}]',
    ],
    [
      'exception',
      'def edit_image(img, a):\n    return img.nothing\nargs_list = [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}]',
    ],
    [
      'malformed',
      'def edit_image(img, a):\n    return img\nargs_list = [{"a": 1}, {"a": 1}, {"a": 3}, {"a": 4}]',
    ],
    [
      'bad-output',
      'def edit_image(img, a):\n    return a\nargs_list = [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}]',
    ],
    [
      'forbidden',
      'import os\ndef edit_image(img, a):\n    return img\nargs_list = [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}]',
    ],
  ])('are refused as %s', async (reason, program) => {
    expect(await run(program)).toMatchObject({ ok: false, error: { reason } });
  });

  it('of brightness are kept by our rule and lost by the bare hash', async () => {
    const program = `from PIL import ImageEnhance
def edit_image(img, by):
    return ImageEnhance.Brightness(img).enhance(by)
args_list = [{"by": 0.5}, {"by": 0.7}, {"by": 0.85}, {"by": 1.0}]
`;
    const smooth: Image = {
      width: 96,
      height: 96,
      rgb: Uint8Array.from({ length: 3 * 96 * 96 }, (_, i) => {
        const [x, y] = [Math.floor(i / 3) % 96, Math.floor(i / 288)];
        return 110 + 70 * Math.sin(((1 + (i % 3)) * x) / 23 + y / (10 + (i % 3)));
      }),
    };
    const hash = imageRef(smooth).hash;
    const lineage = pictureSeed(imageRef(smooth));
    const findImage = (h: string) => Promise.resolve(h === hash ? smooth : null);
    const by = (alike: 'pixels' | 'hash') =>
      transformEnvironment(parts({ findImage, config: { ...DEFAULT_TRANSFORM_CONFIG, alike } })).realise(
        lineage,
        { program },
      );
    expect(await by('pixels')).toMatchObject({ ok: true });
    expect(await by('hash')).toMatchObject({ ok: false, error: { reason: 'alike' } });
  });

  it('run again give the same pictures and the same answers', async () => {
    const environment = micro();
    const tokenizer = makeTokenizer(TRANSFORM_VOCABULARY);
    let tasks = 0;
    for (let i = 0; i < 24; i++) {
      const action = unwrap(parseProgram(linesOf(scriptedProgram(Rng.fromSeed(7).child(i)).text)));
      const seed = seeds[1 + (i % 12)];
      if (!seed) throw new Error('no seed');
      const made = await environment.realise(seed, action);
      if (!made.ok) {
        expect(made.error.reason).toBe('alike');
        continue;
      }
      for (const { task, images: shown, lineage } of made.value) {
        const origin = environment.seedOf?.(lineage) ?? seed;
        expect(origin).toEqual(seed);
        const again = unwrap(await replay(environment, origin, lineage.actions));
        expect(again.map((one) => one.task.id)).toContain(task.id);
        expect(unwrap(environment.parseState(JSON.parse(JSON.stringify(lineage.state))))).toEqual(
          lineage.state,
        );
        const prompt = environment.solver.prompt({ task, images: shown });
        expect(tokenizer.encode(promptText(prompt)).length).toBeLessThanOrEqual(64);
        expect(promptImages(prompt).map(({ width, height }) => ({ width, height }))).toEqual([MOSAIC]);
        tasks++;
      }
    }
    expect(tasks).toBeGreaterThan(36);
  });

  it('open the micro queue with programs that run', async () => {
    const environment = micro();
    for (const program of MICRO_SEED_PROGRAMS) {
      expect(await environment.realise(seeds[2] ?? pictureSeed(imageRef(picture)), program)).toMatchObject({
        ok: true,
      });
    }
  });
});
