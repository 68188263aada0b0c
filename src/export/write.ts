import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError, StoreError } from '../core/errors.js';
import type { ExportFile } from './formats.js';

/**
 * Writes an export's files into a directory: all of them or, after a failure, none. An existing directory that holds something is
 * refused with a ConfigError unless `overwrite`, and is then replaced as a whole. Throws a StoreError when the disk refuses.
 */
export async function writeExport(
  directory: string,
  files: readonly ExportFile[],
  overwrite: boolean,
): Promise<void> {
  const target = path.resolve(directory);
  const before = await entries(target, directory);
  if (before !== null && before.length > 0 && !overwrite) {
    throw new ConfigError(
      '--out',
      directory,
      'holds something already; choose another directory, or add --overwrite',
    );
  }
  let draft: string | null = null;
  try {
    await mkdir(path.dirname(target), { recursive: true });
    draft = await mkdtemp(`${target}.part-`);
    await chmod(draft, 0o755);
    for (const { name, bytes } of files) {
      const file = path.join(draft, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, bytes);
    }
    if (before !== null) await rm(target, { recursive: true });
    await rename(draft, target);
  } catch (cause) {
    if (draft !== null) await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    throw new StoreError(
      `${directory}: can't be written: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

/** What a directory holds; null when there is none. */
async function entries(target: string, directory: string): Promise<readonly string[] | null> {
  try {
    return await readdir(target);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new StoreError(
      `${directory}: can't be written: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}
