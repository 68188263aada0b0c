import type { ChartEdit } from './edit.js';
import type { ChartAction } from './state.js';

/** An action in words, for people. */
export function describeChartAction(action: ChartAction): string {
  if (action.kind === 'ask') return `ask instead: ${action.question.text}`;
  return action.edits.map(describeEdit).join('; ') || 'nothing';
}

function describeEdit(edit: ChartEdit): string {
  switch (edit.edit) {
    case 'set_value':
      return `set ${edit.column} of ${edit.entity} to ${edit.value}`;
    case 'insert_row':
      return `insert row ${edit.entity} (${edit.values.map((value) => value ?? '-').join(', ')})`;
    case 'remove_row':
      return `remove row ${edit.entity}`;
    case 'reorder_rows':
      return `reorder rows: ${edit.entities.join(', ')}`;
    case 'add_column':
      return `add column ${edit.column}`;
    case 'drop_column':
      return `drop column ${edit.column}`;
    case 'restyle':
      return Object.entries(edit.style)
        .map(([key, value]) => `${key} ${String(value)}`)
        .join(', ');
    default:
      return edit satisfies never;
  }
}
