import type { EncodedPrompt } from './tokenizer.js';
import type { Datum, TensorData } from './protocol.js';

/** A completion with one number of each kind a token, as a loss takes it. */
export interface Row {
  readonly prompt: EncodedPrompt;
  readonly tokens: Int32Array;
  /** Tensors of the loss besides the targets, each as long as `tokens`. */
  readonly inputs: Readonly<Record<string, ArrayLike<number>>>;
}

/**
 * Input and targets, shifted by one: position p of the input predicts p + 1. The prompt's targets, images included, are
 * 0 and carry 0 in every tensor; only the completion counts.
 */
export function datum({ prompt, tokens, inputs }: Row): Datum {
  const before = prompt.length - 1;
  const padded = (values: ArrayLike<number>): number[] => [
    ...new Array<number>(before).fill(0),
    ...Array.from(values),
  ];
  const target_tokens = tensor(padded(tokens), 'int64');
  const rest = Object.entries(inputs).map(([name, values]) => {
    if (values.length !== tokens.length)
      throw new Error(`${name}: ${values.length} numbers for ${tokens.length} tokens`);
    return [name, tensor(padded(values), 'float32')] as const;
  });
  const written = Array.from(tokens.subarray(0, -1));
  const chunks =
    written.length > 0
      ? [...prompt.chunks, { type: 'encoded_text', tokens: written } as const]
      : prompt.chunks;
  return { model_input: { chunks }, loss_fn_inputs: { target_tokens, ...Object.fromEntries(rest) } };
}

function tensor(data: number[], dtype: TensorData['dtype']): TensorData {
  return { data, dtype, shape: [data.length] };
}
