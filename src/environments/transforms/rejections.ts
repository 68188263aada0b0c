import { reject, type Rejection } from '../../core/result.js';
import type { ProgramResult } from '../../sandbox/index.js';

/** Why a challenger's text or its program makes no tasks. */
export const TRANSFORM_REJECTIONS = [
  /** No code fence, or one that isn't closed. */
  'no-code',
  /** More than one block of code: which one is meant can't be told. */
  'two-blocks',
  /** Comments in the code. */
  'comments',
  /** The program isn't of the wanted form. */
  'malformed',
  'forbidden',
  'timeout',
  'memory',
  'exception',
  'bad-output',
  'crashed',
  /** Two of the four pictures count as the same. */
  'alike',
  /** The state holds no picture to work on, or isn't one. */
  'bad-state',
] as const;

export type TransformReason = (typeof TRANSFORM_REJECTIONS)[number];

export type TransformRejection = Rejection<TransformReason>;

/** A failed program's result as a rejection. */
export function rejectedRun(result: Exclude<ProgramResult, { readonly status: 'ok' }>): {
  readonly ok: false;
  readonly error: TransformRejection;
} {
  const where = result.line === undefined ? '' : ` (line ${result.line})`;
  return reject(result.status, `${result.reason}${where}`);
}
