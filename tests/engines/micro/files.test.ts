import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DataError } from '../../../src/core/errors.js';
import { readMicroFile } from '../../../src/engines/micro/checkpoint.js';
import { fromHalf, toHalf } from '../../../src/engines/micro/half.js';
import { MicroPolicy } from '../../../src/engines/micro/index.js';
import {
  readSafetensors,
  writeSafetensors,
  type TensorFile,
} from '../../../src/engines/micro/safetensors.js';
import { tinyPolicy } from './tiny.js';

const half = (x: number): number => toHalf(Float32Array.of(x))[0] as number;

describe('half precision', () => {
  it('rounds exact cases as IEEE 754 says', () => {
    const cases: Array<[number, number]> = [
      [0, 0x0000],
      [-0, 0x8000],
      [1, 0x3c00],
      [-2, 0xc000],
      [65504, 0x7bff],
      [65519.99, 0x7bff],
      // Halfway between the largest half and the next power of two: away to infinity.
      [65520, 0x7c00],
      [1e30, 0x7c00],
      [Infinity, 0x7c00],
      [-Infinity, 0xfc00],
      // Ties go to the even fraction.
      [1 + 2 ** -11, 0x3c00],
      [1 + 3 * 2 ** -11, 0x3c02],
      [1 + 2 ** -11 + 2 ** -23, 0x3c01],
      // A carry into the exponent.
      [2 - 2 ** -12, 0x4000],
      // Subnormals, their smallest, and the tie below it.
      [2 ** -14, 0x0400],
      [2 ** -14 - 2 ** -24, 0x03ff],
      [2 ** -14 - 2 ** -26, 0x0400],
      [2 ** -24, 0x0001],
      [-(2 ** -24), 0x8001],
      [2 ** -25, 0x0000],
      [2 ** -25 * 1.0001, 0x0001],
      [3 * 2 ** -25, 0x0002],
      [1e-40, 0x0000],
    ];
    for (const [x, bits] of cases) expect(half(x), String(x)).toBe(bits);
    expect(half(NaN) & 0x7c00).toBe(0x7c00);
    expect(half(NaN) & 0x3ff).not.toBe(0);
  });

  it('brings every half back unchanged', () => {
    const all = Uint16Array.from({ length: 65536 }, (_, i) => i);
    const values = fromHalf(all);
    const again = toHalf(values);
    const changed = [...all].filter((bits, i) => !Number.isNaN(values[i]) && again[i] !== bits);
    expect(changed).toEqual([]);
    expect([...values].filter(Number.isNaN)).toHaveLength(2 * 1023);
  });

  it('rounds to the nearest half there is, ties to the even one', () => {
    const positive = fromHalf(Uint16Array.from({ length: 0x7c00 }, (_, i) => i));
    const near = fc.oneof(
      fc.float({ min: 0, max: 65504, noNaN: true }),
      fc.float({ min: 0, max: Math.fround(1e-4), noNaN: true }),
    );
    fc.assert(
      fc.property(near, (x) => {
        let low = 0;
        for (let step = 0x4000; step >= 1; step >>= 1) {
          if ((positive[low + step] ?? Infinity) <= x) low += step;
        }
        const [below, above] = [x - (positive[low] as number), (positive[low + 1] ?? Infinity) - x];
        const nearest = below < above || (below === above && low % 2 === 0) ? low : low + 1;
        expect(half(Math.abs(x))).toBe(nearest);
      }),
      { numRuns: 2000 },
    );
  });
});

const FILE: TensorFile = {
  tensors: new Map([
    ['b.matrix', { shape: [2, 3], data: Float32Array.of(1, -2, 3.5, 0, 1e-3, 65504) }],
    ['a.vector', { shape: [3], data: Float32Array.of(0.5, NaN, -Infinity) }],
    ['none', { shape: [0, 4], data: new Float32Array(0) }],
  ]),
  metadata: { config: '{"vocabulary":["é","日本"]}' },
};

const python = ['python3', 'python'].find((name) => {
  try {
    execFileSync(name, ['-c', 'import safetensors.numpy'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

describe('safetensors', () => {
  it('reads what it writes: exactly in 32 bits, rounded in 16', () => {
    const single = readSafetensors(writeSafetensors(FILE, 'F32'), 'f');
    expect(single.metadata).toEqual(FILE.metadata);
    for (const [name, tensor] of FILE.tensors) expect(single.tensors.get(name)).toEqual(tensor);
    const halved = readSafetensors(writeSafetensors(FILE, 'F16'), 'f');
    for (const [name, { shape, data }] of FILE.tensors) {
      expect(halved.tensors.get(name)).toEqual({ shape, data: fromHalf(toHalf(data)) });
    }
  });

  it('writes the same bytes whatever the order of its tensors, data aligned to 8 bytes', () => {
    const turned = { ...FILE, tensors: new Map([...FILE.tensors].reverse()) };
    const bytes = Buffer.from(writeSafetensors(FILE));
    expect(bytes.equals(Buffer.from(writeSafetensors(turned)))).toBe(true);
    expect(Number(bytes.readBigUInt64LE(0)) % 8).toBe(0);
  });

  it('names a file that is cut off, and survives any damage without another error', () => {
    const whole = writeSafetensors(FILE);
    for (let length = 0; length < whole.length; length++) {
      expect(() => readSafetensors(whole.slice(0, length), 'cut.safetensors')).toThrow(DataError);
    }
    const damage = fc.array(fc.tuple(fc.nat({ max: whole.length - 1 }), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(damage, (changes) => {
        const bytes = whole.slice();
        for (const [at, value] of changes) bytes[at] = value;
        try {
          readSafetensors(bytes, 'damaged.safetensors');
        } catch (error) {
          expect(error).toBeInstanceOf(DataError);
          expect(String(error)).toContain('damaged.safetensors');
        }
      }),
      { numRuns: 2000 },
    );
    for (const header of [
      'null',
      '[]',
      '3',
      '{"a":null}',
      '{"a":{"dtype":"F32"}}',
      '{"a":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}}',
      '{"__metadata__":7}',
    ]) {
      const bytes = Buffer.alloc(8 + header.length);
      bytes.writeBigUInt64LE(BigInt(header.length));
      bytes.write(header, 8);
      expect(() => readSafetensors(bytes, 'odd'), header).toThrow(DataError);
    }
  });

  it.skipIf(!python)("is read by Python's safetensors", () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'covolve-safetensors-'));
    try {
      for (const precision of ['F32', 'F16'] as const) {
        const file = path.join(folder, `${precision}.safetensors`);
        writeFileSync(file, writeSafetensors(FILE, precision));
        const script = [
          'import json, sys',
          'from safetensors import safe_open',
          'with safe_open(sys.argv[1], "np") as f:',
          '  out = {k: [list(f.get_tensor(k).shape), str(f.get_tensor(k).dtype), [repr(float(x)) for x in f.get_tensor(k).ravel()]] for k in sorted(f.keys())}',
          '  print(json.dumps([out, f.metadata()]))',
        ].join('\n');
        const [tensors, metadata] = JSON.parse(
          execFileSync(python as string, ['-c', script, file], { encoding: 'utf8' }),
        ) as [Record<string, [number[], string, string[]]>, Record<string, string>];
        expect(metadata).toEqual(FILE.metadata);
        expect(Object.keys(tensors)).toEqual([...FILE.tensors.keys()].sort());
        for (const [name, [shape, dtype, values]] of Object.entries(tensors)) {
          const tensor = FILE.tensors.get(name);
          expect(shape).toEqual(tensor?.shape);
          expect(dtype).toBe(precision === 'F32' ? 'float32' : 'float16');
          const wanted = precision === 'F32' ? tensor?.data : fromHalf(toHalf(tensor?.data as Float32Array));
          const numbers = values.map((v) => Number(v.replace('inf', 'Infinity').replace('nan', 'NaN')));
          expect(numbers).toEqual([...(wanted ?? [])]);
        }
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('model files', () => {
  it('ships weights in half precision that open as the same model without optimiser', async () => {
    const policy = await tinyPolicy();
    const bytes = await policy.exportWeights();
    const opened = await MicroPolicy.open(bytes, 'base.safetensors', { name: 'opened', freezeVision: true });
    expect(opened.config).toEqual(policy.config);
    const [full, halved] = [await policy.save(), await opened.save()].map(
      (b) => readSafetensors(b, 'x').tensors,
    );
    expect([...(halved?.keys() ?? [])]).toEqual([...(full?.keys() ?? [])]);
    for (const [name, { shape, data }] of full ?? []) {
      expect(halved?.get(name)).toEqual({ shape, data: fromHalf(toHalf(data)) });
    }
    expect([...(await opened.exportWeights())]).toEqual([...bytes]);
    policy.dispose();
    opened.dispose();
  });

  it('refuses files that hold no model, or not all of one', async () => {
    const policy = await tinyPolicy();
    const file = readSafetensors(await policy.save(), 'x');
    const read = (changed: TensorFile): unknown =>
      readMicroFile(policy.jax, writeSafetensors(changed), 'm.safetensors');
    expect(() => read({ ...file, metadata: {} })).toThrow('m.safetensors');
    expect(() => read({ ...file, metadata: { ...file.metadata, config: '{' } })).toThrow(DataError);
    const tensors = new Map(file.tensors);
    tensors.delete('text.blocks.1.up');
    expect(() => read({ ...file, tensors })).toThrow('lacks text.blocks.1.up');
    policy.dispose();
  });
});
