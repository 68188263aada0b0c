import { availableParallelism } from 'node:os';
import { ConfigError, OutageError } from '../core/errors.js';
import type { Image } from '../core/image.js';
import type { Json } from '../core/json.js';
import { checkIsolation } from './isolation.js';
import { ARGUMENT_SETS, checkedLimits, checkedWorkers, MAX_INPUT_PIXELS } from './limits.js';
import type { Answer } from './protocol.js';
import type { ProgramResult, ProgramSandbox, SandboxLimits } from './types.js';
import { Worker, WorkerError, type WorkerOptions } from './worker.js';

/** How long a program waits for its second try. */
const RETRY_PAUSE_MS = 20;
/** Starts in a row that may fail before the pool gives up. */
const MAX_FAILED_STARTS = 3;

/** What a pool is opened with; every limit has the paper's default. */
export interface SandboxOptions extends Partial<SandboxLimits> {
  /** Programs at once; default: one for each core, at most 4. One more interpreter waits as a spare. */
  readonly workers?: number;
}

/**
 * Opens a pool of isolated interpreters. Throws a ConfigError with the remedy where the machine can't isolate or an option is
 * out of range; it never runs anything unprotected. The caller closes it.
 */
export async function openSandbox(options: SandboxOptions = {}): Promise<ProgramSandbox> {
  const limits = checkedLimits(options);
  const workers = checkedWorkers(options.workers ?? Math.min(4, availableParallelism()));
  const isolation = await checkIsolation();
  if (!isolation.ok) throw new ConfigError('sandbox', isolation.error.reason, isolation.error.detail);
  const pool = new Pool({ ...isolation.value.options, limits }, workers);
  await pool.start();
  return pool;
}

interface Job {
  readonly program: Uint8Array;
  readonly image: Image;
  readonly started: number;
  readonly resolve: (result: ProgramResult) => void;
  readonly reject: (error: Error) => void;
  lives: number;
}

class Pool implements ProgramSandbox {
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  readonly #queue: Job[] = [];
  readonly #busy = new Set<Job>();
  readonly #options: WorkerOptions;
  readonly #workers: number;
  readonly #starts = new Set<Promise<void>>();
  #failedStarts = 0;
  #closed = false;
  #outage: OutageError | null = null;

  constructor(options: WorkerOptions, workers: number) {
    this.#options = options;
    this.#workers = workers;
  }

  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#workers + 1 }, () => this.#replace()));
    if (this.#outage) {
      await this.close();
      throw this.#outage;
    }
  }

  run(program: string, image: Image): Promise<ProgramResult> {
    const { width, height, rgb } = image;
    const whole = Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0;
    if (!whole || width * height > MAX_INPUT_PIXELS || rgb.length !== 3 * width * height) {
      throw new Error(`sandbox: ${width} x ${height} with ${rgb.length} bytes is no image that it takes`);
    }
    const started = performance.now();
    const { characters } = this.#options.limits;
    // Only what could never pass is refused on this side; Python counts characters as we do here.
    if (program.length > 2 * characters) {
      return Promise.resolve({ ...tooLong(characters), milliseconds: performance.now() - started });
    }
    return new Promise<ProgramResult>((resolve, reject) => {
      const bytes = Buffer.from(program, 'utf8');
      this.#queue.push({ program: bytes, image, started, resolve, reject, lives: 2 });
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const error = new OutageError('the sandbox was closed');
    for (const job of [...this.#queue.splice(0), ...this.#busy]) job.reject(error);
    const workers = [...this.#all];
    for (const worker of workers) worker.kill();
    await Promise.all([...workers.map((worker) => worker.ended), ...this.#starts]);
  }

  #dispatch(): void {
    if (this.#closed || this.#outage) {
      const error = this.#outage ?? new OutageError('the sandbox was closed');
      for (const job of this.#queue.splice(0)) job.reject(error);
      return;
    }
    while (this.#queue.length > 0 && this.#busy.size < this.#workers) {
      const worker = this.#idle.shift();
      if (!worker) {
        // All that there were have died, and their replacements failed or are on their way.
        if (this.#starts.size === 0) void this.#replace();
        return;
      }
      if (!worker.alive) {
        this.#lose(worker);
        continue;
      }
      const job = this.#queue.shift() as Job;
      this.#busy.add(job);
      void this.#attempt(worker, job);
    }
  }

  async #attempt(worker: Worker, job: Job): Promise<void> {
    job.lives--;
    try {
      const answer = await worker.run(job.program, job.image);
      this.#busy.delete(job);
      // Last used, next used: its caches are warm.
      this.#idle.unshift(worker);
      job.resolve(resultOf(answer, performance.now() - job.started));
    } catch (cause) {
      this.#busy.delete(job);
      worker.kill();
      this.#lose(worker);
      if (!(cause instanceof WorkerError)) job.reject(cause as Error);
      else if (job.lives > 0 && !this.#closed) {
        this.#queue.unshift(job);
        // What killed one may have killed others too: their ends are noticed before the second try is given to one of them.
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
      } else job.resolve(crashed(cause.message, performance.now() - job.started));
    }
    this.#dispatch();
  }

  #lose(worker: Worker): void {
    this.#all.delete(worker);
    if (!this.#closed) void this.#replace();
  }

  async #replace(): Promise<void> {
    const start = this.#startOne();
    this.#starts.add(start);
    await start;
    this.#starts.delete(start);
    this.#dispatch();
  }

  /** Never rejects: a start that fails is counted. */
  async #startOne(): Promise<void> {
    try {
      const { worker } = await Worker.start(this.#options);
      this.#failedStarts = 0;
      if (this.#closed) {
        worker.kill();
        await worker.ended;
        return;
      }
      this.#all.add(worker);
      this.#idle.push(worker);
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause);
      if (++this.#failedStarts >= MAX_FAILED_STARTS && this.#all.size === 0) {
        this.#outage = new OutageError(`isolated interpreters can't be started any more: ${problem}`);
      }
    }
  }
}

/** The result that an answer means; its text is checked, since it comes from where a program ran. */
function resultOf(answer: Answer, milliseconds: number): ProgramResult {
  if (answer.status === 'ok') {
    const described = parseDescription(answer.text);
    if (!described) return crashed('an answer that describes no program', milliseconds);
    return { status: 'ok', ...described, images: answer.images, milliseconds };
  }
  // One line, without characters that move a cursor.
  const reason = answer.text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const line = answer.line > 0 ? { line: answer.line } : {};
  return { status: answer.status, reason: reason || answer.status, ...line, milliseconds };
}

function parseDescription(text: string): { code: string; args: Record<string, Json>[] } | null {
  try {
    const { code, args } = JSON.parse(text) as { code: unknown; args: unknown };
    const isRecord = (v: unknown): boolean => typeof v === 'object' && v !== null && !Array.isArray(v);
    if (typeof code !== 'string' || !Array.isArray(args) || args.length !== ARGUMENT_SETS) return null;
    return args.every(isRecord) ? { code, args: args as Record<string, Json>[] } : null;
  } catch {
    return null;
  }
}

function tooLong(characters: number): { status: 'malformed'; reason: string } {
  return { status: 'malformed', reason: `more than ${characters.toLocaleString('en')} characters` };
}

function crashed(why: string, milliseconds: number): ProgramResult {
  return { status: 'crashed', reason: why, milliseconds };
}
