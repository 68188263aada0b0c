/** One tag of a page, as written. */
export interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly closing: boolean;
}

const VOID = new Set(['meta', 'img', 'br', 'hr', 'link', 'input']);
const SVG_EMPTY = /\/$/;

export interface Parsed {
  readonly tags: readonly Tag[];
  /** What is wrong with the nesting or the quoting, in words; empty when the page is sound. */
  readonly problems: readonly string[];
  /** Text outside of tags, styles left out. */
  readonly text: string;
}

/**
 * Reads a page strictly: every `<` begins a tag with quoted attributes, every element that must be closed is, in order. Much
 * stricter than HTML, which is the point: what gets through here has no second reading.
 */
export function parsePage(page: string): Parsed {
  const tags: Tag[] = [];
  const problems: string[] = [];
  const open: string[] = [];
  let text = '';
  let at = 0;
  while (at < page.length) {
    const start = page.indexOf('<', at);
    text += page.slice(at, start < 0 ? undefined : start);
    if (start < 0) break;
    const end = endOfTag(page, start);
    const source = page.slice(start + 1, end);
    at = end + 1;
    if (/^!doctype html$/i.test(source)) continue;
    const match = /^(\/?)([a-z][a-z0-9]*)((?:\s+[a-z][a-z0-9-]*(?:="[^"<]*")?)*)\s*(\/?)$/i.exec(source);
    if (!match) {
      problems.push(`not a tag: <${source.slice(0, 60)}>`);
      continue;
    }
    const [, slash, name = '', rest = ''] = match;
    const attributes = new Map(
      [...rest.matchAll(/([a-z][a-z0-9-]*)(?:="([^"]*)")?/gi)].map(([, key = '', value = '']) => [
        key,
        value,
      ]),
    );
    const written = (rest.match(/[a-z][a-z0-9-]*(?:="[^"]*")?/gi) ?? []).length;
    if (attributes.size !== written) problems.push(`<${name}> has an attribute twice`);
    tags.push({ name, attributes, closing: slash === '/' });
    if (slash) {
      const last = open.pop();
      if (last !== name) problems.push(`</${name}> closes <${last}>`);
    } else if (name === 'style' || name === 'script') {
      at = page.indexOf(`</${name}>`, at) + name.length + 3;
    } else if (!VOID.has(name) && !SVG_EMPTY.test(source)) open.push(name);
  }
  if (open.length > 0) problems.push(`left open: ${open.join(', ')}`);
  return { tags, problems, text };
}

/** The `>` that ends a tag; one inside of quotes doesn't. */
function endOfTag(page: string, start: number): number {
  let quoted = false;
  for (let i = start; i < page.length; i++) {
    if (page[i] === '"') quoted = !quoted;
    else if (page[i] === '>' && !quoted) return i;
  }
  return page.length;
}

interface Branch {
  readonly line: string;
  readonly inside: Branch[];
}

const SHOWN = /^(header|nav|main|section|footer|h[1-6]|figure|article|table|details|summary|dl|svg|img)$/;

/**
 * The landmarks, headings, panels, charts, tables and cards of a page, one a line, indented by depth: its shape without its
 * numbers. What is there several times in a row is named once, and keys of legends are left out, so that other random tasks
 * have the same shape.
 */
export function outline(page: string): string {
  const root: Branch = { line: '', inside: [] };
  const path: Branch[] = [root];
  for (const { name, attributes, closing } of parsePage(page).tags) {
    if (!SHOWN.test(name)) continue;
    if (closing) {
      path.pop();
      continue;
    }
    const id = attributes.get('id');
    const kind = attributes.get('class');
    const branch: Branch = {
      line: `${name}${id ? `#${id}` : ''}${kind ? `.${kind.split(' ').join('.')}` : ''}`,
      inside: [],
    };
    if (!branch.line.startsWith('svg.tone')) path.at(-1)?.inside.push(branch);
    if (name !== 'img') path.push(branch);
  }
  return written(root.inside, '');
}

function written(branches: readonly Branch[], indent: string): string {
  const texts = branches.map(({ line, inside }) => `${indent}${line}\n${written(inside, `${indent}  `)}`);
  return texts.filter((text, i) => text !== texts[i - 1]).join('');
}

/** What a reader reads in an element of this class, tags left out; of the first such element. */
export function textOf(page: string, className: string): string {
  const start = page.search(
    new RegExp(
      `<[a-z0-9]+[^>]* class="[^"]*\\b${className}\\b[^"]*"|<[a-z0-9]+ class="[^"]*\\b${className}\\b[^"]*"`,
    ),
  );
  if (start < 0) return '';
  const name = /^<([a-z0-9]+)/.exec(page.slice(start))?.[1] ?? '';
  const inner = page.slice(page.indexOf('>', start) + 1, page.indexOf(`</${name}>`, start));
  return inner
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
