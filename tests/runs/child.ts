import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const WRITER = fileURLToPath(new URL('./writer.ts', import.meta.url));

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
  const command = ['--import', 'tsx', WRITER, mode, directory, String(steps)];
  if (options.user !== undefined) command.push(String(options.user));
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  const child: ChildProcess =
    options.prelude === undefined
      ? spawn(process.execPath, command, { stdio })
      : spawn('bash', ['-c', `${options.prelude}; exec "$@"`, 'bash', process.execPath, ...command], { stdio });
  running.add(child);
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
