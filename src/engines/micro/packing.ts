import { DataError } from '../../core/errors.js';
import { promptText, promptImages, type Prompt } from '../../core/prompt.js';
import type { Image } from '../../core/image.js';
import type { MicroConfig } from './config.js';
import type { GroupShape } from './decoder.js';
import { BEGIN, PAD, type Tokenizer } from './tokenizer.js';

/** The slots of one compiled call: block b holds one prompt and up to K rows of type R. */
export interface Block<R> {
  readonly prompt: Prompt;
  readonly rows: R[];
}

/**
 * Sorts rows into blocks of one prompt object each, at most `K` rows a block, in order of first appearance.
 */
export function packByPrompt<R>(
  entries: Iterable<{ prompt: Prompt; rows: readonly R[] }>,
  K: number,
): Block<R>[] {
  const blocks: Block<R>[] = [];
  const open = new Map<Prompt, Block<R>>();
  for (const { prompt, rows } of entries) {
    for (const row of rows) {
      let block = open.get(prompt);
      if (!block || block.rows.length >= K) {
        block = { prompt, rows: [] };
        blocks.push(block);
        open.set(prompt, block);
      }
      block.rows.push(row);
    }
  }
  return blocks;
}

/**
 * The compiled shape for these rows: the one with the smallest K that holds the largest group, else the largest K.
 * Throws when there is none.
 */
export function chooseShape(shapes: readonly GroupShape[], largestGroup: number): GroupShape {
  const sorted = [...shapes].sort((a, b) => a.K - b.K);
  const shape = sorted.find((s) => s.K >= largestGroup) ?? sorted.at(-1);
  if (!shape) throw new Error('the micro engine was given no batch shape');
  return shape;
}

/** Largest number of rows that share one prompt object. */
export function largestGroup(entries: Iterable<{ prompt: Prompt; rows: number }>): number {
  const counts = new Map<Prompt, number>();
  for (const { prompt, rows } of entries) counts.set(prompt, (counts.get(prompt) ?? 0) + rows);
  return Math.max(1, ...counts.values());
}

/** Prompts of one call, padded on the left: ids and mask, each flat [B, P]. Missing prompts are all padding but one token. */
export function promptArrays(
  prompts: readonly Prompt[],
  config: MicroConfig,
  tokenizer: Tokenizer,
  B: number,
): { ids: Int32Array; mask: Float32Array } {
  const P = config.promptLength;
  const ids = new Int32Array(B * P).fill(PAD);
  const mask = new Float32Array(B * P);
  for (let b = 0; b < B; b++) {
    const prompt = prompts[b];
    const tokens = prompt ? tokenizer.encode(promptText(prompt)) : Int32Array.of(BEGIN);
    if (tokens.length > P) {
      throw new DataError(
        'prompt',
        null,
        `${tokens.length} tokens are more than the micro model's ${P}; a prompt is never cut`,
      );
    }
    ids.set(tokens, (b + 1) * P - tokens.length);
    mask.fill(1, (b + 1) * P - tokens.length, (b + 1) * P);
  }
  return { ids, mask };
}

/** The one picture of a prompt for a model that reads pictures. Throws a DataError on any other number of pictures. */
export function onlyImage(prompt: Prompt, config: MicroConfig): Image | null {
  const images = promptImages(prompt);
  const wanted = config.vision ? 1 : 0;
  if (images.length !== wanted) {
    throw new DataError('prompt', null, `the micro model reads ${wanted} picture(s), got ${images.length}`);
  }
  return images[0] ?? null;
}
