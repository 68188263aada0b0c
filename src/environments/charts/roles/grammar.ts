import { grammarLiterals } from '../../../core/grammar.js';
import type { Grammar } from '../../../core/role.js';
import { MICRO_COLOURS, MICRO_COLUMN, MICRO_KEYS, MICRO_MOST, MICRO_STYLES } from '../micro.js';
import type { ChartTaskState } from '../state.js';
import { numberColumns } from '../table.js';

/** What a micro rewriter's list may hold. */
export interface MicroListLimits {
  readonly rows: { readonly min: number; readonly max: number };
  readonly maxEdits: number;
}

const literal = (text: string): Grammar => ({ kind: 'literal', text });
const sequence = (...items: Grammar[]): Grammar => ({ kind: 'sequence', items });
const oneOf = (...options: Grammar[]): Grammar => ({ kind: 'choice', options });
const choice = (values: readonly (string | number)[]): Grammar =>
  oneOf(...values.map((value) => literal(JSON.stringify(value))));

const VALUES = Array.from({ length: MICRO_MOST }, (_, i) => i + 1);

/**
 * The language of edit lists for a micro chart: JSON arrays of 1 to `maxEdits` edits, each with an effect on the chart as it is.
 * Where the question asks for more than a cell, only the style may change; the row that is asked for stays.
 */
export function microEditGrammar(state: ChartTaskState, limits: MicroListLimits): Grammar {
  const options = [
    restyles(state),
    ...(state.question.operation.op === 'cell' ? dataEdits(state, limits) : []),
  ];
  const edit = oneOf(...options);
  const more: Grammar = {
    kind: 'repeat',
    item: sequence(literal(','), edit),
    min: 0,
    max: limits.maxEdits - 1,
  };
  return sequence(literal('['), edit, more, literal(']'));
}

function restyles({ style }: Pick<ChartTaskState, 'style'>): Grammar {
  const keys = MICRO_KEYS.map((key) =>
    sequence(literal(`"${key}":`), choice(MICRO_STYLES[key].filter((value) => value !== style[key]))),
  );
  return sequence(literal('{"edit":"restyle","style":{'), oneOf(...keys), literal('}}'));
}

function dataEdits({ table, question }: ChartTaskState, { rows }: MicroListLimits): Grammar[] {
  const { entities } = table;
  const asked = question.operation.op === 'cell' ? question.operation.cell.entity : null;
  const values = numberColumns(table)[0]?.values ?? [];
  const sets = entities.map((entity, i) =>
    sequence(
      literal(JSON.stringify(entity)),
      literal(`,"column":"${MICRO_COLUMN}","value":`),
      choice(VALUES.filter((value) => value !== values[i])),
    ),
  );
  const out = [sequence(literal('{"edit":"set_value","entity":'), oneOf(...sets), literal('}'))];
  const free = MICRO_COLOURS.filter((colour) => !entities.includes(colour));
  if (entities.length < rows.max && free.length > 0) {
    out.push(
      sequence(
        literal('{"edit":"insert_row","at":'),
        choice([...entities, ''].map((_, i) => i)),
        literal(',"entity":'),
        choice(free),
        literal(',"values":['),
        choice(VALUES),
        literal(']}'),
      ),
    );
  }
  const others = entities.filter((entity) => entity !== asked);
  if (entities.length > rows.min && others.length > 0) {
    out.push(sequence(literal('{"edit":"remove_row","entity":'), choice(others), literal('}')));
  }
  return out;
}

/** Every literal that a micro rewriter may write about any micro chart. */
export function microEditLiterals(): string[] {
  const state = (entities: readonly string[], value: number): ChartTaskState => ({
    title: '',
    measure: '',
    table: {
      entityLabel: '',
      entities,
      columns: [
        { kind: 'number', name: MICRO_COLUMN, unit: null, decimals: 0, values: entities.map(() => value) },
      ],
    },
    style: {},
    question: { text: '', operation: { op: 'cell', cell: { entity: '', column: MICRO_COLUMN } } },
  });
  const limits = { rows: { min: 0, max: Infinity }, maxEdits: 2 };
  const states = [
    state(MICRO_COLOURS, 1),
    state(MICRO_COLOURS.slice(1), 2),
    state(MICRO_COLOURS.slice(0, 1), 2),
  ];
  return [...new Set(states.flatMap((each) => grammarLiterals(microEditGrammar(each, limits))))];
}
