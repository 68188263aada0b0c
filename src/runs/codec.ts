import { endianness } from 'node:os';
import { canonicalJson } from '../core/json.js';

/** A value as SQLite takes it. Blobs are copied on the way in. */
export type SqlValue = string | number | null | Uint8Array;

/** Token ids or log-probabilities as little-endian bytes, 4 each: exact to the bit, whatever the machine. */
export function packWords(words: Int32Array | Float32Array): Uint8Array {
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  return endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32();
}

/** Token ids from little-endian bytes. The result owns its memory. */
export function unpackTokens(bytes: ArrayBuffer): Int32Array {
  return new Int32Array(nativeWords(bytes));
}

/** Log-probabilities from little-endian bytes. The result owns its memory. */
export function unpackLogprobs(bytes: ArrayBuffer): Float32Array {
  return new Float32Array(nativeWords(bytes));
}

function nativeWords(bytes: ArrayBuffer): ArrayBuffer {
  if (endianness() !== 'LE') Buffer.from(bytes).swap32();
  return bytes;
}

/**
 * Text for a column of type ANY. Model-written text may hold what a C string can't (NUL, lone surrogates): that is kept
 * as a blob of UTF-16, everything else as readable text.
 */
export function packText(text: string): string | Uint8Array {
  return text.includes('\0') || /\p{Surrogate}/u.test(text) ? Buffer.from(text, 'utf16le') : text;
}

/** The inverse of {@link packText}. */
export function unpackText(value: string | ArrayBuffer): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('utf16le');
}

/** A number for a column of type ANY. SQLite would turn NaN into NULL, so it is kept by name. */
export function packNumber(value: number): number | string {
  return Number.isNaN(value) ? 'NaN' : value;
}

/** The inverse of {@link packNumber}. */
export function unpackNumber(value: number | string): number {
  return Number(value);
}

/** Finite numbers by name as JSON; -0, which JSON would lose, as the text "-0". */
export function packTerms(terms: Readonly<Record<string, number>>): string {
  return JSON.stringify(terms, (_key, value: unknown) => (Object.is(value, -0) ? '-0' : value));
}

/** The inverse of {@link packTerms}. */
export function unpackTerms(json: string): Record<string, number> {
  const packed = JSON.parse(json) as Record<string, number | string>;
  return Object.fromEntries(Object.entries(packed).map(([name, value]) => [name, Number(value)]));
}

/**
 * Text that is equal exactly when two values are: typed arrays by their bytes, -0 apart from 0, keys in any order. What
 * decides whether something recorded twice is the same thing.
 */
export function fingerprint(value: unknown): string {
  return canonicalJson(tagged(value));
}

function tagged(value: unknown): unknown {
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) {
    return { $number: Object.is(value, -0) ? '-0' : String(value) };
  }
  if (ArrayBuffer.isView(value)) {
    return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
  }
  if (Array.isArray(value)) return value.map(tagged);
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, tagged(item)]));
  }
  return value;
}
