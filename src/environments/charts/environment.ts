import type { EditableEnvironment, Lineage, Realised } from '../../core/environment.js';
import { ConfigError } from '../../core/errors.js';
import { imageRef } from '../../core/image.js';
import { contentHash } from '../../core/json.js';
import { ok, reject, type Rejection, type Result } from '../../core/result.js';
import type { Rng } from '../../core/rng.js';
import { makeTask, type Task } from '../../core/task.js';
import {
  builtInCharts,
  layoutChart,
  readingProblems,
  type ChartGeometry,
  type ChartProblem,
  type ChartRenderer,
  type DrawnChart,
} from '../../render/index.js';
import { answerAfter } from './answer.js';
import { applyChartEdits } from './edits.js';
import { describeChartAction } from './describe.js';
import { draftChartEdits } from './editors.js';
import { fullDrafter } from './lexicon.js';
import { MICRO_COLOURS, MICRO_RANGE, microDrafter } from './micro.js';
import {
  answerOf,
  CHART_FAMILIES,
  type ChartAnswer,
  type ChartFamily,
  type Operation,
  type UsedCell,
} from './operation.js';
import { askQuestion } from './questions.js';
import type { ChartTaskRejection } from './rejections.js';
import { chartsRewriter } from './roles/rewriter.js';
import { chartsSolver, chartsTarget, type ChartPromptStyle } from './roles/solver.js';
import { CHART_ACTION, CHART_STATE, checkChartJson } from './schema.js';
import type { ChartAction, ChartTaskState } from './state.js';
import { chartSpec, readingNeeds, type ChartDrawing } from './view.js';

/** Everything that decides what the charts environment does. */
export interface ChartsConfig extends ChartDrawing {
  /** Fewest and most rows that an edited table may have. Seeds are taken as they are. */
  readonly rows: { readonly min: number; readonly max: number };
  /** Most edits in one action. */
  readonly maxEdits: number;
  /** Kinds that a question of someone else's may be redrawn as. */
  readonly families: readonly ChartFamily[];
  /** Vary the wording of redrawn questions; else the first wording of each kind. */
  readonly paraphrase: boolean;
  /** `full` for instruction-tuned models, `micro` for charts of colours and the micro engine's closed vocabulary. */
  readonly promptStyle: ChartPromptStyle;
}

/** 800 x 600 pixels, 2 to 20 rows, up to 4 edits, relaxed accuracy's tolerance. */
export const DEFAULT_CHARTS_CONFIG: ChartsConfig = {
  view: { kind: 'full', width: 800, height: 600 },
  range: null,
  tolerance: 0.05,
  rows: { min: 2, max: 20 },
  maxEdits: 4,
  families: CHART_FAMILIES,
  paraphrase: true,
  promptStyle: 'full',
};

/** 64 x 48 pixels, up to eight rows with whole values, the kinds of questions that a small decoder learns in minutes. */
export const MICRO_CONFIG: ChartsConfig = {
  view: { kind: 'micro', width: 64, height: 48 },
  range: MICRO_RANGE,
  tolerance: 0,
  rows: { min: 2, max: MICRO_COLOURS.length },
  maxEdits: 3,
  families: ['cell', 'extremum', 'difference', 'compare'],
  paraphrase: false,
  promptStyle: 'micro',
};

/** What a derivation keeps: the operation and the cells that it read. */
export type ChartTrace = { readonly operation: Operation; readonly used: readonly UsedCell[] };

/** Charts as VICO edits them, with the scripted editor that a rewriter is warmed up on. */
export interface ChartsEnvironment extends EditableEnvironment<ChartTaskState, ChartAction> {
  readonly config: ChartsConfig;
  /** A random action that the built-in renderer draws and that can be read; null when 20 drafts found none. */
  scriptedEditor(lineage: Lineage<ChartTaskState>, rng: Rng): ChartAction | null;
  /** What the micro actor is taught to write on a task. */
  solverTarget(of: Pick<Realised<ChartTaskState>, 'task' | 'lineage'>): string;
}

const NAME = 'charts';
const DRAFTS = 20;
const REDRAWS = 20;

/** Makes the environment. Throws a ConfigError on a configuration that can't work. */
export function chartsEnvironment(
  config: ChartsConfig = DEFAULT_CHARTS_CONFIG,
  renderer: ChartRenderer = builtInCharts,
): ChartsEnvironment {
  checkConfig(config);
  const drawings = new WeakMap<ChartTaskState['table'], WeakMap<ChartTaskState['style'], DrawnChart>>();
  const draw = async (
    state: ChartTaskState,
  ): Promise<Result<DrawnChart, Rejection<ChartProblem | 'bad-style'>>> => {
    const known = drawings.get(state.table)?.get(state.style);
    if (known) return ok(known);
    const spec = chartSpec(state, config.range);
    if (!spec.ok) return spec;
    const drawn = await renderer.draw(spec.value, config.view);
    if (drawn.ok) {
      const styles = drawings.get(state.table) ?? new WeakMap();
      drawings.set(state.table, styles.set(state.style, drawn.value));
    }
    return drawn;
  };
  const drafter = config.promptStyle === 'micro' ? microDrafter : fullDrafter;
  /** A random draft, and whether it stands. */
  const draft = (
    lineage: Lineage<ChartTaskState>,
    rng: Rng,
  ): { action: ChartAction | null; sound: boolean } => {
    let action: ChartAction | null = null;
    for (let attempt = 0; attempt < DRAFTS; attempt++) {
      const edits = draftChartEdits(lineage.state, rng.child(attempt), drafter, config);
      if (!edits) continue;
      action = { kind: 'edits', edits };
      if (isSound(lineage.state, action, config)) return { action, sound: true };
    }
    return { action, sound: false };
  };
  return {
    name: NAME,
    config,
    solver: chartsSolver(config.promptStyle),
    rewriter: chartsRewriter(config),
    async realise(lineage, action) {
      const after = action === null ? ok(lineage.state) : nextState(lineage.state, action, config);
      if (!after.ok) return after;
      const answer = answerAfter(lineage.state, after.value);
      if (!answer.ok) return answer;
      const drawn = await draw(after.value);
      if (!drawn.ok) return drawn;
      const unread = readingProblem(drawn.value.geometry, after.value, answer.value, config);
      if (unread) return { ok: false, error: unread };
      const next: Lineage<ChartTaskState> = {
        seedId: lineage.seedId,
        actions: action === null ? lineage.actions : [...lineage.actions, action],
        state: after.value,
      };
      const task = chartTask(next, answer.value, drawn.value);
      return ok([{ task, images: [drawn.value.image], lineage: next }]);
    },
    parseState: (json) => checkChartJson(CHART_STATE, json, 'state'),
    parseAction: (json) => checkChartJson(CHART_ACTION, json, 'action'),
    describeAction: describeChartAction,
    // Where nothing could be drafted the empty list stands for it, and `realise` refuses it with its reason.
    randomEdit: (lineage, rng) => draft(lineage, rng).action ?? { kind: 'edits', edits: [] },
    scriptedEditor(lineage, rng) {
      const { action, sound } = draft(lineage, rng);
      return sound ? action : null;
    },
    redrawQuestion: (lineage, rng) => redraw(lineage.state, rng, config),
    solverTarget({ task, lineage: { state } }) {
      const answer = answerOf(state.table, state.question.operation);
      if (!answer.ok) throw new Error(`solverTarget: task ${task.id} has no answer`);
      return chartsTarget(answer.value, state.question.operation.op);
    },
  };
}

function checkConfig({ rows, maxEdits, families, tolerance, promptStyle, view }: ChartsConfig): void {
  if (![rows.min, rows.max, maxEdits].every((n) => Number.isInteger(n) && n >= 1) || rows.min > rows.max) {
    throw new ConfigError(
      'rows',
      { rows, maxEdits },
      'whole numbers of at least 1 are needed, min not above max',
    );
  }
  if (families.length === 0)
    throw new ConfigError('families', families, 'name at least one kind of question');
  if (!(tolerance >= 0 && tolerance < 1)) throw new ConfigError('tolerance', tolerance, 'must be in [0, 1)');
  if (promptStyle === 'micro' && (view.kind !== 'micro' || rows.max > MICRO_COLOURS.length)) {
    const remedy = `micro prompts need view.kind: micro and at most ${MICRO_COLOURS.length} rows`;
    throw new ConfigError('promptStyle', promptStyle, remedy);
  }
}

/** The state after an action, with every check that needs neither answer nor picture. */
function nextState(
  state: ChartTaskState,
  action: ChartAction,
  { rows, maxEdits }: ChartsConfig,
): Result<ChartTaskState, ChartTaskRejection> {
  if (action.kind === 'ask') {
    if (action.question.operation.op === 'given') return reject('malformed', 'ask: an operation is needed');
    return contentHash(action.question) === contentHash(state.question)
      ? reject('no-effect', 'the same question is asked again')
      : ok({ ...state, question: action.question });
  }
  if (action.edits.length === 0) return reject('no-effect', 'there is no edit');
  if (action.edits.length > maxEdits) {
    return reject('too-many-edits', `${action.edits.length} edits, at most ${maxEdits} are allowed`);
  }
  const edited = applyChartEdits(state, action.edits);
  if (!edited.ok) return edited;
  const after: ChartTaskState = { ...state, ...edited.value };
  const [before, now] = [state.table.entities.length, after.table.entities.length];
  if (now > rows.max && now > before)
    return reject('too-many-rows', `${now} rows, at most ${rows.max} are allowed`);
  if (now < rows.min && now < before)
    return reject('too-few-rows', `${now} rows, at least ${rows.min} are needed`);
  return contentHash(after) === contentHash(state)
    ? reject('no-effect', 'the edits undo one another')
    : ok(after);
}

function readingProblem(
  geometry: ChartGeometry,
  { table }: ChartTaskState,
  { used, kind }: ChartAnswer,
  { tolerance }: ChartsConfig,
): ChartTaskRejection | null {
  return readingProblems(geometry, readingNeeds(table, used, kind, tolerance))[0] ?? null;
}

/** Whether an action leads to a task, by the built-in layout. */
function isSound(state: ChartTaskState, action: ChartAction, config: ChartsConfig): boolean {
  const after = nextState(state, action, config);
  if (!after.ok) return false;
  const answer = answerAfter(state, after.value);
  const spec = chartSpec(after.value, config.range);
  if (!answer.ok || !spec.ok) return false;
  const layout = layoutChart(spec.value, config.view);
  return layout.ok && readingProblem(layout.value.geometry, after.value, answer.value, config) === null;
}

function chartTask(lineage: Lineage<ChartTaskState>, answer: ChartAnswer, drawn: DrawnChart): Task {
  const { question } = lineage.state;
  const { operation } = question;
  const trace: ChartTrace = { operation, used: answer.used };
  const cell = operation.op === 'cell';
  return makeTask({
    environment: NAME,
    images: [imageRef(drawn.image)],
    question: question.text,
    answer: answer.answer,
    answerKind: answer.kind,
    label: {
      origin: 'derived',
      derivation: {
        seedId: lineage.seedId,
        actions: lineage.actions,
        rule: cell ? 'recompute' : 'preserve',
        trace,
      },
    },
    facts: {
      family: operation.op,
      tier: cell ? 1 : 2,
      objects: drawn.geometry.marks.length,
      type: drawn.geometry.type,
    },
  });
}

/** Another question of the same kind about the same chart; for a cell another cell. */
function redraw(state: ChartTaskState, rng: Rng, config: ChartsConfig): ChartAction | null {
  const { operation } = state.question;
  for (let attempt = 0; attempt < REDRAWS; attempt++) {
    const stream = rng.child(attempt);
    const family = operation.op === 'given' ? stream.pick(config.families) : operation.op;
    const question = askQuestion(state.table, family, stream.child('question'), {
      paraphrase: config.paraphrase,
      measure: state.measure,
    });
    if (!question || contentHash(question.operation) === contentHash(operation)) continue;
    const action: ChartAction = { kind: 'ask', question };
    if (isSound(state, action, config)) return action;
  }
  return null;
}
