/** JSON in what a model wrote. */

/** A text that is one JSON array; null when it isn't. */
export function wholeJsonArray(text: string): readonly unknown[] | null {
  try {
    const json: unknown = JSON.parse(text);
    return Array.isArray(json) ? json : null;
  } catch {
    return null;
  }
}

/** The first JSON array in a text, after its thinking where there is any; null when there is none. */
export function firstJsonArray(text: string): readonly unknown[] | null {
  const thought = text.lastIndexOf('</think>');
  const said = thought < 0 ? text : text.slice(thought + '</think>'.length);
  for (let start = said.indexOf('['); start >= 0; start = said.indexOf('[', start + 1)) {
    const end = closingBracket(said, start);
    const array = end < 0 ? null : wholeJsonArray(said.slice(start, end + 1));
    if (array) return array;
  }
  return null;
}

/** Where the bracket at `start` is closed, strings skipped; -1 when it isn't. */
function closingBracket(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char === '\\') i++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '[') depth++;
    else if (char === ']' && --depth === 0) return i;
  }
  return -1;
}
