import { z } from 'zod';
import { closedWords, eighths } from '../../../core/closedText.js';
import type { RewriteRequest } from '../../../core/environment.js';
import { firstJsonArray, wholeJsonArray } from '../../../core/jsonText.js';
import { userPrompt } from '../../../core/prompt.js';
import { ok, reject, type Result } from '../../../core/result.js';
import type { OutputConstraint, Role } from '../../../core/role.js';
import { CHART_EDIT, editListSchema } from '../edit.js';
import { MICRO_KEYS } from '../micro.js';
import type { ChartTaskRejection } from '../rejections.js';
import { checkChartJson } from '../schema.js';
import type { ChartAction, ChartTaskState } from '../state.js';
import { numberColumns } from '../table.js';
import { microEditGrammar } from './grammar.js';
import { rewriterPrompt } from './prompt.js';
import type { ChartPromptStyle } from './solver.js';

/** What the rewriter is told about, and held to. */
export interface ChartRewriterOptions {
  readonly promptStyle: ChartPromptStyle;
  readonly maxEdits: number;
  readonly rows: { readonly min: number; readonly max: number };
}

const EDIT_LIST = z.array(CHART_EDIT).min(1);

/** VICO's EnvRewriter on charts: sees table, style, question and pass rate, writes a JSON list of edits. */
export function chartsRewriter(
  options: ChartRewriterOptions,
): Role<RewriteRequest<ChartTaskState>, ChartAction> {
  // The same state gets the same constraint again, so that engines compile it once.
  const constraints = new WeakMap<ChartTaskState, OutputConstraint>();
  const micro = options.promptStyle === 'micro';
  const role: Role<RewriteRequest<ChartTaskState>, ChartAction> = {
    name: 'rewriter',
    prompt: (input) => userPrompt(micro ? microPrompt(input) : rewriterPrompt(input, options)),
    parse: (text) => parseEdits(text, options),
  };
  return {
    ...role,
    constraint({ lineage: { state } }) {
      const known = constraints.get(state) ?? {
        grammar: micro ? microEditGrammar(state, options) : null,
        jsonSchema: editListSchema(state.question.operation.op === 'cell', options.maxEdits),
      };
      constraints.set(state, known);
      return known;
    },
  };
}

function parseEdits(
  text: string,
  { promptStyle, maxEdits }: ChartRewriterOptions,
): Result<ChartAction, ChartTaskRejection> {
  const json = promptStyle === 'micro' ? wholeJsonArray(text) : firstJsonArray(text);
  if (json === null) return reject('malformed', 'there is no JSON array of edits');
  const edits = checkChartJson(EDIT_LIST, json, 'edits');
  if (!edits.ok) return edits;
  if (edits.value.length > maxEdits) {
    return reject('too-many-edits', `${edits.value.length} edits, at most ${maxEdits} are allowed`);
  }
  return ok({ kind: 'edits', edits: edits.value });
}

/** The chart as the micro rewriter reads it, e.g. `pass 6 | bar white value 0.15 | red 7 | blue 3 | what is ...`. */
function microPrompt({ lineage: { state }, passRate }: RewriteRequest<ChartTaskState>): string {
  const values = numberColumns(state.table)[0]?.values ?? [];
  const rows = state.table.entities.map((entity, i) => `${entity} ${values[i] ?? ''}`);
  const look = MICRO_KEYS.map((key) => String(state.style[key])).join(' ');
  return [`pass ${eighths(passRate)}`, look, ...rows, closedWords(state.question.text)].join(' | ');
}
