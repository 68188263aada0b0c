/** Quotes that open a string of Python, the longer first. */
const QUOTES = ['"""', "'''", '"', "'"] as const;

/**
 * The line, from 1, of the first comment in Python code; null when it has none. A `#` in a string is none. Reads code of any kind
 * without complaint, also what is no Python: an unclosed string of one line ends with it, as Python's tokenizer has it. Linear in
 * the code's length.
 */
export function commentLine(code: string): number | null {
  let line = 1;
  for (let at = 0; at < code.length; at++) {
    const quote = QUOTES.find((mark) => code.startsWith(mark, at));
    if (quote !== undefined) {
      const end = stringEnd(code, at + quote.length, quote);
      line += lineEnds(code, at, end);
      at = end - 1;
    } else if (code[at] === '#') return line;
    else line += lineEnds(code, at, at + 1);
  }
  return null;
}

/** Where the string whose text begins at `from` has ended: behind its quote, or at its line's or the code's end. */
function stringEnd(code: string, from: number, quote: string): number {
  const oneLine = quote.length === 1;
  for (let at = from; at < code.length; at++) {
    // A backslash takes the next mark with it; \r\n is one mark. In raw strings too: r"\"" is one string.
    if (code[at] === '\\') at += code.startsWith('\r\n', at + 1) ? 2 : 1;
    else if (oneLine && (code[at] === '\n' || code[at] === '\r')) return at;
    else if (code.startsWith(quote, at)) return at + quote.length;
  }
  return code.length;
}

/** Line ends that begin in [from, to): \n, \r or \r\n. */
function lineEnds(code: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    if (code[at] === '\r' || (code[at] === '\n' && code[at - 1] !== '\r')) count++;
  }
  return count;
}
