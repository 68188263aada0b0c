import path from 'node:path';
import { runConfig, verifyRun, withEnvironment, type Verification } from '../../config/index.js';
import { RunReader } from '../../runs/index.js';
import { print, type Context } from '../context.js';
import { grouped } from '../format.js';
import { listenForInterrupts } from '../signals.js';
import { terminalProgress } from '../terminal.js';

/** Differences shown in words; the others are counted. */
const SHOWN = 10;

/** `covolve verify`: makes every label of a run again. Gives the exit code, 1 when anything differs. */
export async function verify(
  context: Context,
  name: string,
  options: { readonly json?: boolean; readonly quiet?: boolean },
): Promise<number> {
  const directory = path.resolve(context.directory, name);
  const config = runConfig(directory);
  const progress = terminalProgress(context.streams, options.quiet === true || options.json === true);
  const interrupts = listenForInterrupts((line) => progress.note(line));
  const reader = RunReader.open(directory);
  let found: Verification;
  try {
    const findImage = (hash: string): ReturnType<RunReader['image']> => reader.image(hash);
    found = await withEnvironment(config, findImage, (environment) =>
      verifyRun({ reader, environment, progress: progress.update, safePoint: interrupts.safePoint }),
    );
  } finally {
    reader.close();
    interrupts.release();
    progress.stop();
  }
  if (options.json === true) print(context, JSON.stringify(found, null, 2));
  else for (const line of describe(found)) print(context, line);
  return found.differences.length === 0 ? 0 : 1;
}

function describe({ derived, pseudo, images, proposals, rollouts, differences }: Verification): string[] {
  const rest = differences.length - SHOWN;
  return [
    `${grouped(derived)} derivations replayed, ${grouped(images)} pictures compared, ` +
      `${grouped(proposals)} proposals traced, ${grouped(rollouts)} rollouts graded again`,
    ...(pseudo > 0 ? [`${grouped(pseudo)} tasks have voted labels, which can't be replayed`] : []),
    `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`,
    ...differences.slice(0, SHOWN).map(({ kind, where, detail }) => `  ${kind}: ${where}: ${detail}`),
    ...(rest > 0 ? [`  and ${rest} more (--json prints all)`] : []),
  ];
}
