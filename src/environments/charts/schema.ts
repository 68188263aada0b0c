import { z } from 'zod';
import { ok, reject, type Rejection, type Result } from '../../core/result.js';
import { CHART_EDIT } from './edit.js';
import type { Operation } from './operation.js';
import type { ChartAction, ChartTaskState } from './state.js';
import type { Table } from './table.js';

const name = z.string().min(1);
const cell = z.strictObject({ entity: name, column: name });
const pair = z.tuple([cell, cell]);
const places = z.int().min(0).max(12);

const PROGRAMS = [
  z.strictObject({ op: z.literal('cell'), cell }),
  z.strictObject({
    op: z.literal('extremum'),
    column: name,
    which: z.enum(['greatest', 'least']),
    asks: z.enum(['name', 'value']),
  }),
  z.strictObject({ op: z.literal('difference'), cells: pair }),
  z.strictObject({ op: z.literal('sum'), column: name, entities: z.array(name).min(1).nullable() }),
  z.strictObject({
    op: z.literal('average'),
    column: name,
    entities: z.array(name).min(1).nullable(),
    places,
  }),
  z.strictObject({ op: z.literal('ratio'), cells: pair, places }),
  z.strictObject({
    op: z.literal('count'),
    column: name,
    side: z.enum(['above', 'below']),
    bound: z.number(),
  }),
  z.strictObject({ op: z.literal('compare'), cells: pair }),
  z.strictObject({ op: z.literal('trend'), column: name, from: name, to: name }),
] as const;

/** An operation that a program can carry out. */
const PROGRAM = z.discriminatedUnion('op', PROGRAMS);

const OPERATION: z.ZodType<Operation> = z.discriminatedUnion('op', [
  ...PROGRAMS,
  z.strictObject({
    op: z.literal('given'),
    answer: z.string().min(1),
    kind: z.enum(['number', 'word', 'choice', 'yes-no']),
  }),
]);

const text = z.string().trim().min(1);

const column = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('number'),
    name,
    unit: z.string().min(1).nullable(),
    decimals: places,
    values: z.array(z.number().nullable()),
  }),
  z.strictObject({ kind: z.literal('text'), name, values: z.array(z.string()) }),
]);

/** A typed table whose columns are as long as it has rows, and whose numbers have no more digits than their column shows. */
export const CHART_TABLE: z.ZodType<Table> = z
  .strictObject({ entityLabel: z.string(), entities: z.array(name).min(1), columns: z.array(column).min(1) })
  .superRefine(({ entities, columns }, context) => {
    for (const { name: own, values, ...rest } of columns) {
      if (values.length !== entities.length) {
        context.addIssue(`column ${own} has ${values.length} values for ${entities.length} rows`);
      }
      if (rest.kind !== 'number') continue;
      const bad = (values as readonly (number | null)[]).find(
        (value) =>
          value !== null && (Math.abs(value) >= 1e15 || Number(value.toFixed(rest.decimals)) !== value),
      );
      if (bad !== undefined) context.addIssue(`column ${own}: ${bad} doesn't fit ${rest.decimals} decimals`);
    }
  });

/** Table, look and question of a task. */
export const CHART_STATE: z.ZodType<ChartTaskState> = z.strictObject({
  title: z.string(),
  measure: z.string(),
  table: CHART_TABLE,
  style: z.record(z.string().min(1), z.union([z.string(), z.number(), z.boolean()])),
  question: z.strictObject({ text, operation: OPERATION }),
});

/** A list of edits, or another question with its operation. */
export const CHART_ACTION: z.ZodType<ChartAction> = z.union([
  z.strictObject({ kind: z.literal('edits'), edits: z.array(CHART_EDIT).min(1) }),
  z.strictObject({ kind: z.literal('ask'), question: z.strictObject({ text, operation: PROGRAM }) }),
]);

/** The value as the schema has it, or a `malformed` rejection whose one line names the first thing that is wrong. */
export function checkChartJson<T>(
  schema: z.ZodType<T>,
  json: unknown,
  what: string,
): Result<T, Rejection<'malformed'>> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return ok(parsed.data);
  const issue = parsed.error.issues[0];
  const where = issue?.path.map(String).join('.') ?? '';
  return reject('malformed', `${what}${where === '' ? '' : ` ${where}`}: ${issue?.message ?? 'malformed'}`);
}
