/** Colours by name: of single series, of heat maps, and of paper and ink. All `#rrggbb`. */

/** Colours that have a name of their own, for pictures that are spoken about by colour. Any two are told apart by eyes of every common kind. */
export const NAMED_COLOURS = {
  red: '#a80000',
  blue: '#1f4fd8',
  yellow: '#ffe119',
  green: '#1a9641',
  purple: '#5a1a7a',
  cyan: '#4cc3d9',
  orange: '#ff9f40',
  black: '#222222',
} as const;

export type ColourName = keyof typeof NAMED_COLOURS;

/** Colours in the order in which series take them. */
export const PALETTES = {
  named: Object.values(NAMED_COLOURS),
  tableau: [
    '#4e79a7',
    '#f28e2b',
    '#59a14f',
    '#e15759',
    '#b6992d',
    '#79706e',
    '#9c6bb0',
    '#86bcb6',
    '#4a3b2a',
    '#ff9da7',
  ],
  okabe: ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#222222', '#f0e442'],
  statista: ['#2876dd', '#0f283e', '#bababa', '#a11010', '#87bc24', '#f29f05', '#6b2fa0', '#5fd3c4'],
  pew: ['#436983', '#bf9c2e', '#756a7e', '#949d48', '#a55a26', '#d1a730', '#1f3a4d', '#c9b8d0'],
  office: ['#4472c4', '#ed7d31', '#a5a5a5', '#ffc000', '#1f3864', '#70ad47', '#843c0c', '#7030a0'],
  matplotlib: [
    '#1f77b4',
    '#ff7f0e',
    '#2ca02c',
    '#d62728',
    '#9467bd',
    '#8c564b',
    '#e377c2',
    '#7f7f7f',
    '#bcbd22',
    '#17becf',
  ],
  dark2: ['#1b9e77', '#d95f02', '#7570b3', '#e7298a', '#66a61e', '#e6ab02', '#a6761d', '#333333'],
  pastel: ['#8dd3c7', '#fb8072', '#bebada', '#fdb462', '#80b1d3', '#b3de69', '#fccde5', '#8c8c8c'],
  earth: ['#264653', '#e9c46a', '#2a9d8f', '#e76f51', '#8a5a44', '#a8c686', '#6d597a', '#f4a261'],
  neon: ['#00a8e8', '#f72585', '#3a0ca3', '#80b918', '#ff9f1c', '#7209b7', '#00c2a8', '#ffd60a'],
  blues: ['#08306b', '#4292c6', '#9ecae1', '#2171b5'],
  greys: ['#252525', '#999999', '#636363', '#c2c2c2'],
  contrast: ['#003f5c', '#ffa600', '#bc5090', '#58b4d1', '#ff6361', '#665191', '#a3c14a', '#6b4226'],
} as const satisfies Record<string, readonly string[]>;

/** Colours from the smallest value to the largest, evenly spaced. */
export const RAMPS = {
  blues: ['#f7fbff', '#c6dbef', '#6baed6', '#2171b5', '#08306b'],
  greens: ['#f7fcf5', '#c7e9c0', '#74c476', '#238b45', '#00441b'],
  viridis: ['#440154', '#3b528b', '#21918c', '#5ec962', '#fde725'],
  heat: ['#ffffcc', '#fed976', '#fd8d3c', '#e31a1c', '#800026'],
  purples: ['#fcfbfd', '#dadaeb', '#9e9ac8', '#6a51a3', '#3f007d'],
  greys: ['#ffffff', '#d9d9d9', '#969696', '#525252', '#111111'],
  magma: ['#000004', '#51127c', '#b73779', '#fc8961', '#fcfdbf'],
  orange: ['#fff5eb', '#fdd0a2', '#fd8d3c', '#d94801', '#7f2704'],
} as const satisfies Record<string, readonly string[]>;

/** Colours of everything but the marks. */
export interface Theme {
  /** Around the plot, and behind it. */
  readonly paper: string;
  readonly ground: string;
  readonly text: string;
  /** Ticks and numbers. */
  readonly faint: string;
  readonly axis: string;
  readonly grid: string;
}

export const THEMES = {
  white: {
    paper: '#ffffff',
    ground: '#ffffff',
    text: '#222222',
    faint: '#444444',
    axis: '#333333',
    grid: '#dddddd',
  },
  cream: {
    paper: '#fbf6ea',
    ground: '#fbf6ea',
    text: '#3a3226',
    faint: '#5c5140',
    axis: '#7a6a50',
    grid: '#e4d9c2',
  },
  panel: {
    paper: '#ffffff',
    ground: '#ebebeb',
    text: '#1a1a1a',
    faint: '#4d4d4d',
    axis: '#4d4d4d',
    grid: '#ffffff',
  },
  fog: {
    paper: '#f0f0f0',
    ground: '#f0f0f0',
    text: '#2b2b2b',
    faint: '#505050',
    axis: '#6a6a6a',
    grid: '#cbcbcb',
  },
  sky: {
    paper: '#eaf2f8',
    ground: '#ffffff',
    text: '#1c2f3f',
    faint: '#3e5468',
    axis: '#5b7489',
    grid: '#d5e1ea',
  },
  mint: {
    paper: '#eef6f0',
    ground: '#f8fcf9',
    text: '#1d3326',
    faint: '#41594a',
    axis: '#5d7a68',
    grid: '#d6e6da',
  },
  dark: {
    paper: '#1e2127',
    ground: '#1e2127',
    text: '#f0f0f0',
    faint: '#c8ccd2',
    axis: '#8d939c',
    grid: '#3a3f48',
  },
  slate: {
    paper: '#2b3440',
    ground: '#343f4d',
    text: '#f4f4f0',
    faint: '#cfd6de',
    axis: '#9aa6b4',
    grid: '#4a5768',
  },
} as const satisfies Record<string, Theme>;

export type PaletteName = keyof typeof PALETTES;
export type RampName = keyof typeof RAMPS;
export type ThemeName = keyof typeof THEMES;

const keysOf = <K extends string>(record: Readonly<Record<K, unknown>>): readonly [K, ...K[]] =>
  Object.keys(record) as [K, ...K[]];

export const PALETTE_NAMES = keysOf(PALETTES);
export const RAMP_NAMES = keysOf(RAMPS);
export const THEME_NAMES = keysOf(THEMES);
