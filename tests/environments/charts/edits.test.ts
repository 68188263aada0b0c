import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import {
  applyChartEdit,
  applyChartEdits,
  CHART_EDIT,
  CHART_REJECTIONS,
  editListSchema,
  inverseChartEdit,
  labelChart,
  readTable,
  sameTable,
  type ChartEdit,
  type ChartState,
  type Table,
} from '../../../src/environments/charts/index.js';

const TABLE = unwrap(readTable('Country,2019,2020\nSpain*,19.7%,8.5%\nChile,8%,-\nKorea,-2%,4.5%\n')).table;
const STATE: ChartState = { table: TABLE, style: { type: 'bar', grid: true } };

const apply = (...edits: ChartEdit[]): ReturnType<typeof applyChartEdits> => applyChartEdits(STATE, edits);

describe('edits', () => {
  it.each([
    [{ edit: 'set_value', entity: 'spain', column: '2019', value: 3.5 }],
    [{ edit: 'insert_row', at: 1, entity: 'Spain and Portugal', values: [1, null] }],
    [{ edit: 'remove_row', entity: 'Chile' }],
    [{ edit: 'reorder_rows', entities: ['Korea', 'Chile', 'Spain'] }],
    [{ edit: 'add_column', at: 0, column: '2018', values: [1, 2, 3] }],
    [{ edit: 'drop_column', column: '2020' }],
    [{ edit: 'restyle', style: { type: 'line' } }],
  ] as ReadonlyArray<readonly [ChartEdit]>)('%j is done, and taken back', (edit) => {
    expect(CHART_EDIT.safeParse(edit).success).toBe(true);
    const after = unwrap(applyChartEdit(STATE, edit));
    expect(after).not.toEqual(STATE);
    const inverse = unwrap(inverseChartEdit(STATE, edit));
    expect(unwrap(applyChartEdit(after, inverse))).toEqual(STATE);
  });

  it.each([
    [{ edit: 'set_value', entity: 'Spain', column: '2019', value: 19.7 }, 'no-effect'],
    [{ edit: 'set_value', entity: 'Spain', column: '2019', value: 1.234 }, 'bad-value'],
    [{ edit: 'set_value', entity: 'Italy', column: '2019', value: 1 }, 'unknown-row'],
    [{ edit: 'set_value', entity: 'Spain', column: '2021', value: 1 }, 'unknown-column'],
    [{ edit: 'insert_row', at: 0, entity: ' SPAIN ', values: [1, 2] }, 'not-unique'],
    [{ edit: 'insert_row', at: 0, entity: 'Italy', values: [1] }, 'malformed'],
    [{ edit: 'insert_row', at: 9, entity: 'Italy', values: [1, 2] }, 'malformed'],
    [{ edit: 'reorder_rows', entities: ['Spain', 'Chile', 'Korea'] }, 'no-effect'],
    [{ edit: 'reorder_rows', entities: ['Spain', 'Spain', 'Korea'] }, 'malformed'],
    [{ edit: 'add_column', at: 0, column: '2019', values: [1, 2, 3] }, 'not-unique'],
    [{ edit: 'add_column', at: 0, column: 'Country', values: [1, 2, 3] }, 'not-unique'],
    [{ edit: 'add_column', at: 0, column: '2018', values: [1] }, 'malformed'],
    [{ edit: 'restyle', style: { type: 'bar' } }, 'no-effect'],
  ] as ReadonlyArray<readonly [ChartEdit, string]>)('%j is refused as %s', (edit, reason) => {
    expect(applyChartEdit(STATE, edit)).toMatchObject({ ok: false, error: { reason } });
    expect(inverseChartEdit(STATE, edit)).toMatchObject({ ok: false, error: { reason } });
  });

  it('leave something to draw', () => {
    const remove = (entity: string): ChartEdit => ({ edit: 'remove_row', entity });
    expect(apply(remove('Spain'), remove('Chile'), remove('Korea'))).toMatchObject({
      ok: false,
      error: { reason: 'empty' },
    });
    const drop = (column: string): ChartEdit => ({ edit: 'drop_column', column });
    expect(apply(drop('2019'), drop('2020'))).toMatchObject({ ok: false, error: { reason: 'empty' } });
  });

  it('have a JSON schema', () => {
    expect(editListSchema(true, 4)).toMatchObject({ type: 'array', minItems: 1, maxItems: 4 });
    const schema = (data: boolean): string => JSON.stringify(editListSchema(data));
    expect(schema(true)).toContain('set_value');
    expect(schema(false)).not.toContain('set_value');
    expect(schema(false)).toContain('restyle');
  });
});

describe('labels', () => {
  const anchor = { entity: 'Spain*', column: '2019' };
  const label = (...edits: ChartEdit[]): ReturnType<typeof labelChart> =>
    labelChart(STATE, unwrap(apply(...edits)), { rule: 'recompute', anchor });

  it('follow their cell, whatever happens around it', () => {
    expect(label({ edit: 'insert_row', at: 0, entity: 'Spain (mainland)', values: [99, 1] })).toEqual({
      ok: true,
      value: '19.7',
    });
    expect(label({ edit: 'set_value', entity: 'Spain', column: '2019', value: 7 })).toEqual({
      ok: true,
      value: '7',
    });
    expect(label({ edit: 'set_value', entity: 'Spain', column: '2020', value: 7 })).toEqual({
      ok: true,
      value: '19.7',
    });
  });

  it('are refused when their cell is gone or empty', () => {
    expect(label({ edit: 'remove_row', entity: 'Spain' })).toMatchObject({
      error: { reason: 'anchor-lost' },
    });
    expect(label({ edit: 'drop_column', column: '2019' })).toMatchObject({
      error: { reason: 'anchor-lost' },
    });
    const empty = { rule: 'recompute', anchor: { entity: 'Chile', column: '2020' } } as const;
    expect(labelChart(STATE, STATE, empty)).toMatchObject({ error: { reason: 'missing-value' } });
  });

  it('of questions about several cells stay, and only style may change', () => {
    const rule = { rule: 'preserve', answer: '11.7' } as const;
    const styled = unwrap(apply({ edit: 'restyle', style: { type: 'line' } }));
    expect(labelChart(STATE, styled, rule)).toEqual({ ok: true, value: '11.7' });
    const reordered = unwrap(apply({ edit: 'reorder_rows', entities: ['Korea', 'Chile', 'Spain'] }));
    expect(labelChart(STATE, reordered, rule)).toMatchObject({ error: { reason: 'data-changed' } });
  });
});

const NAMES = [
  'Norway',
  'Norway (north)',
  'New Norway',
  'norway west',
  'Peru',
  'Peru*',
  'Fiji',
  '2019',
  '2019/20',
  'Total',
];

function randomTable(rng: Rng): Table {
  const rows = rng
    .child('rows')
    .shuffle(NAMES.filter((name) => name !== 'Peru*'))
    .slice(0, 2 + rng.int(5));
  const columns = rng
    .child('columns')
    .shuffle(['2018', '2019', 'Women', 'Men'])
    .slice(0, 1 + rng.int(3));
  const cell = (): string => (rng.chance(0.1) ? '-' : (rng.int(2000) / 10 - 100).toFixed(1));
  const lines = [['Name', ...columns], ...rows.map((row) => [row, ...columns.map(() => cell())])];
  return unwrap(readTable(lines.map((line) => line.join(',')).join('\n'))).table;
}

function randomEdit(table: Table, rng: Rng): ChartEdit {
  const entity = rng.chance(0.9) ? rng.pick(table.entities) : rng.pick(NAMES);
  const column = rng.chance(0.9) ? rng.pick(table.columns).name : 'Men';
  const values = (n: number): Array<number | null> =>
    Array.from({ length: n }, () => (rng.chance(0.1) ? null : rng.int(2000) / 10 - 100));
  const edits: ChartEdit[] = [
    { edit: 'set_value', entity, column, value: rng.int(2000) / 10 - 100 },
    {
      edit: 'insert_row',
      at: rng.int(table.entities.length + 2),
      entity: rng.pick(NAMES),
      values: values(table.columns.length),
    },
    { edit: 'remove_row', entity },
    { edit: 'reorder_rows', entities: rng.child('order').shuffle(table.entities) },
    {
      edit: 'add_column',
      at: rng.int(table.columns.length + 1),
      column: rng.pick(['Boys', 'men', '2021']),
      values: values(table.entities.length),
    },
    { edit: 'drop_column', column },
    { edit: 'restyle', style: { type: rng.pick(['bar', 'line']) } },
  ];
  return rng.pick(edits);
}

/** The answer, found another way: the table written out as text and searched line by line. */
function secondDerivation({ entities, columns }: Table, entity: string, column: string): string | null {
  const key = (name: string): string => name.toLowerCase().replaceAll('*', '').trim();
  const header = columns.map(({ name }) => key(name));
  const lines = entities.map(
    (name, row) => `${key(name)}|${columns.map(({ values }) => values[row] ?? '').join('|')}`,
  );
  const found = lines.filter((line) => line.startsWith(`${key(entity)}|`));
  const at = header.flatMap((name, i) => (name === key(column) ? [i] : []));
  if (found.length !== 1 || at.length !== 1) return null;
  const text = found[0]?.split('|').at(1 + (at[0] ?? 0)) ?? '';
  return text === '' ? null : text;
}

/** One random chart, question and list of edits; whether an answer came out. */
function triple(seed: number): boolean {
  const rng = Rng.fromSeed('charts').child(seed);
  const state: ChartState = { table: randomTable(rng.child('table')), style: { type: 'pie' } };
  const anchor = { entity: rng.pick(state.table.entities), column: rng.pick(state.table.columns).name };
  let after = state;
  for (let i = 0, n = 1 + rng.int(4); i < n; i++) {
    const edit = randomEdit(after.table, rng.child('edit', i));
    const next = applyChartEdit(after, edit);
    if (!next.ok) {
      expect(CHART_REJECTIONS).toContain(next.error.reason);
      continue;
    }
    const inverse = unwrap(inverseChartEditOrSelf(after, edit));
    if (inverse) expect(sameTable(unwrap(applyChartEdit(next.value, inverse)).table, after.table)).toBe(true);
    after = next.value;
  }
  const labelled = labelChart(state, after, { rule: 'recompute', anchor });
  expect(labelled.ok ? labelled.value : null).toBe(
    secondDerivation(after.table, anchor.entity, anchor.column),
  );
  const kept = labelChart(state, after, { rule: 'preserve', answer: 'x' });
  expect(kept.ok).toBe(JSON.stringify(after.table) === JSON.stringify(state.table));
  return labelled.ok;
}

/** No edit writes an empty cell back. */
function inverseChartEditOrSelf(state: ChartState, edit: ChartEdit): { ok: true; value: ChartEdit | null } {
  const inverse = inverseChartEdit(state, edit);
  return { ok: true, value: inverse.ok ? inverse.value : null };
}

describe('over random charts, questions and edits', () => {
  it('labels equal a second derivation, and edits are taken back exactly', () => {
    let answered = 0;
    const runs = 5_000;
    for (let seed = 0; seed < runs; seed++) answered += Number(triple(seed));
    expect(answered).toBeGreaterThan(0.5 * runs);
  });

  it('nothing throws on edits of any shape', () => {
    const text = fc.oneof(fc.constantFrom('Spain', 'Chile', '2019', '', ' '), fc.string());
    const number = fc.double();
    const any = fc.record({
      edit: fc.constantFrom(
        'set_value',
        'insert_row',
        'remove_row',
        'reorder_rows',
        'add_column',
        'drop_column',
        'restyle',
      ),
      ...{ entity: text, column: text, at: fc.integer(), value: number },
      ...{ values: fc.array(number), entities: fc.array(text), style: fc.dictionary(text, text) },
    });
    const kinds: Readonly<Record<string, readonly string[]>> = {
      set_value: ['entity', 'column', 'value'],
      insert_row: ['at', 'entity', 'values'],
      remove_row: ['entity'],
      reorder_rows: ['entities'],
      add_column: ['at', 'column', 'values'],
      drop_column: ['column'],
      restyle: ['style'],
    };
    fc.assert(
      fc.property(any, (whole) => {
        const keys = ['edit', ...(kinds[whole.edit] ?? [])];
        const parsed = CHART_EDIT.safeParse(
          Object.fromEntries(Object.entries(whole).filter(([key]) => keys.includes(key))),
        );
        if (parsed.success) applyChartEdit(STATE, parsed.data);
      }),
    );
  });
});
