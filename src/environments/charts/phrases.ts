import type { Rng } from '../../core/rng.js';
import type { CellAnchor } from './label.js';
import type { Operation } from './operation.js';
import { isYear, type Table } from './table.js';

/** Words for an operation that a program made; the first of several wordings unless others are wanted. */
export function wordingOf(
  table: Table,
  measure: string,
  operation: Exclude<Operation, { op: 'given' }>,
  rng: Rng | null,
): string {
  const options = wordings(table, naming(table, measure), operation);
  return rng ? rng.pick(options) : (options[0] as string);
}

/** How cells and columns are spoken of. */
interface Naming {
  cell(cell: CellAnchor): string;
  /** Some rows of a column together. */
  rows(column: string, entities: readonly string[]): string;
  /** A column without a row, and without an article. */
  column(column: string): string;
}

function wordings(
  table: Table,
  { cell, rows: ofRows, column: named }: Naming,
  operation: Exclude<Operation, { op: 'given' }>,
): readonly string[] {
  const row = table.entityLabel === '' ? 'row' : table.entityLabel.toLowerCase();
  const rows = plural(row);
  switch (operation.op) {
    case 'cell': {
      const what = cell(operation.cell);
      return [
        `What is ${what}?`,
        `What value does the chart show for ${what}?`,
        `Read off ${what}.`,
        `According to the chart, what is ${what}?`,
      ];
    }
    case 'extremum': {
      const { which, asks } = operation;
      const most = which === 'greatest' ? 'highest' : 'lowest';
      const what = named(operation.column);
      return asks === 'name'
        ? [
            `Which ${row} has the ${most} ${what}?`,
            `Name the ${row} with the ${most} ${what}.`,
            `The ${most} ${what} belongs to which ${row}?`,
          ]
        : [
            `What is the ${most} ${what} of any ${row}?`,
            `How large is the ${most} ${what} in the chart?`,
            `Among all ${rows}, what is the ${most} ${what}?`,
          ];
    }
    case 'difference': {
      const [a, b] = operation.cells.map(cell) as [string, string];
      return [
        `What is the difference between ${a} and ${b}?`,
        `By how much do ${a} and ${b} differ?`,
        `How far apart are ${a} and ${b}?`,
      ];
    }
    case 'sum': {
      const what = named(operation.column);
      if (operation.entities === null)
        return [
          `What is the sum of the ${what} over all ${rows}?`,
          `What do the values of ${what} of all ${rows} add up to?`,
        ];
      const some = ofRows(operation.column, operation.entities);
      return [
        `What is the sum of the ${some}?`,
        `Taken together, what is the ${some}?`,
        `Add up the ${some}: what do you get?`,
      ];
    }
    case 'average': {
      const what = named(operation.column);
      const which =
        operation.entities === null
          ? `${what} over all ${rows}`
          : ofRows(operation.column, operation.entities);
      const rounded = rounding(operation.places);
      return [
        `What is the average ${which}, rounded to ${rounded}?`,
        `Rounded to ${rounded}, what is the mean ${which}?`,
      ];
    }
    case 'ratio': {
      const [a, b] = operation.cells.map(cell) as [string, string];
      const rounded = rounding(operation.places);
      return [
        `What is the ratio of ${a} to ${b}, rounded to ${rounded}?`,
        `How many times ${b} is ${a}, rounded to ${rounded}?`,
        `Rounded to ${rounded}, what do you get when you divide ${a} by ${b}?`,
      ];
    }
    case 'count': {
      const { side, bound } = operation;
      const what = named(operation.column);
      return [
        `For how many ${rows} is the ${what} ${side} ${bound}?`,
        `Count the ${rows} whose ${what} is ${side} ${bound}.`,
        `The ${what} is ${side === 'above' ? 'more' : 'less'} than ${bound} for how many ${rows}?`,
      ];
    }
    case 'compare': {
      const [a, b] = operation.cells.map(cell) as [string, string];
      return [
        `Is ${a} greater than ${b}?`,
        `Does ${a} exceed ${b}?`,
        `Is it true that ${a} is more than ${b}?`,
      ];
    }
    case 'trend': {
      const { from, to } = operation;
      const what = named(operation.column);
      return [
        `From ${from} to ${to}, is the change of the ${what} an increase or a decrease?`,
        `Comparing ${to} with ${from}, was there an increase or a decrease of the ${what}?`,
      ];
    }
    default:
      return operation satisfies never;
  }
}

function naming(table: Table, measure: string): Naming {
  const years = table.entities.every(isYear);
  const what = lower(measure);
  const of = (names: string): string => (years ? `in ${names}` : `of ${names}`);
  const column = (name: string): string => {
    if (measure === '') return lower(name);
    return isYear(name) ? `${what} in ${name}` : `${what} ${years ? 'of' : 'for'} ${name}`;
  };
  const rows = (name: string, entities: readonly string[]): string => {
    if (measure === '') return `${lower(name)} ${of(listed(entities))}`;
    if (isYear(name)) return `${what} of ${listed(entities)} in ${name}`;
    return years ? `${what} of ${name} in ${listed(entities)}` : `${what} of ${listed(entities)} for ${name}`;
  };
  return { column, rows, cell: ({ entity, column: name }) => `the ${rows(name, [entity])}` };
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}

function rounding(places: number): string {
  if (places === 0) return 'a whole number';
  return places === 1 ? 'one decimal' : `${places} decimals`;
}

/** A column's name inside a sentence: its first letter small, unless it is a name or has capitals further on. */
function lower(name: string): string {
  const plain = /^\p{Lu}[\p{Ll} ()%,.-]*$/u.test(name) && name.includes(' ');
  return plain && !isYear(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
}

function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
