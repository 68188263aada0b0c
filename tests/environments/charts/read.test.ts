import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/core/result.js';
import {
  numberColumns,
  readCell,
  readTable,
  type ReadTable,
} from '../../../src/environments/charts/index.js';

describe('readCell', () => {
  it.each([
    ['12', 12, 0, null],
    ['-3.50', -3.5, 2, null],
    ['−3', -3, 0, null],
    ['(4.2)', -4.2, 1, null],
    ['1,234,567', 1234567, 0, null],
    ['1 234', 1234, 0, null],
    ['62%', 62, 0, '%'],
    ['-6.8 %', -6.8, 1, '%'],
    ['$1,200.50', 1200.5, 2, '$'],
    ['-€3', -3, 0, '€'],
    ['+0.5', 0.5, 1, null],
    ['.5', 0.5, 1, null],
    ['2e3', 2000, 0, null],
    ['１２', 12, 0, null],
  ])('reads %j as a number', (source, value, decimals, unit) => {
    expect(readCell(source)).toEqual({ kind: 'number', value, decimals, unit });
  });

  it.each(['', ' ', '-', '–', 'nan', 'NaN', 'N/A', '...', '*'])('finds nothing in %j', (source) => {
    expect(readCell(source)).toEqual({ kind: 'missing' });
  });

  it.each([
    '1.234,5',
    '12,34',
    '5 apples',
    '1,2345',
    '2019/20',
    '3-4',
    '--5',
    '%',
    '$',
    '1e999',
    'Infinity',
    '0x10',
  ])('takes %j as text, since it could be read in two ways or none', (source) => {
    expect(readCell(source)).toEqual({ kind: 'text', text: source });
  });

  it('reads back every number that is written plainly', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 4 }), (n, decimals) => {
        const value = n / 10 ** decimals;
        const cell = readCell(value.toFixed(decimals));
        expect(cell).toMatchObject({ kind: 'number', decimals });
        expect(cell.kind === 'number' && Math.abs(cell.value - value)).toBeLessThan(1e-9);
      }),
    );
  });
});

describe('readTable', () => {
  const read = (text: string): ReadTable => unwrap(readTable(text));

  it('reads names, numbers and units, whatever the line ends', () => {
    const text = '\uFEFFCountry,"Rate, 2020",Größe\r\nÖsterreich,5%,1.5\r\n"Bonn, city",10%,-2\r\n';
    const { table, warnings } = read(text);
    expect(warnings).toEqual([]);
    expect(table).toEqual({
      entityLabel: 'Country',
      entities: ['Österreich', 'Bonn, city'],
      columns: [
        { kind: 'number', name: 'Rate, 2020', unit: '%', decimals: 0, values: [5, 10] },
        { kind: 'number', name: 'Größe', unit: null, decimals: 1, values: [1.5, -2] },
      ],
    });
    expect(read(text.replaceAll('\r\n', '\n'))).toEqual({ table, warnings });
    expect(read(text.replaceAll('\r\n', '\r'))).toEqual({ table, warnings });
  });

  it('warns of what it can not take as it stands, with the place', () => {
    const { table, warnings } = read('Year,A,A,\n2019,1,x,7\n2020,-,2\n,3,4,5\n 2019 ,6,7%,8\n');
    expect(table.entities).toEqual(['2019', '2020', '2019']);
    expect(table.columns.map(({ name, kind }) => [name, kind])).toEqual([
      ['A', 'number'],
      ['A (2)', 'text'],
      ['', 'number'],
    ]);
    expect(numberColumns(table)[0]?.values).toEqual([1, null, 6]);
    expect(warnings.map(({ kind, row, column }) => [kind, row, column])).toEqual([
      ['duplicate-header', 1, 'A'],
      ['empty-header', 1, null],
      ['ragged-row', 3, null],
      ['empty-entity', 4, null],
      ['duplicate-entity', 5, null],
      ['missing-value', 3, 'A'],
      ['mixed-column', null, 'A (2)'],
      ['missing-value', 3, ''],
    ]);
  });

  it('gives a unit only when all cells carry it', () => {
    const { table, warnings } = read('a,b\nx,5%\ny,7\n');
    expect(table.columns[0]).toMatchObject({ kind: 'number', unit: null });
    expect(warnings).toMatchObject([{ kind: 'mixed-units', column: 'b' }]);
  });

  it.each([
    ['', 'no-columns'],
    ['just one\n1\n', 'no-columns'],
    ['a,b\n', 'no-rows'],
    ['a,b\n,1\n', 'no-rows'],
    ['a,b\n"x,1\n', 'not-csv'],
  ])('refuses %j as %s', (text, reason) => {
    expect(readTable(text)).toMatchObject({ ok: false, error: { reason } });
  });

  it('never throws, and gives every column as many values as there are rows', () => {
    const cell = fc.oneof(fc.string(), fc.constantFrom('1', '2.5', '-', '"', ',', '\r\n', '5%', '\n'));
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 40 }), (cells) => {
        const result = readTable(cells.join(','));
        if (!result.ok) return;
        const { entities, columns } = result.value.table;
        for (const column of columns) expect(column.values).toHaveLength(entities.length);
      }),
    );
  });
});
