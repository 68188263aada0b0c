/** Text that is markup already. Made by `html` alone, so that nothing gets into a page without being escaped. */
export class Markup {
  constructor(readonly text: string) {}
}

/** What may stand in a template: text is escaped, markup isn't, lists are joined, nothing is left out. */
export type Content = Markup | string | number | readonly Content[] | null | undefined | false;

/**
 * Markup from a template. Every text put into it is escaped for elements and for quoted attributes alike; attributes
 * must be written in double quotes.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  let text = parts[0] ?? '';
  values.forEach((value, i) => {
    text += rendered(value) + (parts[i + 1] ?? '');
  });
  return new Markup(text);
}

function rendered(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(rendered).join('');
  return escapeText(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Control characters and lone surrogates have no place in HTML, and the marks that turn the direction of writing could
 * make text read as what it isn't.
 */
const UNFIT = /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]|\p{Surrogate}|\p{Noncharacter_Code_Point}/gu;

/** Text of unknown origin as HTML shows it: nothing in it is read as markup, and what HTML can't hold becomes U+FFFD. */
export function escapeText(text: string): string {
  return text.replace(UNFIT, '\ufffd').replace(/[&<>"']/g, (mark) => ENTITIES[mark] as string);
}

/** Cuts a text at `length` characters and says how many are left out. */
export function shortened(text: string, length: number): string {
  const characters = Array.from(text);
  const rest = characters.length - length;
  return rest <= 0 ? text : `${characters.slice(0, length).join('')}… (${rest} more characters)`;
}
