import { z } from 'zod';
import type { Json } from '../../core/json.js';
import type { Grammar, OutputConstraint } from '../../core/role.js';

/**
 * How a server is told what may be written: `response-format` (a JSON schema, as OpenAI has it; also vLLM, SGLang, llama.cpp),
 * `vllm-json` and `vllm-grammar` (vLLM's structured outputs), `llama-grammar` (llama.cpp's GBNF), or not at all.
 */
export const CONSTRAINT_FORMS = [
  'response-format',
  'vllm-json',
  'vllm-grammar',
  'llama-grammar',
  'none',
] as const;

export type ConstraintForm = (typeof CONSTRAINT_FORMS)[number];

/** A constraint for one server: what to add to the request's body, and whether a finished text is in the language. */
export interface WireConstraint {
  readonly fields: Readonly<Record<string, Json>>;
  accepts(text: string): boolean;
}

/** What a constraint becomes in a form; null when nothing constrains the output. */
export function wireConstraint(
  constraint: OutputConstraint | undefined,
  form: ConstraintForm,
): WireConstraint | null {
  if (!constraint || form === 'none') return null;
  const { grammar, jsonSchema } = constraint;
  switch (form) {
    case 'response-format':
      return {
        fields: {
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'output', schema: jsonSchema, strict: true },
          },
        },
        accepts: jsonAcceptor(jsonSchema),
      };
    case 'vllm-json':
      return { fields: { structured_outputs: { json: jsonSchema } }, accepts: jsonAcceptor(jsonSchema) };
    case 'vllm-grammar':
      if (grammar === null) return null;
      return {
        fields: { structured_outputs: { grammar: grammarText(grammar) } },
        accepts: (text) => inLanguage(grammar, text),
      };
    case 'llama-grammar':
      if (grammar === null) return null;
      return { fields: { grammar: grammarText(grammar) }, accepts: (text) => inLanguage(grammar, text) };
    default:
      return form satisfies never;
  }
}

function jsonAcceptor(jsonSchema: Json): (text: string) => boolean {
  const schema = z.fromJSONSchema(jsonSchema as Parameters<typeof z.fromJSONSchema>[0]);
  return (text) => {
    try {
      return schema.safeParse(JSON.parse(text)).success;
    } catch {
      return false;
    }
  };
}

/**
 * A grammar in the EBNF that llama.cpp and xgrammar (vLLM, SGLang) share. Between literals one space may stand. A subtree that is
 * there several times becomes one rule.
 */
export function grammarText(grammar: Grammar): string {
  const rules: string[] = [];
  const names = new Map<Grammar, string>();
  const rule = (node: Grammar): string => {
    const known = names.get(node);
    if (known !== undefined) return known;
    const name = names.size === 0 ? 'root' : `r${names.size}`;
    names.set(node, name);
    const place = rules.push('') - 1;
    rules[place] = `${name} ::= ${expression(node, rule)}`;
    return name;
  };
  rule(grammar);
  return `${rules.join('\n')}\n`;
}

function expression(node: Grammar, rule: (node: Grammar) => string): string {
  const part = (item: Grammar): string =>
    item.kind === 'literal' ? `${JSON.stringify(item.text)} " "?` : rule(item);
  switch (node.kind) {
    case 'literal':
      return part(node);
    case 'sequence':
      return node.items.map(part).join(' ') || '""';
    case 'choice':
      return node.options.map(part).join(' | ');
    case 'repeat':
      return `(${part(node.item)}){${node.min},${node.max}}`;
    default:
      return node satisfies never;
  }
}

/** Whether a whole text is in a grammar's language, white space between literals being free. */
export function inLanguage(grammar: Grammar, text: string): boolean {
  const skip = (at: number): number => at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
  const behind = (node: Grammar, starts: ReadonlySet<number>): Set<number> => {
    switch (node.kind) {
      case 'literal': {
        const fitting = [...starts].filter((at) => text.startsWith(node.text, at));
        return new Set(fitting.map((at) => skip(at + node.text.length)));
      }
      case 'sequence':
        return new Set(node.items.reduce<ReadonlySet<number>>((at, item) => behind(item, at), starts));
      case 'choice':
        return new Set(node.options.flatMap((option) => [...behind(option, starts)]));
      case 'repeat': {
        const ends = new Set<number>(node.min === 0 ? starts : []);
        let at: ReadonlySet<number> = starts;
        for (let i = 1; i <= node.max && at.size > 0; i++) {
          at = behind(node.item, at);
          if (i >= node.min) for (const end of at) ends.add(end);
        }
        return ends;
      }
      default:
        return node satisfies never;
    }
  };
  return behind(grammar, new Set([skip(0)])).has(text.length);
}
