/** CSS pixels in a unit. */
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 96 / 72,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 9.6 / 2.54,
};

/** Of a drawing that doesn't say, as browsers have it. */
const FALLBACK = { width: 300, height: 150 };

/**
 * A drawing's own size in whole pixels, at least 1, from `width`, `height` and `viewBox` of its root. A side that is missing or
 * relative follows the view box. A line that says what is wrong when there is no size that could be drawn.
 */
export function sizeOf(
  attribute: (name: string) => string | undefined,
): { readonly width: number; readonly height: number } | string {
  const box = (attribute('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [, , boxWidth = NaN, boxHeight = NaN] = box;
  const hasBox = box.length === 4 && box.every(Number.isFinite) && boxWidth > 0 && boxHeight > 0;
  const natural = hasBox ? { width: boxWidth, height: boxHeight } : FALLBACK;
  const given = { width: lengthOf(attribute('width')), height: lengthOf(attribute('height')) };
  const ratio = natural.height / natural.width;
  const width = given.width ?? (given.height !== null && hasBox ? given.height / ratio : natural.width);
  const height = given.height ?? (given.width !== null && hasBox ? given.width * ratio : natural.height);
  const whole = { width: Math.round(width), height: Math.round(height) };
  const drawable = Number.isFinite(width) && Number.isFinite(height) && whole.width >= 1 && whole.height >= 1;
  return drawable ? whole : `${width} x ${height} is no size that can be drawn`;
}

/** A length in pixels; null when it is missing, relative or no length. */
function lengthOf(text: string | undefined): number | null {
  const match = /^\s*\+?(\d*\.?\d+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec(text ?? '');
  const unit = UNITS[(match?.[2] ?? '').toLowerCase()];
  return match && unit !== undefined ? Number(match[1]) * unit : null;
}

const ROOT = /<((?:[\w-]+:)?svg)(?=[\s>/])((?:[^>"']|"[^"]*"|'[^']*')*?)(\/?)>/;

/**
 * Markup whose root says its size in pixels, where it said it in other ways or not at all: renderers differ in what they make
 * of that. Unchanged when both sides are absolute already.
 */
export function withSize(
  markup: string,
  { width, height }: { readonly width: number; readonly height: number },
): string {
  return markup.replace(ROOT, (tag: string, name: string, attributes: string, end: string) => {
    const given = (side: string): string | undefined =>
      new RegExp(`\\s${side}\\s*=\\s*["']([^"']*)["']`).exec(attributes)?.[1];
    if (lengthOf(given('width')) !== null && lengthOf(given('height')) !== null) return tag;
    const others = attributes.replace(/\s(?:width|height)\s*=\s*(?:"[^"]*"|'[^']*')/g, '');
    return `<${name} width="${width}" height="${height}"${others}${end}>`;
  });
}
