import { readFileSync } from 'node:fs';
import { DataError } from '../../core/errors.js';
import { parseJsonText } from './official.js';

/** The JSON in a file. Throws a DataError under `name` (the file as the user wrote it) when it can't be read or isn't JSON. */
export function readJsonFile(file: string, name: string = file): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new DataError(
      name,
      null,
      `can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  return parseJsonText(text, name);
}
