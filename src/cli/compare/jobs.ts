import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { configFile, isComplete, type RunConfig } from '../../config/index.js';
import { ConfigError, StoreError } from '../../core/errors.js';
import { canonicalJson } from '../../core/json.js';
import { RunReader } from '../../runs/index.js';

/** One run of a comparison. */
export interface Job {
  readonly arm: string;
  readonly seed: number;
  readonly directory: string;
  readonly config: RunConfig;
  /** Arguments that start it in a process of its own. */
  readonly start: readonly string[];
}

/** Where a job stands before it is started. */
export type JobState = 'new' | 'unfinished' | 'complete';

/** Looks what is in a job's directory. Throws a ConfigError when it holds a run with other settings. */
export function jobState(job: Job): JobState {
  let reader: RunReader;
  try {
    reader = RunReader.open(job.directory);
  } catch (cause) {
    // Nothing there, or a run that was stopped while it was made; anything else the run itself will say.
    if (cause instanceof StoreError) return 'new';
    throw cause;
  }
  try {
    const theirs = reader.info().config;
    const ours = configFile(job.config);
    if (canonicalJson(theirs) !== canonicalJson(ours)) {
      throw new ConfigError(
        '--dir',
        job.directory,
        'holds a run with other settings; name another directory',
      );
    }
    return isComplete(reader) ? 'complete' : 'unfinished';
  } finally {
    reader.close();
  }
}

/** The name of a job in messages and files. */
export function jobName({ arm, seed }: Pick<Job, 'arm' | 'seed'>): string {
  return `${arm}-${seed}`;
}

/** Where a job's own output goes. */
export function jobLog(job: Job): string {
  return `${job.directory}.log`;
}

export interface RunJobsSetup {
  readonly jobs: readonly Job[];
  /** How this program is started. */
  readonly self: readonly string[];
  /** Processes at once. */
  readonly atOnce: number;
  readonly workingDirectory: string;
  /** No further job is started once this is true. */
  readonly stopped: () => boolean;
  readonly onStart: (job: Job, state: JobState) => void;
  readonly onEnd: (job: Job, code: number | null) => void;
}

/** Processes that are running, to be told to stop. */
export interface RunningJobs {
  /** Resolves when no process is left. */
  readonly ended: Promise<void>;
  /** Passes a request to stop on, once. */
  interrupt(): void;
}

/**
 * Runs every job that isn't complete, in a process of its own. They are their own process groups, so that one Ctrl-C reaches
 * each exactly once, by `interrupt`; none outlives this process.
 */
export function runJobs(setup: RunJobsSetup): RunningJobs {
  const waiting = [...setup.jobs];
  const running = new Set<ChildProcess>();
  const killAll = (): void => {
    for (const child of running) child.kill('SIGKILL');
  };
  process.on('exit', killAll);
  const worker = async (): Promise<void> => {
    for (;;) {
      const job = setup.stopped() ? undefined : waiting.shift();
      if (!job) return;
      const state = jobState(job);
      setup.onStart(job, state);
      if (state === 'complete') continue;
      const code = await runJob(setup, job, state, running);
      setup.onEnd(job, code);
    }
  };
  const ended = Promise.all(Array.from({ length: setup.atOnce }, worker)).then(() => {
    process.off('exit', killAll);
  });
  return {
    ended,
    interrupt() {
      for (const child of running) child.kill('SIGINT');
    },
  };
}

function runJob(
  { self, workingDirectory }: RunJobsSetup,
  job: Job,
  state: JobState,
  running: Set<ChildProcess>,
): Promise<number | null> {
  mkdirSync(path.dirname(job.directory), { recursive: true });
  const log = openSync(jobLog(job), 'a');
  const [program = '', ...before] = self;
  const args = state === 'new' ? job.start : ['resume', job.directory];
  const child = spawn(program, [...before, ...args], {
    cwd: workingDirectory,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  running.add(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
}

/** The last line that a job wrote. */
export function lastLine(job: Job): string {
  return readFileSync(jobLog(job), 'utf8').trimEnd().split('\n').at(-1) ?? '';
}
