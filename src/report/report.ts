import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../core/errors.js';
import { RunReader } from '../runs/index.js';
import { collectReport } from './collect.js';
import { collectGallery } from './gallery.js';
import { reportPage } from './page.js';

/**
 * Writes a run's report: one HTML file without any reference to another, which shows what was measured, what the edits
 * looked like and what was refused. The run may be at any point, written to meanwhile, or empty. The file is a pure
 * function of what the run holds. Returns its path. Throws a StoreError when there is no run or the file can't be written.
 */
export async function writeReport(
  runDirectory: string,
  file: string = join(runDirectory, 'report.html'),
): Promise<string> {
  const page = await renderReport(runDirectory);
  // Whoever looks at an older report meanwhile never sees half a new one.
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(draft, page);
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => undefined);
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(`${file}: the report can't be written (${why}); name another file`, { cause });
  }
  return file;
}

/** The report as HTML text. Throws a StoreError when there is no run. */
export async function renderReport(runDirectory: string): Promise<string> {
  const reader = RunReader.open(runDirectory);
  try {
    const model = collectReport(reader);
    return reportPage(model, await collectGallery(reader, model));
  } finally {
    reader.close();
  }
}
