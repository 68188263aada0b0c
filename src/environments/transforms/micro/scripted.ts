import type { Rng } from '../../../core/rng.js';
import { COLOURS, IMPORTS, INDENTED, LINE } from './vocabulary.js';

/** One way to edit with arguments: pieces of its statement, and what its arguments may be. */
interface Recipe {
  readonly name: string;
  readonly statement: (constant: string) => string;
  /** Constants that may stand in the statement. */
  readonly constants: readonly string[];
  readonly a: readonly string[];
  /** Values of the second argument; null when there is one only. */
  readonly b: readonly string[] | null;
}

const quoted = COLOURS.map((colour) => `"${colour}"`);
const none = [''] as const;

const RECIPES: readonly Recipe[] = [
  recipe('rotate', () => 'img = img.rotate( a )', none, ['0', '45', '90', '135', '180', '225', '270', '315']),
  recipe(
    'offset',
    () => 'img = ImageChops.offset(img, a , b )',
    none,
    ['0', '6', '12', '18'],
    ['0', '6', '12', '18'],
  ),
  recipe(
    'crop',
    (side) => `img = img.crop(( a , b , a + ${side} , b + ${side} ))`,
    ['12', '15', '16'],
    ['0', '3', '6', '8'],
    ['0', '3', '6', '8'],
  ),
  recipe(
    'crop-share',
    (share) => `w, h = img.size ${INDENTED} img = img.crop(( w * a // ${share} , 0 , w , h ))`,
    ['10', '12'],
    ['0', '1', '2', '3', '4', '5', '6'],
  ),
  recipe(
    'box',
    (colour) =>
      `ImageDraw.Draw(img).rectangle(( a , b , a + 8 , b + 8 ), fill= ${colour} )`.replace(' ), ', ' ) , '),
    quoted,
    ['0', '5', '10', '15'],
    ['0', '5', '10', '15'],
  ),
  recipe(
    'box-colour',
    (at) => `ImageDraw.Draw(img).rectangle(( ${at} , ${at} , ${at} + a , ${at} + a ) , fill= b )`,
    ['2', '6', '10'],
    ['6', '8', '12'],
    quoted,
  ),
  recipe('brightness', () => 'img = ImageEnhance.Brightness(img).enhance( a )', none, [
    '0.2',
    '0.5',
    '1',
    '1.5',
    '2.5',
  ]),
  recipe('colour', () => 'img = ImageEnhance.Color(img).enhance( a )', none, [
    '0',
    '0.5',
    '1',
    '2',
    '4',
    '8',
  ]),
  recipe('contrast', () => 'img = ImageEnhance.Contrast(img).enhance( a )', none, [
    '0',
    '0.3',
    '0.7',
    '1.5',
    '2.5',
  ]),
  recipe('posterize', () => 'img = ImageOps.posterize(img, a )', none, ['1', '2', '3', '5']),
  recipe('solarize', () => 'img = ImageOps.solarize(img, a )', none, ['32', '64', '96', '128', '160', '192']),
  recipe('blur', () => 'img = img.filter(ImageFilter.BoxBlur( a ))', none, ['0', '1', '2', '4', '8']),
  recipe('expand', (colour) => `img = ImageOps.expand(img, a , fill= ${colour} )`, quoted, [
    '1',
    '2',
    '4',
    '6',
    '8',
    '12',
  ]),
];

const PLAIN = ['img = ImageOps.mirror(img)', 'img = ImageOps.flip(img)', 'img = ImageOps.invert(img)'];

function recipe(
  name: string,
  statement: Recipe['statement'],
  constants: readonly string[],
  a: readonly string[],
  b: readonly string[] | null = null,
): Recipe {
  return { name, statement, constants, a, b };
}

/** Names of what a scripted program may do, its arguments apart. */
export const SCRIPTED_OPERATIONS: readonly string[] = RECIPES.map(({ name }) => name);

/**
 * A program in the words of the micro vocabulary, as the micro challenger is taught to write them: one edit with arguments, with
 * a plain one before or behind it in a third of cases, and four different argument sets. Most run and make four different
 * pictures; which don't is for the sandbox to say.
 */
export function scriptedProgram(rng: Rng): { readonly name: string; readonly text: string } {
  const { name, statement, constants, a, b } = rng.child('recipe').pick(RECIPES);
  const lines = [statement(rng.child('constant').pick(constants))];
  if (rng.child('more').chance(1 / 3)) {
    const plain = rng.child('plain').pick(PLAIN);
    if (rng.child('before').chance(0.5)) lines.unshift(plain);
    else lines.push(plain);
  }
  const pairs = a.flatMap((x) => (b ?? [null]).map((y) => (y === null ? [x] : [x, y])));
  const sets = rng
    .child('sets')
    .shuffle(pairs)
    .slice(0, 4)
    .map(([x, y]) => (y === undefined ? `{"a": ${x} }` : `{"a": ${x} , "b": ${y} }`));
  const head = b === null ? 'def edit_image(img, a):' : 'def edit_image(img, a, b):';
  const body = [...lines, 'return img'].map((line) => `${INDENTED} ${line}`).join(' ');
  return {
    name,
    text: `\`\`\`python ${LINE} ${IMPORTS} ${LINE} ${head} ${body} ${LINE} args_list = [ ${sets.join(' , ')} ] ${LINE} \`\`\``,
  };
}

/** A micro text as Python: its line words become lines. */
export function linesOf(text: string): string {
  return text
    .replaceAll(new RegExp(` ?${INDENTED} ?`, 'g'), '\n    ')
    .replaceAll(new RegExp(` ?${LINE} ?`, 'g'), '\n');
}
