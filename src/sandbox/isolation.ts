/** Whether this machine can isolate programs, and what to do when it can't. */
import { existsSync } from 'node:fs';
import { reject, ok, type Rejection, type Result } from '../core/result.js';
import { findBubblewrap, PYTHON } from './bubblewrap.js';
import { DEFAULT_LIMITS } from './limits.js';
import { Worker, type Versions, type WorkerOptions } from './worker.js';

/** Why programs can't be isolated here. */
export type NoIsolation = 'platform' | 'bubblewrap' | 'python' | 'libraries' | 'namespaces';

/** What installs everything on Debian and Ubuntu. */
export const INSTALL = 'apt-get install bubblewrap python3-pil python3-numpy';

/** How workers are started here, found out by starting one. */
export interface Isolation {
  readonly options: Omit<WorkerOptions, 'limits'>;
  readonly versions: Versions;
}

/**
 * Starts an interpreter in isolation and ends it. The detail of a refusal is one line that ends with what to do.
 */
export async function checkIsolation(): Promise<Result<Isolation, Rejection<NoIsolation>>> {
  const { platform, arch } = process;
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64')) {
    return reject(
      'platform',
      `programs are isolated on Linux (x86_64, aarch64) only, and this is ${platform} (${arch}); use a Linux machine or virtual machine`,
    );
  }
  const bubblewrap = findBubblewrap();
  if (bubblewrap === null) return reject('bubblewrap', `bubblewrap is not installed; ${INSTALL}`);
  if (!existsSync(PYTHON)) return reject('python', `${PYTHON} is not there; ${INSTALL}`);
  let problem = '';
  // As root, a worker first becomes nobody; where only root may make namespaces, bubblewrap drops to nobody by itself.
  for (const dropRoot of process.getuid?.() === 0 ? [true, false] : [false]) {
    const options = { bubblewrap, architecture: arch, dropRoot } as const;
    try {
      const { worker, versions } = await Worker.start({ ...options, limits: DEFAULT_LIMITS });
      worker.kill();
      await worker.ended;
      return ok({ options, versions });
    } catch (cause) {
      problem = cause instanceof Error ? cause.message : String(cause);
    }
  }
  if (/No module named '(PIL|numpy)/.test(problem)) {
    return reject('libraries', `${PYTHON} has no Pillow or no NumPy (${problem}); ${INSTALL}`);
  }
  return reject(
    'namespaces',
    `an isolated interpreter doesn't start (${problem}); allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, ` +
      'kernel.apparmor_restrict_unprivileged_userns=0; in Docker --security-opt seccomp=unconfined) or run on a machine that does',
  );
}
