import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** writer.ts as one program. Translated once: it starts in less than half the time that a loader for TypeScript takes. */
const WRITER = buildSync({
  entryPoints: [fileURLToPath(new URL('./writer.ts', import.meta.url))],
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  write: false,
}).outputFiles[0]?.text;

/** A running writer.ts with the lines it has said so far. */
export interface WriterProcess {
  readonly pid: number;
  readonly lines: readonly string[];
  /** Resolves when a line begins with `start`, or when the process ends. */
  said(start: string): Promise<void>;
  /** Kills it as nothing can be caught. */
  kill(): void;
  /** Resolves with the exit code (null when killed) once it is gone and has been waited for. */
  readonly ended: Promise<number | null>;
}

const running = new Set<ChildProcess>();

/** Kills what a test that failed left running. */
export function stopWriters(): void {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
}

/** Starts writer.ts; `prelude` is shell text put before it, such as a ulimit. */
export function startWriter(
  mode: 'hold' | 'write',
  directory: string,
  steps = 0,
  options: { readonly prelude?: string; readonly user?: number } = {},
): WriterProcess {
  const command = ['--input-type=module', '-', mode, directory, String(steps)];
  if (options.user !== undefined) command.push(String(options.user));
  const settings = { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] as Array<'pipe' | 'inherit'> };
  const child: ChildProcess =
    options.prelude === undefined
      ? spawn(process.execPath, command, settings)
      : spawn('bash', ['-c', `${options.prelude}; exec "$@"`, 'bash', process.execPath, ...command], settings);
  running.add(child);
  // A child that dies before it has read all of its program is what these tests are about.
  child.stdin?.on('error', () => undefined).end(WRITER);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  let over = false;
  const wake = (): void => waiting.forEach((check) => check());
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    wake();
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      over = true;
      running.delete(child);
      wake();
      resolve(code);
    });
  });
  return {
    pid: child.pid ?? -1,
    lines,
    said: (start) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!over && !lines.some((line) => line.startsWith(start))) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    kill: () => void child.kill('SIGKILL'),
    ended,
  };
}
