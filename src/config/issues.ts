import type { z } from 'zod';
import { ConfigError } from '../core/errors.js';
import { nearest, nearestKeys, type KeyPath } from './paths.js';

type Issue = z.core.$ZodIssue;

/** The error of one line for the first thing that is wrong: a key that doesn't exist before a value that can't be. */
export function configError(
  issues: readonly Issue[],
  given: unknown,
  known: readonly KeyPath[],
): ConfigError {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (!issue) throw new Error('configError: nothing is wrong');
  const field = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const key = field === '' ? (issue.keys[0] as string) : `${field}.${issue.keys[0]}`;
    return unknownKey(key, at(given, key.split('.')), known);
  }
  return new ConfigError(
    field,
    at(given, issue.path.map(String)),
    remedy(issue, at(given, issue.path.map(String))),
  );
}

/** The error for a key that isn't there, with what may have been meant. */
export function unknownKey(key: string, value: unknown, known: readonly KeyPath[]): ConfigError {
  const meant = nearestKeys(key, known);
  return new ConfigError(
    key,
    value,
    meant.length > 0
      ? `there is no such key; did you mean ${orList(meant)}?`
      : 'there is no such key; `covolve run PRESET --dry-run` prints all of them',
  );
}

/** The error for a value that isn't one of a few, with the nearest. */
export function notOneOf(field: string, value: unknown, allowed: readonly string[]): ConfigError {
  return new ConfigError(field, value, oneOf(value, allowed));
}

function oneOf(value: unknown, allowed: readonly string[]): string {
  const near = typeof value === 'string' ? nearest(value, allowed) : null;
  const hint = near === null || allowed.length < 3 ? '' : `; did you mean ${near}?`;
  return `must be ${orList(allowed)}${hint}`;
}

function remedy(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_value':
      return oneOf(value, issue.values.map(String));
    case 'invalid_union': {
      const { options } = issue as { options?: readonly unknown[] };
      return options ? oneOf(value, options.map(String)) : issue.message;
    }
    case 'invalid_type':
      return value === undefined ? `is needed: ${kind(issue.expected)}` : `must be ${kind(issue.expected)}`;
    case 'too_small':
      return bound(issue.origin, issue.inclusive === false ? 'above' : 'at least', issue.minimum);
    case 'too_big':
      return bound(issue.origin, issue.inclusive === false ? 'below' : 'at most', issue.maximum);
    default:
      return issue.message;
  }
}

function bound(origin: string, how: string, limit: number | bigint): string {
  if (origin === 'array') return `needs ${how} ${limit} ${Number(limit) === 1 ? 'entry' : 'entries'}`;
  if (origin === 'string')
    return Number(limit) === 1 ? 'must not be empty' : `needs ${how} ${limit} characters`;
  return `must be ${how} ${limit}`;
}

const KINDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list, such as [2,3]',
  tuple: 'a list, such as [2,3]',
  object: 'a section with keys of its own',
};

function kind(expected: string): string {
  return KINDS[expected] ?? expected;
}

function orList(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

/** The value at a path; undefined where there is nothing. */
export function at(given: unknown, path: readonly string[]): unknown {
  let here = given;
  for (const key of path) {
    if (here === null || typeof here !== 'object') return undefined;
    here = (here as Record<string, unknown>)[key];
  }
  return here;
}
