import { SaxesParser, type SaxesAttributeNS, type SaxesTagNS } from 'saxes';
import { ok, type Result } from '../../core/result.js';
import {
  ELEMENTS,
  FILTER_PARTS,
  FILTER_STEPS,
  NOTES,
  STEP_LIMITS,
  SVG_NAMESPACE,
  XLINK_NAMESPACE,
} from './names.js';
import { expandedSize, referencesOf, type SvgNode } from './references.js';
import { sizeOf, withSize } from './size.js';
import {
  DEFAULT_SVG_LIMITS,
  type CheckedSvg,
  type SvgLimits,
  type SvgProblem,
  type SvgRejection,
} from './types.js';

/** Ends the parse; never leaves this file. */
class Refusal extends Error {
  constructor(
    readonly reason: SvgProblem,
    detail: string,
  ) {
    super(detail);
  }
}

/**
 * Whether markup of unknown origin may be drawn: well-formed, no document type, no script, no reference out of itself, only
 * known elements, and within the limits. A namespace declaration that is missing is added, since models often leave it out.
 */
export function checkSvg(
  markup: string,
  limits: SvgLimits = DEFAULT_SVG_LIMITS,
): Result<CheckedSvg, SvgRejection> {
  const text = markup.replace(/^\uFEFF/, '').trim();
  const bytes = Buffer.byteLength(text, 'utf8');
  if (bytes > limits.bytes) return refused('too-large', `${bytes} bytes, at most ${limits.bytes}`);
  if (!/<(\w+:)?svg[\s>/]/.test(text)) return refused('not-found', 'there is no <svg> element');
  const declared = declareNamespaces(text);
  const checker = new Checker(limits);
  const parser = new SaxesParser({ xmlns: true, position: true });
  const at = (): { line: number; column: number } => ({ line: parser.line, column: parser.column + 1 });
  parser.on('error', (error) => {
    // The message begins with the position, which is given apart.
    throw new Refusal('syntax', error.message.replace(/^\d+:\d+: /, ''));
  });
  parser.on('doctype', () => {
    throw new Refusal('forbidden', 'a document type');
  });
  parser.on('processinginstruction', ({ target }) => {
    throw new Refusal('forbidden', `the processing instruction ${shown(target)}`);
  });
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^(utf-8|us-ascii|ascii)$/i.test(encoding)) {
      throw new Refusal('forbidden', `the encoding ${shown(encoding)}, only UTF-8 is read`);
    }
  });
  parser.on('opentag', (tag) => checker.open(tag));
  parser.on('closetag', () => checker.close());
  parser.on('text', (content) => checker.text(content));
  parser.on('cdata', (content) => checker.text(content));
  try {
    parser.write(declared).close();
    const checked = checker.finish();
    return ok({ markup: withSize(declared, checked), ...checked });
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return { ok: false, error: { reason: cause.reason, detail: cause.message, position: at() } };
  }
}

function refused(reason: SvgProblem, detail: string): { readonly ok: false; readonly error: SvgRejection } {
  return { ok: false, error: { reason, detail } };
}

function declareNamespaces(text: string): string {
  const tag = /<svg(?=[\s>/])[^>]*/.exec(text)?.[0] ?? '';
  const missing =
    (/\sxmlns\s*=/.test(tag) ? '' : ` xmlns="${SVG_NAMESPACE}"`) +
    (/\bxlink:/.test(text) && !/\sxmlns:xlink\s*=/.test(text) ? ` xmlns:xlink="${XLINK_NAMESPACE}"` : '');
  return missing === '' || tag === '' ? text : text.replace(/<svg(?=[\s>/])/, `<svg${missing}`);
}

function shown(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 37)}...` : name);
}

/** Looks at one document element by element. */
class Checker {
  readonly #limits: SvgLimits;
  readonly #open: SvgNode[] = [];
  readonly #byId = new Map<string, SvgNode>();
  #root: SvgNode | null = null;
  #size: { readonly width: number; readonly height: number } | null = null;
  #elements = 0;
  #pathCommands = 0;
  #filterSteps = 0;

  constructor(limits: SvgLimits) {
    this.#limits = limits;
  }

  open(tag: SaxesTagNS): void {
    const { elements, nesting } = this.#limits;
    if (++this.#elements > elements) throw new Refusal('too-large', `more than ${elements} elements`);
    if (this.#open.length >= nesting) throw new Refusal('too-large', `nested more than ${nesting} deep`);
    if (this.#open.length === 0) {
      if (tag.local !== 'svg') throw new Refusal('not-found', `the root element is <${tag.name}>`);
      this.#size = this.#measure(tag);
    }
    this.#checkName(tag);
    const node: SvgNode = { name: tag.local, children: [], references: [] };
    for (const attribute of Object.values(tag.attributes)) this.#checkAttribute(tag, attribute, node);
    this.#open.at(-1)?.children.push(node);
    this.#root ??= node;
    this.#open.push(node);
  }

  close(): void {
    this.#open.pop();
  }

  text(content: string): void {
    const inside = this.#open.at(-1);
    if (inside?.name !== 'style') return;
    checkStyle(content);
    inside.references.push(...referencesOf(content));
  }

  finish(): Omit<CheckedSvg, 'markup'> {
    if (!this.#root || !this.#size) throw new Refusal('not-found', 'there is no <svg> element');
    const { expanded } = this.#limits;
    const size = expandedSize(this.#root, this.#byId, expanded);
    if (size === 'circular') throw new Refusal('forbidden', 'elements that refer to themselves');
    if (size > expanded) {
      throw new Refusal('too-large', `more than ${expanded} elements once references are followed`);
    }
    return { ...this.#size, elements: this.#elements };
  }

  #measure(tag: SaxesTagNS): { readonly width: number; readonly height: number } {
    const size = sizeOf((name) => tag.attributes[name]?.value);
    if (typeof size === 'string') throw new Refusal('too-large', size);
    const { pixels, side } = this.#limits;
    const { width, height } = size;
    if (Math.max(width, height) > side || width * height > pixels) {
      throw new Refusal(
        'too-large',
        `${width} x ${height} pixels, at most ${side} a side and ${pixels} in all`,
      );
    }
    return size;
  }

  #checkName({ uri, local, name }: SaxesTagNS): void {
    if (NOTES.has(uri)) return;
    if (uri !== SVG_NAMESPACE) throw new Refusal('forbidden', `the element <${name}> of ${shown(uri)}`);
    if (ELEMENTS.has(local) || FILTER_PARTS.has(local)) return;
    if (!FILTER_STEPS.has(local)) throw new Refusal('forbidden', `the element <${name}>`);
    if (++this.#filterSteps > this.#limits.filterSteps) {
      throw new Refusal('too-large', `more than ${this.#limits.filterSteps} filter steps`);
    }
  }

  #checkAttribute(tag: SaxesTagNS, { name, local, prefix, value }: SaxesAttributeNS, node: SvgNode): void {
    const embedded = local === 'href' && value.startsWith('data:');
    const longest = embedded ? this.#limits.embedded : this.#limits.attribute;
    if (value.length > longest) {
      throw new Refusal('too-large', `${name} of <${tag.name}> is longer than ${longest} characters`);
    }
    if (prefix === 'xmlns' || name === 'xmlns') return;
    if (/^on/i.test(local)) throw new Refusal('forbidden', `the attribute ${name}`);
    if (prefix === 'xml' && local === 'base') throw new Refusal('forbidden', 'the attribute xml:base');
    if (local === 'href' || local === 'src') checkTarget(tag.local, name, value);
    else checkStyle(value);
    if (local === 'id') this.#byId.set(value, node);
    node.references.push(
      ...(local === 'href' && value.startsWith('#') ? [value.slice(1)] : referencesOf(value)),
    );
    if (local === 'd' || local === 'points') this.#countCommands(local, value);
    const most = FILTER_STEPS.has(tag.local) ? STEP_LIMITS.get(local) : undefined;
    if (most !== undefined && value.split(/[\s,]+/).some((part) => Number(part) > most)) {
      throw new Refusal('too-large', `${name} of <${tag.name}> is over ${most}`);
    }
  }

  #countCommands(local: string, value: string): void {
    // Every number at worst ends a command of its own: letters may be left out between repeats.
    this.#pathCommands +=
      local === 'd' ? countOf(value, /[A-Za-z]|[\d.]+/g) / 2 : countOf(value, /[\d.]+/g) / 2;
    if (this.#pathCommands > this.#limits.pathCommands) {
      throw new Refusal('too-large', `more than ${this.#limits.pathCommands} drawing commands`);
    }
  }
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count++;
  return count;
}

const EMBEDDED = /^data:image\/(png|jpe?g|gif|webp);base64,[A-Za-z0-9+/\s]*={0,2}\s*$/;

/** References lead to elements of the same document, or hold a small bitmap themselves. */
function checkTarget(element: string, name: string, value: string): void {
  const target = value.trim();
  if (target.startsWith('#') || target === '') return;
  const mayEmbed = element === 'image' || element === 'feImage';
  if (mayEmbed && EMBEDDED.test(target)) return;
  throw new Refusal('forbidden', `${name} of <${element}> leads to ${shown(target)}`);
}

/** Style text, and attributes that may hold a piece of one: nothing is fetched, and nothing is hidden behind escapes. */
function checkStyle(text: string): void {
  if (/\\/.test(text)) throw new Refusal('forbidden', 'a backslash in a style or an attribute');
  if (/@(import|font-face|namespace|charset)/i.test(text))
    throw new Refusal('forbidden', 'a rule that loads something');
  for (const match of text.matchAll(/url\s*\(\s*(['"]?)\s*([^)]*)/gi)) {
    const target = match[2] ?? '';
    if (!target.startsWith('#')) throw new Refusal('forbidden', `url(${shown(target.trim())})`);
  }
}
