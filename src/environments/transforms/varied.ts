import { canonicalJson, type Json } from '../../core/json.js';
import type { Rng } from '../../core/rng.js';
import { pythonLiteral } from './questions.js';
import type { ArgumentSet, TransformAction } from './state.js';

/** Size of the picture that a program is written for, pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** One step of an edit: lines that change `img`, and what its arguments may be for a picture of a size. */
interface Step {
  readonly imports: readonly string[];
  readonly body: readonly string[];
  readonly draw: (rng: Rng, size: PictureSize) => Readonly<Record<string, Json>>;
}

const PIL = (...names: string[]): readonly string[] => names.map((name) => `from PIL import ${name}`);
const NUMPY = ['import numpy as np', ...PIL('Image')];
const COLOURS = ['red', 'yellow', 'cyan', 'magenta', 'white', 'black'] as const;

/** A box of at least a fifth of each side, in pixels: left, top, right, bottom. */
function box(rng: Rng, { width, height }: PictureSize): number[] {
  const span = (side: number, stream: Rng): [number, number] => {
    const length = Math.max(1, Math.floor(side * stream.range(0.2, 0.6)));
    const from = stream.int(Math.max(1, side - length));
    return [from, from + length];
  };
  const [left, right] = span(width, rng.child('x'));
  const [top, bottom] = span(height, rng.child('y'));
  return [left, top, right, bottom];
}

function tenths(rng: Rng, low: number, high: number): number {
  return Math.round(rng.range(low, high) * 10) / 10;
}

const STEPS: Readonly<Record<string, Step>> = {
  rotate: {
    imports: [],
    body: ['img = img.rotate(angle, expand=True)'],
    draw: (rng) => ({ angle: 15 * (1 + rng.int(23)) }),
  },
  transpose: {
    imports: PIL('Image'),
    body: ['img = img.transpose(Image.Transpose[way])'],
    draw: (rng) => ({
      way: rng.pick(['FLIP_LEFT_RIGHT', 'FLIP_TOP_BOTTOM', 'ROTATE_90', 'ROTATE_180', 'TRANSPOSE']),
    }),
  },
  crop: {
    imports: [],
    body: ['img = img.crop(tuple(box))'],
    draw: (rng, size) => ({ box: box(rng, size) }),
  },
  patch: {
    imports: [],
    body: ['piece = img.crop(tuple(source))', 'img.paste(piece, tuple(target))'],
    draw: (rng, size) => ({
      source: box(rng.child('source'), size),
      target: [rng.child('x').int(size.width), rng.child('y').int(size.height)],
    }),
  },
  hue: {
    imports: PIL('Image'),
    body: [
      'hue, sat, val = img.convert("HSV").split()',
      'hue = hue.point([(level + shift) % 256 for level in range(256)])',
      'img = Image.merge("HSV", (hue, sat, val)).convert("RGB")',
    ],
    draw: (rng) => ({ shift: 16 * rng.int(16) }),
  },
  brightness: {
    imports: PIL('ImageEnhance'),
    body: ['img = ImageEnhance.Brightness(img).enhance(light)'],
    draw: (rng) => ({ light: tenths(rng, 0.3, 1.9) }),
  },
  saturation: {
    imports: PIL('ImageEnhance'),
    body: ['img = ImageEnhance.Color(img).enhance(colour)'],
    draw: (rng) => ({ colour: tenths(rng, 0, 4) }),
  },
  contrast: {
    imports: PIL('ImageEnhance'),
    body: ['img = ImageEnhance.Contrast(img).enhance(contrast)'],
    draw: (rng) => ({ contrast: tenths(rng, 0, 3) }),
  },
  posterize: {
    imports: PIL('ImageOps'),
    body: ['img = ImageOps.posterize(img, bits)'],
    draw: (rng) => ({ bits: 1 + rng.int(6) }),
  },
  solarize: {
    imports: PIL('ImageOps'),
    body: ['img = ImageOps.solarize(img, threshold)'],
    draw: (rng) => ({ threshold: 16 * (1 + rng.int(14)) }),
  },
  invert: {
    imports: PIL('Image', 'ImageOps'),
    body: [
      'bands = list(img.split())',
      'for band in inverted:',
      '    bands[band] = ImageOps.invert(bands[band])',
      'img = Image.merge("RGB", bands)',
    ],
    draw: (rng) => ({ inverted: [0, 1, 2].filter((band) => rng.child(band).chance(0.5)) }),
  },
  channels: {
    imports: NUMPY,
    body: ['img = Image.fromarray(np.ascontiguousarray(np.asarray(img)[:, :, bands]))'],
    draw: (rng) => ({ bands: rng.shuffle([0, 1, 2]) }),
  },
  blur: {
    imports: PIL('ImageFilter'),
    body: ['img = img.filter(ImageFilter.GaussianBlur(radius))'],
    draw: (rng, { width }) => ({ radius: tenths(rng, 0, Math.max(2, width / 12)) }),
  },
  pixelate: {
    imports: PIL('Image'),
    body: [
      'w, h = img.size',
      'small = img.resize((max(1, w // block), max(1, h // block)), Image.Resampling.BOX)',
      'img = small.resize((w, h), Image.Resampling.NEAREST)',
    ],
    draw: (rng) => ({ block: 1 + rng.int(12) }),
  },
  frame: {
    imports: PIL('ImageDraw'),
    body: [
      'pen = ImageDraw.Draw(img)',
      'pen.rectangle(frame, outline=ink, width=max(2, min(img.size) // 30))',
    ],
    draw: (rng, size) => ({ frame: box(rng.child('frame'), size), ink: rng.child('ink').pick(COLOURS) }),
  },
  spot: {
    imports: PIL('ImageDraw'),
    body: ['ImageDraw.Draw(img).ellipse(spot, fill=paint)'],
    draw: (rng, size) => ({ spot: box(rng.child('spot'), size), paint: rng.child('paint').pick(COLOURS) }),
  },
  'mirror-half': {
    imports: PIL('ImageOps'),
    body: [
      'w, h = img.size',
      'half = {"left": (0, 0, w // 2, h), "right": (w - w // 2, 0, w, h), "top": (0, 0, w, h // 2), "bottom": (0, h - h // 2, w, h)}[side]',
      'piece = img.crop(half)',
      'if side in ("left", "right"):',
      '    img.paste(ImageOps.mirror(piece), (w - w // 2 if side == "left" else 0, 0))',
      'else:',
      '    img.paste(ImageOps.flip(piece), (0, h - h // 2 if side == "top" else 0))',
    ],
    draw: (rng) => ({ side: rng.pick(['left', 'right', 'top', 'bottom']) }),
  },
  roll: {
    imports: NUMPY,
    body: ['img = Image.fromarray(np.roll(np.asarray(img), (down, right), axis=(0, 1)))'],
    draw: (rng, { width, height }) => ({
      down: rng.child('y').int(height),
      right: rng.child('x').int(width),
    }),
  },
  tile: {
    imports: PIL('Image'),
    body: [
      'w, h = img.size',
      'across, down = grid',
      'small = img.resize((max(1, w // across), max(1, h // down)))',
      'out = Image.new("RGB", (small.width * across, small.height * down))',
      'for place in range(across * down):',
      '    out.paste(small, (place % across * small.width, place // across * small.height))',
      'img = out',
    ],
    draw: (rng) => ({ grid: [1 + rng.child('x').int(3), 1 + rng.child('y').int(3)] }),
  },
  jigsaw: {
    imports: PIL('Image'),
    body: [
      'w, h = img.width // 2, img.height // 2',
      'pieces = [img.crop((x * w, y * h, x * w + w, y * h + h)) for y in range(2) for x in range(2)]',
      'out = Image.new("RGB", (2 * w, 2 * h))',
      'for place, piece in enumerate(order):',
      '    out.paste(pieces[piece], (place % 2 * w, place // 2 * h))',
      'img = out',
    ],
    draw: (rng) => ({ order: rng.shuffle([0, 1, 2, 3]) }),
  },
  border: {
    imports: PIL('ImageOps'),
    body: ['img = ImageOps.expand(img, border=rim, fill=shade)'],
    draw: (rng, { width }) => ({
      rim: 1 + rng.child('rim').int(Math.max(2, width >> 2)),
      shade: rng.child('shade').pick(COLOURS),
    }),
  },
};

/** The names of the steps that `variedProgram` puts together. */
export const VARIED_STEPS: readonly string[] = Object.keys(STEPS);

/** A program with the names of its steps, in their order. */
export interface VariedProgram {
  readonly action: TransformAction;
  readonly steps: readonly string[];
}

const DRAWS = 60;

/**
 * A program of one or two steps for a picture of this size, its arguments drawn for that size: whole Python as an
 * instruction-tuned challenger would write it. Most run and make four different pictures; which don't is for the environment to say.
 * Null when a step has fewer than four different argument sets to draw.
 */
export function variedProgram(rng: Rng, size: PictureSize): VariedProgram | null {
  const order = rng.child('steps').shuffle(VARIED_STEPS);
  const steps = order.slice(0, rng.child('two').chance(0.4) ? 2 : 1);
  const parts = steps.map((name) => STEPS[name] as Step);
  const sets = new Map<string, ArgumentSet>();
  for (let i = 0; sets.size < 4 && i < DRAWS; i++) {
    const drawn = parts.map((part, k) => part.draw(rng.child('arguments', i, k), size));
    const set: ArgumentSet = Object.assign({}, ...drawn) as ArgumentSet;
    sets.set(canonicalJson(set), set);
  }
  const list = [...sets.values()];
  if (list.length < 4) return null;
  const names = Object.keys(list[0] ?? {});
  const lines = [
    ...new Set(parts.flatMap((part) => part.imports)),
    '',
    `def edit_image(img, ${names.join(', ')}):`,
    ...[...parts.flatMap((part) => part.body), 'return img'].map((line) => `    ${line}`),
    '',
    'args_list = [',
    ...list.map((set) => `    ${pythonLiteral(set)},`),
    ']',
  ];
  return { action: { program: `${lines.join('\n').trim()}\n` }, steps };
}
