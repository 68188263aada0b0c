import type { Rejection } from '../../core/result.js';
import { CHART_PROBLEMS, UNREADABLE } from '../../render/index.js';
import { CHART_REJECTIONS } from './edit.js';

/** Why the charts environment refuses a state, an action or a completion: the closed union that run statistics count by. */
export const CHART_TASK_REJECTIONS = [
  ...CHART_REJECTIONS,
  /** More edits in one action than the configuration allows. */
  'too-many-edits',
  'too-many-rows',
  'too-few-rows',
  /** A key or a value that the renderer's style doesn't have. */
  'bad-style',
  /** The renderer can't draw it: `unsuitable` for its type, and others. */
  ...CHART_PROBLEMS.filter((reason) => reason !== 'malformed' && reason !== 'empty'),
  /** It was drawn, but can't be read. */
  ...UNREADABLE,
] as const;

export type ChartTaskReason = (typeof CHART_TASK_REJECTIONS)[number];

/** A refusal of the charts environment. */
export type ChartTaskRejection = Rejection<ChartTaskReason>;
