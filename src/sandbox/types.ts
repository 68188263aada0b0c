import type { Image } from '../core/image.js';
import type { Json } from '../core/json.js';

/**
 * How a program ended.
 *
 * - `ok`: valid, four images.
 * - `timeout`: more than its wall-clock or CPU time.
 * - `memory`: more than its memory.
 * - `forbidden`: asked for something that the static checks or the sandbox deny (an import, a file, a system call).
 * - `exception`: raised one, with the line.
 * - `bad-output`: returned something that is no image, or an image out of bounds.
 * - `malformed`: not a program of the wanted form (syntax, one `edit_image`, four distinct literal argument sets, length).
 * - `crashed`: its process died without a word, twice.
 */
export type ProgramStatus =
  'ok' | 'timeout' | 'memory' | 'forbidden' | 'exception' | 'bad-output' | 'malformed' | 'crashed';

/** What came of one program. An expected failure is a value, with a reason for people in one line. */
export type ProgramResult =
  | {
      readonly status: 'ok';
      /** What stands before `args_list`, trimmed at its end: the code that a question may show. */
      readonly code: string;
      /** The argument sets, in the program's order; as many as `images`. */
      readonly args: readonly Readonly<Record<string, Json>>[];
      /** One image for each argument set, same order. Owned by the receiver. */
      readonly images: readonly Image[];
      /** Wall-clock time from sending the program to having its result. */
      readonly milliseconds: number;
    }
  | {
      readonly status: Exclude<ProgramStatus, 'ok'>;
      readonly reason: string;
      /** Line of the program, from 1, where one is known. */
      readonly line?: number;
      readonly milliseconds: number;
    };

/** What a program may use. */
export interface SandboxLimits {
  /** Wall-clock and CPU seconds for the whole program, all argument sets together; 0.1 to 600. */
  readonly seconds: number;
  /** Memory beyond the interpreter's own, in MiB; 64 to 65,536. */
  readonly memoryMiB: number;
  /** Longest program, in characters (Unicode code points). */
  readonly characters: number;
  /** Smallest output, in pixels. */
  readonly minPixels: number;
  /** Largest output, in pixels. */
  readonly maxPixels: number;
}

/** A pool of isolated interpreters. Programs can be sent at any time; they wait for a free one. */
export interface ProgramSandbox {
  /**
   * Runs `edit_image(image, **args)` for each set of the program's `args_list`. Never rejects because of what the program
   * does; rejects with an OutageError when interpreters can't be started any more, and after `close`.
   */
  run(program: string, image: Image): Promise<ProgramResult>;
  /** Kills every interpreter. Programs under way reject. */
  close(): Promise<void>;
}
