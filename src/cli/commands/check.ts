import path from 'node:path';
import { checkClevr, checkPassed, describeCheck, readJsonFile } from '../../environments/clevr/index.js';
import { print, type Context } from '../context.js';

/** `covolve check clevr`: derives every answer of a data set in the official format again. Gives the exit code. */
export function checkClevrFiles(
  context: Context,
  scenes: string,
  questions: string,
  options: { readonly json?: boolean },
): number {
  const read = (name: string): unknown => readJsonFile(path.resolve(context.directory, name), name);
  const report = checkClevr(read(scenes), read(questions), { scenes, questions });
  if (options.json === true) print(context, JSON.stringify(report, null, 2));
  else for (const line of describeCheck(report)) print(context, line);
  return checkPassed(report) ? 0 : 1;
}
