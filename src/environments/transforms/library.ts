import { readdir } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { DataError } from '../../core/errors.js';
import { imageRef, type Image } from '../../core/image.js';

/** How pictures of a folder are brought to size. */
export interface LibraryOptions {
  /** Longest side in pixels; larger pictures are made smaller, none is made larger. */
  readonly maxSide: number;
  /** Exact size instead: filled, what overhangs is cut off. */
  readonly exact?: { readonly width: number; readonly height: number };
  /** Most pictures taken, in order of their paths. */
  readonly limit?: number;
}

/** Pictures and what was left out. */
export interface Library {
  /** In order of their paths; equal pictures once. */
  readonly images: readonly Image[];
  readonly skipped: readonly { readonly file: string; readonly problem: string }[];
}

const SUFFIXES = new Set(['.png', '.jpg', '.jpeg', '.webp', '.gif', '.tif', '.tiff', '.avif']);
/** Refuses pictures that would take a gigabyte and more. */
const MAX_INPUT_PIXELS = 2 ** 28;

/**
 * Every picture in a folder and below it, turned upright as its EXIF says, transparency laid on white, the first frame of an
 * animation. Files that can't be read are left out and named. Throws a DataError when the folder can't be read or none is left.
 */
export async function readLibrary(folder: string, options: LibraryOptions): Promise<Library> {
  const files = await pictureFiles(folder);
  const byHash = new Map<string, Image>();
  const skipped: { file: string; problem: string }[] = [];
  for (const file of files) {
    if (options.limit !== undefined && byHash.size >= options.limit) break;
    try {
      const image = await readPicture(path.join(folder, file), options);
      byHash.set(imageRef(image).hash, image);
    } catch (cause) {
      const problem = (cause instanceof Error ? cause.message : String(cause)).split('\n')[0] ?? '';
      skipped.push({ file, problem });
    }
  }
  if (byHash.size === 0) {
    const why = skipped[0] ? `; ${skipped[0].file}: ${skipped[0].problem}` : '';
    throw new DataError(folder, null, `holds no picture that can be read (${files.length} tried${why})`);
  }
  return { images: [...byHash.values()], skipped };
}

/** Paths below `folder`, sorted by code points so that every machine has them in one order. Links are not followed. */
async function pictureFiles(folder: string): Promise<string[]> {
  let entries;
  try {
    entries = await readdir(folder, { recursive: true, withFileTypes: true });
  } catch (cause) {
    throw new DataError(folder, null, `can't be read as a folder of pictures (${String(cause)})`);
  }
  return entries
    .filter((entry) => entry.isFile() && SUFFIXES.has(path.extname(entry.name).toLowerCase()))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort((a, b) => (a < b ? -1 : 1));
}

async function readPicture(file: string, { maxSide, exact }: LibraryOptions): Promise<Image> {
  const upright = sharp(file, { limitInputPixels: MAX_INPUT_PIXELS, failOn: 'error' })
    .rotate()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb');
  const sized = exact
    ? upright.resize(exact.width, exact.height, { fit: 'cover' })
    : upright.resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true });
  const { data, info } = await sized.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`has ${info.channels} channels`);
  return { width: info.width, height: info.height, rgb: new Uint8Array(data) };
}
