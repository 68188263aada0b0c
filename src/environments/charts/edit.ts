import { z } from 'zod';
import type { Json } from '../../core/json.js';

const name = z.string().trim().min(1).max(120);
const value = z.number().nullable();

/** A change of a chart: of its data, or of its look. Rows and columns are named, never numbered. */
export const CHART_EDIT = z.discriminatedUnion('edit', [
  z.strictObject({ edit: z.literal('set_value'), entity: name, column: name, value: z.number() }),
  /** A new row before `at` (the end is the number of rows); one value for each column of numbers, in order. */
  z.strictObject({ edit: z.literal('insert_row'), at: z.int().min(0), entity: name, values: z.array(value) }),
  z.strictObject({ edit: z.literal('remove_row'), entity: name }),
  /** All rows in a new order. */
  z.strictObject({ edit: z.literal('reorder_rows'), entities: z.array(name).min(1) }),
  /** One value for each row. Unit and decimals are those of the first column of numbers unless told. */
  z.strictObject({
    edit: z.literal('add_column'),
    at: z.int().min(0),
    column: name,
    values: z.array(value),
    unit: z.string().min(1).max(8).nullable().exactOptional(),
    decimals: z.int().min(0).max(12).exactOptional(),
  }),
  z.strictObject({ edit: z.literal('drop_column'), column: name }),
  /** Values of keys of the style; what a key means is the renderer's. */
  z.strictObject({
    edit: z.literal('restyle'),
    style: z.record(z.string().min(1), z.union([z.string(), z.number(), z.boolean()])),
  }),
]);

export type ChartEdit = z.infer<typeof CHART_EDIT>;

/** How a chart looks, by key. */
export type ChartLook = Readonly<Record<string, string | number | boolean>>;

/**
 * JSON schema of a list of 1 to `maxEdits` edits, for models that are held to it while they write: all edits, or those of style
 * alone.
 */
export function editListSchema(data: boolean, maxEdits = Infinity): Json {
  const [restyle] = CHART_EDIT.options.filter(({ shape }) => shape.edit.value === 'restyle');
  if (!restyle) throw new Error('there is no edit of style');
  const list = z.array(data ? CHART_EDIT : restyle).min(1);
  const { $schema: _dialect, ...schema } = z.toJSONSchema(
    Number.isFinite(maxEdits) ? list.max(maxEdits) : list,
    { io: 'input' },
  );
  return schema as Json;
}

/** Why an edit, or the label after it, is refused. */
export const CHART_REJECTIONS = [
  'malformed',
  'unknown-row',
  'unknown-column',
  /** Two rows or two columns that differ by case, spacing or footnote marks only. */
  'not-unique',
  'no-effect',
  /** Nothing would be left to draw. */
  'empty',
  /** A value that the column can't hold: more digits than it shows. */
  'bad-value',
  /** The question's row or column is gone. */
  'anchor-lost',
  /** The cell that the question asks for holds no number. */
  'missing-value',
  /** A question about several cells allows changes of style only. */
  'data-changed',
  /** The question has no single answer: two rows share the extremum, a quotient lies between two roundings. */
  'no-answer',
] as const;

export type ChartReason = (typeof CHART_REJECTIONS)[number];
