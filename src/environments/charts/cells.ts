/** What stands in one cell. */
export type Cell =
  | {
      readonly kind: 'number';
      readonly value: number;
      readonly decimals: number;
      readonly unit: string | null;
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'text'; readonly text: string };

const MISSING = /^(?:|-|–|—|nan|n\/?a|null|none|\.\.\.?|…|\*)$/i;
const CURRENCY = /^[$€£¥]/;
const NUMBER = /^[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i;

/**
 * Reads a cell: a number with its unit (a leading currency sign, a trailing `%`), nothing, or text. Thousands are set off by
 * commas, thin or plain spaces in groups of three; minus is any of its signs, or brackets around the number. `1.234,5` is text:
 * it could be read in two ways.
 */
export function readCell(source: string): Cell {
  const text = source.normalize('NFKC').trim();
  if (MISSING.test(text)) return { kind: 'missing' };
  const bracketed = /^\(([^()]+)\)$/.exec(text);
  let rest = (bracketed?.[1] ?? text).replace(/[−‐‑–]/g, '-').trim();
  let unit: string | null = null;
  const percent = /^(.*\S)\s?%$/.exec(rest);
  if (percent) {
    rest = percent[1] as string;
    unit = '%';
  }
  const sign = /^([+-]?)\s?([$€£¥])\s?(.*)$/.exec(rest);
  if (unit === null && sign && CURRENCY.test(sign[2] as string)) {
    rest = `${sign[1] ?? ''}${sign[3] ?? ''}`;
    unit = sign[2] as string;
  }
  const digits = /^[+-]?\d{1,3}(?:[\u00a0\u2009\u202f ]\d{3})+(?:\.\d+)?$/.test(rest)
    ? rest.replace(/[\u00a0\u2009\u202f ]/g, '')
    : rest;
  if (!NUMBER.test(digits) || !/\d/.test(digits)) return { kind: 'text', text: source.trim() };
  const value = Number(digits.replaceAll(',', ''));
  if (!Number.isFinite(value)) return { kind: 'text', text: source.trim() };
  const decimals = /\.(\d+)/.exec(digits)?.[1]?.length ?? 0;
  return { kind: 'number', value: (bracketed ? -value : value) + 0, decimals, unit };
}
