import { type z } from 'zod';
import type {
  ExecutableEnvironment,
  Lineage,
  Realised,
  SolveRequest,
  Solution,
} from '../../core/environment.js';
import type { ChallengeRequest } from '../../core/environment.js';
import { ConfigError, DataError } from '../../core/errors.js';
import { imageRef, type Image } from '../../core/image.js';
import { ok, reject, type Result } from '../../core/result.js';
import type { Role } from '../../core/role.js';
import { makeTask } from '../../core/task.js';
import type { ProgramResult, ProgramSandbox } from '../../sandbox/index.js';
import { alike, fingerprint, type AlikeRule } from './alike.js';
import { codeOf, operationsOf, SEED_PROGRAMS } from './programs.js';
import { buildQuestion, fullWording, type Wording } from './questions.js';
import { rejectedRun, type TransformRejection } from './rejections.js';
import {
  TRANSFORM_ACTION,
  TRANSFORM_STATE,
  type QuestionKind,
  type TransformAction,
  type TransformState,
} from './state.js';

/** Everything that decides what the environment does, besides the sandbox's limits. */
export interface TransformConfig {
  /** Questions that a program makes, one of each kind; EVE: the first two. */
  readonly questions: readonly QuestionKind[];
  /** When two outputs are the same picture, and the program is refused. */
  readonly alike: AlikeRule;
}

/** EVE's questions; duplicates by our rule. */
export const DEFAULT_TRANSFORM_CONFIG: TransformConfig = {
  questions: ['arguments-to-image', 'image-to-arguments'],
  alike: 'pixels',
};

/** What the environment works with. It owns none of it. */
export interface TransformParts {
  readonly config: TransformConfig;
  readonly sandbox: ProgramSandbox;
  /** A picture of the library by its hash; null where there is none. */
  readonly findImage: (hash: string) => Promise<Image | null>;
  readonly solver: Role<SolveRequest, Solution>;
  readonly challenger: Role<ChallengeRequest<TransformState>, TransformAction>;
  readonly seedPrograms?: readonly TransformAction[];
  /** How questions are put; for instruction-tuned models unless told. */
  readonly wording?: Wording;
}

/** EVE's environment, which can be given pictures that the run doesn't hold yet. */
export interface TransformEnvironment extends ExecutableEnvironment<TransformState, TransformAction> {
  /** Makes pictures known by their hashes, for as long as the environment lives. */
  show(images: readonly Image[]): void;
}

const NAME = 'transforms';

/**
 * EVE's environment: a program run on a picture makes multiple-choice questions whose answers are known from the run. A picture
 * alone is no task: `realise(seed, null)` gives none. Throws a ConfigError when no question is asked for.
 */
export function transformEnvironment(parts: TransformParts): TransformEnvironment {
  const { config, challenger, solver } = parts;
  const shown = new Map<string, Image>();
  const findImage = async (hash: string): Promise<Image | null> =>
    shown.get(hash) ?? (await parts.findImage(hash));
  if (config.questions.length === 0) {
    throw new ConfigError('questions', config.questions, 'name at least one kind of question');
  }
  return {
    name: NAME,
    solver,
    challenger,
    seedPrograms: parts.seedPrograms ?? SEED_PROGRAMS,
    programText: codeOf,
    programSource: ({ program }) => program,
    pictures: async ({ state }) => [await pictureOf(state, findImage)],
    parseState: (json) => checked(TRANSFORM_STATE, json, 'bad-state', 'state'),
    parseAction: (json) => checked(TRANSFORM_ACTION, json, 'malformed', 'action'),
    describeAction: (action) => `${operationsOf(action).join(' and ')}: ${codeOf(action)}`,
    seedOf: ({ seedId, state }) => ({ seedId, actions: [], state: { image: state.image, asked: null } }),
    realise: (lineage, action) =>
      action === null ? Promise.resolve(ok([])) : execute({ ...parts, findImage }, lineage, action),
    show(images) {
      for (const image of images) shown.set(imageRef(image).hash, image);
    },
  };
}

/** The picture that a state names. Throws a DataError when it is nowhere: the library has changed, or the run is damaged. */
async function pictureOf(
  { image: { hash } }: TransformState,
  findImage: TransformParts['findImage'],
): Promise<Image> {
  const image = await findImage(hash);
  if (!image) throw new DataError('transforms', null, `picture ${hash} is not in the library or the run`);
  return image;
}

async function execute(
  parts: TransformParts,
  lineage: Lineage<TransformState>,
  action: TransformAction,
): Promise<Result<readonly Realised<TransformState>[], TransformRejection>> {
  const { config, sandbox, findImage, wording = fullWording } = parts;
  if (lineage.state.asked) {
    return reject('bad-state', 'a program works on a picture of the library, not on a task');
  }
  const image = await pictureOf(lineage.state, findImage);
  const result = await sandbox.run(action.program, image);
  if (result.status !== 'ok') return rejectedRun(result);
  const twins = twinOutputs(result.images, config.alike);
  if (twins) return reject('alike', `outputs ${twins[0] + 1} and ${twins[1] + 1} are the same picture`);
  return ok(config.questions.map((kind) => taskOf(lineage, action, image, result, { kind, wording })));
}

/** The first two outputs that count as the same picture; null when all differ. */
export function twinOutputs(images: readonly Image[], rule: AlikeRule): readonly [number, number] | null {
  const prints = images.map(fingerprint);
  for (let j = 1; j < prints.length; j++) {
    for (let i = 0; i < j; i++) {
      const [a, b] = [prints[i], prints[j]];
      if (a && b && alike(a, b, rule)) return [i, j];
    }
  }
  return null;
}

function taskOf(
  lineage: Lineage<TransformState>,
  action: TransformAction,
  image: Image,
  { code, args, images }: Extract<ProgramResult, { readonly status: 'ok' }>,
  { kind, wording }: { readonly kind: QuestionKind; readonly wording: Wording },
): Realised<TransformState> {
  const { seedId } = lineage;
  const question = buildQuestion(kind, { seedId, program: action.program, code, args }, wording);
  const shown = [image, ...question.shown.map((i) => images[i] as Image)];
  const outputs = images.map((output) => imageRef(output).hash);
  const { shown: order, listed } = question;
  const task = makeTask({
    environment: NAME,
    images: shown.map(imageRef),
    question: question.text,
    answer: question.answer,
    answerKind: 'choice',
    choices: question.choices,
    label: {
      origin: 'derived',
      derivation: {
        seedId,
        actions: [...lineage.actions, action],
        rule: 'execute',
        trace: { kind, args, outputs, shown: order, listed },
      },
    },
    facts: { kind, operation: operationsOf(action).join('+') },
  });
  const state = { image: lineage.state.image, asked: { program: action.program, kind } };
  return { task, images: shown, lineage: { seedId, actions: [...lineage.actions, action], state } };
}

function checked<T>(
  schema: z.ZodType<T>,
  json: unknown,
  reason: 'bad-state' | 'malformed',
  what: string,
): Result<T, TransformRejection> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return ok(parsed.data);
  const issue = parsed.error.issues[0];
  const where = issue && issue.path.length > 0 ? issue.path.join('.') : what;
  return reject(reason, `${where}: ${issue?.message ?? 'not of the wanted form'}`);
}
