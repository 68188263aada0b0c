import type { TransformAction } from './state.js';

/** Programs that open the example queue: pieces in a new order, turning, cutting out, drawing a frame (EVE's four kinds). */
export const SEED_PROGRAMS: readonly TransformAction[] = [
  `from PIL import Image

def edit_image(img, order):
    w, h = img.width // 2, img.height // 2
    tiles = [img.crop((x * w, y * h, x * w + w, y * h + h)) for y in range(2) for x in range(2)]
    out = Image.new("RGB", (2 * w, 2 * h))
    for place, tile in enumerate(order):
        out.paste(tiles[tile], (place % 2 * w, place // 2 * h))
    return out

args_list = [
    {"order": [1, 0, 3, 2]},
    {"order": [2, 3, 0, 1]},
    {"order": [3, 2, 1, 0]},
    {"order": [0, 2, 1, 3]},
]
`,
  `def edit_image(img, angle):
    return img.rotate(angle, expand=True)

args_list = [
    {"angle": 90},
    {"angle": 180},
    {"angle": 270},
    {"angle": 45},
]
`,
  `def edit_image(img, box):
    left, top, right, bottom = box
    w, h = img.size
    return img.crop((left * w // 100, top * h // 100, right * w // 100, bottom * h // 100))

args_list = [
    {"box": [0, 0, 60, 60]},
    {"box": [40, 0, 100, 60]},
    {"box": [0, 40, 60, 100]},
    {"box": [40, 40, 100, 100]},
]
`,
  `from PIL import ImageDraw

def edit_image(img, box, color):
    out = img.copy()
    w, h = out.size
    left, top, right, bottom = box
    corners = [left * w // 100, top * h // 100, right * w // 100, bottom * h // 100]
    ImageDraw.Draw(out).rectangle(corners, outline=color, width=max(2, w // 40))
    return out

args_list = [
    {"box": [5, 5, 45, 45], "color": "red"},
    {"box": [55, 5, 95, 45], "color": "yellow"},
    {"box": [5, 55, 45, 95], "color": "cyan"},
    {"box": [55, 55, 95, 95], "color": "magenta"},
]
`,
].map((program) => ({ program }));

/** A program's code without its `args_list` and what follows it; all of it when there is none. What diversity compares. */
export function codeOf({ program }: TransformAction): string {
  const at = /^[ \t]*args_list\b/m.exec(program)?.index;
  return (at === undefined ? program : program.slice(0, at)).trimEnd();
}

/** Kinds of operation, so that it can be counted which are refused more than others. */
export const OPERATIONS = [
  [
    'colour',
    /ImageEnhance|ImageOps\.(posterize|solarize|invert|grayscale|colorize|autocontrast|equalize)|\.convert\(|\.point\(|hsv/i,
  ],
  ['filter', /ImageFilter|\.filter\(|blur/i],
  ['draw', /ImageDraw/],
  ['pieces', /\.paste\(|np\.(roll|concatenate|hstack|vstack|block)|ImageChops\.offset/],
  ['turn', /\.rotate\(|\.transpose\(|ImageOps\.(mirror|flip)|np\.(rot90|flip)/],
  ['cut', /\.crop\(|ImageOps\.(crop|fit|expand|pad)|\.resize\(|\.thumbnail\(/],
] as const satisfies readonly (readonly [string, RegExp])[];

export type Operation = (typeof OPERATIONS)[number][0] | 'other';

/** The kinds of operation that a program's code names, in the order of OPERATIONS; `other` when it names none. */
export function operationsOf(action: TransformAction): readonly Operation[] {
  const code = codeOf(action);
  const named = OPERATIONS.filter(([, pattern]) => pattern.test(code)).map(([name]) => name);
  return named.length > 0 ? named : ['other'];
}
