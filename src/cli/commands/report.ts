import path from 'node:path';
import { print, type Context } from '../context.js';

/** Writes the report of a run and gives the file's name. */
export async function reportRun(directory: string, file?: string): Promise<string> {
  // Loaded when it is wanted: most commands draw no report, and should start at once.
  const { writeReport } = await import('../../report/index.js');
  return writeReport(directory, file);
}

/** `covolve report`: one HTML file about a run, also while it goes on. Gives the exit code. */
export async function report(
  context: Context,
  name: string,
  options: { readonly output?: string },
): Promise<number> {
  const absolute = (file: string): string => path.resolve(context.directory, file);
  const { output } = options;
  print(context, await reportRun(absolute(name), output === undefined ? undefined : absolute(output)));
  return 0;
}
