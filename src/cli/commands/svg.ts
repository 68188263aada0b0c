import { writeFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DataError } from '../../core/errors.js';
import { imageRef, type Image } from '../../core/image.js';
import type { Result } from '../../core/result.js';
import { encodePng, extractSvg, openSvgRasteriser, type SvgRejection } from '../../render/index.js';
import { print, type Context } from '../context.js';

/** Flags of `covolve svg`. */
export interface SvgFlags {
  /** Where the picture goes, as PNG. */
  readonly out?: string;
  readonly json?: boolean;
}

/**
 * `covolve svg`: checks and draws one file, which may be a model's whole completion. Gives the exit code, 0 only when it
 * renders.
 */
export async function svg(context: Context, file: string, { out, json }: SvgFlags): Promise<number> {
  const text = await readText(context, file);
  const started = performance.now();
  const result = await drawn(text);
  const milliseconds = Math.round(performance.now() - started);
  if (result.ok && out !== undefined) await save(context, out, result.value);
  if (json === true) print(context, JSON.stringify(asJson(result, milliseconds), null, 2));
  else print(context, inWords(result, milliseconds));
  return result.ok ? 0 : 1;
}

async function drawn(text: string): Promise<Result<Image, SvgRejection>> {
  // A file of its own is taken as it is, so that what stands before or after the drawing is judged too.
  const own = /^\uFEFF?\s*<(\?xml|!|(\w+:)?svg)/.test(text);
  const markup = own ? ({ ok: true, value: text } as const) : extractSvg(text);
  if (!markup.ok) return markup;
  const rasteriser = openSvgRasteriser();
  try {
    return await rasteriser.render(markup.value);
  } finally {
    await rasteriser.close();
  }
}

function asJson(result: Result<Image, SvgRejection>, milliseconds: number): unknown {
  if (!result.ok) {
    const { reason, detail, position = null } = result.error;
    return { status: reason, reason: detail, position, width: null, height: null, hash: null, milliseconds };
  }
  const { hash, width, height } = imageRef(result.value);
  return { status: 'ok', reason: null, position: null, width, height, hash, milliseconds };
}

function inWords(result: Result<Image, SvgRejection>, milliseconds: number): string {
  if (!result.ok) {
    const { reason, detail, position } = result.error;
    const where = position ? ` (line ${position.line}, column ${position.column})` : '';
    return `${reason}: ${detail}${where}`;
  }
  const { hash, width, height } = imageRef(result.value);
  return `ok: ${width} x ${height}, ${hash.slice(0, 16)}, ${milliseconds} ms`;
}

async function readText(context: Context, name: string): Promise<string> {
  try {
    return await readFile(path.resolve(context.directory, name), 'utf8');
  } catch (cause) {
    throw new DataError(name, null, `can't be read (${firstLine(cause)})`);
  }
}

async function save(context: Context, name: string, image: Image): Promise<void> {
  try {
    await writeFile(path.resolve(context.directory, name), await encodePng(image));
  } catch (cause) {
    throw new DataError(name, null, `can't be written (${firstLine(cause)})`);
  }
}

function firstLine(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split('\n')[0] ?? '';
}
