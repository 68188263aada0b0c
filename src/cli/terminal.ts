import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import type { Progress } from '../core/ports.js';
import { duration, grouped } from './format.js';

/** Where a command writes: results to `out`, progress and problems to `err`. */
export interface Streams {
  readonly out: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly err: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Progress that a command draws and takes away again. */
export interface TerminalProgress extends Progress {
  /** Writes lines of results without tearing the bar. */
  print(text: string): void;
  /** Takes the bar away; nothing may be drawn afterwards. */
  stop(): void;
}

/** Plain lines come at most this often, seconds. */
const PLAIN_INTERVAL = 5;

/** A bar with rate and time left on a terminal, a line now and then elsewhere, nothing when quiet. */
export function terminalProgress(streams: Streams, quiet: boolean): TerminalProgress {
  if (quiet) return quietProgress(streams);
  return streams.err.isTTY === true ? barProgress(streams) : plainProgress(streams);
}

function quietProgress({ out, err }: Streams): TerminalProgress {
  return {
    update: () => undefined,
    note: (line) => void err.write(`${line}\n`),
    print: (text) => void out.write(`${text}\n`),
    stop: () => undefined,
  };
}

function plainProgress({ out, err }: Streams): TerminalProgress {
  let pace = startPace('', 0);
  let said = performance.now();
  return {
    update(stage, done, total, unit) {
      if (stage !== pace.stage || done < pace.from) pace = startPace(stage, done);
      const now = performance.now();
      if (now - said < 1000 * PLAIN_INTERVAL) return;
      said = now;
      err.write(
        `${stage}: ${grouped(done)} of ${grouped(total)} ${unit}${paceText(pace, done, total, unit)}\n`,
      );
    },
    note: (line) => void err.write(`${line}\n`),
    print: (text) => void out.write(`${text}\n`),
    stop: () => undefined,
  };
}

interface Pace {
  readonly stage: string;
  /** Done when the stage was first heard of: work that was found done already counts for no rate. */
  readonly from: number;
  readonly since: number;
}

function startPace(stage: string, from: number): Pace {
  return { stage, from, since: performance.now() };
}

function paceText({ from, since }: Pace, done: number, total: number, unit: string): string {
  const seconds = (performance.now() - since) / 1000;
  if (done <= from || seconds < 0.2) return '';
  const rate = (done - from) / seconds;
  const left = done < total ? `, ${duration((total - done) / rate)} left` : '';
  return ` (${rate >= 10 ? grouped(rate) : rate.toFixed(1)} ${unit}/s${left})`;
}

function barProgress({ out, err }: Streams): TerminalProgress {
  const bars = new MultiBar(
    {
      stream: err,
      clearOnComplete: true,
      hideCursor: true,
      format: '{stage} {bar} {value}/{total} {unit}{pace}',
      barsize: 24,
      fps: 8,
    },
    Presets.shades_classic,
  );
  let bar: SingleBar | null = null;
  let pace = startPace('', 0);
  return {
    update(stage, done, total, unit) {
      if (stage !== pace.stage || done < pace.from) pace = startPace(stage, done);
      const payload = { stage, unit, pace: paceText(pace, done, total, unit) };
      bar ??= bars.create(total, done, payload);
      bar.setTotal(total);
      bar.update(done, payload);
      // Work in this process leaves the drawing timer no turn.
      bars.update();
    },
    note: (line) => bars.log(`${line}\n`),
    print(text) {
      if (out === err || out.isTTY === true) bars.log(`${text}\n`);
      else out.write(`${text}\n`);
      bars.update();
    },
    stop() {
      // Lines wait for the next drawing, and there will be none.
      if (bars.isActive) bars.update();
      bars.stop();
    },
  };
}
