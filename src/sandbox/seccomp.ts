/**
 * Filters of system calls, as classic BPF programs (`struct sock_filter[]`, little-endian): one that the interpreter which
 * forks lives under, and one that every program does. Both name what is allowed; what they don't name is refused.
 */
import { SYSCALLS, type Architecture, type Syscall } from './syscalls.js';

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const ERRNO = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;

/** `AUDIT_ARCH_X86_64`, `AUDIT_ARCH_AARCH64`. */
const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const satisfies Record<Architecture, number>;
/** Calls of the x32 interface come with this bit under x86_64's own architecture. */
const X32 = 0x4000_0000;
const PROT_EXEC = 4;
/** Every `CLONE_NEW*` flag that `clone` takes: cgroup, IPC, network, mount, PID, user, UTS. */
const NEW_NAMESPACES = 0x7e02_0000;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Offsets in `struct seccomp_data`. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENT_AT = (index: number): number => 16 + 8 * index;

/** What computing on pixels needs, most frequent first. */
const COMPUTE: readonly Syscall[] = [
  ...(['write', 'read', 'brk', 'munmap', 'madvise', 'mremap', 'futex', 'close', 'clock_gettime'] as const),
  ...(['rt_sigaction', 'rt_sigprocmask', 'rt_sigreturn', 'sigaltstack', 'exit', 'exit_group'] as const),
  ...(['getpid', 'gettid', 'getppid', 'getuid', 'geteuid', 'getgid', 'getegid', 'getrusage'] as const),
  ...(['clock_getres', 'clock_nanosleep', 'nanosleep', 'gettimeofday', 'time', 'restart_syscall'] as const),
  ...(['sched_yield', 'sched_getaffinity', 'lseek', 'fstat', 'writev', 'readv', 'close_range'] as const),
];

/** What a program may ask for in vain and go on: files by name, mostly, which libraries look for and do without. */
const FILES: readonly Syscall[] = [
  ...(['open', 'openat', 'openat2', 'creat', 'access', 'faccessat', 'faccessat2', 'stat', 'lstat'] as const),
  ...(['newfstatat', 'statx', 'readlink', 'readlinkat', 'getdents', 'getdents64', 'getcwd'] as const),
  ...([
    'unlink',
    'unlinkat',
    'rename',
    'renameat',
    'renameat2',
    'mkdir',
    'mkdirat',
    'rmdir',
    'chdir',
  ] as const),
  ...(['fchdir', 'statfs', 'fstatfs', 'chmod', 'fchmod', 'fchmodat', 'chown', 'fchown', 'lchown'] as const),
  ...(['fchownat', 'symlink', 'symlinkat', 'link', 'linkat', 'utimensat', 'truncate', 'ftruncate'] as const),
  ...(['fallocate', 'mknod', 'mknodat'] as const),
];
const SYSTEM: readonly Syscall[] = [
  ...(['ioctl', 'fcntl', 'getrandom', 'uname', 'sysinfo', 'prlimit64', 'getrlimit', 'setrlimit'] as const),
  ...(['sched_setaffinity', 'prctl', 'dup', 'dup2', 'dup3', 'poll', 'ppoll', 'select', 'pselect6'] as const),
];

/** What starting Python, forking programs, limiting and ending them needs. */
const SERVE: readonly Syscall[] = [
  ...(['mmap', 'mprotect', 'execve', 'fork', 'vfork', 'wait4', 'waitid', 'kill', 'pipe', 'pipe2'] as const),
  ...(['pread64', 'set_tid_address', 'set_robust_list', 'rseq', 'arch_prctl'] as const),
  'rt_sigtimedwait',
];

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * The filter of the interpreter that forks: everything unnamed doesn't exist (ENOSYS), so that the C library falls back
 * where it can; no new namespaces, no sockets, no tracing, no mounts, no keys, no kernel modules.
 */
export function serverFilter(architecture: Architecture): Uint8Array {
  return assemble(architecture, ERRNO | ENOSYS, [
    ...returns(architecture, [...COMPUTE, ...FILES, ...SYSTEM, ...SERVE], ALLOW),
    ...unlessBits(architecture, 'clone', 0, NEW_NAMESPACES, ERRNO | EPERM),
  ]);
}

/**
 * The filter of one program: memory, time and its open pipe. Files by name, devices and process settings fail with EPERM;
 * whatever is unnamed (processes, threads, sockets, signals to others, ...) ends the process, as does executable memory.
 */
export function programFilter(architecture: Architecture): Uint8Array {
  return assemble(architecture, KILL_PROCESS, [
    ...returns(architecture, COMPUTE, ALLOW),
    ...unlessBits(architecture, 'mmap', 2, PROT_EXEC, KILL_PROCESS),
    ...unlessBits(architecture, 'mprotect', 2, PROT_EXEC, KILL_PROCESS),
    ...returns(architecture, [...FILES, ...SYSTEM], ERRNO | EPERM),
  ]);
}

/** The number of a system call; null where the architecture has none of this name. */
export function numberOf(architecture: Architecture, name: Syscall): number | null {
  return SYSCALLS[name][architecture === 'x64' ? 0 : 1];
}

function returns(architecture: Architecture, names: readonly Syscall[], action: number): Instruction[] {
  return names.flatMap((name): Instruction[] => {
    const number = numberOf(architecture, name);
    if (number === null) return [];
    return [
      [JUMP_EQUAL, 0, 1, number],
      [RETURN, 0, 0, action],
    ];
  });
}

/** Allows a call unless one of `bits` is set in an argument (its lower half). Leaves the number loaded for what follows. */
function unlessBits(
  architecture: Architecture,
  name: Syscall,
  argument: number,
  bits: number,
  otherwise: number,
): Instruction[] {
  const number = numberOf(architecture, name);
  if (number === null) return [];
  return [
    [JUMP_EQUAL, 0, 4, number],
    [LOAD, 0, 0, ARGUMENT_AT(argument)],
    [JUMP_ANY_BIT, 0, 1, bits],
    [RETURN, 0, 0, otherwise],
    [RETURN, 0, 0, ALLOW],
  ];
}

function assemble(architecture: Architecture, otherwise: number, rules: readonly Instruction[]): Uint8Array {
  const instructions: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE_AT],
    [JUMP_EQUAL, 1, 0, AUDIT[architecture]],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER_AT],
    [JUMP_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, KILL_PROCESS],
    ...rules,
    [RETURN, 0, 0, otherwise],
  ];
  const bytes = Buffer.alloc(8 * instructions.length);
  instructions.forEach(([code, ifTrue, ifFalse, value], i) => {
    bytes.writeUInt16LE(code, 8 * i);
    bytes.writeUInt8(ifTrue, 8 * i + 2);
    bytes.writeUInt8(ifFalse, 8 * i + 3);
    bytes.writeUInt32LE(value >>> 0, 8 * i + 4);
  });
  return bytes;
}
