import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { DataError } from '../../core/errors.js';
import { tableName, type ChartQuestion } from './check.js';

/** A data set in ChartQA's layout, its files named but for the questions not read. */
export interface ChartsFolder {
  /** Files of the tables, by name without `.csv`. */
  readonly tables: ReadonlyMap<string, string>;
  readonly questions: readonly ChartQuestion[];
}

const QUESTION = z.object({
  imgname: z.string().min(1),
  query: z.string(),
  label: z.union([z.string(), z.number(), z.boolean()]).transform(String),
});

/**
 * Finds a data set: `tables/*.csv` beside one or more JSON lists of questions, in the folder itself or in splits below it
 * (`train`, `val`, `test`). Throws a DataError that names the file, and the entry where one is bad.
 */
export function readChartsFolder(folder: string, name: string = folder): ChartsFolder {
  const tables = new Map<string, string>();
  const questions: ChartQuestion[] = [];
  const splits = [folder, ...folders(folder, name).filter((child) => hasTables(child))].filter(hasTables);
  if (splits.length === 0)
    throw new DataError(name, null, 'has no folder tables/ with CSV files, nor a split with one');
  for (const split of splits) {
    for (const file of list(path.join(split, 'tables'), name)) {
      if (/\.csv$/i.test(file)) tables.set(file.replace(/\.csv$/i, ''), path.join(split, 'tables', file));
    }
    for (const file of list(split, name)) {
      if (/\.json$/i.test(file))
        questions.push(
          ...readQuestions(path.join(split, file), path.join(name, path.relative(folder, split), file)),
        );
    }
  }
  if (questions.length === 0)
    throw new DataError(name, null, 'has no JSON file with a list of questions beside tables/');
  return { tables, questions };
}

/** The text of a table; null when there is none. Throws a DataError when it can't be read. */
export function tableSource({ tables }: ChartsFolder): (name: string) => string | null {
  return (name) => {
    const file = tables.get(name);
    return file === undefined ? null : readText(file, file);
  };
}

function readQuestions(file: string, name: string): ChartQuestion[] {
  let json: unknown;
  try {
    json = JSON.parse(readText(file, name).replace(/^\uFEFF/, ''));
  } catch (cause) {
    if (cause instanceof DataError) throw cause;
    throw new DataError(name, null, `is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (!Array.isArray(json))
    throw new DataError(name, null, 'must hold a list of questions {imgname, query, label}');
  return json.map((entry, i) => {
    const parsed = QUESTION.safeParse(entry);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new DataError(
        name,
        null,
        `question ${i}: ${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'is no question'}`,
      );
    }
    const imgname = path.basename(parsed.data.imgname);
    if (tableName(imgname) === '') throw new DataError(name, null, `question ${i}: imgname names no picture`);
    return { ...parsed.data, imgname };
  });
}

function hasTables(folder: string): boolean {
  return statSync(path.join(folder, 'tables'), { throwIfNoEntry: false })?.isDirectory() === true;
}

function folders(folder: string, name: string): string[] {
  return list(folder, name)
    .map((child) => path.join(folder, child))
    .filter((child) => statSync(child, { throwIfNoEntry: false })?.isDirectory() === true);
}

function list(folder: string, name: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    throw new DataError(
      name,
      null,
      `can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

function readText(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new DataError(
      name,
      null,
      `can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}
