#!/usr/bin/env node
import { execute } from './execute.js';

// A reader that goes away (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
process.exitCode = await execute(process.argv.slice(2), {
  streams: { out: process.stdout, err: process.stderr },
  directory: process.cwd(),
  now: Date.now,
  variable: (name) => process.env[name] ?? null,
  self: [process.execPath, ...process.execArgv, process.argv[1] as string],
});
