/** Longest answer that is read at all, in UTF-16 units. A longer one is no answer to a short question: it is never right. */
export const MAX_ANSWER_LENGTH = 2000;

/** Punctuation of prose and of markup around a word. Signs that can be part of a name (`+ # $ % & - @ /`) are not in it. */
const LEADING_PROSE = /^[\s"'`*_([{.,;:!?…]+/u;
const TRAILING_PROSE = /[\s"'`*_)\]}.,;:!?…]+$/u;

/** Around a number `.` may begin the fraction, `!` is a factorial, `?` a doubt and `<` a bound: none of these is dropped. */
const LEADING_OF_NUMBER = /^[\s"'`*_([{]+/u;
const TRAILING_OF_NUMBER = /[\s"'`*_)\]}.,;:]+$/u;

const SMALL_NUMBERS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** `five` to 5, `twenty-one` to 21; zero to ninety-nine. */
const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...SMALL_NUMBERS.map((word, n) => [word, n] as const),
  ...TENS.flatMap((tens, i) =>
    SMALL_NUMBERS.slice(0, 10).map(
      (unit, n) => [n === 0 ? tens : `${tens} ${unit}`, 20 + 10 * i + n] as const,
    ),
  ),
]);

const NUMBER =
  /^(?<outer>[+-])?\s?[$€£¥]?\s?(?<inner>[+-])?(?:(?<whole>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?<fraction>\d*))?|\.(?<bare>\d+))(?:e(?<exponent>[+-]?\d{1,4}))?\s?(?:%|percent|per cent)?$/;

/**
 * One spelling for what looks the same: composed letters (NFC), full-width forms as ASCII, one apostrophe, one quotation
 * mark, one minus, single spaces, no invisible joiners, lower case. Null for text over MAX_ANSWER_LENGTH. Compatibility
 * forms (NFKC) are left alone on purpose: they would turn `5²` into `52`.
 */
export function normaliseText(text: string): string | null {
  if (text.length > MAX_ANSWER_LENGTH) return null;
  return text
    .normalize('NFC')
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, '')
    .replace(/[\uff01-\uff5e]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0))
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[“”«»„]/g, '"')
    .replace(/[−‐‑–]/g, '-')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim();
}

/**
 * The key of a word answer: case, punctuation around it and a leading article (`the`, `a`, `an`, followed by something)
 * don't count, everything else does. Articles elsewhere stay: `vitamin A` is not `vitamin`. Null when nothing is left.
 */
export function wordKey(text: string): string | null {
  const plain = normaliseText(text)?.replace(LEADING_PROSE, '').replace(TRAILING_PROSE, '');
  return plain?.replace(/^(?:the|an?) (?=\S)/, '') || null;
}

/**
 * The key of a number: equal for two texts exactly when they write the same decimal number, at any precision (no floating
 * point is involved). Read are `1,000` (commas in threes only), `.5`, `5.`, `+3`, `1e3`, number words from zero to ninety-nine,
 * a currency sign before and a percent sign or the word behind. Both signs only repeat the question's unit and are dropped:
 * `62%` is 62, and it is not 0.62. Null for everything else: bounds, lists, fractions, hexadecimal, `NaN`, `Infinity`,
 * digits of other scripts, exponents of five digits and more.
 */
export function numberKey(text: string): string | null {
  const plain = normaliseText(text)?.replace(LEADING_OF_NUMBER, '').replace(TRAILING_OF_NUMBER, '');
  if (!plain) return null;
  const word = NUMBER_WORDS.get(plain.replace('-', ' '));
  if (word !== undefined) return decimalKey('', String(word), '', 0);
  const found = NUMBER.exec(plain)?.groups;
  if (!found || (found['outer'] && found['inner'])) return null;
  return decimalKey(
    found['outer'] ?? found['inner'] ?? '',
    (found['whole'] ?? '').replaceAll(',', ''),
    found['fraction'] ?? found['bare'] ?? '',
    Number(found['exponent'] ?? 0),
  );
}

/** The value of a number key as the nearest double; infinite when it is too large for one. */
export function numberOfKey(key: string): number {
  return Number(key);
}

/** Whether a text names a calendar year: four plain digits from 1000 to 2999. Years are names, not quantities. */
export function isYear(text: string): boolean {
  const plain = normaliseText(text)?.replace(LEADING_OF_NUMBER, '').replace(TRAILING_OF_NUMBER, '');
  return plain !== undefined && /^[12]\d{3}$/.test(plain);
}

/** Digits without zeros at either end and a power of ten; zero has no sign. */
function decimalKey(sign: string, whole: string, fraction: string, exponent: number): string {
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  const power = exponent - fraction.length + (digits.length - kept.length);
  return `${sign === '-' ? '-' : ''}${kept}e${power}`;
}
