/** Root of every error that Covolve throws on purpose. Anything else that is thrown is a bug. */
export class CovolveError extends Error {
  override name = 'CovolveError';
}

/**
 * A setting, flag or argument that can't be honoured. The message is one line that names the field, its value and
 * what to do.
 */
export class ConfigError extends CovolveError {
  override name = 'ConfigError';
  constructor(
    readonly field: string,
    readonly value: unknown,
    readonly remedy: string,
  ) {
    super(`${field} = ${shown(value)}: ${remedy}`);
  }
}

/** A file of the user's that can't be read as what it claims to be. Names the file and, where known, the line. */
export class DataError extends CovolveError {
  override name = 'DataError';
  constructor(
    readonly file: string,
    readonly line: number | null,
    readonly problem: string,
  ) {
    super(line === null ? `${file}: ${problem}` : `${file}:${line}: ${problem}`);
  }
}

/** The run store can't be opened, written or trusted (full disk, read-only folder, second writer, damage). */
export class StoreError extends CovolveError {
  override name = 'StoreError';
}

/** Something outside (a server, a process) is away. The run pauses; nothing is scored. */
export class OutageError extends CovolveError {
  override name = 'OutageError';
}

/** The user asked to stop (Ctrl-C). Thrown at the next safe point; the run resumes from there. */
export class InterruptedError extends CovolveError {
  override name = 'InterruptedError';
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === undefined) return '(missing)';
  const text = JSON.stringify(value) ?? `(${typeof value})`;
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
