import { DataError } from '../../core/errors.js';
import { contentHash } from '../../core/json.js';
import type { Weights } from './model.js';

/** All of a fake that changes. Arrays of equal length: one entry a token and one for the preference. */
export interface FakeState {
  readonly weights: Weights;
  readonly first: Weights;
  readonly second: Weights;
  readonly steps: number;
}

const FORMAT = 'covolve-fake-1';

/** The state as JSON bytes; numbers survive exactly. */
export function fakeState(vocabulary: readonly string[], state: FakeState): Uint8Array {
  const { weights, first, second, steps } = state;
  const arrays = { weights: [...weights], first: [...first], second: [...second] };
  const json = { format: FORMAT, vocabulary: contentHash(vocabulary), steps, ...arrays };
  return new TextEncoder().encode(JSON.stringify(json));
}

/** Reads what `fakeState` wrote. Throws a DataError that names `source` on anything else, another vocabulary included. */
export function readFakeState(bytes: Uint8Array, source: string, vocabulary: readonly string[]): FakeState {
  const fail = (problem: string): never => {
    throw new DataError(source, null, problem);
  };
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return fail('not a saved fake policy: it is not JSON');
  }
  const saved = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>;
  if (saved['format'] !== FORMAT) return fail(`not a saved fake policy (its format is not ${FORMAT})`);
  if (saved['vocabulary'] !== contentHash(vocabulary)) return fail('it was saved with another vocabulary');
  const array = (name: string): Weights => {
    const list: unknown = saved[name];
    const whole =
      Array.isArray(list) &&
      list.length === vocabulary.length + 2 &&
      list.every((x) => typeof x === 'number');
    return whole ? Float64Array.from(list) : fail(`${name} is damaged`);
  };
  const { steps } = saved;
  if (typeof steps !== 'number' || !Number.isInteger(steps) || steps < 0) return fail('steps is damaged');
  return { weights: array('weights'), first: array('first'), second: array('second'), steps };
}
