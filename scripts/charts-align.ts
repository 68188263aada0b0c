import type { MicroConfig } from '../src/engines/micro/config.js';
import type { Tensor } from '../src/engines/micro/safetensors.js';

/**
 * Aligns fresh decoder weights with an encoder that names the ends of bars, as the text side of a real VLM is aligned with its
 * pictures: in every block one head of the word for a colour already looks for patches of that colour, and in the last one that
 * head says which value the patch shows. Everything else stays random. Labels are: an end is here, the colours, the values.
 */
export function alignWithBars(
  tensors: Map<string, Tensor>,
  { width: D, heads, layers, vocabulary, vision }: MicroConfig,
  colours: readonly string[],
  values: readonly string[],
): void {
  const labels = vision?.patchLabels ?? 0;
  const room = D / heads;
  if (Math.max(colours.length, values.length) > room) throw new Error(`a head of ${room} has no room`);
  const get = (name: string): Float32Array => {
    const tensor = tensors.get(name);
    if (!tensor) throw new Error(`the model lacks ${name}`);
    return tensor.data as Float32Array;
  };
  const idOf = (word: string): number => {
    const at = vocabulary.indexOf(word);
    if (at < 0) throw new Error(`the vocabulary lacks ${word}`);
    return at + 3;
  };
  const unit = (of: (i: number) => number): Float32Array => {
    const raw = Float32Array.from({ length: D }, (_, i) => of(i));
    const norm = Math.hypot(...raw);
    return raw.map((each) => each / norm);
  };
  const token = get('text.token');
  const label = get('vision.label');
  const output = get('text.head');
  const width = output.length / D;
  for (let layer = 0; layer < layers; layer++) {
    const query = get(`text.blocks.${layer}.query`);
    const key = get(`text.blocks.${layer}.imageKey`);
    colours.forEach((word, slot) => {
      const said = unit((i) => token[idOf(word) * D + i] as number);
      for (let i = 0; i < D; i++) {
        query[i * D + slot] = (layer === 0 ? 1 : 0.7) * (said[i] as number);
        key[i * D + slot] = 0.25 * (label[i * labels + 1 + slot] as number);
      }
    });
  }
  const value = get(`text.blocks.${layers - 1}.imageValue`);
  const out = get(`text.blocks.${layers - 1}.out`);
  values.forEach((word, slot) => {
    const written = unit((i) => output[i * width + idOf(word)] as number);
    for (let i = 0; i < D; i++) {
      value[i * D + slot] = 0.25 * (label[i * labels + 1 + colours.length + slot] as number);
      out[slot * D + i] = 0.5 * (written[i] as number);
    }
  });
}
