import path from 'node:path';
import {
  chartsPassed,
  checkCharts,
  describeChartsCheck,
  readChartsFolder,
  tableSource,
} from '../../environments/charts/index.js';
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

/** `covolve check charts`: tiers and derives again every question of a data set in ChartQA's layout. Gives the exit code. */
export function checkChartsFolder(
  context: Context,
  folder: string,
  options: { readonly json?: boolean },
): number {
  const found = readChartsFolder(path.resolve(context.directory, folder), folder);
  const report = checkCharts([...found.tables.keys()], tableSource(found), found.questions);
  if (options.json === true) print(context, JSON.stringify(report, null, 2));
  else for (const line of describeChartsCheck(report)) print(context, line);
  return chartsPassed(report) ? 0 : 1;
}
