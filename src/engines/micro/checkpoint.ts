import { DataError } from '../../core/errors.js';
import type { MicroConfig } from './config.js';
import type { Jax, NdArray } from './jax.js';
import type { Block, TextParams, VisionParams } from './model.js';
import { readSafetensors, writeSafetensors, type Tensor } from './safetensors.js';

/** Everything a policy is made of. Arrays are owned by whoever holds this. */
export interface MicroWeights {
  readonly vision: VisionParams | null;
  readonly text: TextParams;
  /** Adam's moments in the order of the trainable tree; null before the first step. */
  readonly moments: { readonly first: NdArray[]; readonly second: NdArray[] } | null;
  /** Optimiser steps taken. */
  readonly steps: number;
}

const FORMAT = 'covolve-micro-1';

type Named = { [key: string]: NdArray | Block[] };

/** Names every array of a parameter tree, e.g. `text.blocks.0.query`. */
function named(prefix: string, params: Named): Array<[string, NdArray]> {
  return Object.entries(params).flatMap(([key, value]): Array<[string, NdArray]> =>
    Array.isArray(value)
      ? value.flatMap((block, i) => named(`${prefix}.${key}.${i}`, block as Named))
      : [[`${prefix}.${key}`, value]],
  );
}

/** Writes weights (and moments, if any) as safetensors with config and vocabulary in the header. Borrows the arrays. */
export async function writeMicroFile(
  config: MicroConfig,
  weights: MicroWeights,
  precision: 'F32' | 'F16',
): Promise<Uint8Array> {
  const arrays = [
    ...named('text', weights.text),
    ...(weights.vision ? named('vision', weights.vision) : []),
    ...(weights.moments?.first.map((a, i): [string, NdArray] => [`adam.first.${i}`, a]) ?? []),
    ...(weights.moments?.second.map((a, i): [string, NdArray] => [`adam.second.${i}`, a]) ?? []),
  ];
  const tensors = new Map<string, Tensor>();
  for (const [name, array] of arrays) {
    const data = (await array.ref.data()) as Float32Array;
    tensors.set(name, { shape: array.shape, data: Float32Array.from(data) });
  }
  const metadata = { format: FORMAT, config: JSON.stringify(config), steps: String(weights.steps) };
  return writeSafetensors({ tensors, metadata }, precision);
}

function parseConfig(json: string, source: string): MicroConfig {
  try {
    return JSON.parse(json) as MicroConfig;
  } catch {
    throw new DataError(source, null, 'the model file describes no model: its config is not JSON');
  }
}

/** Reads what `writeMicroFile` wrote. Throws a DataError that names `source`. */
export function readMicroFile(
  jax: Jax,
  bytes: Uint8Array,
  source: string,
): { config: MicroConfig; weights: MicroWeights } {
  const { tensors, metadata } = readSafetensors(bytes, source);
  if (metadata['format'] !== FORMAT || metadata['config'] === undefined) {
    throw new DataError(source, null, `not a micro model (its format is not ${FORMAT})`);
  }
  const config = parseConfig(metadata['config'], source);
  const array = (name: string): NdArray => {
    const tensor = tensors.get(name);
    if (!tensor) throw new DataError(source, null, `the model file lacks ${name}`);
    return jax.numpy.array(tensor.data, { shape: [...tensor.shape] });
  };
  const block = (prefix: string, image: boolean): Block => ({
    norm1: array(`${prefix}.norm1`),
    norm2: array(`${prefix}.norm2`),
    query: array(`${prefix}.query`),
    key: array(`${prefix}.key`),
    value: array(`${prefix}.value`),
    out: array(`${prefix}.out`),
    up: array(`${prefix}.up`),
    down: array(`${prefix}.down`),
    ...(image ? { imageKey: array(`${prefix}.imageKey`), imageValue: array(`${prefix}.imageValue`) } : {}),
  });
  const blocks = (prefix: string, n: number, image: boolean): Block[] =>
    Array.from({ length: n }, (_, i) => block(`${prefix}.blocks.${i}`, image));
  const text: TextParams = {
    token: array('text.token'),
    promptPosition: array('text.promptPosition'),
    completionPosition: array('text.completionPosition'),
    norm: array('text.norm'),
    head: array('text.head'),
    blocks: blocks('text', config.layers, config.vision !== null),
  };
  const vision: VisionParams | null = config.vision && {
    patchIn: array('vision.patchIn'),
    patchBias: array('vision.patchBias'),
    patchOut: array('vision.patchOut'),
    position: array('vision.position'),
    norm: array('vision.norm'),
    label: array('vision.label'),
    labelBias: array('vision.labelBias'),
    blocks: blocks('vision', config.vision.layers, false),
  };
  const count = [...tensors.keys()].filter((name) => name.startsWith('adam.first.')).length;
  const list = (which: string): NdArray[] =>
    Array.from({ length: count }, (_, i) => array(`adam.${which}.${i}`));
  const moments = count > 0 ? { first: list('first'), second: list('second') } : null;
  return { config, weights: { vision, text, moments, steps: Number(metadata['steps'] ?? 0) } };
}
