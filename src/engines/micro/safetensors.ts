import { DataError } from '../../core/errors.js';
import { fromHalf, toHalf } from './half.js';

/** One named array: row-major single precision values and their shape. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export interface TensorFile {
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

interface HeaderEntry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

/**
 * Writes the safetensors format (8-byte header length, JSON header, raw little-endian data; names sorted, so equal
 * content gives equal bytes), as 32-bit or 16-bit floats. No maintained JavaScript library writes it.
 */
export function writeSafetensors(file: TensorFile, precision: 'F32' | 'F16' = 'F32'): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: file.metadata };
  const chunks: Uint8Array[] = [];
  let offset = 0;
  for (const name of [...file.tensors.keys()].sort()) {
    const { shape, data } = file.tensors.get(name) as Tensor;
    const raw = precision === 'F16' ? toHalf(data) : data;
    const bytes = new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength);
    header[name] = { dtype: precision, shape, data_offsets: [offset, offset + bytes.length] };
    chunks.push(bytes);
    offset += bytes.length;
  }
  const text = JSON.stringify(header);
  const head = Buffer.from(text + ' '.repeat((8 - (Buffer.byteLength(text) % 8)) % 8), 'utf8');
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(head.length));
  return Buffer.concat([length, head, ...chunks]);
}

/** Reads a safetensors file of 32-bit or 16-bit floats. Throws a DataError that names `source` when it is damaged. */
export function readSafetensors(bytes: Uint8Array, source: string): TensorFile {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fail = (problem: string): never => {
    throw new DataError(source, null, `not a readable safetensors file: ${problem}`);
  };
  if (buffer.length < 8) return fail('it is shorter than its header length');
  const length = Number(buffer.readBigUInt64LE(0));
  if (length > buffer.length - 8) return fail('its header is cut off');
  let header: unknown;
  try {
    header = JSON.parse(buffer.toString('utf8', 8, 8 + length));
  } catch {
    return fail('its header is not JSON');
  }
  if (!isRecord(header)) return fail('its header is not a JSON object');
  const tensors = new Map<string, Tensor>();
  const data = buffer.subarray(8 + length);
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    if (!isHeaderEntry(entry)) return fail(`its header says nothing usable about ${name}`);
    const { dtype, shape, data_offsets } = entry;
    const [from, to] = data_offsets;
    const width = dtype === 'F32' ? 4 : dtype === 'F16' ? 2 : fail(`${name} has type ${dtype}`);
    const size = shape.reduce((a, b) => a * b, 1);
    if (to - from !== size * width || to > data.length) fail(`${name} is cut off or has a wrong size`);
    // A copy, since views need aligned offsets.
    const raw = new Uint8Array(data.subarray(from, to));
    const values =
      width === 4 ? new Float32Array(raw.buffer, 0, size) : fromHalf(new Uint16Array(raw.buffer, 0, size));
    tensors.set(name, { shape, data: values });
  }
  const metadata = header['__metadata__'] ?? {};
  if (!isRecord(metadata)) return fail('its metadata is not a JSON object');
  return { tensors, metadata: metadata as Record<string, string> };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isHeaderEntry(value: unknown): value is HeaderEntry {
  const counts = (list: unknown): list is number[] =>
    Array.isArray(list) && list.every((n) => Number.isSafeInteger(n) && n >= 0);
  return (
    isRecord(value) &&
    counts(value['shape']) &&
    counts(value['data_offsets']) &&
    value['data_offsets'].length === 2
  );
}
