import { ConfigError, OutageError } from '../../core/errors.js';
import type { Image } from '../../core/image.js';
import { ok, type Result } from '../../core/result.js';
import { checkSvg } from './check.js';
import { DrawingProcess, type Drawn, type DrawRequest } from './child.js';
import { bundledFonts, type FontConfiguration } from './fonts.js';
import { DEFAULT_SVG_LIMITS, type SvgLimits, type SvgProblem, type SvgRejection } from './types.js';

/** The size of a picture, pixels. One side alone keeps the drawing's proportions; none keeps its own size. */
export interface PictureSize {
  readonly width?: number;
  readonly height?: number;
}

/** Draws SVG in processes of its own. Owned by whoever opened it: `close` ends them. */
export interface SvgRasteriser {
  /** Checks markup of unknown origin and draws it on white. Rejects with an OutageError only when no process can be started. */
  render(markup: string, size?: PictureSize): Promise<Result<Image, SvgRejection>>;
  /**
   * Draws our own markup, unchecked, on white. `own` is the size that the markup says, `size` that of the picture. Throws when
   * it can't be drawn: that is a bug.
   */
  renderTrusted(
    markup: string,
    own: { readonly width: number; readonly height: number },
    size?: PictureSize,
  ): Promise<Image>;
  close(): Promise<void>;
}

export interface RasteriserOptions {
  /** Processes that draw at once; 1 unless told. */
  readonly workers?: number;
  readonly limits?: Partial<SvgLimits>;
}

/** Processes in a row that end before they have drawn anything, after which there is something wrong with the machine. */
const MAX_FAILED_STARTS = 3;
/** A first picture waits for its process to load too. */
const START_MS = 30_000;

/** Opens a rasteriser; its processes start when they are first needed. Throws a ConfigError on bad options. */
export function openSvgRasteriser({ workers = 1, limits = {} }: RasteriserOptions = {}): SvgRasteriser {
  if (!Number.isInteger(workers) || workers < 1) {
    throw new ConfigError('svg.workers', workers, 'must be a whole number from 1');
  }
  return new Rasteriser(workers, { ...DEFAULT_SVG_LIMITS, ...limits });
}

class Rasteriser implements SvgRasteriser {
  readonly #limits: SvgLimits;
  readonly #workers: number;
  readonly #waiting: Array<() => void> = [];
  readonly #idle: DrawingProcess[] = [];
  readonly #all = new Set<DrawingProcess>();
  /** Those that have drawn something, and need no time to load. */
  readonly #warm = new WeakSet<DrawingProcess>();
  #busy = 0;
  #failedStarts = 0;
  #fonts: FontConfiguration | null = null;
  #closed = false;

  constructor(workers: number, limits: SvgLimits) {
    this.#workers = workers;
    this.#limits = limits;
  }

  async render(markup: string, size: PictureSize = {}): Promise<Result<Image, SvgRejection>> {
    const checked = checkSvg(markup, this.#limits);
    if (!checked.ok) return checked;
    const { width, height } = targetSize(checked.value, size);
    const { side, pixels } = this.#limits;
    if (Math.max(width, height) > side || width * height > pixels) {
      return refused('too-large', `a picture of ${width} x ${height} pixels`);
    }
    const drawn = await this.#draw(
      requestOf(checked.value.markup, checked.value, { width, height }, this.#limits),
    );
    switch (drawn.kind) {
      case 'image':
        return isBlank(drawn.image) ? refused('blank', 'every pixel has the same colour') : ok(drawn.image);
      case 'timeout':
        return refused('timeout', `not drawn after ${this.#limits.milliseconds / 1000} s`);
      case 'refused':
      case 'ended':
        return refused('crashed', oneLine(drawn.message));
      default:
        return drawn satisfies never;
    }
  }

  async renderTrusted(
    markup: string,
    own: { readonly width: number; readonly height: number },
    size: PictureSize = {},
  ): Promise<Image> {
    const drawn = await this.#draw(requestOf(markup, own, targetSize(own, size), this.#limits));
    if (drawn.kind === 'image') return drawn.image;
    throw new Error(
      `our own drawing can't be drawn: ${drawn.kind === 'timeout' ? 'time-out' : drawn.message}`,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    const processes = [...this.#all];
    for (const child of processes) child.kill();
    await Promise.all(processes.map((child) => child.ended));
    this.#fonts?.remove();
    this.#fonts = null;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #draw(request: DrawRequest): Promise<Drawn> {
    while (this.#busy >= this.#workers && !this.#closed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    if (this.#closed) throw new OutageError('the rasteriser was closed');
    this.#busy++;
    try {
      return await this.#attempt(request);
    } finally {
      this.#busy--;
      this.#waiting.shift()?.();
    }
  }

  /** A process that dies while it loads says nothing about the markup, so another one is tried. */
  async #attempt(request: DrawRequest): Promise<Drawn> {
    for (;;) {
      const child = this.#take();
      const warm = this.#warm.has(child);
      if (!warm) {
        const probe = await child.draw({ ...PROBE, milliseconds: START_MS });
        if (probe.kind !== 'image') {
          this.#drop(child);
          if (++this.#failedStarts < MAX_FAILED_STARTS) continue;
          throw new OutageError(
            `drawing processes can't be started: ${'message' in probe ? oneLine(probe.message) : probe.kind}`,
          );
        }
        this.#warm.add(child);
        this.#failedStarts = 0;
      }
      const drawn = await child.draw(request);
      if (child.alive && drawn.kind !== 'timeout' && drawn.kind !== 'ended') this.#idle.push(child);
      else this.#drop(child);
      return drawn;
    }
  }

  #take(): DrawingProcess {
    for (let child = this.#idle.pop(); child; child = this.#idle.pop()) {
      if (child.alive) return child;
      this.#drop(child);
    }
    this.#fonts ??= bundledFonts();
    const child = new DrawingProcess(this.#fonts.file);
    this.#all.add(child);
    return child;
  }

  #drop(child: DrawingProcess): void {
    child.kill();
    this.#all.delete(child);
  }
}

const PROBE = {
  markup: '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><text y="8">a</text></svg>',
  width: 8,
  height: 8,
  density: 72,
} as const;

/** Density at which librsvg draws one unit as one pixel. */
const OWN_DENSITY = 72;
const MAX_DENSITY = 4_800;

function requestOf(
  markup: string,
  own: { readonly width: number; readonly height: number },
  target: { readonly width: number; readonly height: number },
  { milliseconds }: SvgLimits,
): DrawRequest {
  const scale = Math.max(target.width / own.width, target.height / own.height);
  const density = Math.min(MAX_DENSITY, Math.max(1, OWN_DENSITY * scale));
  return { markup, ...target, density, milliseconds };
}

function targetSize(
  own: { readonly width: number; readonly height: number },
  { width, height }: PictureSize,
): { readonly width: number; readonly height: number } {
  for (const [field, value] of [
    ['width', width],
    ['height', height],
  ] as const) {
    if (value !== undefined && (!Number.isInteger(value) || value < 1)) {
      throw new ConfigError(field, value, 'must be a whole number of pixels from 1');
    }
  }
  const side = (value: number): number => Math.max(1, Math.round(value));
  if (width !== undefined && height !== undefined) return { width, height };
  if (width !== undefined) return { width, height: side((width * own.height) / own.width) };
  if (height !== undefined) return { width: side((height * own.width) / own.height), height };
  return { width: own.width, height: own.height };
}

function isBlank({ rgb }: Image): boolean {
  for (let i = 3; i < rgb.length; i++) if (rgb[i] !== rgb[i - 3]) return false;
  return true;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim() || 'no reason given';
}

function refused(reason: SvgProblem, detail: string): { readonly ok: false; readonly error: SvgRejection } {
  return { ok: false, error: { reason, detail } };
}
