import type { EditableEnvironment, Lineage, Realised } from '../../core/environment.js';
import { ConfigError } from '../../core/errors.js';
import { imageRef } from '../../core/image.js';
import { contentHash } from '../../core/json.js';
import { ok, reject, type Result } from '../../core/result.js';
import type { Rng } from '../../core/rng.js';
import { makeTask, type Task } from '../../core/task.js';
import type { Geometry } from '../../render/index.js';
import type { ClevrAction, ClevrState } from './edit.js';
import { draftEdits } from './editors.js';
import { applyEdits, describeClevrAction } from './edits.js';
import { answerKind, execute, type Execution } from './executor.js';
import { FAMILIES, type Family, type ProgramNode, type ProgramValue } from './program.js';
import { generateQuestion, isDegenerate } from './questions/index.js';
import type { ClevrRejection } from './rejections.js';
import { sceneView } from './relations.js';
import { clevrRewriter } from './roles/rewriter.js';
import { clevrSolver, type PromptStyle } from './roles/solver.js';
import { solverTarget } from './roles/target.js';
import { EXTENT, MAX_OBJECTS, placementProblem } from './sampler.js';
import { CLEVR_ACTION, CLEVR_STATE, checkJson } from './schema.js';
import type { ClevrObject, ClevrScene } from './scene.js';
import { drawScene, visibilityProblem, type View } from './view.js';

/** Everything that decides what the CLEVR environment does. */
export interface ClevrConfig {
  /** Size of the pictures, pixels. */
  readonly view: View;
  /** Fewest and most objects an edited scene may hold; within 1 to 10. Seeds are taken as they are. */
  readonly objects: { readonly min: number; readonly max: number };
  /** Edited and added objects stand in [-extent, extent] on both axes, world units; in (0, 3]. */
  readonly extent: number;
  /** Families that a question may be redrawn from when the family of the old one isn't known. */
  readonly families: readonly Family[];
  /** Vary the wording of redrawn questions (default); else the shortest wording. */
  readonly paraphrase?: boolean;
  /** Most edits in one action, at least 1. */
  readonly maxEdits: number;
  /** Refuse edits that leave the answer as it was (`answer-unchanged`). */
  readonly requireAnswerChange: boolean;
  /** `full` for instruction-tuned models, `micro` for the micro engine's closed vocabulary. */
  readonly promptStyle: PromptStyle;
  /** Refuse edits after which the question could drop one of its conditions (`question-degenerate`). */
  readonly rejectDegenerate: boolean;
}

/** CLEVR's own numbers: 480 x 320 pixels, 3 to 10 objects, all nine families, up to 4 edits. */
export const DEFAULT_CLEVR_CONFIG: ClevrConfig = {
  view: { width: 480, height: 320 },
  objects: { min: 3, max: MAX_OBJECTS },
  extent: EXTENT,
  families: FAMILIES,
  maxEdits: 4,
  requireAnswerChange: false,
  promptStyle: 'full',
  rejectDegenerate: false,
};

/** The rule's intermediate results as a derivation keeps them. */
export type ClevrTrace = {
  readonly program: readonly ProgramNode[];
  /** The value of every node, in order. */
  readonly values: readonly ProgramValue[];
  /** Pixels seen of every object, in the scene's order, in hundredths: an equal picture has equal numbers. */
  readonly visible: readonly number[];
};

/** CLEVR as VICO edits it, with the scripted editor that a rewriter is warmed up on. */
export interface ClevrEnvironment extends EditableEnvironment<ClevrState, ClevrAction> {
  readonly config: ClevrConfig;
  /**
   * A verified action of 1 to 3 edits, uninformed by any pass rate: broad over classes, coordinates on the 0.5 grid.
   * `realise` accepts it. Null when 80 drafts found none.
   */
  scriptedEditor(lineage: Lineage<ClevrState>, rng: Rng): ClevrAction | null;
  /** What the micro actor is taught to write on a task: the results along its program, then the answer. */
  solverTarget(of: Pick<Realised<ClevrState>, 'task' | 'lineage'>): string;
}

const NAME = 'clevr';
const SCRIPT_TRIES = 80;
const RANDOM_TRIES = 20;
const REDRAW_TRIES = 20;

/** Makes the environment. Throws a ConfigError on a configuration that can't work. */
export function clevrEnvironment(config: ClevrConfig = DEFAULT_CLEVR_CONFIG): ClevrEnvironment {
  checkConfig(config);
  const { promptStyle, maxEdits, extent, objects } = config;
  const runs = (state: ClevrState, action: ClevrAction): boolean => {
    const after = nextState(state, action, config);
    return after.ok && label(state, after.value, action, config).ok;
  };
  return {
    name: NAME,
    config,
    solver: clevrSolver(promptStyle),
    rewriter: clevrRewriter(config),
    realise: (lineage, action) => Promise.resolve(step(lineage, action, config)),
    parseState: (json) => checkJson(CLEVR_STATE, json, 'state'),
    parseAction: (json) => checkJson(CLEVR_ACTION, json, 'action'),
    describeAction: describeClevrAction,
    randomEdit(lineage, rng) {
      let drafted: ClevrAction | null = null;
      for (let attempt = 0; attempt < RANDOM_TRIES; attempt++) {
        const edits = draftEdits(lineage.state.scene, rng, { objects, extent, maxEdits });
        if (!edits) continue;
        drafted = { kind: 'edits', edits };
        if (runs(lineage.state, drafted)) return drafted;
      }
      // Nothing could be drawn; the identity stands for it, and `realise` refuses it with its reason.
      return drafted ?? { kind: 'edits', edits: [] };
    },
    scriptedEditor(lineage, rng) {
      for (let attempt = 0; attempt < SCRIPT_TRIES; attempt++) {
        const edits = draftEdits(lineage.state.scene, rng, { objects, extent, maxEdits });
        const action: ClevrAction | null = edits && { kind: 'edits', edits };
        if (action && step(lineage, action, config).ok) return action;
      }
      return null;
    },
    redrawQuestion: (lineage, rng) => redraw(lineage.state, rng, config),
    solverTarget: ({ task, lineage }) => {
      const trace = execution(lineage.state);
      if (!trace.ok) throw new Error(`solverTarget: task ${task.id} has no derivation`);
      return solverTarget(lineage.state.question.program, trace.value.trace, task.answer);
    },
  };
}

function checkConfig(config: ClevrConfig): void {
  const { objects, extent, maxEdits, families, view } = config;
  const whole = [objects.min, objects.max, maxEdits, view.width, view.height];
  if (!whole.every((n) => Number.isInteger(n) && n >= 1)) {
    throw new ConfigError('clevr', { objects, maxEdits, view }, 'numbers must be whole and at least 1');
  }
  if (objects.min > objects.max || objects.max > MAX_OBJECTS) {
    throw new ConfigError('objects', objects, `must have 1 <= min <= max <= ${MAX_OBJECTS}`);
  }
  if (!(extent > 0 && extent <= EXTENT)) throw new ConfigError('extent', extent, `must be in (0, ${EXTENT}]`);
  if (families.length === 0) throw new ConfigError('families', families, 'name at least one family');
}

/** One step of a lineage: apply, label, draw, check; the work behind `realise`, without waiting. */
function step(
  lineage: Lineage<ClevrState>,
  action: ClevrAction | null,
  config: ClevrConfig,
): Result<readonly Realised<ClevrState>[], ClevrRejection> {
  const after = action === null ? ok(lineage.state) : nextState(lineage.state, action, config);
  if (!after.ok) return after;
  const labelled = label(lineage.state, after.value, action, config);
  if (!labelled.ok) return labelled;
  const { image, geometry } = drawScene(after.value.scene, config.view);
  const unseen = visibilityProblem(geometry, config.view);
  if (unseen) return { ok: false, error: unseen };
  const next: Lineage<ClevrState> = {
    seedId: lineage.seedId,
    actions: action === null ? lineage.actions : [...lineage.actions, action],
    state: after.value,
  };
  const task = clevrTask(next, labelled.value, imageRef(image), geometry);
  return ok([{ task, images: [image], lineage: next }]);
}

/** The state after an action, with every check that needs neither the program nor the picture. */
function nextState(
  state: ClevrState,
  action: ClevrAction,
  config: ClevrConfig,
): Result<ClevrState, ClevrRejection> {
  if (action.kind === 'ask') {
    if (contentHash(action.question) === contentHash(state.question)) {
      return reject('no-effect', 'the same question is asked again');
    }
    return ok({ scene: state.scene, question: action.question });
  }
  if (action.edits.length > config.maxEdits) {
    return reject('too-many-edits', `${action.edits.length} edits, at most ${config.maxEdits} are allowed`);
  }
  const scene = applyEdits(state.scene, action.edits);
  if (!scene.ok) return scene;
  const problem = sceneProblem(state.scene, scene.value, config);
  return problem ? { ok: false, error: problem } : ok({ scene: scene.value, question: state.question });
}

/**
 * What is wrong with an edited scene. Counts bind only a scene that the edits made larger or smaller, and places only
 * objects that they put there or let grow: a user's seed that breaks a rule already may still be edited elsewhere.
 */
function sceneProblem(before: ClevrScene, after: ClevrScene, config: ClevrConfig): ClevrRejection | null {
  const count = after.objects.length;
  const { min, max } = config.objects;
  if (count > max && count > before.objects.length) {
    return { reason: 'too-many-objects', detail: `${count} objects, at most ${max} are allowed` };
  }
  if (count < Math.max(1, min) && count < before.objects.length) {
    return { reason: 'too-few-objects', detail: `${count} objects, at least ${min} are needed` };
  }
  const spot = (o: ClevrObject): string => `${o.size} ${o.x} ${o.y}`;
  const standing = new Set(before.objects.map(spot));
  for (const [index, object] of after.objects.entries()) {
    if (standing.has(spot(object))) continue;
    const problem = placementProblem(after, index, config.extent);
    if (problem) return problem;
  }
  return null;
}

function execution(state: ClevrState): Result<Execution, ClevrRejection> {
  return execute(state.question.program, sceneView(state.scene));
}

/** The answer by recomputation (methods.md, "Label rules"), and whether the configuration wants such a task. */
function label(
  before: ClevrState,
  after: ClevrState,
  action: ClevrAction | null,
  config: ClevrConfig,
): Result<Execution, ClevrRejection> {
  const now = execution(after);
  if (!now.ok || action === null) return now;
  if (config.rejectDegenerate && isDegenerate(after.question.program, sceneView(after.scene))) {
    return reject('question-degenerate', 'the answer no longer depends on every part of the question');
  }
  if (config.requireAnswerChange && action.kind === 'edits') {
    const then = execution(before);
    if (then.ok && then.value.answer === now.value.answer) {
      return reject('answer-unchanged', `the answer is still ${now.value.answer}`);
    }
  }
  return now;
}

function clevrTask(
  lineage: Lineage<ClevrState>,
  { answer, value, trace }: Execution,
  image: ReturnType<typeof imageRef>,
  geometry: Geometry,
): Task {
  const { scene, question } = lineage.state;
  const record: ClevrTrace = {
    program: question.program,
    values: trace,
    visible: geometry.objects.map((object) => Math.round(object.visiblePixels * 100)),
  };
  const hop = /^(relate|same_)/;
  return makeTask({
    environment: NAME,
    images: [image],
    question: question.text,
    answer,
    answerKind: answerKind(value),
    label: {
      origin: 'derived',
      derivation: {
        seedId: lineage.seedId,
        actions: lineage.actions,
        rule: 'recompute',
        trace: record,
      },
    },
    facts: {
      family: question.family,
      objects: scene.objects.length,
      programLength: question.program.length,
      hops: question.program.filter((node) => hop.test(node.function)).length,
    },
  });
}

/** Another question of the same family about the same scene; of any configured family when the family isn't known. */
function redraw(state: ClevrState, rng: Rng, config: ClevrConfig): ClevrAction | null {
  const { family } = state.question;
  const old = contentHash(state.question.program);
  for (let attempt = 0; attempt < REDRAW_TRIES; attempt++) {
    const drawn = family === 'other' ? rng.pick(config.families) : family;
    const paraphrase = config.paraphrase ?? true;
    const question = generateQuestion(state.scene, drawn, rng.child(attempt), { paraphrase });
    if (question && contentHash(question.program) !== old) return { kind: 'ask', question };
  }
  return null;
}
