/**
 * The words of the micro roles: pieces of Python that, joined by spaces, are Python again. Nothing keeps the micro challenger from
 * putting them together wrongly.
 */

const FENCES = ['```python', '```'] as const;

/** A line break and an indented one; the only white space that a piece must say. */
export const LINE = '<nl>';
export const INDENTED = '<in>';

export const IMPORTS = 'from PIL import ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageOps';

const FRAME = [
  IMPORTS,
  'def edit_image(img, a):',
  'def edit_image(img, a, b):',
  'w, h = img.size',
  'return img',
  'args_list = [',
  ']',
  '{"a":',
  '"b":',
  '}',
] as const;

const STATEMENTS = [
  'img = img.rotate(',
  'img = img.crop((',
  'img = ImageOps.mirror(img)',
  'img = ImageOps.flip(img)',
  'img = ImageOps.invert(img)',
  'img = ImageOps.posterize(img,',
  'img = ImageOps.solarize(img,',
  'img = ImageOps.expand(img,',
  'img = ImageEnhance.Brightness(img).enhance(',
  'img = ImageEnhance.Color(img).enhance(',
  'img = ImageEnhance.Contrast(img).enhance(',
  'img = img.filter(ImageFilter.BoxBlur(',
  'img = ImageChops.offset(img,',
  'ImageDraw.Draw(img).rectangle((',
  'fill=',
] as const;

const MARKS = ['a', 'b', 'w', 'h', '+', '-', '*', '//', ',', '(', ')', '))'] as const;

/** Numbers that can be written. */
export const NUMBERS = [
  0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 30, 32, 45, 60, 64, 90, 96, 120, 128, 135, 160, 180,
  192, 225, 240, 270, 315, 0.2, 0.3, 0.5, 0.7, 1.3, 1.5, 1.6, 2.5,
] as const;

/** Colours that can be written. */
export const COLOURS = ['red', 'lime', 'blue', 'yellow', 'cyan', 'magenta', 'white', 'black'] as const;

const SOLVING = ['args', '?', 'A.', 'B.', 'C.', 'D.', 'A', 'B', 'C', 'D', '\\boxed{'] as const;

/** Every piece, in id order. Checkpoints hold the list; a changed one needs new checkpoints. */
export const TRANSFORM_VOCABULARY: readonly string[] = [
  ...FENCES,
  LINE,
  INDENTED,
  ...FRAME,
  ...STATEMENTS,
  ...MARKS,
  ...NUMBERS.map(String),
  ...COLOURS.map((colour) => `"${colour}"`),
  ...SOLVING,
];
