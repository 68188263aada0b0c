import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { z } from 'zod';
import { DataError, StoreError } from '../core/errors.js';
import type { Verdict } from './judge.js';

/** Verdicts by a hash of everything that they depend on. */
export interface VerdictCache {
  /** Null when it isn't there. */
  get(key: string): Verdict | null;
  put(key: string, verdict: Verdict): void;
}

/** Forgets everything with the process. */
export function memoryVerdicts(): VerdictCache {
  const verdicts = new Map<string, Verdict>();
  return {
    get: (key) => verdicts.get(key) ?? null,
    put: (key, verdict) => void verdicts.set(key, verdict),
  };
}

const lineSchema = z.strictObject({ key: z.string(), verdict: z.enum(['yes', 'no', 'unclear']) });

/**
 * Keeps verdicts in a file of JSON lines. A last line that was cut short by a crash is dropped; any other line that can't be read is a DataError, a file that can't be written a StoreError.
 */
export function verdictFile(file: string): VerdictCache {
  const verdicts = memoryVerdicts();
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  for (const [i, line] of whole.split('\n').slice(0, -1).entries()) {
    if (line === '') continue;
    const entry = readLine(line);
    if (!entry) throw new DataError(file, i + 1, 'is no verdict; delete the file to ask the judge again');
    verdicts.put(entry.key, entry.verdict);
  }
  let broken = whole.length < text.length;
  return {
    get: (key) => verdicts.get(key),
    put(key, verdict) {
      verdicts.put(key, verdict);
      try {
        if (broken) truncateSync(file, Buffer.byteLength(whole));
        appendFileSync(file, `${JSON.stringify({ key, verdict })}\n`);
        broken = false;
      } catch (cause) {
        throw new StoreError(
          `${file}: can't be written: ${cause instanceof Error ? cause.message : String(cause)}`,
        );
      }
    },
  };
}

function readLine(line: string): z.infer<typeof lineSchema> | null {
  try {
    return lineSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
