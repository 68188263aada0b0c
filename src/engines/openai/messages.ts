import type { Image } from '../../core/image.js';
import type { Message, Prompt } from '../../core/prompt.js';
import { encodePng } from '../../render/index.js';
import type { WireMessage, WirePart } from './wire.js';

/** A prompt as it goes over the wire: images as PNG in data URLs, in their places. */
export async function wireMessages(prompt: Prompt): Promise<WireMessage[]> {
  return Promise.all(prompt.messages.map(wireMessage));
}

/** The same prompt without its images; what it costs tells what they cost. */
export function withoutImages(messages: readonly WireMessage[]): WireMessage[] {
  return messages.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.filter(({ type }) => type === 'text'),
  }));
}

async function wireMessage({ role, content }: Message): Promise<WireMessage> {
  const parts = await Promise.all(
    content.map(async (part): Promise<WirePart> =>
      part.type === 'text'
        ? { type: 'text', text: part.text }
        : { type: 'image_url', image_url: { url: await dataUrl(part.image) } },
    ),
  );
  // Servers without vision often take nothing but a string.
  const only = parts.length === 1 ? parts[0] : undefined;
  return { role, content: only?.type === 'text' ? only.text : parts };
}

async function dataUrl(image: Image): Promise<string> {
  const png = await encodePng(image);
  return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
}
