/** A value that is either there or was refused for a stated reason. Used wherever failure is expected. */
export type Result<T, E> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

/**
 * Why something was refused: a member of a closed union, for counting, and one line for a reader.
 * Rejections are counted and shown; they are never scored as a wrong answer.
 */
export interface Rejection<Reason extends string = string> {
  readonly reason: Reason;
  /** One line that names what was refused and why, e.g. `object 3 overlaps object 1`. */
  readonly detail: string;
}

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function err<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}

/** A refused result with its reason. */
export function reject<Reason extends string>(
  reason: Reason,
  detail: string,
): { readonly ok: false; readonly error: Rejection<Reason> } {
  return err({ reason, detail });
}

/** The value of a result that can't have been refused. Throws (a bug, not a rejection) when it was. */
export function unwrap<T>(result: Result<T, Rejection>): T {
  if (result.ok) return result.value;
  throw new Error(`unexpected rejection (${result.error.reason}): ${result.error.detail}`);
}
