import { describe, expect, it } from 'vitest';
import { numberOf, programFilter, serverFilter } from '../../src/sandbox/seccomp.js';
import { SYSCALLS, type Architecture, type Syscall } from '../../src/sandbox/syscalls.js';

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const AUDIT: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
const ARCHITECTURES = ['x64', 'arm64'] as const;

/** What the kernel would do: classic BPF as far as filters use it, on one `struct seccomp_data`. */
function decide(
  filter: Uint8Array,
  architecture: number,
  number: number,
  args: readonly number[] = [],
): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(architecture, 4);
  args.forEach((arg, i) => data.writeBigUInt64LE(BigInt(arg), 16 + 8 * i));
  const program = Buffer.from(filter);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const [code, value] = [program.readUInt16LE(8 * at), program.readUInt32LE(8 * at + 4)];
    const [ifTrue, ifFalse] = [program.readUInt8(8 * at + 2), program.readUInt8(8 * at + 3)];
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x15) at += accumulator === value ? ifTrue : ifFalse;
    else if (code === 0x35) at += accumulator >= value ? ifTrue : ifFalse;
    else if (code === 0x45) at += (accumulator & value) !== 0 ? ifTrue : ifFalse;
    else if (code === 0x06) return value;
    else throw new Error(`instruction ${code}`);
  }
  throw new Error('ran off the end');
}

describe.each(ARCHITECTURES)('filters of %s', (architecture) => {
  const program = programFilter(architecture);
  const server = serverFilter(architecture);
  const of = (filter: Uint8Array, name: Syscall, ...args: number[]): number =>
    decide(filter, AUDIT[architecture], numberOf(architecture, name) as number, args);

  it('are short enough for the kernel', () => {
    expect(program.length / 8).toBeLessThanOrEqual(4096);
    expect(server.length / 8).toBeLessThanOrEqual(4096);
  });

  it('decide every number: what is not named is refused', () => {
    const named = new Set(Object.keys(SYSCALLS).map((name) => numberOf(architecture, name as Syscall)));
    for (let number = 0; number < 1000; number++) {
      const [inProgram, inServer] = [program, server].map((f) => decide(f, AUDIT[architecture], number));
      if (named.has(number)) {
        expect([ALLOW, KILL, EPERM]).toContain(inProgram);
        expect(inServer).toBe(ALLOW);
      } else {
        expect(inProgram).toBe(KILL);
        expect(inServer).toBe(ENOSYS);
      }
    }
  });

  it('end a process that calls through another architecture or x32', () => {
    for (const filter of [program, server]) {
      for (const other of [0x40000003, 0x40000028, AUDIT[architecture === 'x64' ? 'arm64' : 'x64']]) {
        expect(decide(filter, other, numberOf(architecture, 'read') as number)).toBe(KILL);
      }
      expect(decide(filter, AUDIT[architecture], 0x40000000)).toBe(KILL);
      expect(decide(filter, AUDIT[architecture], -1)).toBe(KILL);
    }
  });

  it('let a program compute, and no more', () => {
    for (const name of ['read', 'write', 'brk', 'exit_group', 'madvise'] as const)
      expect(of(program, name)).toBe(ALLOW);
    for (const name of ['openat', 'getrandom', 'prctl', 'prlimit64', 'ioctl', 'dup'] as const)
      expect(of(program, name)).toBe(EPERM);
    for (const name of ['execve', 'clone', 'kill', 'pipe2', 'wait4'] as const)
      expect(of(program, name)).toBe(KILL);
    for (const name of ['mmap', 'mprotect'] as const) {
      expect(of(program, name, 0, 4096, 3)).toBe(ALLOW);
      for (const prot of [4, 5, 7]) expect(of(program, name, 0, 4096, prot)).toBe(KILL);
    }
  });

  it('let the server fork, but make no namespace', () => {
    expect(of(server, 'clone', 0x01200011)).toBe(ALLOW);
    for (const flag of [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000])
      expect(of(server, 'clone', 0x11 + flag)).toBe(EPERM);
  });
});
