import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DataError } from '../../core/errors.js';
import {
  chartsPassed,
  checkCharts,
  describeChartsCheck,
  readChartsFolder,
  tableSource,
} from '../../environments/charts/index.js';
import { checkClevrEntries, checkPassed, describeCheck, entriesOf } from '../../environments/clevr/index.js';
import { checkDrawings, describeDrawingsCheck } from '../../environments/drawings/index.js';
import { print, type Context } from '../context.js';

/** `covolve check clevr`: derives every answer of a data set in the official format again. Gives the exit code. */
export function checkClevrFiles(
  context: Context,
  scenes: string,
  questions: string,
  options: { readonly json?: boolean },
): number {
  const read = (name: string, key: 'scenes' | 'questions'): Iterable<unknown> =>
    entriesOf(path.resolve(context.directory, name), key, name);
  const report = checkClevrEntries(read(scenes, 'scenes'), read(questions, 'questions'), {
    scenes,
    questions,
  });
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

/** `covolve check drawings`: reads proposals, one a line, with their drawings where they have some. Gives the exit code. */
export function checkDrawingsFile(
  context: Context,
  file: string,
  options: { readonly json?: boolean },
): number {
  let text: string;
  try {
    text = readFileSync(path.resolve(context.directory, file), 'utf8');
  } catch (cause) {
    throw new DataError(
      file,
      null,
      `can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  const report = checkDrawings(text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/));
  if (report.lines === 0) throw new DataError(file, null, 'has no line');
  if (options.json === true) print(context, JSON.stringify(report, null, 2));
  else for (const line of describeDrawingsCheck(report)) print(context, line);
  return report.accepted === report.lines ? 0 : 1;
}
