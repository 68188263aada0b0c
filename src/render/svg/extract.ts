import { ok, type Result } from '../../core/result.js';
import type { SvgRejection } from './types.js';

const FENCE = /```[\w+-]*[^\S\n]*\n([\s\S]*?)```/g;

/**
 * The drawing in what a model wrote: the last fenced block with an `<svg`, else everything from the first `<svg` to the last
 * `</svg>`. Markup that is never closed is given to its end, so that the check can say so. Refused as `not-found`.
 */
export function extractSvg(completion: string): Result<string, SvgRejection> {
  const fenced = [...completion.matchAll(FENCE)].map((match) => match[1] ?? '').filter(hasSvg);
  const source = fenced.at(-1) ?? completion;
  const start = source.search(/<svg[\s>/]/);
  if (start < 0) return { ok: false, error: { reason: 'not-found', detail: 'there is no <svg> element' } };
  const end = source.lastIndexOf('</svg>');
  return ok(end > start ? source.slice(start, end + '</svg>'.length) : source.slice(start).trimEnd());
}

function hasSvg(text: string): boolean {
  return /<svg[\s>/]/.test(text);
}
