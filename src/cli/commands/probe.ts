import path from 'node:path';
import { probeRun, runConfig } from '../../config/index.js';
import { ConfigError } from '../../core/errors.js';
import { probeTable } from '../../evaluation/probe.js';
import { print, type Context } from '../context.js';
import { wholeNumber } from '../arguments.js';
import { listenForInterrupts } from '../signals.js';
import { terminalProgress } from '../terminal.js';

/** `covolve probe`: what a run's rewriter does to pass rates, beside its untrained self and random edits. Gives the exit code. */
export async function probe(
  context: Context,
  name: string,
  options: {
    readonly actor: string;
    readonly parents: string;
    readonly rollouts: string;
    readonly quiet?: boolean;
  },
): Promise<number> {
  const { actor } = options;
  if (actor !== 'first' && actor !== 'last') throw new ConfigError('--actor', actor, 'must be first or last');
  const directory = path.resolve(context.directory, name);
  const progress = terminalProgress(context.streams, options.quiet === true);
  const interrupts = listenForInterrupts((line) => progress.note(line));
  try {
    const rows = await probeRun({
      config: runConfig(directory),
      directory,
      actor,
      parentsPerSide: wholeNumber('--parents', options.parents, 1),
      rollouts: wholeNumber('--rollouts', options.rollouts, 1),
      progress,
      safePoint: interrupts.safePoint,
      secret: context.variable,
    });
    progress.stop();
    print(context, probeTable(rows));
    return 0;
  } finally {
    interrupts.release();
    progress.stop();
  }
}
