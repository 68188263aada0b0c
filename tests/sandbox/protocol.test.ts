import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/sandbox/index.js';
import { AnswerDecoder, encodeRequest, ProtocolError, Reader } from '../../src/sandbox/protocol.js';

const limits = { ...DEFAULT_LIMITS, minPixels: 1, maxPixels: 64 };

interface Wire {
  readonly magic?: string;
  readonly id?: number;
  readonly status?: number;
  readonly textLength?: number;
  readonly count?: number;
  readonly sizes?: readonly (readonly [number, number])[];
}

const SIZES = [
  [2, 3],
  [8, 8],
  [1, 1],
  [5, 4],
] as const;

function wire({
  magic = 'CVA1',
  id = 7,
  status = 0,
  textLength,
  count = 4,
  sizes = SIZES,
}: Wire = {}): Buffer {
  const text = Buffer.from('{"code":"é"}', 'utf8');
  const head = Buffer.alloc(21);
  head.write(magic, 0, 'latin1');
  head.writeUInt32LE(id, 4);
  head.writeUInt8(status, 8);
  head.writeUInt32LE(3, 9);
  head.writeUInt32LE(textLength ?? text.length, 13);
  head.writeUInt32LE(count, 17);
  const table = Buffer.alloc(8 * sizes.length);
  sizes.forEach(([w, h], i) => {
    table.writeUInt32LE(w, 8 * i);
    table.writeUInt32LE(h, 8 * i + 4);
  });
  const pixels = sizes.map(([w, h], i) => Buffer.alloc(Math.min(3 * w * h, 1000), i + 1));
  return Buffer.concat([head, table, text, ...pixels]);
}

const decode = (bytes: Buffer): unknown => {
  const reader = new Reader();
  reader.push(bytes);
  return new AnswerDecoder(7, limits).read(reader);
};

describe('an answer', () => {
  it('is the same however the stream is cut', () => {
    const bytes = wire();
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (cuts) => {
        const reader = new Reader();
        const decoder = new AnswerDecoder(7, limits);
        let answer = null;
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = cuts[i % cuts.length] as number;
          expect(answer).toBeNull();
          reader.push(bytes.subarray(at, at + size));
          at += size;
          answer = decoder.read(reader);
        }
        expect(answer).toMatchObject({ status: 'ok', line: 3, text: '{"code":"é"}' });
        expect(answer?.images.map(({ width, height, rgb }) => [width, height, [...rgb]])).toEqual(
          SIZES.map(([w, h], i) => [w, h, Array.from({ length: 3 * w * h }, () => i + 1)]),
        );
        expect(reader.available).toBe(0);
      }),
    );
  });

  it.each<[string, Wire]>([
    ['another magic', { magic: 'CVA2' }],
    ['another request', { id: 8 }],
    ['an unknown status', { status: 8 }],
    ['too few images', { count: 3 }],
    ['images of a failure', { status: 3 }],
    ['a text of 4 GiB', { textLength: 0xffffffff }],
    ['an image too large', { sizes: [...SIZES.slice(0, 3), [9, 8]] }],
    ['an image of 0 pixels', { sizes: [...SIZES.slice(0, 3), [0, 8]] }],
    ['an image of 2^64 pixels', { sizes: [...SIZES.slice(0, 3), [0xffffffff, 0xffffffff]] }],
  ])('is refused: %s', (_what, change) => {
    expect(() => decode(wire(change))).toThrow(ProtocolError);
  });

  it('of any bytes is an answer, an incomplete one or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(20), (noise, keep) => {
        const bytes = Buffer.concat([wire().subarray(0, keep), noise]);
        try {
          decode(bytes);
        } catch (cause) {
          expect(cause).toBeInstanceOf(ProtocolError);
        }
      }),
    );
  });
});

it('a request names every length', () => {
  const image = { width: 2, height: 1, rgb: Uint8Array.of(1, 2, 3, 4, 5, 6) };
  const bytes = Buffer.concat(encodeRequest(9, Buffer.from('ab'), image));
  expect(bytes.toString('hex')).toBe(
    '43565031' + '09000000020000000200000001000000' + '6162' + '010203040506',
  );
});
