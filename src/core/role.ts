import type { Json } from './json.js';
import type { Prompt } from './prompt.js';
import type { Rejection, Result } from './result.js';

/**
 * A regular language over literal pieces of text: what a role may write. An engine with its own decoder compiles it to
 * a token mask; white space between literals is free. Engines that speak to a server use the JSON schema instead.
 */
export type Grammar =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'sequence'; readonly items: readonly Grammar[] }
  | { readonly kind: 'choice'; readonly options: readonly Grammar[] }
  | { readonly kind: 'repeat'; readonly item: Grammar; readonly min: number; readonly max: number };

/** How a role's output can be constrained while it is sampled. */
export interface OutputConstraint {
  /** Null where names or numbers are free, so that only the schema can hold them. */
  readonly grammar: Grammar | null;
  readonly jsonSchema: Json;
}

/**
 * One part in a method: what it is asked and how its words are read. There is no model inside, and no reward: rewards
 * look at whole batches (see `reward.ts`).
 */
export interface Role<Input, Output> {
  readonly name: string;
  prompt(input: Input): Prompt;
  /** Reads a completion. Malformed text is a rejection, never an exception. */
  parse(text: string, input: Input): Result<Output, Rejection>;
  /** What the role may write for this input, where its output has a grammar. */
  constraint?(input: Input): OutputConstraint;
}
