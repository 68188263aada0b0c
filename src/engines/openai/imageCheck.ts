import { contentHash } from '../../core/json.js';
import type { Asked } from './client.js';
import { endOf, fail } from './failures.js';
import { withoutImages } from './messages.js';
import type { WireMessage } from './wire.js';

/** Which answers to prompts with images are looked at: all, the first of every server, or none. */
export type ImageCheckMode = 'every' | 'first' | 'off';

/**
 * Tokens that a server counted for the images of a prompt; null when it wasn't looked at, or has none. Throws a ConfigError when the
 * server saw fewer than one token an image, or doesn't count.
 */
export type ImageCheck = (
  messages: readonly WireMessage[],
  images: number,
  asked: Asked,
  signal: AbortSignal,
) => Promise<number | null>;

/**
 * A server that drops images without a word counts a prompt as high with them as without: the images of a prompt cost what it costs
 * beyond its text alone, and each must cost at least one token. Where the answer tells the tokens of images apart
 * (`prompt_tokens_details`), that number is taken; elsewhere the text alone is asked for once, with one token to write.
 *
 * @param textTokens what messages without images cost in tokens; null when the server doesn't count
 */
export function imageCheck(
  mode: ImageCheckMode,
  textTokens: (messages: readonly WireMessage[], signal: AbortSignal) => Promise<number | null>,
): ImageCheck {
  const known = new Map<string, Promise<number | null>>();
  const lookedAt = new Set<string>();

  const textCost = async (messages: readonly WireMessage[], signal: AbortSignal): Promise<number | null> => {
    const text = withoutImages(messages);
    const key = contentHash(text);
    const cost = known.get(key) ?? textTokens(text, signal);
    known.set(key, cost);
    try {
      return await cost;
    } catch (cause) {
      known.delete(key);
      throw cause;
    }
  };

  return async (messages, images, { answer, url, tries }, signal) => {
    if (mode === 'off' || images === 0 || (mode === 'first' && lookedAt.has(url))) return null;
    lookedAt.add(url);
    const usage = answer.usage;
    const text = usage?.imageTokens === null ? await textCost(messages, signal) : 0;
    if (!usage || text === null) throw endOf(fail('no-usage', 'no usage').error, url, tries);
    const tokens = usage.imageTokens ?? usage.promptTokens - text;
    if (tokens >= images) return tokens;
    const said = `${usage.promptTokens} prompt tokens with ${images} ${images === 1 ? 'image' : 'images'}`;
    const detail =
      usage.imageTokens === null
        ? `${said}, ${text} without: it saw none`
        : `${said}, ${usage.imageTokens} of them for images: it saw none`;
    throw endOf(fail('image-not-seen', detail).error, url, tries);
  };
}
