import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DataError } from '../../core/errors.js';
import { imageRef, type Image } from '../../core/image.js';
import { decodeImage, encodePng } from '../../render/index.js';
import { openSandbox, type ProgramResult } from '../../sandbox/index.js';
import { print, type Context } from '../context.js';

/** Flags of `covolve sandbox`. */
export interface SandboxFlags {
  /** Where the edited images go, as `0.png` to `3.png`. */
  readonly out?: string;
  readonly json?: boolean;
}

/** `covolve sandbox`: runs one program on one image in isolation. Gives the exit code, 0 only for a valid program. */
export async function sandbox(
  context: Context,
  programFile: string,
  imageFile: string,
  { out, json }: SandboxFlags,
): Promise<number> {
  const program = (await readBytes(context, programFile)).toString('utf8');
  const image = await readImage(context, imageFile);
  const folder = out === undefined ? null : path.resolve(context.directory, out);
  if (folder !== null) await makeFolder(folder, out as string);
  const pool = await openSandbox({ workers: 1 });
  let result: ProgramResult;
  try {
    result = await pool.run(program, image);
  } finally {
    await pool.close();
  }
  if (result.status === 'ok' && folder !== null) {
    for (const [i, edited] of result.images.entries()) {
      await writeFile(path.join(folder, `${i}.png`), await encodePng(edited));
    }
  }
  if (json === true) print(context, JSON.stringify(asJson(result), null, 2));
  else for (const line of inWords(result)) print(context, line);
  return result.status === 'ok' ? 0 : 1;
}

function asJson(result: ProgramResult): unknown {
  const milliseconds = Math.round(result.milliseconds);
  if (result.status !== 'ok') {
    const { status, reason, line = null } = result;
    return { status, reason, line, images: [], milliseconds };
  }
  const images = result.images.map((image, i) => ({ args: result.args[i], ...imageRef(image) }));
  return { status: 'ok', reason: null, line: null, images, milliseconds };
}

function inWords(result: ProgramResult): string[] {
  const took = `${Math.round(result.milliseconds)} ms`;
  if (result.status !== 'ok') {
    const where = result.line === undefined ? '' : ` (line ${result.line})`;
    return [`${result.status}: ${result.reason}${where}, ${took}`];
  }
  return [
    `ok: ${result.images.length} images, ${took}`,
    ...result.images.map((image, i) => {
      const { hash, width, height } = imageRef(image);
      return `  ${i}  ${width} x ${height}  ${hash.slice(0, 16)}  ${JSON.stringify(result.args[i])}`;
    }),
  ];
}

async function readBytes(context: Context, name: string): Promise<Buffer> {
  try {
    return await readFile(path.resolve(context.directory, name));
  } catch (cause) {
    throw new DataError(name, null, `can't be read (${firstLine(cause)})`);
  }
}

async function readImage(context: Context, name: string): Promise<Image> {
  const bytes = await readBytes(context, name);
  try {
    return await decodeImage(bytes);
  } catch (cause) {
    throw new DataError(name, null, `is no image that can be read (${firstLine(cause)})`);
  }
}

async function makeFolder(folder: string, name: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (cause) {
    throw new DataError(name, null, `can't be made a directory (${firstLine(cause)})`);
  }
}

function firstLine(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split('\n')[0] ?? '';
}
