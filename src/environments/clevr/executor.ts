import { reject, type Rejection, type Result } from '../../core/result.js';
import type { AnswerKind } from '../../core/task.js';
import type { ClevrFunction, ProgramNode, ProgramValue } from './program.js';
import type { ObjectAttributes, SceneView } from './relations.js';
import { COLORS, MATERIALS, RELATIONS, SHAPES, SIZES, type Relation } from './scene.js';

/** Why a program gave no answer. */
export type ExecutionReason = 'not-unique' | 'program-invalid';

/** The values that can be an answer. */
export type AnswerValue = Extract<ProgramValue, { kind: 'integer' | 'boolean' | 'word' }>;

/** What a program came to. */
export interface Execution {
  /** The answer as people write it: decimal digits, `yes` or `no`, or the attribute word. */
  readonly answer: string;
  readonly value: AnswerValue;
  /** The value of every node, in the program's order; the last one is `value`. */
  readonly trace: readonly ProgramValue[];
}

/** What a function takes and gives. */
export interface Signature {
  /** The kind of each input, in order. */
  readonly inputs: readonly ProgramValue['kind'][];
  readonly output: ProgramValue['kind'];
  /** The literals it may be given, or null when it takes none. */
  readonly values: readonly string[] | null;
}

type Attribute = keyof ObjectAttributes;

/** `wrong-kind`: an input isn't what the signature asks for; the caller words the message. */
type Outcome = ProgramValue | 'wrong-kind' | 'not-unique';

interface Operation extends Signature {
  apply(
    view: SceneView,
    value: string | undefined,
    a: ProgramValue | undefined,
    b: ProgramValue | undefined,
  ): Outcome;
}

const VOCABULARY = { shape: SHAPES, color: COLORS, material: MATERIALS, size: SIZES } as const;

// Values without object lists are shared by all traces: a run then allocates little more than its trace.
const YES: ProgramValue = Object.freeze({ kind: 'boolean', boolean: true });
const NO: ProgramValue = Object.freeze({ kind: 'boolean', boolean: false });
const WORDS: ReadonlyMap<string, ProgramValue> = new Map(
  Object.values(VOCABULARY)
    .flat()
    .map((word) => [word, Object.freeze({ kind: 'word', word })]),
);

const truth = (boolean: boolean): ProgramValue => (boolean ? YES : NO);
const set = (objects: readonly number[]): ProgramValue => ({ kind: 'objects', objects });

function objectAt(view: SceneView, index: number): ObjectAttributes {
  const object = view.objects[index];
  if (!object) throw new Error(`the view lists object ${index} but has only ${view.objects.length}`);
  return object;
}

function related(view: SceneView, relation: Relation, index: number): readonly number[] {
  const row = view.relationships[relation][index];
  if (!row) throw new Error(`the view has no "${relation}" row for object ${index}`);
  return row;
}

function ofSet(
  output: Signature['output'],
  run: (objects: readonly number[]) => ProgramValue | 'not-unique',
): Operation {
  return {
    inputs: ['objects'],
    output,
    values: null,
    apply: (_view, _value, a) => (a?.kind === 'objects' ? run(a.objects) : 'wrong-kind'),
  };
}

function ofTwoSets(run: (a: readonly number[], b: readonly number[]) => readonly number[]): Operation {
  return {
    inputs: ['objects', 'objects'],
    output: 'objects',
    values: null,
    apply: (_view, _value, a, b) =>
      a?.kind === 'objects' && b?.kind === 'objects' ? set(run(a.objects, b.objects)) : 'wrong-kind',
  };
}

function ofTwoIntegers(run: (a: number, b: number) => boolean): Operation {
  return {
    inputs: ['integer', 'integer'],
    output: 'boolean',
    values: null,
    apply: (_view, _value, a, b) =>
      a?.kind === 'integer' && b?.kind === 'integer' ? truth(run(a.integer, b.integer)) : 'wrong-kind',
  };
}

function filter(attribute: Attribute): Operation {
  return {
    inputs: ['objects'],
    output: 'objects',
    values: VOCABULARY[attribute],
    apply(view, value, a) {
      if (a?.kind !== 'objects') return 'wrong-kind';
      const kept: number[] = [];
      for (const i of a.objects) if (objectAt(view, i)[attribute] === value) kept.push(i);
      return set(kept);
    },
  };
}

function query(attribute: Attribute): Operation {
  return {
    inputs: ['object'],
    output: 'word',
    values: null,
    apply(view, _value, a) {
      if (a?.kind !== 'object') return 'wrong-kind';
      const word = objectAt(view, a.object)[attribute];
      return WORDS.get(word) ?? { kind: 'word', word };
    },
  };
}

function same(attribute: Attribute): Operation {
  return {
    inputs: ['object'],
    output: 'objects',
    values: null,
    apply(view, _value, a) {
      if (a?.kind !== 'object') return 'wrong-kind';
      const word = objectAt(view, a.object)[attribute];
      const others: number[] = [];
      for (let i = 0; i < view.objects.length; i++) {
        if (i !== a.object && objectAt(view, i)[attribute] === word) others.push(i);
      }
      return set(others);
    },
  };
}

/** Two words are compared only where both belong to the attribute: the colour of one with the shape of another is no question. */
function equal(attribute: Attribute): Operation {
  const words: readonly string[] = VOCABULARY[attribute];
  return {
    inputs: ['word', 'word'],
    output: 'boolean',
    values: null,
    apply: (_view, _value, a, b) =>
      a?.kind === 'word' && b?.kind === 'word' && words.includes(a.word) && words.includes(b.word)
        ? truth(a.word === b.word)
        : 'wrong-kind',
  };
}

const SCENE: Operation = {
  inputs: [],
  output: 'objects',
  values: null,
  apply(view) {
    const all: number[] = [];
    for (let i = 0; i < view.objects.length; i++) all.push(i);
    return set(all);
  },
};

const RELATE: Operation = {
  inputs: ['object'],
  output: 'objects',
  values: RELATIONS,
  // The literal was found in RELATIONS before.
  apply: (view, value, a) =>
    a?.kind === 'object' ? set(related(view, value as Relation, a.object)) : 'wrong-kind',
};

const OPERATIONS = {
  scene: SCENE,
  filter_size: filter('size'),
  filter_color: filter('color'),
  filter_material: filter('material'),
  filter_shape: filter('shape'),
  unique: ofSet('object', (objects) => {
    const only = objects[0];
    return only !== undefined && objects.length === 1 ? { kind: 'object', object: only } : 'not-unique';
  }),
  relate: RELATE,
  union: ofTwoSets((a, b) => [...a, ...b.filter((i) => !a.includes(i))].sort((i, j) => i - j)),
  intersect: ofTwoSets((a, b) => a.filter((i) => b.includes(i))),
  count: ofSet('integer', (objects) => ({ kind: 'integer', integer: objects.length })),
  exist: ofSet('boolean', (objects) => truth(objects.length > 0)),
  query_size: query('size'),
  query_color: query('color'),
  query_material: query('material'),
  query_shape: query('shape'),
  same_size: same('size'),
  same_color: same('color'),
  same_material: same('material'),
  same_shape: same('shape'),
  equal_size: equal('size'),
  equal_color: equal('color'),
  equal_material: equal('material'),
  equal_shape: equal('shape'),
  equal_integer: ofTwoIntegers((a, b) => a === b),
  less_than: ofTwoIntegers((a, b) => a < b),
  greater_than: ofTwoIntegers((a, b) => a > b),
} satisfies Record<ClevrFunction, Operation>;

/** What every function takes and gives; `equal_*` further asks that both words belong to its attribute. */
export const SIGNATURES: Readonly<Record<ClevrFunction, Signature>> = OPERATIONS;

const BY_NAME: ReadonlyMap<string, Operation> = new Map(Object.entries(OPERATIONS));

/**
 * Runs a program on a scene. Never throws on a bad program, however it is broken: `program-invalid` covers an empty
 * program, unknown functions and literals, inputs that are no earlier nodes, inputs of the wrong kind and a last node
 * that is no answer; `not-unique` is a `unique` on a set that doesn't hold exactly one object. Throws only when the
 * view contradicts itself (a bug). Object lists in the trace may be shared with the view.
 */
export function execute(
  program: readonly ProgramNode[],
  view: SceneView,
): Result<Execution, Rejection<ExecutionReason>> {
  if (!Array.isArray(program) || program.length === 0)
    return reject('program-invalid', 'the program is empty');
  const trace: ProgramValue[] = [];
  for (const node of program as readonly ProgramNode[]) {
    const operation = BY_NAME.get(node?.function);
    const inputs = node?.inputs;
    if (!operation || !Array.isArray(inputs) || inputs.length !== operation.inputs.length) {
      return invalid(node, trace);
    }
    const { value } = node;
    if (operation.values === null ? value !== undefined : !operation.values.includes(value ?? '')) {
      return invalid(node, trace);
    }
    const outcome = operation.apply(view, value, earlier(trace, inputs[0]), earlier(trace, inputs[1]));
    if (typeof outcome === 'string') {
      return outcome === 'wrong-kind' ? invalid(node, trace) : notUnique(trace, inputs[0]);
    }
    trace.push(outcome);
  }
  const value = trace[trace.length - 1];
  if (value === undefined || value.kind === 'objects' || value.kind === 'object') {
    return reject('program-invalid', `the program ends in ${shownValue(value)}, which is no answer`);
  }
  return { ok: true, value: { answer: answerText(value), value, trace } };
}

/** What kind of answer a value is, for grading. */
export function answerKind(value: AnswerValue): Exclude<AnswerKind, 'choice'> {
  return value.kind === 'integer' ? 'number' : value.kind === 'boolean' ? 'yes-no' : 'word';
}

/** An answer as people write it: decimal digits, `yes` or `no`, or the word. */
export function answerText(value: AnswerValue): string {
  if (value.kind === 'word') return value.word;
  return value.kind === 'integer' ? String(value.integer) : value.boolean ? 'yes' : 'no';
}

/**
 * One line a node for people, e.g. `#4 relate[left](#3) = objects 0, 2`. A trace shorter than its program (the run
 * stopped) describes the nodes that ran.
 */
export function describeTrace(program: readonly ProgramNode[], trace: readonly ProgramValue[]): string[] {
  return trace.map((value, i) => {
    const node = program[i];
    if (!node)
      throw new Error(`describeTrace: the trace has ${trace.length} values, the program ${program.length}`);
    return `#${i} ${shownNode(node)} = ${shownValue(value)}`;
  });
}

function earlier(trace: readonly ProgramValue[], index: unknown): ProgramValue | undefined {
  return typeof index === 'number' ? trace[index] : undefined;
}

function notUnique(
  trace: readonly ProgramValue[],
  input: unknown,
): ReturnType<typeof reject<ExecutionReason>> {
  return reject('not-unique', `node ${trace.length} (unique) got ${shownValue(earlier(trace, input))}`);
}

/** Words the refusal of a node; off the fast path, so it may look at everything again. */
function invalid(
  node: ProgramNode,
  trace: readonly ProgramValue[],
): ReturnType<typeof reject<ExecutionReason>> {
  const at = `node ${trace.length}`;
  if (typeof node !== 'object' || node === null) return reject('program-invalid', `${at} is not an object`);
  const operation = BY_NAME.get(node.function);
  if (!operation) return reject('program-invalid', `${at}: unknown function ${shownJson(node.function)}`);
  const where = `${at} (${node.function})`;
  if (!Array.isArray(node.inputs) || node.inputs.length !== operation.inputs.length) {
    const got = Array.isArray(node.inputs) ? node.inputs.length : shownJson(node.inputs);
    return reject('program-invalid', `${where} takes ${operation.inputs.length} inputs, got ${got}`);
  }
  if (operation.values === null && node.value !== undefined) {
    return reject('program-invalid', `${where} takes no value, got ${shownJson(node.value)}`);
  }
  if (operation.values !== null && !operation.values.includes(node.value ?? '')) {
    return reject(
      'program-invalid',
      `${where}: ${shownJson(node.value)} is none of ${operation.values.join(', ')}`,
    );
  }
  const missing: unknown = node.inputs.find((index: unknown) => earlier(trace, index) === undefined);
  if (missing !== undefined) {
    return reject('program-invalid', `${where}: input ${shownJson(missing)} is no earlier node`);
  }
  const got = node.inputs.map((index: unknown) => shownValue(earlier(trace, index))).join(' and ');
  return reject('program-invalid', `${where} takes ${operation.inputs.join(' and ')}, got ${got}`);
}

function shownNode(node: ProgramNode): string {
  const literal = node.value === undefined ? '' : `[${node.value}]`;
  const inputs = node.inputs.length === 0 ? '' : `(${node.inputs.map((i) => `#${i}`).join(', ')})`;
  return `${node.function}${literal}${inputs}`;
}

function shownValue(value: ProgramValue | undefined): string {
  if (value === undefined) return 'nothing';
  switch (value.kind) {
    case 'objects':
      return value.objects.length === 0 ? 'no objects' : `objects ${value.objects.join(', ')}`;
    case 'object':
      return `object ${value.object}`;
    default:
      return answerText(value);
  }
}

function shownJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
