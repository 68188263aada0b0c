/** A drawing as SVG, for a second opinion by a painter that isn't ours. */
import type { Drawing, Shape } from '../../../src/render/chart/paint/shapes.js';

const FAMILIES = {
  sans: 'font-family="DejaVu Sans"',
  condensed: 'font-family="DejaVu Sans" font-stretch="condensed"',
  serif: 'font-family="DejaVu Serif"',
  'serif-condensed': 'font-family="DejaVu Serif" font-stretch="condensed"',
  mono: 'font-family="DejaVu Sans Mono"',
};

export function drawingSvg({ width, height, paper, shapes }: Drawing): string {
  const size = `width="${width}" height="${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect ${size} fill="${paper}"/>${shapes.map(element).join('')}</svg>`;
}

function element(shape: Shape): string {
  switch (shape.kind) {
    case 'rect': {
      const { left, top, right, bottom, fill, alpha = 1 } = shape;
      return `<rect x="${left}" y="${top}" width="${Math.max(0, right - left)}" height="${Math.max(0, bottom - top)}" fill="${fill}" fill-opacity="${alpha}"/>`;
    }
    case 'polygon':
      return `<polygon points="${shape.points.join(' ')}" fill="${shape.fill}"/>`;
    case 'line': {
      const dash = shape.dash ? ` stroke-dasharray="${shape.dash.join(' ')}"` : '';
      return `<polyline points="${shape.points.join(' ')}" fill="none" stroke="${shape.colour}" stroke-width="${shape.width}" stroke-miterlimit="3"${dash}/>`;
    }
    case 'sector': {
      const { cx, cy, inner, outer, start, end, fill } = shape;
      const at = (r: number, angle: number): string =>
        `${cx + r * Math.sin(angle)} ${cy - r * Math.cos(angle)}`;
      const large = end - start > Math.PI ? 1 : 0;
      const back =
        inner > 0 ? `L${at(inner, end)}A${inner} ${inner} 0 ${large} 0 ${at(inner, start)}` : `L${cx} ${cy}`;
      return `<path d="M${at(outer, start)}A${outer} ${outer} 0 ${large} 1 ${at(outer, end)}${back}Z" fill="${fill}"/>`;
    }
    case 'disc':
      return `<circle cx="${shape.cx}" cy="${shape.cy}" r="${shape.radius}" fill="${shape.fill}"/>`;
    case 'text': {
      const { text, x, y, family, bold, size, angle, colour } = shape;
      const turn = angle === 0 ? '' : ` transform="rotate(${(-angle * 180) / Math.PI} ${x} ${y})"`;
      const escaped = text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]!);
      return `<text x="${x}" y="${y}" font-size="${size}" ${FAMILIES[family]} font-weight="${bold ? 'bold' : 'normal'}" fill="${colour}" xml:space="preserve"${turn}>${escaped}</text>`;
    }
    default:
      return shape satisfies never;
  }
}
