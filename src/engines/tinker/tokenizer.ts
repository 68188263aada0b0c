import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Template } from '@huggingface/jinja';
import { Tokenizer } from '@huggingface/tokenizers';
import { z } from 'zod';
import { DataError } from '../../core/errors.js';
import { promptImages, type Prompt } from '../../core/prompt.js';
import { encodePng } from '../../render/index.js';
import { imageSizing, imageTokens, type ImageSizing } from './image-tokens.js';
import type { Chunk } from './protocol.js';

const IMAGE = '<|image_pad|>';

/** What is used of the library's tokenizer, whose own declarations don't resolve under ES modules. */
interface Ids {
  encode(text: string, options: { add_special_tokens: boolean }): { readonly ids: number[] };
  decode(ids: number[], options: { skip_special_tokens: boolean }): string;
  token_to_id(token: string): number | undefined;
  get_added_tokens_decoder(): Map<number, { readonly content: string }>;
}
const IdTokenizer = Tokenizer as unknown as new (tokenizer: object, config: object) => Ids;

const config = z.looseObject({ eos_token: z.string(), chat_template: z.string().nullish() });

/** A prompt as the server is sent it, and its length in tokens, images included. */
export interface EncodedPrompt {
  readonly chunks: readonly Chunk[];
  readonly length: number;
}

/** Tokenizer, chat template and image rule of a Hugging Face model folder of the Qwen family. */
export class ModelText {
  readonly endToken: number;
  readonly #imageToken: number | undefined;
  readonly #special: readonly string[];
  readonly #known = new WeakMap<Prompt, Promise<EncodedPrompt>>();

  private constructor(
    private readonly folder: string,
    private readonly tokenizer: Ids,
    private readonly template: Template,
    private readonly sizing: ImageSizing | null,
    end: string,
  ) {
    const id = tokenizer.token_to_id(end);
    if (id === undefined) throw new DataError(folder, null, `the tokenizer has no token ${end}`);
    this.endToken = id;
    this.#imageToken = tokenizer.token_to_id(IMAGE);
    this.#special = [...tokenizer.get_added_tokens_decoder().values()].map((token) => token.content);
  }

  /** Throws a DataError when a file is missing or isn't what its name says. */
  static open(folder: string): ModelText {
    const settings = readJson(folder, 'tokenizer_config.json');
    const checked = config.safeParse(settings);
    if (!checked.success)
      throw new DataError(path.join(folder, 'tokenizer_config.json'), null, 'names no eos_token');
    const jinja = path.join(folder, 'chat_template.jinja');
    const template = existsSync(jinja) ? readFileSync(jinja, 'utf8') : checked.data.chat_template;
    if (!template)
      throw new DataError(
        folder,
        null,
        'has no chat template (chat_template.jinja or tokenizer_config.json)',
      );
    const processor = path.join(folder, 'preprocessor_config.json');
    return new ModelText(
      folder,
      new IdTokenizer(readJson(folder, 'tokenizer.json'), checked.data),
      new Template(template),
      existsSync(processor) ? imageSizing(processor, readJson(folder, 'preprocessor_config.json')) : null,
      checked.data.eos_token,
    );
  }

  /** The prompt under the chat template, ready for an answer. The same object is encoded once. */
  prompt(prompt: Prompt): Promise<EncodedPrompt> {
    let known = this.#known.get(prompt);
    if (!known) {
      known = this.#encode(prompt);
      this.#known.set(prompt, known);
    }
    return known;
  }

  /** Ids of an answer with the end token. Throws a DataError on text that holds a special token. */
  answer(text: string): Int32Array {
    this.#refuseSpecial(text);
    return Int32Array.from([...this.#ids(text), this.endToken]);
  }

  /** Text of ids without special tokens. */
  decode(tokens: ArrayLike<number>): string {
    return this.tokenizer.decode(Array.from(tokens), { skip_special_tokens: true });
  }

  /** Where a picture placeholder stands in what a model wrote, -1 where there is none: no picture belongs to it. */
  strayImage(tokens: readonly number[]): number {
    return this.#imageToken === undefined ? -1 : tokens.indexOf(this.#imageToken);
  }

  async #encode(prompt: Prompt): Promise<EncodedPrompt> {
    const images = promptImages(prompt);
    const messages = prompt.messages.map(({ role, content }) => {
      for (const part of content) if (part.type === 'text') this.#refuseSpecial(part.text);
      const plain = content.every((part) => part.type === 'text');
      return {
        role,
        content: plain
          ? content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
          : content.map((part) => (part.type === 'text' ? part : { type: 'image' })),
      };
    });
    const text = this.template.render({ messages, add_generation_prompt: true, enable_thinking: false });
    const pieces = text.split(IMAGE);
    if (pieces.length !== images.length + 1 || (images.length > 0 && !this.sizing)) {
      throw new DataError(this.folder, null, `the model reads no images, but a prompt has ${images.length}`);
    }
    const chunks: Chunk[] = [];
    let length = 0;
    for (const [i, piece] of pieces.entries()) {
      const tokens = this.#ids(piece);
      if (tokens.length > 0) chunks.push({ type: 'encoded_text', tokens });
      length += tokens.length;
      const image = images[i];
      if (!image || !this.sizing) continue;
      const expected = imageTokens(image.width, image.height, this.sizing);
      const data = Buffer.from(await encodePng(image)).toString('base64');
      chunks.push({ type: 'image', data, format: 'png', expected_tokens: expected });
      length += expected;
    }
    return { chunks, length };
  }

  #ids(text: string): number[] {
    return text === '' ? [] : this.tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  #refuseSpecial(text: string): void {
    const found = this.#special.find((token) => text.includes(token));
    if (found) throw new DataError(this.folder, null, `a text holds the special token ${found}; take it out`);
  }
}

function readJson(folder: string, name: string): Record<string, unknown> {
  const file = path.join(folder, name);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch (cause) {
    throw new DataError(
      file,
      null,
      cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read; name a Hugging Face model folder',
    );
  }
}
