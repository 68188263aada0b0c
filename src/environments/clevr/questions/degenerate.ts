import type { ProgramNode } from '../program.js';
import type { SceneView } from '../relations.js';
import { RELATIONS, type Relation } from '../scene.js';
import { ATTRIBUTE_VALUES, ATTRIBUTES, type Attribute } from './phrases.js';

type Value = readonly number[] | number | boolean | string;

/** A change to one node: another literal or function, or a way to make its value from the value of its input. */
interface Change {
  readonly node: number;
  readonly literal?: string;
  readonly attribute?: Attribute;
  readonly replace?: (inputs: readonly Value[]) => Value;
}

/** Thrown inside `run` where a `unique` fails or the program makes no sense; never leaves this file. One object, as it is thrown often. */
const NO_ANSWER = new Error('the program has no answer');

/**
 * Whether the question could drop one of its own conditions and nobody would notice. The rule, for a program that
 * answers `a` on this scene:
 *
 * 1. Every `filter_*`, `relate` and `same_*` node must matter. It matters when **removing** it (a filter: pass its
 *    input through; `relate` or `same_*`: every object but the one it starts from) gives another answer or makes some
 *    `unique` fail.
 * 2. A "yes" to `exist` can't be undone by removing a condition, and a comparison of counts only by luck. A node whose
 *    set reaches such an end without a `unique` between also matters when **another value** in its place (another
 *    word of the attribute, another direction, another attribute of `same_*`) gives another answer.
 * 3. A branch of a `union` that holds objects must add some: putting the other branch for the union must change `a`.
 *
 * The question is degenerate when one node breaks its rule. Rule 1 makes every reference minimal: an adjective that
 * the reference doesn't need is a filter that doesn't matter. A program without an answer on this scene counts as
 * degenerate. (The official generator asks rule 1 of `relate` nodes alone, with the whole scene in their place and
 * only in its templates with an intersection; elsewhere it merely prefers relations that narrow the set.)
 */
export function isDegenerate(program: readonly ProgramNode[], view: SceneView): boolean {
  const answer = outcome(program, view);
  if (answer === null) return true;
  const everything = Array.from(view.objects.keys());
  return program.some((node, i) => {
    if (node.function === 'union') return hasIdleBranch(program, view, i, answer);
    if (!isCondition(node)) return false;
    const removal: Change = {
      node: i,
      replace: ([input]) =>
        node.function.startsWith('filter_') ? (input as Value) : everything.filter((j) => j !== input),
    };
    if (outcome(program, view, removal) !== answer) return false;
    if (!endsMonotone(program, i, answer)) return true;
    return otherValues(node).every((c) => outcome(program, view, { ...c, node: i }) === answer);
  });
}

function isCondition(node: ProgramNode): boolean {
  return /^(filter_|relate$|same_)/.test(node.function);
}

function hasIdleBranch(
  program: readonly ProgramNode[],
  view: SceneView,
  union: number,
  answer: Value,
): boolean {
  return [0, 1].some((side) => {
    let empty = false;
    const replace = (inputs: readonly Value[]): Value => {
      empty = (inputs[side] as readonly number[]).length === 0;
      return inputs[1 - side] as Value;
    };
    return outcome(program, view, { node: union, replace }) === answer && !empty;
  });
}

function otherValues(node: ProgramNode): readonly Omit<Change, 'node'>[] {
  if (node.function.startsWith('same_')) {
    return ATTRIBUTES.filter((a) => node.function !== `same_${a}`).map((attribute) => ({ attribute }));
  }
  const words: readonly string[] =
    node.function === 'relate' ? RELATIONS : ATTRIBUTE_VALUES[attributeOf(node.function)];
  return words.filter((word) => word !== node.value).map((literal) => ({ literal }));
}

/** Whether the set of node `i` flows, without a `unique`, into an `exist` answered yes or a comparison of counts. */
function endsMonotone(program: readonly ProgramNode[], i: number, answer: Value): boolean {
  const users = program.flatMap((node, j) => (node.inputs.includes(i) ? [{ node, j }] : []));
  return users.some(({ node, j }) => {
    if (node.function === 'unique') return false;
    if (node.function === 'exist') return answer === true;
    if (/^(equal_integer|less_than|greater_than)$/.test(node.function)) return true;
    return endsMonotone(program, j, answer);
  });
}

function outcome(program: readonly ProgramNode[], view: SceneView, change?: Change): Value | null {
  try {
    return run(program, view, change);
  } catch (error) {
    if (error === NO_ANSWER) return null;
    throw error;
  }
}

function run(program: readonly ProgramNode[], view: SceneView, change: Change | undefined): Value {
  const values: Value[] = [];
  for (const [i, node] of program.entries()) {
    const inputs = node.inputs.map((j) => {
      const value = values[j];
      if (value === undefined) throw NO_ANSWER;
      return value;
    });
    const here = change?.node === i ? change : undefined;
    values.push(here?.replace ? here.replace(inputs) : apply(node, inputs, view, here));
  }
  const last = values.at(-1);
  if (last === undefined || typeof last === 'object') throw NO_ANSWER;
  return last;
}

function apply(
  node: ProgramNode,
  inputs: readonly Value[],
  view: SceneView,
  change: Change | undefined,
): Value {
  const [a, b] = inputs as readonly [Value, Value];
  const literal = change?.literal ?? node.value;
  const fn = node.function;
  if (fn.startsWith('filter_')) {
    return list(a).filter((i) => view.objects[i]?.[attributeOf(fn)] === literal);
  }
  if (fn.startsWith('query_')) return view.objects[a as number]?.[attributeOf(fn)] as string;
  if (fn.startsWith('same_')) {
    const attribute = change?.attribute ?? attributeOf(fn);
    const word = view.objects[a as number]?.[attribute];
    return [...view.objects.keys()].filter((i) => i !== a && view.objects[i]?.[attribute] === word);
  }
  switch (fn) {
    case 'scene':
      return [...view.objects.keys()];
    case 'unique': {
      const [only, more] = list(a);
      if (only === undefined || more !== undefined) throw NO_ANSWER;
      return only;
    }
    case 'relate':
      return view.relationships[literal as Relation][a as number] ?? [];
    case 'union':
      return [...new Set([...list(a), ...list(b)])];
    case 'intersect':
      return list(a).filter((i) => list(b).includes(i));
    case 'count':
      return list(a).length;
    case 'exist':
      return list(a).length > 0;
    case 'less_than':
      return a < b;
    case 'greater_than':
      return a > b;
    default:
      return a === b;
  }
}

function list(value: Value): readonly number[] {
  if (!Array.isArray(value)) throw NO_ANSWER;
  return value as readonly number[];
}

function attributeOf(fn: string): Attribute {
  return fn.slice(fn.indexOf('_') + 1) as Attribute;
}
