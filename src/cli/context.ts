import type { Streams } from './terminal.js';

/** The outside of the program, handed to every command: nothing else of it is read. */
export interface Context {
  readonly streams: Streams;
  /** Where the user stands: relative names are relative to it. */
  readonly directory: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How this program is started again for another run. */
  readonly self: readonly string[];
  /** Environment variables by name; null when one isn't set. */
  readonly variable: (name: string) => string | null;
}

/** Writes lines of a result. */
export function print({ streams }: Context, text: string): void {
  streams.out.write(`${text}\n`);
}
