import { DataError } from '../../core/errors.js';
import type { Json } from '../../core/json.js';
import { execute, type ExecutionReason } from './executor.js';
import {
  listIn,
  officialOutput,
  readOfficialQuestion,
  readOfficialScene,
  type OfficialQuestion,
  type OfficialScene,
} from './official.js';
import type { ClevrFunction, ProgramValue } from './program.js';
import { relationMargin, sceneView } from './relations.js';
import { RELATIONS, type Relation } from './scene.js';

/** A node whose stored `_output` isn't what the program computes. */
export interface NodeDifference {
  readonly node: number;
  readonly function: ClevrFunction;
  readonly stored: Json;
  readonly derived: Json;
}

/** A question that wasn't found to agree; `index` is its position in the file's list. */
export type QuestionProblem =
  | {
      readonly status: 'differs';
      readonly index: number;
      readonly imageIndex: number | null;
      readonly question: string;
      readonly stored: string;
      readonly derived: string;
      /** The first node whose stored `_output` differs; null when none is stored or all agree. */
      readonly firstDifference: NodeDifference | null;
    }
  | {
      readonly status: 'failed';
      readonly index: number;
      readonly imageIndex: number | null;
      /** Null when the entry couldn't be read. */
      readonly question: string | null;
      readonly reason: ExecutionReason | 'unreadable';
      readonly detail: string;
    }
  | {
      readonly status: 'missing-scene';
      readonly index: number;
      readonly imageIndex: number | null;
      readonly question: string;
      readonly detail: string;
    };

/** A pair of objects whose stored relation isn't what their positions say. */
export interface RelationDifference {
  readonly imageIndex: number | null;
  readonly imageFilename: string | null;
  readonly relation: Relation;
  /** `other` stands in the relation to `of`, or not. */
  readonly of: number;
  readonly other: number;
  readonly stored: boolean;
}

/** What `checkClevr` found. Survives JSON unchanged. Warnings (outputs, relationships) don't make a check fail. */
export interface CheckReport {
  readonly files: { readonly scenes: string; readonly questions: string };
  readonly scenes: number;
  readonly questions: number;
  /** Sum to `questions`. */
  readonly counts: {
    readonly agreed: number;
    readonly differs: number;
    readonly failed: number;
    readonly missingScene: number;
  };
  /** Every question that isn't agreed, in file order. */
  readonly problems: readonly QuestionProblem[];
  /** Nodes with a stored `_output`, of programs that ran; the first differences as examples. */
  readonly outputs: {
    readonly compared: number;
    readonly different: number;
    readonly examples: readonly (NodeDifference & { readonly index: number })[];
  };
  /** Stored relationships against positions and directions, for scenes that store both. */
  readonly relationships: {
    readonly scenesCompared: number;
    readonly scenesDifferent: number;
    readonly pairsDifferent: number;
    readonly examples: readonly RelationDifference[];
  };
}

/** How many examples of each warning a report keeps. */
const EXAMPLES = 10;

/** World units. Files hold positions in single precision, so a pair this near to the threshold may go either way. */
const NEAR_THRESHOLD = 1e-5;

/**
 * Derives the answer of every question from its scene again and compares it with the stored one. Scenes are found by
 * image index or file name, never by position. Throws DataError when a file isn't a CLEVR file or a scene can't be
 * read; a question that can't be read is counted as failed. Runs on the relationships the file stores, as the
 * official engine does, and warns where these contradict the positions.
 */
export function checkClevr(
  scenesJson: unknown,
  questionsJson: unknown,
  files: { readonly scenes: string; readonly questions: string },
): CheckReport {
  return checkClevrEntries(
    listIn(scenesJson, 'scenes', files.scenes),
    listIn(questionsJson, 'questions', files.questions),
    files,
  );
}

/** As `checkClevr`, from the entries of both lists; questions are looked at one by one and none is kept. */
export function checkClevrEntries(
  sceneEntries: Iterable<unknown>,
  questionEntries: Iterable<unknown>,
  files: { readonly scenes: string; readonly questions: string },
): CheckReport {
  const scenes = Array.from(sceneEntries, (entry, i) => readOfficialScene(entry, files.scenes, i));
  const find = sceneFinder(scenes, files.scenes);
  let questions = 0;
  const problems: QuestionProblem[] = [];
  const outputs = { compared: 0, different: 0, examples: [] as (NodeDifference & { index: number })[] };
  for (const entry of questionEntries) {
    const problem = checkQuestion(entry, questions++, files.questions, find, outputs);
    if (problem) problems.push(problem);
  }
  const count = (status: QuestionProblem['status']): number =>
    problems.filter((p) => p.status === status).length;
  return {
    files: { scenes: files.scenes, questions: files.questions },
    scenes: scenes.length,
    questions,
    counts: {
      agreed: questions - problems.length,
      differs: count('differs'),
      failed: count('failed'),
      missingScene: count('missing-scene'),
    },
    problems,
    outputs,
    relationships: checkRelationships(scenes),
  };
}

/** True when every question agrees with its scene. */
export function checkPassed(report: CheckReport): boolean {
  return report.counts.agreed === report.questions;
}

/** The report in lines for a terminal, with at most `limit` problems spelled out. */
export function describeCheck(report: CheckReport, limit = 10): string[] {
  const { counts, outputs, relationships } = report;
  const lines = [
    `${report.questions} questions on ${report.scenes} scenes: ${counts.agreed} agree, ${counts.differs} differ, ` +
      `${counts.failed} failed to execute, ${counts.missingScene} without a scene`,
    ...report.problems.slice(0, limit).map(describeProblem),
  ];
  if (report.problems.length > limit) lines.push(`... and ${report.problems.length - limit} more`);
  if (outputs.different > 0) {
    lines.push(`warning: ${outputs.different} of ${outputs.compared} stored node outputs differ`);
    lines.push(
      ...outputs.examples.map((example) => `  questions[${example.index}]: ${describeNode(example)}`),
    );
  }
  if (relationships.pairsDifferent > 0) {
    lines.push(
      `warning: stored relationships contradict the positions for ${relationships.pairsDifferent} pairs in ` +
        `${relationships.scenesDifferent} of ${relationships.scenesCompared} scenes`,
      ...relationships.examples.map(
        (e) =>
          `  image ${e.imageIndex ?? e.imageFilename ?? '?'}: object ${e.other} ${e.relation} of object ${e.of} is ` +
          (e.stored ? 'stored but does not hold' : 'not stored but holds'),
      ),
    );
  }
  return lines;
}

type SceneFinder = (question: OfficialQuestion) => OfficialScene | { readonly missing: string };

/**
 * File names decide where both sides have them, because every split numbers its images from 0; else the index does.
 * Throws DataError when two scenes can't be told apart.
 */
function sceneFinder(scenes: readonly OfficialScene[], file: string): SceneFinder {
  const byIndex = new Map<number, OfficialScene[]>();
  const byFilename = new Map<string, OfficialScene>();
  for (const [i, scene] of scenes.entries()) {
    const { imageIndex, imageFilename } = scene;
    if (imageIndex === null && imageFilename === null) {
      throw new DataError(file, null, `scenes[${i}]: has neither image_index nor image_filename`);
    }
    const sameIndex = imageIndex === null ? [] : (byIndex.get(imageIndex) ?? []);
    if (imageFilename === null ? sameIndex.length > 0 : byFilename.has(imageFilename)) {
      throw new DataError(file, null, `scenes[${i}]: another scene has the same ${shownImage(scene)}`);
    }
    if (imageIndex !== null) byIndex.set(imageIndex, [...sameIndex, scene]);
    if (imageFilename !== null) byFilename.set(imageFilename, scene);
  }
  return (question) => {
    const { imageIndex, imageFilename } = question;
    const named = imageFilename === null ? undefined : byFilename.get(imageFilename);
    const numbered = imageIndex === null ? [] : (byIndex.get(imageIndex) ?? []);
    if (named) {
      if (imageIndex === null || named.imageIndex === null || named.imageIndex === imageIndex) return named;
      return { missing: `image_index ${imageIndex}, but "${imageFilename}" is image ${named.imageIndex}` };
    }
    const [only, another] = numbered.filter((s) => imageFilename === null || s.imageFilename === null);
    if (only && !another) return only;
    if (another)
      return { missing: `several scenes have image_index ${imageIndex}; the question names no file` };
    const instead = numbered[0] ? `; image ${imageIndex} is "${numbered[0].imageFilename}"` : '';
    return { missing: `no scene has ${shownImage(question)}${instead}` };
  };
}

function shownImage(image: { imageIndex: number | null; imageFilename: string | null }): string {
  if (image.imageFilename !== null) return `image_filename "${image.imageFilename}"`;
  return image.imageIndex === null
    ? 'the empty name (no image_index, no image_filename)'
    : `image_index ${image.imageIndex}`;
}

interface OutputTally {
  compared: number;
  different: number;
  readonly examples: (NodeDifference & { index: number })[];
}

/** Null when the question agrees. Adds the question's stored node outputs to `tally`. */
function checkQuestion(
  entry: unknown,
  index: number,
  file: string,
  find: SceneFinder,
  tally: OutputTally,
): QuestionProblem | null {
  let read: OfficialQuestion;
  try {
    read = readOfficialQuestion(entry, file, index);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return {
      status: 'failed',
      index,
      imageIndex: null,
      question: null,
      reason: 'unreadable',
      detail: error.problem,
    };
  }
  const { imageIndex, question } = read;
  const scene = find(read);
  if ('missing' in scene) {
    return { status: 'missing-scene', index, imageIndex, question: question.text, detail: scene.missing };
  }
  const run = execute(question.program, scene.view);
  if (!run.ok) return { status: 'failed', index, imageIndex, question: question.text, ...run.error };
  const differences = compareOutputs(read, run.value.trace);
  tally.compared += read.outputs.filter((output) => output !== undefined).length;
  tally.different += differences.length;
  for (const difference of differences) {
    if (tally.examples.length < EXAMPLES) tally.examples.push({ index, ...difference });
  }
  if (run.value.answer === read.answer) return null;
  return {
    status: 'differs',
    index,
    imageIndex,
    question: question.text,
    stored: read.answer,
    derived: run.value.answer,
    firstDifference: differences[0] ?? null,
  };
}

function compareOutputs(read: OfficialQuestion, trace: readonly ProgramValue[]): NodeDifference[] {
  const differences: NodeDifference[] = [];
  for (const [node, { function: name }] of read.question.program.entries()) {
    const stored = read.outputs[node];
    const value = trace[node];
    if (stored === undefined || value === undefined) continue;
    const derived = officialOutput(value);
    if (!sameOutput(stored, derived)) differences.push({ node, function: name, stored, derived });
  }
  return differences;
}

/** Object lists are sets: their order means nothing. */
function sameOutput(stored: Json, derived: Json): boolean {
  if (!Array.isArray(derived)) return stored === derived;
  if (!Array.isArray(stored)) return false;
  const kept: ReadonlySet<Json> = new Set(stored);
  return kept.size === derived.length && derived.every((index: Json) => kept.has(index));
}

function checkRelationships(scenes: readonly OfficialScene[]): CheckReport['relationships'] {
  let scenesCompared = 0;
  let scenesDifferent = 0;
  let pairsDifferent = 0;
  const examples: RelationDifference[] = [];
  for (const scene of scenes) {
    // Without directions or our own camera the positions say nothing about left and right.
    if (!scene.storedRelationships || scene.cameraFrom === 'default') continue;
    scenesCompared++;
    const found = relationDifferences(scene);
    if (found.length === 0) continue;
    scenesDifferent++;
    pairsDifferent += found.length;
    examples.push(...found.slice(0, EXAMPLES - examples.length));
  }
  return { scenesCompared, scenesDifferent, pairsDifferent, examples };
}

function relationDifferences({
  scene,
  storedRelationships,
  imageIndex,
  imageFilename,
}: OfficialScene): RelationDifference[] {
  const differences: RelationDifference[] = [];
  const derived = sceneView(scene).relationships;
  for (const relation of RELATIONS) {
    for (const of of scene.objects.keys()) {
      const stored = storedRelationships?.[relation][of] ?? [];
      const holds = derived[relation][of] ?? [];
      for (const other of scene.objects.keys()) {
        const says = stored.includes(other);
        if (says === holds.includes(other)) continue;
        if (Math.abs(relationMargin(scene, relation, of, other)) < NEAR_THRESHOLD) continue;
        differences.push({ imageIndex, imageFilename, relation, of, other, stored: says });
      }
    }
  }
  return differences;
}

function describeProblem(problem: QuestionProblem): string {
  const where = `questions[${problem.index}]${problem.imageIndex === null ? '' : ` (image ${problem.imageIndex})`}`;
  switch (problem.status) {
    case 'differs': {
      const node = problem.firstDifference ? `; first at ${describeNode(problem.firstDifference)}` : '';
      return `${where}: stored "${problem.stored}", derived "${problem.derived}"${node}: ${problem.question}`;
    }
    case 'failed':
      return `${where}: ${problem.reason}: ${problem.detail}`;
    case 'missing-scene':
      return `${where}: ${problem.detail}`;
  }
}

function describeNode(difference: NodeDifference): string {
  const { node, stored, derived } = difference;
  return `node ${node} (${difference.function}), stored ${JSON.stringify(stored)}, derived ${JSON.stringify(derived)}`;
}
