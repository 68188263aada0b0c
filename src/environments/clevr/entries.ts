import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DataError } from '../../core/errors.js';
import { fileProblem, readJsonFile } from './files.js';
import { listIn } from './official.js';

/** Files above this are read entry by entry: V8 holds no string of more than 512 MB, and CLEVR's training questions are larger. */
const LARGE = 2 ** 26;
const BLOCK = 2 ** 22;

/**
 * The entries of the list `key` of a CLEVR file, `{..., key: [...]}`. A large file is never held whole, and read no further
 * than asked. Throws a DataError under `name` when the file can't be read, isn't JSON, or has no such list.
 */
export function* entriesOf(
  file: string,
  key: 'scenes' | 'questions',
  name: string = file,
  large: number = LARGE,
): Generator<unknown, void> {
  if (sizeOf(file, name) <= large) {
    yield* listIn(readJsonFile(file, name), key, name);
    return;
  }
  const handle = openSync(file, 'r');
  try {
    yield* entriesOfBlocks(blocks(handle), key, name);
  } finally {
    closeSync(handle);
  }
}

function sizeOf(file: string, name: string): number {
  try {
    return statSync(file).size;
  } catch (cause) {
    throw fileProblem(cause, name);
  }
}

function* blocks(handle: number): Generator<Buffer, void> {
  for (;;) {
    const block = Buffer.alloc(BLOCK);
    const length = readSync(handle, block, 0, BLOCK, null);
    if (length === 0) return;
    yield block.subarray(0, length);
  }
}

/** Bytes that matter. */
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Cuts the wanted list into its entries by brackets and quotes alone; every entry is then parsed as JSON of its own. What
 * stands outside the list is only looked at for its brackets.
 */
function* entriesOfBlocks(
  source: Iterable<Buffer>,
  key: 'scenes' | 'questions',
  name: string,
): Generator<unknown, void> {
  let depth = 0;
  let quoted = false;
  let escaped = false;
  /** The last string at depth 1, and whether a colon stood behind it: the key that the next value belongs to. */
  let text: number[] | null = null;
  let lastKey = '';
  let found = false;
  let inside = false;
  let parts: Buffer[] = [];
  let index = 0;
  for (const block of source) {
    let start = inside ? 0 : -1;
    for (let i = 0; i < block.length; i++) {
      const c = block[i] as number;
      if (quoted) {
        if (escaped) escaped = false;
        else if (c === BACKSLASH) escaped = true;
        else if (c === QUOTE) quoted = false;
        if (text && quoted) text.push(c);
        continue;
      }
      if (c === QUOTE) {
        quoted = true;
        text = depth === 1 ? [] : null;
      } else if (c === COLON && depth === 1) {
        lastKey = Buffer.from(text ?? []).toString('utf8');
      } else if (c === OPEN || c === OPEN_LIST) {
        depth++;
        if (c === OPEN_LIST && depth === 2 && lastKey === key && !found) {
          found = inside = true;
          start = i + 1;
        }
      } else if (c === CLOSE || c === CLOSE_LIST) {
        depth--;
        if (inside && depth === 1) {
          parts.push(block.subarray(start, i));
          const last = Buffer.concat(parts).toString('utf8');
          if (last.trim() !== '') yield parseEntry(last, `${key}[${index++}]`, name);
          else if (index > 0)
            throw new DataError(name, null, `${key}[${index}]: not JSON: a comma without an entry`);
          inside = false;
          parts = [];
          return;
        }
      } else if (c === COMMA && inside && depth === 2) {
        parts.push(block.subarray(start, i));
        yield parseEntry(Buffer.concat(parts).toString('utf8'), `${key}[${index++}]`, name);
        parts = [];
        start = i + 1;
      }
    }
    if (inside) parts.push(block.subarray(start));
  }
  if (inside) throw new DataError(name, null, `${key}: not JSON: the file ends inside the list`);
  listIn({}, key, name);
}

function parseEntry(text: string, place: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replaceAll('\n', ' ') : String(cause);
    throw new DataError(name, null, `${place}: not JSON: ${why}`);
  }
}
