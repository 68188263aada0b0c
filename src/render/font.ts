import type { Image } from '../core/image.js';

/** Height of a line of text in pixels; a glyph is 5 wide and 1 apart from the next. */
export const GLYPH_HEIGHT = 7;

/** 5 x 7 glyphs: seven rows of five bits in base 32, most significant bit on the left. Lower case is drawn as upper. */
const GLYPHS: Readonly<Record<string, string>> = {
  A: 'ehhvhhh',
  B: 'uhhuhhu',
  C: 'ehggghe',
  D: 'uhhhhhu',
  E: 'vgguggv',
  F: 'vgguggg',
  G: 'ehgnhhf',
  H: 'hhhvhhh',
  I: 'e44444e',
  J: '72222ic',
  K: 'hikokih',
  L: 'ggggggv',
  M: 'hrllhhh',
  N: 'hhpljhh',
  O: 'ehhhhhe',
  P: 'uhhuggg',
  Q: 'ehhhlid',
  R: 'uhhukih',
  S: 'fgge11u',
  T: 'v444444',
  U: 'hhhhhhe',
  V: 'hhhhha4',
  W: 'hhhllla',
  X: 'hha4ahh',
  Y: 'hhha444',
  Z: 'v1248gv',
  '0': 'ehjlphe',
  '1': '4c4444e',
  '2': 'eh1248v',
  '3': 'v2421he',
  '4': '26aiv22',
  '5': 'vgu11he',
  '6': '68guhhe',
  '7': 'v124888',
  '8': 'ehhehhe',
  '9': 'ehhf12c',
  '.': '00000cc',
  ',': '0000c48',
  ':': '0cc0cc0',
  '-': '000v000',
  '+': '044v440',
  '/': '01248g0',
  '=': '00v0v00',
  '%': 'op248j3',
  '(': '2488842',
  ')': '8422248',
  '?': 'eh12404',
  '>': '8421248',
  '<': '248g842',
  '#': 'aavavaa',
  '|': '4444444',
  _: '000000v',
  "'": 'c480000',
};

/** Writes a line in grey `ink` with its top left corner at (left, top), cut before `right`. Unknown characters are blank. */
export function drawText(
  image: Image,
  text: string,
  left: number,
  top: number,
  right: number,
  ink: number,
): void {
  let x = left;
  for (const character of text.toUpperCase()) {
    if (x + 5 > right) return;
    const glyph = GLYPHS[character];
    if (glyph !== undefined) drawGlyph(image, glyph, x, top, ink);
    x += 6;
  }
}

function drawGlyph(image: Image, glyph: string, left: number, top: number, ink: number): void {
  for (let row = 0; row < GLYPH_HEIGHT; row++) {
    const bits = parseInt(glyph.charAt(row), 32);
    for (let column = 0; column < 5; column++) {
      if ((bits >> (4 - column)) % 2 === 0) continue;
      const at = 3 * ((top + row) * image.width + left + column);
      image.rgb.fill(ink, at, at + 3);
    }
  }
}
