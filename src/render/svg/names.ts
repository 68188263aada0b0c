/** What a drawing may be made of. Everything else is refused, so that new features of a renderer are too. */

export const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
export const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink';

/** Elements of the SVG namespace, filter steps apart. */
export const ELEMENTS = new Set(
  `svg g defs symbol use title desc metadata style switch a rect circle ellipse line polyline polygon path text tspan textPath
   image linearGradient radialGradient stop pattern clipPath mask marker filter view`.split(/\s+/),
);

export const FILTER_STEPS = new Set(
  `feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDropShadow
   feFlood feGaussianBlur feImage feMerge feMorphology feOffset feSpecularLighting feTile feTurbulence`.split(
    /\s+/,
  ),
);

/** Parts of filter steps. */
export const FILTER_PARTS = new Set(
  'feDistantLight fePointLight feSpotLight feFuncR feFuncG feFuncB feFuncA feMergeNode'.split(' '),
);

/** Namespaces of drawing programs' notes, which renderers skip. */
export const NOTES = new Set([
  'http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd',
  'http://www.inkscape.org/namespaces/inkscape',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  'http://creativecommons.org/ns#',
  'http://web.resource.org/cc/',
  'http://purl.org/dc/elements/1.1/',
]);

/** Numbers that make a filter step slow, and how large each may be. */
export const STEP_LIMITS: ReadonlyMap<string, number> = new Map([
  ['stdDeviation', 100],
  ['numOctaves', 8],
  ['order', 9],
  ['radius', 32],
]);
