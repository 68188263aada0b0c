#!/usr/bin/env node
import { CommanderError } from 'commander';
import pc from 'picocolors';
import { CovolveError, InterruptedError } from '../core/errors.js';
import type { Context } from './context.js';
import { program, USAGE } from './program.js';
import { INTERRUPTED } from './signals.js';

/** Runs one command line and gives its exit code: 0 done, 1 failed or found differences, 2 usage, 130 stopped by Ctrl-C. */
async function main(): Promise<number> {
  const context: Context = {
    streams: { out: process.stdout, err: process.stderr },
    directory: process.cwd(),
    now: Date.now,
    self: [process.execPath, ...process.execArgv, process.argv[1] as string],
  };
  let code = 0;
  try {
    await program(context, (given) => {
      code = given;
    }).parseAsync(process.argv);
    return code;
  } catch (cause) {
    if (cause instanceof CommanderError) return cause.exitCode === 0 ? 0 : USAGE;
    if (cause instanceof InterruptedError) return INTERRUPTED;
    const red = process.stderr.isTTY ? pc.red : String;
    if (cause instanceof CovolveError) {
      process.stderr.write(`${red('error:')} ${cause.message}\n`);
    } else {
      const trace = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
      process.stderr.write(`${red('This is a bug in covolve:')} ${trace}\n`);
    }
    return 1;
  }
}

// A reader that goes away (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
process.exitCode = await main();
