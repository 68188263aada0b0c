import { readFileSync } from 'node:fs';
import { DataError } from '../../core/errors.js';
import { parseJsonText } from './official.js';

/** The JSON in a file. Throws a DataError under `name` (the file as the user wrote it) when it can't be read or isn't JSON. */
export function readJsonFile(file: string, name: string = file): unknown {
  let bytes: Buffer;
  let text: string;
  try {
    bytes = readFileSync(file);
    text = bytes.toString('utf8');
  } catch (cause) {
    throw fileProblem(cause, name);
  }
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    throw new DataError(name, null, 'is compressed; unpack it with gunzip');
  return parseJsonText(text.replace(/^\uFEFF/, ''), name);
}

/** What a failed read means, for the user. */
export function fileProblem(cause: unknown, name: string): DataError {
  return new DataError(
    name,
    null,
    `can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
  );
}
