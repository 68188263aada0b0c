/** One line of a chart: points in order of x. */
export interface Series {
  readonly name: string;
  readonly points: ReadonlyArray<{ readonly x: number; readonly y: number }>;
}

export interface ChartOptions {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** How a value of the y axis is written. */
  readonly format: (y: number) => string;
}

const WIDTH = 720;
const HEIGHT = 420;
const LEFT = 64;
const RIGHT = 130;
const TOP = 44;
const BOTTOM = 48;
const COLORS = ['#0b6bcb', '#c4421a', '#2e8540', '#8a3ffc', '#7a6a00', '#00798c'];

/** A line chart as an SVG document; a series of one point becomes a level dashed line. Whole numbers on the x axis. */
export function lineChart(series: readonly Series[], options: ChartOptions): string {
  const all = series.flatMap(({ points }) => points);
  if (all.length === 0) throw new Error('lineChart: nothing to draw');
  const xs = [...new Set(all.map(({ x }) => x))].sort((a, b) => a - b);
  const ticks = niceTicks(Math.min(...all.map(({ y }) => y)), Math.max(...all.map(({ y }) => y)));
  const x = scale(xs[0] as number, xs.at(-1) as number, LEFT, WIDTH - RIGHT);
  const y = scale(ticks[0] as number, ticks.at(-1) as number, HEIGHT - BOTTOM, TOP);
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" fill="#333">`,
    `<title>${escapeText(options.title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${LEFT}" y="24" font-size="16" font-weight="600">${escapeText(options.title)}</text>`,
    ...ticks.map(
      (tick) =>
        `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(tick)}" y2="${y(tick)}" stroke="#e3e3e3"/>` +
        `<text x="${LEFT - 8}" y="${y(tick) + 4}" text-anchor="end">${escapeText(options.format(tick))}</text>`,
    ),
    ...xs.map(
      (tick) => `<text x="${x(tick)}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${tick}</text>`,
    ),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escapeText(options.xLabel)}</text>`,
    `<text transform="translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">${escapeText(options.yLabel)}</text>`,
    ...series.map(({ points }, i) => drawSeries(points, COLORS[i % COLORS.length] as string, x, y)),
    ...labels(series, y).map(
      ({ name, at, color }) =>
        `<text x="${WIDTH - RIGHT + 10}" y="${at}" fill="${color}">${escapeText(name)}</text>`,
    ),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

type Scale = (value: number) => number;

function scale(from: number, to: number, low: number, high: number): Scale {
  if (from === to) return () => (low + high) / 2;
  return (value) => Math.round((low + ((value - from) / (to - from)) * (high - low)) * 10) / 10;
}

function drawSeries(points: Series['points'], color: string, x: Scale, y: Scale): string {
  const only = points[0];
  if (points.length === 1 && only) {
    const at = y(only.y);
    return `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" stroke="${color}" stroke-width="2" stroke-dasharray="5 4"/>`;
  }
  const path = points.map((point) => `${x(point.x)},${y(point.y)}`).join(' ');
  const dots = points.map((point) => `<circle cx="${x(point.x)}" cy="${y(point.y)}" r="3" fill="${color}"/>`);
  return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>${dots.join('')}`;
}

/** Names beside the ends of their lines, moved apart where they would overlap. */
function labels(series: readonly Series[], y: Scale): Array<{ name: string; at: number; color: string }> {
  const placed = series
    .map(({ name, points }, i) => ({
      name,
      at: y(points.at(-1)?.y ?? 0) + 4,
      color: COLORS[i % COLORS.length] as string,
    }))
    .sort((a, b) => a.at - b.at);
  let last = -Infinity;
  return placed.map((label) => {
    last = Math.max(label.at, last + 16);
    return { ...label, at: last };
  });
}

/** Four to seven round numbers that span a range. */
export function niceTicks(low: number, high: number): number[] {
  const size = Math.max(Math.abs(low), Math.abs(high));
  // A range too narrow to tell its ends apart in print is drawn as a point.
  const span = high - low > 1e-9 * size ? high - low : Math.max(size, 1) * 0.1;
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(15)));
}

function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
