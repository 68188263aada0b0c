import { CovolveError, StoreError } from '../core/errors.js';

/** What went wrong underneath, by error code, and what to do about it. */
const REMEDIES: ReadonlyArray<readonly [pattern: RegExp, problem: string, remedy: string]> = [
  [/^(ENOSPC|SQLITE_FULL)$/, 'no space left on the disk', 'free some space, then resume the run'],
  [/^EDQUOT$/, 'the disk quota is used up', 'free some space, then resume the run'],
  [/^EFBIG$/, 'the file would exceed the size limit', 'raise the limit (ulimit -f), then resume the run'],
  [
    /^SQLITE_IOERR/,
    'the disk refused the operation',
    'check free space, file size limit (ulimit -f) and disk health, then resume the run',
  ],
  [/^(EACCES|EPERM|SQLITE_PERM|SQLITE_AUTH)$/, 'permission denied', 'check who owns the run directory'],
  [
    /^(EROFS|SQLITE_READONLY)/,
    'it is read-only',
    'choose a directory that can be written, or make this one writable',
  ],
  [/^ENOTDIR$/, 'a file is where a directory should be', 'choose another run directory'],
  [/^EEXIST$/, 'something else has that name', 'choose another run directory'],
  [/^EISDIR$/, 'a directory is where a file should be', 'choose another run directory'],
  [/^ENOENT$/, 'no such file or directory', 'check the path'],
  [/^ENAMETOOLONG$/, 'the path is too long', 'choose another run directory'],
  [/^(EMFILE|ENFILE)$/, 'too many open files', 'raise the limit (ulimit -n), then resume the run'],
  [/^EIO$/, 'the disk reports an input/output error', 'check the disk'],
  [
    /^SQLITE_BUSY/,
    'another process holds it',
    'wait until that process is done with the run directory, then try again',
  ],
  [/^SQLITE_CANTOPEN/, "it can't be opened", 'check that the run directory exists and can be written'],
  [
    /^(SQLITE_CORRUPT|SQLITE_NOTADB)/,
    'it is damaged, or no database of a run',
    'restore it from a copy, or start a new run',
  ],
];

/**
 * The one line that a reader gets when the disk or the database refuses something: what was tried, where, why, remedy.
 * Errors without a code of the system or of SQLite are bugs and come back as they are, like errors that are Covolve's.
 *
 * @param action what was tried, e.g. `can't write`
 * @param path where
 */
export function storeFailure(action: string, path: string, cause: unknown): Error {
  if (cause instanceof CovolveError) return cause;
  const code = errorCode(cause);
  for (const [pattern, problem, remedy] of REMEDIES) {
    if (code !== null && pattern.test(code)) {
      return new StoreError(`${action} ${path}: ${problem}; ${remedy}`, { cause });
    }
  }
  if (code?.startsWith('SQLITE_') && !/^SQLITE_(CONSTRAINT|ERROR|MISUSE|RANGE|MISMATCH)/.test(code)) {
    return new StoreError(`${action} ${path}: ${(cause as Error).message} (${code})`, { cause });
  }
  return cause instanceof Error ? cause : new Error(String(cause));
}

/** The system's or SQLite's code of an error (`ENOSPC`, `SQLITE_FULL`); null when it has none. */
export function errorCode(cause: unknown): string | null {
  if (!(cause instanceof Error)) return null;
  if ('code' in cause && typeof cause.code === 'string' && cause.code !== '') return cause.code;
  // A refused open has no code, only a text that ends with SQLite's number for it.
  return cause.message.startsWith('ConnectionFailed(') ? 'SQLITE_CANTOPEN' : null;
}
