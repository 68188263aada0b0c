import type { Rejection } from '../../core/result.js';

/** Why the CLEVR environment refuses a state, an action or a completion: the closed union that run statistics count by. */
export const CLEVR_REJECTIONS = [
  /** Not JSON, not of the schema, or a number that isn't finite. */
  'malformed',
  /** More edits in one action than the configuration allows. */
  'too-many-edits',
  /** An edit names an object that isn't there. */
  'unknown-object',
  /** An edit, or the whole list of them, leaves the scene as it was; or the same question is asked again. */
  'no-effect',
  'too-many-objects',
  'too-few-objects',
  /** Two objects are nearer to each other than CLEVR allows. */
  'overlap',
  /** Two objects are almost level along left/right or front/behind, so that the relation would be hard to see. */
  'margin',
  /** An object stands outside the ground that the camera shows. */
  'out-of-frame',
  /** Too few pixels of an object can be seen. */
  'object-hidden',
  /** The program can't be run at all. */
  'program-invalid',
  /** The question speaks of "the" object where there are none or several. */
  'not-unique',
  /** The answer stayed the same where the configuration asks for a change. */
  'answer-unchanged',
  /** The answer doesn't depend on some part of the question. */
  'question-degenerate',
] as const;

export type ClevrReason = (typeof CLEVR_REJECTIONS)[number];

/** A refusal of the CLEVR environment. */
export type ClevrRejection = Rejection<ClevrReason>;
