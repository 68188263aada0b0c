import type { SvgProblem } from '../../../src/render/svg/index.js';

const XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"';
const svg = (inside: string, attributes = 'width="60" height="40"'): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${XLINK} ${attributes}>${inside}</svg>`;
const nested = (levels: number, fan: number, make: (level: number, inside: string) => string): string => {
  let inside = '<rect width="1" height="1"/>';
  for (let level = 0; level < levels; level++) {
    inside += make(level, `<use href="#l${level - 1}"/>`.repeat(fan));
  }
  return inside;
};
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Markup that must not be drawn, with the ways in which it may be refused. */
export const HOSTILE: ReadonlyArray<readonly [what: string, markup: string, ...problems: SvgProblem[]]> = [
  [
    'entity bomb',
    `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${svg('<text>&b;</text>')}`,
    'forbidden',
  ],
  [
    'external entity',
    `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg('<text>&x;</text>')}`,
    'forbidden',
  ],
  ['empty document type', `<!DOCTYPE svg>${svg('<rect width="9" height="9"/>')}`, 'forbidden'],
  ['undefined entity', svg('<text>&nope;</text>'), 'syntax'],
  ['style sheet instruction', `<?xml-stylesheet href="http://x/y.css"?>${svg('')}`, 'forbidden'],
  ['UTF-7', `<?xml version="1.0" encoding="UTF-7"?>${svg('<rect width="9" height="9"/>')}`, 'forbidden'],
  [
    'UTF-16 by name',
    `<?xml version="1.0" encoding="UTF-16"?>${svg('<rect width="9" height="9"/>')}`,
    'forbidden',
  ],
  ['script', svg('<script>alert(1)</script>'), 'forbidden'],
  ['script with a prefix', `<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script/></s:svg>`, 'forbidden'],
  ['onload', svg('', 'onload="alert(1)" width="9" height="9"'), 'forbidden'],
  ['ONCLICK', svg('<rect ONCLICK="x" width="9" height="9"/>'), 'forbidden'],
  [
    'foreign object',
    svg('<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'),
    'forbidden',
  ],
  ['HTML inside', svg('<p xmlns="http://www.w3.org/1999/xhtml">x</p>'), 'forbidden'],
  [
    'XInclude',
    svg('<i:include xmlns:i="http://www.w3.org/2001/XInclude" href="/etc/passwd" parse="text"/>'),
    'forbidden',
  ],
  ['animation', svg('<rect width="9" height="9"><animate attributeName="x" to="5"/></rect>'), 'forbidden'],
  ['set', svg('<rect width="9" height="9"><set attributeName="href" to="http://x"/></rect>'), 'forbidden'],
  ['picture from the net', svg('<image href="http://example.org/a.png" width="9" height="9"/>'), 'forbidden'],
  ['picture by a plain path', svg('<image href="/etc/passwd" width="9" height="9"/>'), 'forbidden'],
  ['picture by a relative path', svg('<image xlink:href="../a.png" width="9" height="9"/>'), 'forbidden'],
  ['picture by file:', svg('<image href="file:///etc/passwd" width="9" height="9"/>'), 'forbidden'],
  ['picture, upper case', svg('<image href="FILE:///etc/passwd" width="9" height="9"/>'), 'forbidden'],
  ['picture, spaces before', svg('<image href="  http://x/a.png" width="9" height="9"/>'), 'forbidden'],
  [
    'picture, other prefix',
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:k="http://www.w3.org/1999/xlink"><image k:href="/etc/passwd"/></svg>`,
    'forbidden',
  ],
  [
    'drawing in a drawing',
    svg('<image href="data:image/svg+xml;base64,PHN2Zy8+" width="9" height="9"/>'),
    'forbidden',
  ],
  ['page in a picture', svg('<image href="data:text/html,x" width="9" height="9"/>'), 'forbidden'],
  [
    'huge embedded picture',
    svg(`<image href="data:image/png;base64,${'A'.repeat(300_000)}" width="9" height="9"/>`),
    'too-large',
  ],
  ['link on a shape', svg('<a href="javascript:alert(1)"><rect width="9" height="9"/></a>'), 'forbidden'],
  ['use of another file', svg('<use href="other.svg#a"/>'), 'forbidden'],
  ['filter picture', svg(`<filter id="f"><feImage href="http://x/a.png"/></filter>`), 'forbidden'],
  ['url in fill', svg('<rect fill="url(http://x/y#p)" width="9" height="9"/>'), 'forbidden'],
  ['url in style', svg('<rect style="fill:url( \'//x/y\' )" width="9" height="9"/>'), 'forbidden'],
  ['url with a comment', svg('<rect style="fill:url(/**/http://x)" width="9" height="9"/>'), 'forbidden'],
  ['escaped url', svg('<rect style="fill:\\75rl(http://x)" width="9" height="9"/>'), 'forbidden'],
  ['import', svg('<style>@import "http://x/a.css";</style>'), 'forbidden'],
  ['import in CDATA', svg('<style><![CDATA[@IMPORT url(#x);]]></style>'), 'forbidden'],
  ['font face', svg('<style>@font-face{font-family:a;src:url(#x)}</style>'), 'forbidden'],
  ['xml:base', svg('<g xml:base="http://x/"><use href="#a"/></g>'), 'forbidden'],
  ['unknown element', svg('<hologram/>'), 'forbidden'],
  [
    'billion uses',
    svg(
      nested(10, 10, (l, inside) => `<g id="l${l}">${l === 0 ? '<rect width="1" height="1"/>' : inside}</g>`),
    ),
    'too-large',
  ],
  [
    'billion patterns',
    svg(
      `${Array.from({ length: 12 }, (_, l) => `<pattern id="p${l}" width="2" height="2">${`<rect width="1" height="1" fill="url(#p${l - 1})"/>`.repeat(8)}</pattern>`).join('')}<rect width="9" height="9" fill="url(#p11)"/>`,
    ),
    'too-large',
  ],
  ['use of itself', svg('<g id="a"><use href="#a"/></g>'), 'forbidden'],
  [
    'two that use each other',
    svg('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'),
    'forbidden',
  ],
  ['mask of itself', svg('<mask id="m"><rect width="9" height="9" mask="url(#m)"/></mask>'), 'forbidden'],
  ['deep', svg(`${'<g>'.repeat(5000)}${'</g>'.repeat(5000)}`), 'too-large'],
  ['many elements', svg('<g/>'.repeat(20_000)), 'too-large'],
  ['huge file', svg(`<text>${'x'.repeat(600_000)}</text>`), 'too-large'],
  ['huge attribute', svg(`<text font-family="${'x'.repeat(70_000)}">a</text>`), 'too-large'],
  ['huge canvas', svg('<rect width="9" height="9"/>', 'width="100000" height="100000"'), 'too-large'],
  ['long canvas', svg('<rect width="9" height="9"/>', 'width="5000" height="1"'), 'too-large'],
  ['huge by view box', svg('<rect width="9" height="9"/>', 'viewBox="0 0 1e9 1e9"'), 'too-large'],
  ['huge by unit', svg('<rect width="9" height="9"/>', 'width="900in" height="9in"'), 'too-large'],
  ['size of nothing', svg('<rect width="9" height="9"/>', 'width="0" height="0"'), 'too-large'],
  [
    'endless path',
    svg(
      `<path d="${'L1 1'.repeat(16_000)}"/><path d="${'L1 1'.repeat(16_000)}"/><path d="${'L1 1'.repeat(16_000)}"/>`,
    ),
    'too-large',
  ],
  ['path without letters', svg(`${`<path d="M0 0${' 1 1'.repeat(16_000)}"/>`.repeat(4)}`), 'too-large'],
  ['many filter steps', svg(`<filter id="f">${'<feOffset dx="1"/>'.repeat(40)}</filter>`), 'too-large'],
  ['turbulence in octaves', svg('<filter id="f"><feTurbulence numOctaves="100000"/></filter>'), 'too-large'],
  ['giant blur', svg('<filter id="f"><feGaussianBlur stdDeviation="1e9"/></filter>'), 'too-large'],
  ['giant matrix', svg('<filter id="f"><feConvolveMatrix order="2000"/></filter>'), 'too-large'],
  ['null byte', svg('<text>\0</text>'), 'syntax'],
  ['half a character', svg('<text>\ud800</text>'), 'syntax', 'blank'],
  ['not closed', '<svg xmlns="http://www.w3.org/2000/svg"><rect', 'syntax'],
  ['closed wrongly', svg('<g><rect></g></rect>'), 'syntax'],
  ['attribute twice', svg('<rect width="1" width="2"/>'), 'syntax'],
  ['prefix of nobody', svg('<q:rect/>'), 'syntax'],
  ['two roots', `${svg('')}${svg('')}`, 'syntax'],
  ['other root', '<html><svg xmlns="http://www.w3.org/2000/svg"/></html>', 'not-found', 'forbidden'],
  ['nothing', '', 'not-found'],
  ['words', 'I would draw a chart.', 'not-found'],
  ['empty drawing', svg(''), 'blank'],
  ['white on white', svg('<rect width="60" height="40" fill="white"/>'), 'blank'],
  ['outside its canvas', svg('<rect x="500" y="500" width="9" height="9"/>'), 'blank'],
];

/** Drawings that a model may well write, which must be drawn. */
export const HARMLESS: ReadonlyArray<readonly [what: string, markup: string]> = [
  ['shapes', svg('<circle cx="20" cy="20" r="9" fill="hsl(120, 80%, 40%)"/>')],
  ['text', svg('<text x="2" y="20" font-family="Arial" font-size="12">Größe ≤ 5</text>')],
  ['no namespace', '<svg width="60" height="40"><rect width="9" height="9" fill="red"/></svg>'],
  [
    'undeclared xlink',
    '<svg width="60" height="40"><g id="a"><rect width="9" height="9"/></g><use xlink:href="#a" x="20"/></svg>',
  ],
  [
    'view box alone',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 80"><rect width="60" height="9"/></svg>',
  ],
  [
    'percent sizes',
    '<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="100%" viewBox="0 0 120 80"><rect width="60" height="9"/></svg>',
  ],
  [
    'XML declaration',
    `<?xml version="1.0" encoding="UTF-8"?>\n<!-- a note -->\n${svg('<rect width="9" height="9"/>')}`,
  ],
  [
    'style sheet of its own',
    svg('<style>.a { fill: #123456; font-family: serif }</style><rect class="a" width="9" height="9"/>'),
  ],
  [
    'gradient, pattern, clip',
    svg(
      '<defs><linearGradient id="g"><stop offset="0" stop-color="red"/><stop offset="1"/></linearGradient><clipPath id="c"><circle r="9"/></clipPath></defs><rect width="60" height="40" fill="url(#g)" clip-path="url(\'#c\')"/>',
    ),
  ],
  [
    'marker',
    svg(
      '<defs><marker id="m" markerWidth="4" markerHeight="4"><path d="M0,0L4,2L0,4z"/></marker></defs><path d="M5 5L50 30" stroke="black" marker-end="url(#m)"/>',
    ),
  ],
  [
    'shadow',
    svg(
      '<filter id="f"><feDropShadow dx="1" dy="1" stdDeviation="1"/></filter><rect x="5" y="5" width="20" height="9" filter="url(#f)"/>',
    ),
  ],
  [
    'small embedded picture',
    svg(
      `<rect width="9" height="9"/><image href="data:image/png;base64,${PNG}" x="20" width="9" height="9"/>`,
    ),
  ],
  [
    'notes of a drawing program',
    svg(
      '<metadata><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></metadata><rect width="9" height="9"/>',
    ),
  ],
];
