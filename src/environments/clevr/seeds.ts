import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { Lineage } from '../../core/environment.js';
import { DataError } from '../../core/errors.js';
import { contentHash } from '../../core/json.js';
import type { Rng } from '../../core/rng.js';
import type { ClevrState } from './edit.js';
import { execute } from './executor.js';
import {
  OFFICIAL_CAMERA,
  readOfficialQuestion,
  readOfficialScenes,
  type OfficialQuestion,
  type OfficialScene,
} from './official.js';
import type { ClevrQuestion, Family } from './program.js';
import { generateQuestions, type QuestionOptions } from './questions/index.js';
import { sceneView } from './relations.js';
import { sampleScene, type SampleSceneOptions } from './sampler.js';
import { CLEVR_SCENE, checkJson } from './schema.js';
import type { ClevrScene } from './scene.js';
import { drawScene, visibilityProblem, type View } from './view.js';

/** A task's starting point, before any action. */
export type ClevrSeed = Lineage<ClevrState>;

/** A seed; its id is a hash of its content unless one is given, so equal seeds of two files are one seed. */
export function makeSeed(state: ClevrState, id?: string): ClevrSeed {
  return { seedId: id ?? `clevr-${contentHash(state).slice(0, 16)}`, actions: [], state };
}

/** What is drawn for `sampleSeeds`. */
export interface SampleSeedsOptions extends SampleSceneOptions, QuestionOptions {
  readonly families: readonly Family[];
  /** Most questions about one scene, at least 1. */
  readonly questionsPerScene: number;
  /** The size at which every object must be seen; scenes with a hidden one are drawn again. */
  readonly view: View;
}

/**
 * `count` seeds in a fixed order, scene by scene: the questions of a scene follow one another. Scene i comes from
 * `rng.child('scene', i)` alone, so a longer list begins with the shorter one.
 */
export function sampleSeeds(rng: Rng, count: number, options: SampleSeedsOptions): ClevrSeed[] {
  const seeds: ClevrSeed[] = [];
  for (let i = 0; seeds.length < count; i++) {
    const stream = rng.child('scene', i);
    const scene = sampleVisibleScene(stream.child('objects'), options);
    const questions = generateQuestions(scene, options.questionsPerScene, stream.child('questions'), options);
    for (const question of questions.slice(0, count - seeds.length))
      seeds.push(makeSeed({ scene, question }));
    if (i >= 100 + 20 * count)
      throw new Error(`sampleSeeds: ${i} scenes gave only ${seeds.length} questions`);
  }
  return seeds;
}

/** A sampled scene in which every object can be seen at the size of `view`. */
export function sampleVisibleScene(
  rng: Rng,
  options: SampleSceneOptions & { readonly view: View },
): ClevrScene {
  for (let attempt = 0; ; attempt++) {
    const scene = sampleScene(rng.child(attempt), options);
    if (visibilityProblem(drawScene(scene, options.view).geometry, options.view) === null) return scene;
    if (attempt === 1000)
      throw new Error(`sampleVisibleScene: objects are hidden in ${attempt} scenes running`);
  }
}

/** What to do with a line that can't be used. */
export type OnBadLine = 'fail' | 'skip';

/** Seeds read from a file, and what was left out. */
export interface ReadSeeds {
  readonly seeds: readonly ClevrSeed[];
  /** Bad lines, in order; empty unless asked to skip them. */
  readonly skipped: readonly { readonly line: number; readonly problem: string }[];
}

const LINE = z.strictObject({
  id: z.string().min(1).optional(),
  scene: z.record(z.string(), z.unknown()),
  question: z.string().trim().min(1),
  program: z.unknown().optional(),
  answer: z.union([z.string(), z.number(), z.boolean()]).optional(),
  image: z.string().optional(),
});

/**
 * Reads a user's seeds: JSONL, one object a line, empty lines ignored.
 *
 * - `id` (optional): the seed's name; two lines must not share one. A hash of scene and question when absent.
 * - `scene`: `{objects: [{shape, color, material, size, x, y, rotation}], camera: {x, y, z}}` with 1 to 10 objects
 *   (`rotation` is 0 and `camera` the official one when absent), or one entry of an official scenes file.
 * - `question`: the text, as the solver is shown it.
 * - `program`: the official functional program (either dialect). It is what labels are derived with, so a line without
 *   one is bad even when it has an answer: that answer could not be computed again after an edit.
 * - `answer` (optional): checked against the program; a line where they differ is bad.
 * - `image` (optional): path of a picture, relative to the file; it must exist. It only documents where the scene comes
 *   from: pictures are always drawn from the scene, so that original and edited twin differ by the edit alone.
 *
 * Throws a DataError that names file, line and reason at the first bad line; with `skip`, bad lines are listed instead,
 * and only a file that can't be read or has no good line at all is an error.
 */
export function readSeeds(path: string, options: { readonly onBadLine: OnBadLine }): ReadSeeds {
  const seeds: ClevrSeed[] = [];
  const skipped: { line: number; problem: string }[] = [];
  const seen = new Map<string, number>();
  for (const [i, text] of readText(path).split(/\r?\n/).entries()) {
    if (text.trim() === '') continue;
    const line = i + 1;
    try {
      const seed = readLine(text, path, line);
      const earlier = seen.get(seed.seedId);
      if (earlier !== undefined)
        throw new DataError(path, line, `the same id as line ${earlier}: ${seed.seedId}`);
      seen.set(seed.seedId, line);
      seeds.push(seed);
    } catch (error) {
      if (!(error instanceof DataError) || options.onBadLine === 'fail') throw error;
      skipped.push({ line, problem: error.problem });
    }
  }
  if (seeds.length === 0) throw new DataError(path, null, `no usable seeds (${skipped.length} bad lines)`);
  return { seeds, skipped };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new DataError(
      path,
      null,
      `can't be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function readLine(text: string, path: string, line: number): ClevrSeed {
  const bad = (problem: string): DataError => new DataError(path, line, problem);
  const parsed = checkJson(LINE, parseLine(text, bad), 'seed');
  if (!parsed.ok) throw bad(parsed.error.detail);
  const { id, scene: sceneJson, question: words, program, answer, image } = parsed.value;
  if (program === undefined) {
    const why = answer === undefined ? 'it has neither program nor answer' : 'an answer alone is not enough';
    throw bad(`a program is needed, so that the answer can be computed again after an edit (${why})`);
  }
  if (image !== undefined && !existsSync(resolve(dirname(path), image)))
    throw bad(`image ${image} isn't there`);
  const scene = readScene(sceneJson, bad);
  const { question, answer: stated } = readQuestion(words, program, answer, bad);
  const run = execute(question.program, sceneView(scene));
  if (!run.ok) throw bad(`${run.error.reason}: ${run.error.detail}`);
  if (stated !== null && stated !== run.value.answer) {
    throw bad(`the answer is given as ${stated}, but the program comes to ${run.value.answer}`);
  }
  return makeSeed({ scene, question }, id);
}

function parseLine(text: string, bad: (problem: string) => DataError): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw bad(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readScene(json: Record<string, unknown>, bad: (problem: string) => DataError): ClevrScene {
  let scene: unknown = json;
  if ('3d_coords' in (firstObject(json) ?? {})) {
    const official = reading(() => readOfficialScenes({ scenes: [json] }, ''), 'scenes[0]', 'scene', bad);
    scene = official[0]?.scene;
  } else if (Array.isArray(json.objects)) {
    const turned = (object: unknown): unknown => (isRecord(object) ? { rotation: 0, ...object } : object);
    scene = { camera: OFFICIAL_CAMERA, ...json, objects: json.objects.map(turned) };
  }
  const checked = checkJson(CLEVR_SCENE, scene, 'scene');
  if (!checked.ok) throw bad(checked.error.detail);
  return checked.value;
}

function firstObject(json: Record<string, unknown>): Record<string, unknown> | null {
  const first: unknown = Array.isArray(json.objects) ? json.objects[0] : null;
  return isRecord(first) ? first : null;
}

function isRecord(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function readQuestion(
  question: string,
  program: unknown,
  answer: string | number | boolean | undefined,
  bad: (problem: string) => DataError,
): { question: ClevrQuestion; answer: string | null } {
  const entry = { question, program, answer: answer ?? '' };
  const read = reading(() => readOfficialQuestion(entry, '', 0), 'questions[0].', '', bad);
  return { question: read.question, answer: answer === undefined ? null : read.answer };
}

/** Runs a reader of official files on a part of a line, and words its refusal as one about that line. */
function reading<T>(read: () => T, theirs: string, ours: string, bad: (problem: string) => DataError): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DataError) throw bad(error.problem.replace(theirs, ours));
    throw error;
  }
}

/**
 * The seeds of an official data set: every question with its scene. A question belongs to the scene of its
 * `image_index`, else of its `image_filename`. Throws a DataError naming `file` where a question has no scene or its
 * program gives no answer on it.
 */
export function officialSeeds(
  scenes: readonly OfficialScene[],
  questions: readonly OfficialQuestion[],
  file = 'questions',
): ClevrSeed[] {
  const byIndex = new Map(scenes.map((scene, i) => [scene.imageIndex ?? i, scene]));
  const byName = new Map(scenes.map((scene) => [scene.imageFilename, scene]));
  return questions.map(({ question, imageIndex, imageFilename }, i) => {
    const found = imageIndex === null ? byName.get(imageFilename) : byIndex.get(imageIndex);
    if (!found || (imageIndex === null && imageFilename === null)) {
      throw new DataError(
        file,
        null,
        `questions[${i}]: there is no scene for image ${imageIndex ?? imageFilename}`,
      );
    }
    const run = execute(question.program, sceneView(found.scene));
    if (!run.ok) throw new DataError(file, null, `questions[${i}]: ${run.error.reason}: ${run.error.detail}`);
    return makeSeed({ scene: found.scene, question });
  });
}
