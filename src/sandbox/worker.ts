/** One bubblewrapped interpreter, from its start to its end. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Image } from '../core/image.js';
import { bubblewrapArguments, pipedFiles } from './bubblewrap.js';
import { ARGUMENT_SETS, MAX_INPUT_PIXELS, MAX_TEXT_BYTES } from './limits.js';
import { AnswerDecoder, encodeJson, encodeRequest, ProtocolError, Reader, type Answer } from './protocol.js';
import { programFilter, serverFilter } from './seccomp.js';
import type { Architecture } from './syscalls.js';
import type { SandboxLimits } from './types.js';

/** How long an interpreter may take to load, in milliseconds. */
const START_MS = 60_000;
/** How much longer than its program's time an interpreter may take to answer, in milliseconds. */
const GRACE_MS = 10_000;
/** Nobody. */
const NOBODY = 65_534;

/** What an interpreter says about itself. */
export interface Versions {
  readonly python: string;
  readonly pillow: string;
  readonly numpy: string;
}

export interface WorkerOptions {
  readonly bubblewrap: string;
  readonly architecture: Architecture;
  readonly limits: SandboxLimits;
  /** Whether to become nobody before bubblewrap starts; root only. */
  readonly dropRoot: boolean;
}

/** An interpreter that could not be started, or ended; what it wrote about it. */
export class WorkerError extends Error {
  override name = 'WorkerError';
}

/** Owns one process tree. It answers one program at a time; after any error it is dead and must be replaced. */
export class Worker {
  readonly #process: ChildProcess;
  readonly #input: Writable;
  readonly #reader = new Reader();
  readonly #limits: SandboxLimits;
  #errors = '';
  #dead: WorkerError | null = null;
  #wake: (() => void) | null = null;
  #next = 1;
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;

  private constructor({ bubblewrap, architecture, limits, dropRoot }: WorkerOptions) {
    this.#limits = limits;
    const files = pipedFiles(serverFilter(architecture));
    const child = spawn(bubblewrap, bubblewrapArguments(), {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'pipe', 'pipe', ...files.map(() => 'pipe' as const)],
      ...(dropRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    this.#process = child;
    this.#input = child.stdin;
    const die = (why: string): void => this.#die(why);
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => {
        die(error.message);
        resolve();
      });
      child.once('close', (code, signal) => {
        die(`the interpreter ended (${signal ?? `exit code ${String(code)}`})`);
        resolve();
      });
    });
    this.#input.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => {
      this.#reader.push(chunk);
      this.#wake?.();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString('utf8')).slice(-2000);
    });
    files.forEach((bytes, i) => {
      const pipe = child.stdio[3 + i] as Writable | undefined;
      pipe?.on('error', () => undefined);
      pipe?.end(bytes);
    });
    const { seconds, memoryMiB, characters, minPixels, maxPixels } = limits;
    this.#input.write(
      encodeJson({
        ...{ seconds, memoryMiB, characters, minPixels, maxPixels },
        sets: ARGUMENT_SETS,
        maxInputPixels: MAX_INPUT_PIXELS,
        maxTextBytes: MAX_TEXT_BYTES,
        filter: Buffer.from(programFilter(architecture)).toString('base64'),
      }),
    );
  }

  /** Starts an interpreter and waits until it has loaded everything. Throws a WorkerError when it doesn't. */
  static async start(options: WorkerOptions): Promise<{ worker: Worker; versions: Versions }> {
    const worker = new Worker(options);
    let length: number | null = null;
    try {
      const versions = await worker.#receive(START_MS, (reader) => {
        const size = length === null ? reader.take(4) : null;
        if (size) length = Buffer.from(size.buffer).readUInt32LE(0);
        if (length === null) return null;
        if (length > 1000) throw new ProtocolError('no greeting');
        const bytes = reader.take(length);
        return bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as Versions);
      });
      return { worker, versions };
    } catch (cause) {
      worker.kill();
      await worker.ended;
      throw cause instanceof WorkerError ? cause : new WorkerError(String(cause));
    }
  }

  get alive(): boolean {
    return this.#dead === null;
  }

  /** Process id of bubblewrap. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Runs one program. Throws a WorkerError when the interpreter dies, stays silent or talks nonsense; it is killed then. */
  async run(program: Uint8Array, image: Image): Promise<Answer> {
    const id = this.#next++;
    const decoder = new AnswerDecoder(id, this.#limits);
    this.#input.cork();
    for (const part of encodeRequest(id, program, image)) this.#input.write(part);
    this.#input.uncork();
    try {
      const answer = await this.#receive(this.#limits.seconds * 1000 + GRACE_MS, (reader) =>
        decoder.read(reader),
      );
      if (this.#reader.available > 0) throw new ProtocolError('more than an answer');
      return answer;
    } catch (cause) {
      this.kill();
      if (cause instanceof ProtocolError) throw new WorkerError(`the interpreter said ${cause.message}`);
      throw cause;
    }
  }

  /** Ends the whole process tree at once: the kernel takes a PID namespace down with its first process. */
  kill(): void {
    this.#process.kill('SIGKILL');
    this.#die('the interpreter was killed');
  }

  #die(why: string): void {
    const said = this.#errors.trim().split('\n').at(-1);
    this.#dead ??= new WorkerError(said ? `${why}: ${said}` : why);
    this.#wake?.();
  }

  /** Calls `read` whenever bytes have come, until it gives something. */
  #receive<T>(milliseconds: number, read: (reader: Reader) => T | null): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        this.#wake = null;
        act();
      };
      const attempt = (): void => {
        const dead = this.#dead;
        try {
          const value = read(this.#reader);
          if (value !== null) settle(() => resolve(value));
          else if (dead !== null) settle(() => reject(dead));
        } catch (cause) {
          settle(() => reject(cause instanceof Error ? cause : new WorkerError(String(cause))));
        }
      };
      const timer = setTimeout(() => {
        settle(() => reject(new WorkerError('the interpreter did not answer')));
      }, milliseconds);
      this.#wake = attempt;
      attempt();
    });
  }
}
