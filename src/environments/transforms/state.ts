import { z } from 'zod';
import type { ImageRef } from '../../core/image.js';
import type { Lineage } from '../../core/environment.js';
import type { Json } from '../../core/json.js';

/** The kinds of question that one program makes. */
export const QUESTION_KINDS = ['arguments-to-image', 'image-to-arguments', 'match'] as const;

/**
 * - `arguments-to-image`: one argument set, four images: which? (EVE's type 0)
 * - `image-to-arguments`: one image, four argument sets: which? (type 1)
 * - `match`: four images, four argument sets: which goes with which? (in EVE's published code, never called there)
 */
export type QuestionKind = (typeof QUESTION_KINDS)[number];

const imageRef = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  width: z.int().min(1),
  height: z.int().min(1),
});

export const TRANSFORM_STATE = z.strictObject({
  /** The picture of the library that programs work on. */
  image: imageRef,
  /** What was run on it and asked about; null for the picture alone. */
  asked: z.strictObject({ program: z.string(), kind: z.enum(QUESTION_KINDS) }).nullable(),
});

/** The picture behind a task, and what made the task of it. */
export type TransformState = z.infer<typeof TRANSFORM_STATE>;

export const TRANSFORM_ACTION = z.strictObject({ program: z.string() });

/** A program as it was written: `edit_image` and its `args_list`. */
export type TransformAction = z.infer<typeof TRANSFORM_ACTION>;

/** One set of arguments of `edit_image`. */
export type ArgumentSet = Readonly<Record<string, Json>>;

/** A picture as a seed. Equal pictures are one seed. */
export function pictureSeed(image: ImageRef): Lineage<TransformState> {
  return { seedId: `picture-${image.hash.slice(0, 16)}`, actions: [], state: { image, asked: null } };
}
