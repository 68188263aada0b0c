import { createHash } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { StoreError } from '../core/errors.js';
import { imageRef, type Image } from '../core/image.js';
import { errorCode, storeFailure } from './failure.js';
import { decodeImage, encodePng } from '../render/png.js';

/** Images are written this many at a time; more would only queue in the thread pool. */
const PARALLEL_WRITES = 8;

const TEMPORARY = '.tmp';

/**
 * Writes a file so that at any instant, power cut included, its name stands for the old bytes or for all of the new ones.
 * Only one process may write a path at a time (the run's lock sees to that). Throws a StoreError.
 */
export async function writeFileAtomic(file: string, bytes: Uint8Array | string): Promise<void> {
  await writeDurably(file, bytes);
  await syncDirectory(path.dirname(file));
}

async function writeDurably(file: string, bytes: Uint8Array | string): Promise<void> {
  const temporary = file + TEMPORARY;
  try {
    const handle = await open(temporary, 'w');
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw storeFailure("can't write", file, cause);
  }
}

/** Makes renames and new names in a directory durable. Platforms that can't open a directory need nothing. */
async function syncDirectory(directory: string): Promise<void> {
  let handle;
  try {
    handle = await open(directory, 'r');
  } catch {
    return;
  }
  try {
    await handle.sync();
  } catch (cause) {
    const code = errorCode(cause);
    if (code !== 'EINVAL' && code !== 'EPERM') throw storeFailure("can't write", directory, cause);
  } finally {
    await handle.close();
  }
}

/** What is known of a stored image beside its pixels. */
export interface StoredImage {
  readonly hash: string;
  readonly width: number;
  readonly height: number;
  /** Size of the PNG file. */
  readonly bytes: number;
}

/** The file of an image, from its pixel hash. */
export function imageFile(directory: string, hash: string): string {
  return path.join(directory, 'blobs', hash.slice(0, 2), `${hash}.png`);
}

/**
 * Puts images into `blobs/`, each under the hash of its pixels; one that is already there is left alone. Returns one entry
 * for each different image. When it throws (StoreError) some may be there, which does no harm: nothing refers to them.
 */
export async function writeImages(directory: string, images: readonly Image[]): Promise<StoredImage[]> {
  const distinct = new Map<string, Image>();
  for (const image of images) distinct.set(imageRef(image).hash, image);
  const entries = [...distinct];
  const stored: StoredImage[] = [];
  const changed = new Set<string>();
  for (let from = 0; from < entries.length; from += PARALLEL_WRITES) {
    const batch = entries.slice(from, from + PARALLEL_WRITES);
    const written = await Promise.allSettled(
      batch.map(([hash, image]) => writeImage(directory, hash, image, changed)),
    );
    for (const outcome of written) {
      if (outcome.status === 'rejected') throw outcome.reason as Error;
      stored.push(outcome.value);
    }
  }
  if (changed.size > 0) changed.add(path.join(directory, 'blobs'));
  for (const folder of changed) await syncDirectory(folder);
  return stored;
}

async function writeImage(
  directory: string,
  hash: string,
  image: Image,
  changed: Set<string>,
): Promise<StoredImage> {
  const file = imageFile(directory, hash);
  const { width, height } = image;
  const present = await stat(file).catch(() => null);
  if (present?.isFile()) return { hash, width, height, bytes: present.size };
  const png = await encodePng(image);
  try {
    await mkdir(path.dirname(file), { recursive: true });
  } catch (cause) {
    throw storeFailure("can't write", file, cause);
  }
  await writeDurably(file, png);
  changed.add(path.dirname(file));
  return { hash, width, height, bytes: png.length };
}

/** The pixels of a stored image. Throws a StoreError when the file is gone or no longer holds these pixels. */
export async function readImage(directory: string, hash: string): Promise<Image> {
  const file = imageFile(directory, hash);
  const png = await readFile(file).catch((cause: unknown) => {
    throw storeFailure("can't read", file, cause);
  });
  const damaged = `${file}: damaged, its pixels don't have the hash in its name; restore it from a copy`;
  const image = await decodeImage(png).catch((cause: unknown) => {
    throw new StoreError(damaged, { cause });
  });
  if (imageRef(image).hash !== hash) throw new StoreError(damaged);
  return image;
}

/** The file of a checkpoint, from the SHA-256 of its bytes. */
export function checkpointFile(directory: string, hash: string): string {
  return path.join(directory, 'checkpoints', `${hash}.bin`);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * The bytes of a checkpoint, or what is wrong with its file (gone, cut short, changed). A disk that can't be read at all
 * is a StoreError: that says nothing about the checkpoint.
 */
export async function readCheckpoint(
  directory: string,
  hash: string,
): Promise<{ readonly state: Uint8Array } | { readonly damage: string }> {
  const file = checkpointFile(directory, hash);
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return { damage: 'the file is gone' };
    throw storeFailure("can't read", file, cause);
  }
  if (sha256(bytes) !== hash) {
    return { damage: `its ${bytes.length} bytes don't have the hash in its name` };
  }
  return { state: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

/** Removes what killed writers left: unfinished files, and checkpoints that no row refers to. For the lock's holder only. */
export async function sweep(directory: string, isReferred: (hash: string) => boolean): Promise<void> {
  for (const entry of await names(path.join(directory, 'checkpoints'))) {
    const hash = /^([0-9a-f]{64})\.bin(\.tmp)?$/.exec(entry);
    if (!hash?.[1]) continue;
    if (hash[2] || !isReferred(hash[1])) await rm(path.join(directory, 'checkpoints', entry), { force: true });
  }
  for (const folder of await names(path.join(directory, 'blobs'))) {
    for (const entry of await names(path.join(directory, 'blobs', folder))) {
      if (/^[0-9a-f]{64}\.png\.tmp$/.test(entry)) {
        await rm(path.join(directory, 'blobs', folder, entry), { force: true });
      }
    }
  }
}

async function names(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
