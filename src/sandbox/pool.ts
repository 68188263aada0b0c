import { ConfigError } from '../core/errors.js';
import type { ProgramSandbox, SandboxLimits } from './types.js';

/** Opens a pool of isolated interpreters. Throws a ConfigError where the machine can't isolate. */
export async function openSandbox(
  options: Partial<SandboxLimits> & { readonly workers?: number } = {},
): Promise<ProgramSandbox> {
  throw new ConfigError('sandbox', options.workers ?? 1, 'isolation is not available on this machine');
}
