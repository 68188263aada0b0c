import { CommanderError } from 'commander';
import pc from 'picocolors';
import { CovolveError, InterruptedError } from '../core/errors.js';
import type { Context } from './context.js';
import { program, USAGE } from './program.js';
import { INTERRUPTED } from './signals.js';

/**
 * Runs one command line, without the program's name, and gives its exit code: 0 done, 1 failed or found differences, 2 usage,
 * 130 stopped by Ctrl-C. Never throws: what went wrong is one line on `err`, and a bug is its stack.
 */
export async function execute(args: readonly string[], context: Context): Promise<number> {
  const { err } = context.streams;
  let code = 0;
  try {
    await program(context, (given) => {
      code = given;
    }).parseAsync([...args], { from: 'user' });
    return code;
  } catch (cause) {
    if (cause instanceof CommanderError) return cause.exitCode === 0 ? 0 : USAGE;
    if (cause instanceof InterruptedError) return INTERRUPTED;
    const red = err.isTTY === true ? pc.red : String;
    if (cause instanceof CovolveError) {
      err.write(`${red('error:')} ${cause.message}\n`);
    } else {
      const trace = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
      err.write(`${red('This is a bug in covolve:')} ${trace}\n`);
    }
    return 1;
  }
}
