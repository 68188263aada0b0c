import { ConfigError } from '../core/errors.js';
import type { SandboxLimits } from './types.js';

/** How many argument sets a program has, N (EVE, section 4.1). */
export const ARGUMENT_SETS = 4;

/** Largest input image, in pixels. */
export const MAX_INPUT_PIXELS = 2 ** 24;

/** Longest text in an answer (code and arguments as JSON, or a reason), in bytes. */
export const MAX_TEXT_BYTES = 2 ** 18;

/** The limits of EVE's programs: 5 s, 1 GiB, 2,000 characters, outputs of 4,096 to 1,048,576 pixels. */
export const DEFAULT_LIMITS: SandboxLimits = {
  seconds: 5,
  memoryMiB: 1024,
  characters: 2000,
  minPixels: 4096,
  maxPixels: 1_048_576,
};

const RANGES: { readonly [K in keyof SandboxLimits]: readonly [low: number, high: number, whole: boolean] } =
  {
    seconds: [0.1, 600, false],
    memoryMiB: [64, 65_536, true],
    characters: [1, 50_000, true],
    minPixels: [1, MAX_INPUT_PIXELS, true],
    maxPixels: [1, MAX_INPUT_PIXELS, true],
  };

/** Limits with defaults filled in. Throws a ConfigError on one that is out of range. */
export function checkedLimits(options: Partial<SandboxLimits>): SandboxLimits {
  const limits: { -readonly [K in keyof SandboxLimits]: number } = { ...DEFAULT_LIMITS };
  for (const key of Object.keys(RANGES) as (keyof SandboxLimits)[]) {
    const value = options[key] ?? limits[key];
    const [low, high, whole] = RANGES[key];
    if (!(value >= low && value <= high) || (whole && !Number.isInteger(value))) {
      throw new ConfigError(
        `sandbox.${key}`,
        value,
        `must be a ${whole ? 'whole number' : 'number'} from ${low} to ${high}`,
      );
    }
    limits[key] = value;
  }
  if (limits.minPixels > limits.maxPixels) {
    throw new ConfigError('sandbox.minPixels', limits.minPixels, `must not exceed ${limits.maxPixels}`);
  }
  return limits;
}

/** A number of workers. Throws a ConfigError when it is no whole number from 1 to 64. */
export function checkedWorkers(workers: number): number {
  if (!Number.isInteger(workers) || workers < 1 || workers > 64) {
    throw new ConfigError('sandbox.workers', workers, 'must be a whole number from 1 to 64');
  }
  return workers;
}
