import { closest } from 'fastest-levenshtein';
import { z } from 'zod';
import { DataError } from '../../core/errors.js';
import type { Json } from '../../core/json.js';
import { answerText, type Execution } from './executor.js';
import { FAMILIES, FUNCTIONS, type ClevrQuestion, type ProgramNode, type ProgramValue } from './program.js';
import { relationships, sceneView, type Relationships, type SceneView } from './relations.js';
import { COLORS, directions, MATERIALS, RADIUS, RELATIONS, SHAPES, SIZES } from './scene.js';
import type { ClevrCamera, ClevrScene, Relation } from './scene.js';

/** A pixel position [px, py, depth]: pixels from the left and the top, world units along the view axis. */
export type PixelCoords = readonly [number, number, number];

/** A scene of an official file, with what the file says beside the structure. */
export interface OfficialScene {
  /** From `image_index`, else from the digits that end the file name; null when neither is there. */
  readonly imageIndex: number | null;
  readonly imageFilename: string | null;
  readonly scene: ClevrScene;
  /** What programs run on: the stored relationships when the file has them, else those of the scene. */
  readonly view: SceneView;
  /** The stored relationships, rows ascending, or null. */
  readonly storedRelationships: Relationships | null;
  /** Where the camera comes from: our own key, the azimuth of `directions`, or nothing (the official default). */
  readonly cameraFrom: 'stored' | 'directions' | 'default';
  /** One entry an object, or null when any object lacks its own. */
  readonly pixelCoords: readonly PixelCoords[] | null;
}

/** A question of an official file. */
export interface OfficialQuestion {
  readonly question: ClevrQuestion;
  /** The stored answer as text: `yes`, `no`, decimal digits or a word, whichever dialect it was written in. */
  readonly answer: string;
  readonly imageIndex: number | null;
  readonly imageFilename: string | null;
  readonly questionIndex: number | null;
  /** The stored `_output` of every node, undefined where the file has none. */
  readonly outputs: readonly (Json | undefined)[];
}

/** `v1.0`: `function` and answers as strings, as published. `engine`: `type`, typed answers and `_output`, as the question engine writes. */
export type Dialect = 'v1.0' | 'engine';

/** Names a picture of a split. */
export interface ImageIdentity {
  readonly split: string;
  readonly imageIndex: number;
  /** `CLEVR_<split>_<six digits>.png` when absent; official tools read the index from the digits at its end. */
  readonly imageFilename?: string;
}

/** A pinhole camera's picture: size and focal length in pixels. */
export interface Projection {
  readonly width: number;
  readonly height: number;
  readonly focal: number;
}

/** The official picture: 480 x 320, 35 mm lens on a 32 mm sensor. */
export const OFFICIAL_PROJECTION: Projection = { width: 480, height: 320, focal: 525 };

/** Where the official camera stands before jitter, world units. */
export const OFFICIAL_CAMERA: ClevrCamera = { x: 7.48113, y: -6.50764, z: 5.34367 };

const integer = z.number().int();
const vector = z.array(z.number()).min(2).max(3);
const rows = z.array(z.array(integer.min(0)));
const identitySchema = {
  image_index: integer.min(0).optional(),
  image_filename: z.string().min(1).optional(),
};

const sceneSchema = z.object({
  ...identitySchema,
  objects: z.array(
    z.object({
      shape: z.enum(SHAPES),
      color: z.enum(COLORS),
      material: z.enum(MATERIALS),
      size: z.enum(SIZES),
      '3d_coords': vector,
      rotation: z.number().optional(),
      pixel_coords: z.tuple([z.number(), z.number(), z.number()]).optional(),
    }),
  ),
  directions: z.object({ left: vector, right: vector, front: vector, behind: vector }).optional(),
  relationships: z.object({ left: rows, right: rows, front: rows, behind: rows }).optional(),
  covolve_camera: z.tuple([z.number(), z.number(), z.number()]).optional(),
});

const literals = z.array(z.enum([...SIZES, ...COLORS, ...MATERIALS, ...SHAPES, ...RELATIONS])).max(1);
const questionSchema = z.object({
  ...identitySchema,
  question: z.string(),
  question_index: integer.optional(),
  template_filename: z.string().optional(),
  answer: z.union([z.string(), z.number(), z.boolean()], 'expected a string, a number or a truth value'),
  program: z.array(
    z.object({
      function: z.enum(FUNCTIONS).optional(),
      type: z.enum(FUNCTIONS).optional(),
      inputs: z.array(integer),
      value_inputs: literals.optional(),
      // The question engine's own name for value_inputs while it runs.
      side_inputs: literals.optional(),
      // Anything: it is only ever compared, and checking it is most of the time of reading a file.
      _output: z.custom<Json>().optional(),
    }),
  ),
});

/** Parses a JSON text. Throws DataError that names the file and, where the parser says it, the line. */
export function parseJsonText(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = /at position (\d+)/.exec(error.message)?.[1];
    const line = position === undefined ? null : text.slice(0, Number(position)).split('\n').length;
    throw new DataError(file, line, `not JSON: ${error.message.replaceAll('\n', ' ')}`);
  }
}

/**
 * Reads an official scenes file (`{info, scenes}`). Throws DataError naming the file and the position, e.g.
 * `scenes[3].objects[2].shape`, when anything in it can't be read.
 */
export function readOfficialScenes(json: unknown, file: string): OfficialScene[] {
  return listIn(json, 'scenes', file).map((entry, i) => readOfficialScene(entry, file, i));
}

/** Reads the scene at `index` of a file. Throws DataError, e.g. at `scenes[3].objects[2].shape`. */
export function readOfficialScene(entry: unknown, file: string, index: number): OfficialScene {
  return readScene(entry, file, `scenes[${index}]`);
}

/** Reads an official questions file (`{info, questions}`) in either dialect. Throws DataError like `readOfficialScenes`. */
export function readOfficialQuestions(json: unknown, file: string): OfficialQuestion[] {
  return listIn(json, 'questions', file).map((entry, i) => readOfficialQuestion(entry, file, i));
}

/** Reads the question at `index` of a file. Throws DataError, e.g. at `questions[17].program[3].function`. */
export function readOfficialQuestion(entry: unknown, file: string, index: number): OfficialQuestion {
  const at = `questions[${index}]`;
  const parsed = check(questionSchema, entry, file, at);
  const program = parsed.program.map((node, k): ProgramNode => {
    const where = `${at}.program[${k}]`;
    const name = node.function ?? node.type;
    if (name === undefined) throw new DataError(file, null, `${where}.function: missing (and no type)`);
    if (node.type !== undefined && node.type !== name) {
      throw new DataError(file, null, `${where}.type: "${node.type}" contradicts function "${name}"`);
    }
    const value = (node.value_inputs ?? node.side_inputs)?.[0];
    return { function: name, inputs: node.inputs, ...(value !== undefined && { value }) };
  });
  const template = parsed.template_filename?.replace(/\.json$/, '');
  return {
    question: {
      text: parsed.question,
      program,
      family: FAMILIES.find((family) => family === template) ?? 'other',
    },
    answer: typeof parsed.answer === 'boolean' ? (parsed.answer ? 'yes' : 'no') : String(parsed.answer),
    ...identity(parsed),
    questionIndex: parsed.question_index ?? null,
    outputs: parsed.program.map((node) => node._output),
  };
}

/** A node's value as the question engine stores it in `_output`. */
export function officialOutput(value: ProgramValue): Json {
  switch (value.kind) {
    case 'objects':
      return value.objects;
    case 'object':
      return value.object;
    case 'integer':
      return value.integer;
    case 'boolean':
      return value.boolean;
    case 'word':
      return value.word;
  }
}

/**
 * Where a point (world units) falls in the picture of a camera that looks at the origin without roll: [px, py, depth],
 * not rounded. Points at depth <= 0 are behind the camera and have no meaningful pixel.
 */
export function projectPoint(
  point: readonly [number, number, number],
  camera: ClevrCamera,
  projection: Projection = OFFICIAL_PROJECTION,
): PixelCoords {
  const ground = directions(camera);
  const distance = Math.hypot(camera.x, camera.y, camera.z);
  const radius = Math.hypot(camera.x, camera.y);
  const along = point[0] * ground.front[0] + point[1] * ground.front[1];
  const right = point[0] * ground.right[0] + point[1] * ground.right[1];
  const up = (point[2] * radius - along * camera.z) / distance;
  const depth = distance - (along * radius + point[2] * camera.z) / distance;
  return [
    projection.width / 2 + (projection.focal * right) / depth,
    projection.height / 2 - (projection.focal * up) / depth,
    depth,
  ];
}

/**
 * A scene as an entry of an official scenes file. The key `covolve_camera` keeps the exact camera, which the official
 * format has no place for; official tools ignore it.
 */
export function writeOfficialScene(
  scene: ClevrScene,
  image: ImageIdentity,
  projection: Projection = OFFICIAL_PROJECTION,
) {
  const { camera } = scene;
  const axes = directions(camera);
  const flat = (relation: Relation): [number, number, number] => [...axes[relation], 0];
  return {
    split: image.split,
    image_index: image.imageIndex,
    image_filename: filename(image),
    objects: scene.objects.map((object) => {
      const centre = [object.x, object.y, RADIUS[object.size]] as const;
      const [px, py, depth] = projectPoint(centre, camera, projection);
      return {
        shape: object.shape,
        size: object.size,
        material: object.material,
        '3d_coords': centre,
        rotation: object.rotation,
        pixel_coords: [Math.round(px), Math.round(py), depth] as const,
        color: object.color,
      };
    }),
    directions: {
      behind: flat('behind'),
      front: flat('front'),
      left: flat('left'),
      right: flat('right'),
      above: [0, 0, 1],
      below: [0, 0, -1],
    },
    relationships: relationships(scene),
    covolve_camera: [camera.x, camera.y, camera.z],
  };
}

/** A question with its execution as an entry of an official questions file. Throws (a bug) when the trace isn't the program's. */
export function writeOfficialQuestion(
  question: ClevrQuestion,
  execution: Execution,
  image: ImageIdentity & { readonly questionIndex: number; readonly questionFamilyIndex?: number },
  dialect: Dialect = 'v1.0',
) {
  const imageFilename = filename(image);
  const engine = dialect === 'engine';
  return {
    split: image.split,
    image_filename: imageFilename,
    image_index: image.imageIndex,
    image: imageFilename.replace(/\.[^.]*$/, ''),
    question: question.text,
    program: question.program.map((node, k) => {
      const value = execution.trace[k];
      if (!value) throw new Error(`writeOfficialQuestion: the trace has no value for node ${k}`);
      return {
        ...(engine ? { type: node.function } : { function: node.function }),
        inputs: node.inputs,
        ...(engine && { _output: officialOutput(value) }),
        value_inputs: node.value === undefined ? [] : [node.value],
      };
    }),
    answer: engine ? officialOutput(execution.value) : answerText(execution.value),
    ...(question.family !== 'other' && { template_filename: `${question.family}.json` }),
    ...(image.questionFamilyIndex !== undefined && { question_family_index: image.questionFamilyIndex }),
    question_index: image.questionIndex,
  };
}

function filename(image: ImageIdentity): string {
  return image.imageFilename ?? `CLEVR_${image.split}_${String(image.imageIndex).padStart(6, '0')}.png`;
}

function readScene(entry: unknown, file: string, at: string): OfficialScene {
  const parsed = check(sceneSchema, entry, file, at);
  const objects = parsed.objects.map((object) => ({
    shape: object.shape,
    color: object.color,
    material: object.material,
    size: object.size,
    x: object['3d_coords'][0] ?? 0,
    y: object['3d_coords'][1] ?? 0,
    rotation: turn(object.rotation ?? 0),
  }));
  const { camera, cameraFrom } = readCamera(parsed, file, at);
  const scene: ClevrScene = { objects, camera };
  const stored = parsed.relationships
    ? readRelationships(parsed.relationships, objects.length, file, `${at}.relationships`)
    : null;
  const pixels = parsed.objects.flatMap((object) => (object.pixel_coords ? [object.pixel_coords] : []));
  return {
    ...identity(parsed),
    scene,
    view: stored ? { objects, relationships: stored } : sceneView(scene),
    storedRelationships: stored,
    cameraFrom,
    pixelCoords: pixels.length === objects.length ? pixels : null,
  };
}

/** The file's own camera, else the official one turned to the stored azimuth, else the official one. */
function readCamera(
  parsed: z.infer<typeof sceneSchema>,
  file: string,
  at: string,
): { camera: ClevrCamera; cameraFrom: OfficialScene['cameraFrom'] } {
  const front = parsed.directions?.front;
  const [fx = 0, fy = 0] = front ?? [];
  const length = Math.hypot(fx, fy);
  if (front && !(length > 0)) {
    throw new DataError(file, null, `${at}.directions.front: has no direction on the ground`);
  }
  if (parsed.covolve_camera) {
    const [x, y, z] = parsed.covolve_camera;
    const radius = Math.hypot(x, y);
    if (!(radius > 0)) {
      throw new DataError(file, null, `${at}.covolve_camera: stands straight above the origin`);
    }
    // A tool that turned the scene but left our key would otherwise give a picture that contradicts the labels.
    if (front && Math.hypot(x / radius - fx / length, y / radius - fy / length) > 1e-3) {
      throw new DataError(
        file,
        null,
        `${at}.covolve_camera: contradicts directions.front; remove one of them`,
      );
    }
    return { camera: { x, y, z }, cameraFrom: 'stored' };
  }
  if (!front) return { camera: OFFICIAL_CAMERA, cameraFrom: 'default' };
  const radius = Math.hypot(OFFICIAL_CAMERA.x, OFFICIAL_CAMERA.y);
  return {
    camera: { x: (radius * fx) / length, y: (radius * fy) / length, z: OFFICIAL_CAMERA.z },
    cameraFrom: 'directions',
  };
}

function readRelationships(
  stored: Record<Relation, number[][]>,
  count: number,
  file: string,
  at: string,
): Relationships {
  for (const relation of RELATIONS) {
    const where = `${at}.${relation}`;
    if (stored[relation].length !== count) {
      throw new DataError(file, null, `${where}: ${stored[relation].length} rows for ${count} objects`);
    }
    for (const [i, row] of stored[relation].entries()) {
      const outside = row.findIndex((j) => j >= count);
      if (outside >= 0) {
        throw new DataError(file, null, `${where}[${i}][${outside}]: there is no object ${row[outside]}`);
      }
    }
  }
  const sorted = (relation: Relation): number[][] =>
    stored[relation].map((row) => [...new Set(row)].sort((a, b) => a - b));
  return { left: sorted('left'), right: sorted('right'), front: sorted('front'), behind: sorted('behind') };
}

/** Degrees to [0, 360), exact for values that already lie there. */
function turn(degrees: number): number {
  if (degrees >= 0 && degrees < 360) return degrees;
  const turned = ((degrees % 360) + 360) % 360;
  return turned === 360 ? 0 : turned;
}

function identity(parsed: { image_index?: number | undefined; image_filename?: string | undefined }) {
  const digits = parsed.image_filename && /(\d+)(?:\.[^.]*)?$/.exec(parsed.image_filename)?.[1];
  return {
    imageIndex: parsed.image_index ?? (digits ? Number(digits) : null),
    imageFilename: parsed.image_filename ?? null,
  };
}

/** The list `key` of a file's JSON. Throws a DataError when there is none. */
export function listIn(json: unknown, key: 'scenes' | 'questions', file: string): readonly unknown[] {
  const entries: unknown =
    typeof json === 'object' && json !== null ? (json as Record<string, unknown>)[key] : undefined;
  if (!Array.isArray(entries)) {
    throw new DataError(file, null, `${key}: missing; a CLEVR ${key} file is an object with a list "${key}"`);
  }
  return entries;
}

function check<T>(schema: z.ZodType<T>, entry: unknown, file: string, at: string): T {
  const parsed = schema.safeParse(entry, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (!issue) throw new Error('a failed parse without an issue');
  const position = issue.path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  throw new DataError(file, null, `${at}${position}: ${problem(issue)}`);
}

function problem(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value' && typeof issue.input === 'string') {
    const nearest = closest(issue.input, issue.values.map(String));
    return `unknown "${issue.input}", the nearest valid one is "${nearest}"`;
  }
  if (issue.input === undefined && issue.path.length > 0) return 'missing';
  return issue.message.replace(/^Invalid (input|option): /, '');
}
