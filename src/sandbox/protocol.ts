/** The binary protocol with python/sandbox/server.py (little-endian). Every length is checked before it is believed. */
import type { Image } from '../core/image.js';
import { ARGUMENT_SETS, MAX_TEXT_BYTES } from './limits.js';
import type { ProgramStatus, SandboxLimits } from './types.js';

const STATUSES = [
  'ok',
  'timeout',
  'memory',
  'forbidden',
  'exception',
  'bad-output',
  'malformed',
  'crashed',
] as const satisfies readonly ProgramStatus[];

const HEAD_BYTES = 21;

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: ProgramStatus;
  /** Line of the program from 1; 0 when none is known. */
  readonly line: number;
  /** JSON of code and arguments when `ok`, else the reason. */
  readonly text: string;
  readonly images: readonly Image[];
}

/** The frame of one request, to be written in this order. */
export function encodeRequest(id: number, program: Uint8Array, image: Image): readonly Uint8Array[] {
  const head = Buffer.alloc(20);
  head.write('CVP1', 0, 'latin1');
  head.writeUInt32LE(id, 4);
  head.writeUInt32LE(program.length, 8);
  head.writeUInt32LE(image.width, 12);
  head.writeUInt32LE(image.height, 16);
  return [head, program, image.rgb];
}

/** A frame of JSON: how the configuration goes in. */
export function encodeJson(value: unknown): Uint8Array {
  const text = Buffer.from(JSON.stringify(value), 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length, 0);
  return Buffer.concat([length, text]);
}

/** Takes a stream of bytes apart, in whatever pieces it comes. */
export class Reader {
  readonly #chunks: Buffer[] = [];
  #available = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#available += chunk.length;
  }

  get available(): number {
    return this.#available;
  }

  /** The next `length` bytes in memory of their own; null, and nothing taken, when they aren't all there. */
  take(length: number): Uint8Array | null {
    if (this.#available < length) return null;
    const bytes = new Uint8Array(length);
    this.takeInto(bytes, 0);
    return bytes;
  }

  /** Fills `target` from `from` on with what there is; the new end. */
  takeInto(target: Uint8Array, from: number): number {
    let filled = from;
    while (filled < target.length) {
      const chunk = this.#chunks[0];
      if (!chunk) break;
      const part = chunk.subarray(0, target.length - filled);
      target.set(part, filled);
      filled += part.length;
      if (part.length === chunk.length) this.#chunks.shift();
      else this.#chunks[0] = chunk.subarray(part.length);
    }
    this.#available -= filled - from;
    return filled;
  }
}

/** What the other end said is not the protocol. */
export class ProtocolError extends Error {
  override name = 'ProtocolError';
}

/** Reads one answer to request `id`, piece by piece. */
export class AnswerDecoder {
  readonly #id: number;
  readonly #limits: SandboxLimits;
  #head: { readonly status: ProgramStatus; readonly line: number; readonly text: number } | null = null;
  #count = 0;
  #text: string | null = null;
  #images: { width: number; height: number; rgb: Uint8Array }[] = [];
  #current = 0;
  #filled = 0;

  constructor(id: number, limits: SandboxLimits) {
    this.#id = id;
    this.#limits = limits;
  }

  /** The answer when it is complete, else null. Throws a ProtocolError on anything that can't be one. */
  read(from: Reader): Answer | null {
    if (!this.#head && !this.#readHead(from)) return null;
    const head = this.#head;
    if (!head) return null;
    if (this.#text === null && !this.#readText(from, head.text)) return null;
    for (let image = this.#images[this.#current]; image; image = this.#images[this.#current]) {
      this.#filled = from.takeInto(image.rgb, this.#filled);
      if (this.#filled < image.rgb.length) return null;
      this.#current++;
      this.#filled = 0;
    }
    return { status: head.status, line: head.line, text: this.#text ?? '', images: this.#images };
  }

  #readHead(from: Reader): boolean {
    const bytes = from.take(HEAD_BYTES);
    if (!bytes) return false;
    const head = Buffer.from(bytes.buffer);
    const status = STATUSES[head.readUInt8(8)];
    const [line, text, count] = [head.readUInt32LE(9), head.readUInt32LE(13), head.readUInt32LE(17)];
    if (head.toString('latin1', 0, 4) !== 'CVA1') throw new ProtocolError('no answer');
    if (head.readUInt32LE(4) !== this.#id) throw new ProtocolError('an answer to another request');
    if (status === undefined || count !== (status === 'ok' ? ARGUMENT_SETS : 0)) {
      throw new ProtocolError('an impossible status');
    }
    if (text > MAX_TEXT_BYTES) throw new ProtocolError('a text that is too long');
    this.#count = count;
    this.#head = { status, line, text };
    return true;
  }

  #readText(from: Reader, length: number): boolean {
    const bytes = from.take(8 * this.#count + length);
    if (!bytes) return false;
    const buffer = Buffer.from(bytes.buffer);
    for (let i = 0; i < this.#count; i++) {
      const [width, height] = [buffer.readUInt32LE(8 * i), buffer.readUInt32LE(8 * i + 4)];
      const pixels = width * height;
      if (!(pixels >= this.#limits.minPixels && pixels <= this.#limits.maxPixels)) {
        throw new ProtocolError('an image out of bounds');
      }
      this.#images.push({ width, height, rgb: new Uint8Array(3 * pixels) });
    }
    this.#text = buffer.toString('utf8', 8 * this.#count);
    return true;
  }
}
