/** How bubblewrap is called: what a sandboxed interpreter can see. */
import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The interpreter inside: Debian's own, since it brings Pillow and NumPy as packages. */
export const PYTHON = '/usr/bin/python3';

const BUBBLEWRAP = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];
const SOURCES = ['server.py', 'program.py', 'isolate.py'] as const;
/** Descriptor of the filter; those of the sources follow. */
const FIRST_DESCRIPTOR = 3;

/** Where bubblewrap lies, or null. */
export function findBubblewrap(): string | null {
  return BUBBLEWRAP.find((file) => existsSync(file)) ?? null;
}

/** What is piped to bubblewrap beside the standard streams, from descriptor 3 on: the filter, then the sources. */
export function pipedFiles(filter: Uint8Array): readonly Uint8Array[] {
  return [
    filter,
    ...SOURCES.map((name) =>
      readFileSync(fileURLToPath(new URL(`../../python/sandbox/${name}`, import.meta.url))),
    ),
  ];
}

/**
 * Arguments of bubblewrap. Nothing of the host's but /usr and what the dynamic loader needs, read-only; no /proc, no /sys, no
 * device but /dev/null; every namespace new; no capability; a user that is nobody.
 */
export function bubblewrapArguments(): readonly string[] {
  const sources = SOURCES.flatMap((name, i) => [
    '--ro-bind-data',
    String(FIRST_DESCRIPTOR + 1 + i),
    `/sandbox/${name}`,
  ]);
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-net', '--unshare-uts'],
    ...['--unshare-cgroup-try', '--uid', '65534', '--gid', '65534', '--hostname', 'sandbox'],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
    ...environment(),
    ...['--ro-bind', '/usr', '/usr', ...rootFolders()],
    ...['--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache'],
    ...['--ro-bind-try', '/etc/alternatives', '/etc/alternatives'],
    ...['--dev-bind', '/dev/null', '/dev/null', ...sources],
    ...['--size', String(2 ** 20), '--tmpfs', '/tmp', '--remount-ro', '/', '--chdir', '/'],
    ...['--seccomp', String(FIRST_DESCRIPTOR)],
    ...[PYTHON, '-s', '-B', '-X', 'utf8', '/sandbox/server.py'],
  ];
}

function environment(): string[] {
  const variables = {
    // The order of sets and dictionaries of strings must be the same in every process.
    PYTHONHASHSEED: '0',
    // Threads can't be started inside.
    OPENBLAS_NUM_THREADS: '1',
    OMP_NUM_THREADS: '1',
    MKL_NUM_THREADS: '1',
    // Fewer page faults: the heap in pages of 2 MiB where the machine has them.
    GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
    LC_ALL: 'C.UTF-8',
  };
  return Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]);
}

/** /lib and its kin are links into /usr on most systems, folders on others. */
function rootFolders(): string[] {
  return ['/lib', '/lib64', '/lib32'].flatMap((folder) => {
    if (!existsSync(folder)) return [];
    return lstatSync(folder).isSymbolicLink()
      ? ['--symlink', readlinkSync(folder), folder]
      : ['--ro-bind', folder, folder];
  });
}
