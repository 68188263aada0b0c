import { html, type Content, type Markup } from './html.js';
import { fixed, percent, short } from './numbers.js';

// Charts as inline SVG in the page's own colours (classes `tone-1` to `tone-8`), drawn in units that are about pixels at
// every width of the page, so that their text is as large as the page's.

/** A point of a line; `low` and `high` bound its interval where there is one. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly low?: number;
  readonly high?: number;
}

export interface Line {
  readonly name: string;
  /** Colour and marker, 1 to 8. */
  readonly tone: number;
  /** In the order of x. Points that aren't finite are left out, and the line is broken there. */
  readonly points: readonly Point[];
}

/** A horizontal stripe that means something, in the unit of y. */
export interface Zone {
  readonly from: number;
  readonly to: number;
}

export interface LineChartOptions {
  /** What is seen, for readers who don't see it. */
  readonly label: string;
  readonly xLabel: string;
  readonly lines: readonly Line[];
  /** A value of y in words with its unit. */
  readonly format: (y: number) => string;
  /** Whether the axis writes shares in per cent; it takes as many decimals as its values need. */
  readonly percent?: boolean;
  /** Values that the y axis must hold; it may hold more. */
  readonly yHold?: readonly number[];
  /** Bounds of what y can be: the axis never goes beyond them. */
  readonly yBounds?: readonly [low: number, high: number];
  readonly zone?: Zone;
  /** Values of x at which something begins: thin vertical lines. */
  readonly cuts?: readonly number[];
  /** Markers at the points; for few points. */
  readonly markers?: boolean;
}

const WIDTH = 360;
const HEIGHT = 208;
const LEFT = 52;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 36;

type Scale = (value: number) => number;

/** Lines over x with their intervals as bands. Without a finite point it says that there is nothing to show. */
export function lineChart(options: LineChartOptions): Markup {
  const { lines, xLabel, zone, cuts = [], yHold = [], yBounds } = options;
  const all = lines.flatMap((line) => line.points.filter(isDrawn));
  if (all.length === 0) return html`<p class="none">Nothing to draw yet.</p>`;
  const ys = [...all.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]), ...yHold];
  const ticks = axisTicks(ys.filter(Number.isFinite), yBounds);
  const xs = all.map((point) => point.x);
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  // A single x stands in the middle, and its points beside one another.
  const x = scale(first === last ? [first - 1, last + 1] : [first, last], [LEFT + 8, WIDTH - RIGHT - 8]);
  const aside = (i: number): Scale =>
    first === last ? (value) => x(value) + 40 * (i - (lines.length - 1) / 2) : x;
  const y = scale([ticks[0] as number, ticks.at(-1) as number], [HEIGHT - BOTTOM, TOP]);
  const xTicks = wholeTicks(first, last);
  return svg(
    WIDTH,
    HEIGHT,
    options.label,
    html`${zone && zoneRect(zone, y, ticks)}${gridLines(ticks, y, tickText(ticks, options.percent ?? false))}
    ${cuts.map((at) => html`<line class="cut" x1="${px(x(at))}" x2="${px(x(at))}" y1="${TOP}" y2="${HEIGHT - BOTTOM}" />`)}
    ${xTicks.map((at) => text(x(at), HEIGHT - BOTTOM + 15, 'middle', String(at)))}
    ${text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, 'middle', xLabel, 'axis')}
    ${lines.map((line, i) => drawnLine(line, aside(i), y, options))}`,
  );
}

function isDrawn({ y }: Point): boolean {
  return Number.isFinite(y);
}

function drawnLine(
  line: Line,
  x: Scale,
  y: Scale,
  { format, xLabel, markers = true }: LineChartOptions,
): Markup {
  const runs = brokenAt(line.points);
  const path = (points: readonly Point[], of: (point: Point) => number): string =>
    points.map((point, i) => `${i === 0 ? 'M' : 'L'}${px(x(point.x))} ${px(y(of(point)))}`).join('');
  const band = (points: readonly Point[]): Content => {
    const bounded = points.filter(({ low, high }) => Number.isFinite(low) && Number.isFinite(high));
    if (bounded.length === 0) return null;
    const [only] = bounded;
    if (bounded.length === 1 && only) {
      return html`<path
        class="bar-of-error"
        d="M${px(x(only.x))} ${px(y(only.low as number))}V${px(y(only.high as number))}"
      />`;
    }
    const back = path([...bounded].reverse(), (point) => point.low as number).replace('M', 'L');
    return html`<path class="band" d="${path(bounded, (point) => point.high as number)}${back}Z" />`;
  };
  const interval = ({ low, high }: Point): string =>
    low !== undefined && high !== undefined && Number.isFinite(low) && Number.isFinite(high)
      ? ` (${format(low)} to ${format(high)})`
      : '';
  return html`<g class="tone-${line.tone}">
    ${runs.map((points) => html`${band(points)}<path class="line" d="${path(points, (point) => point.y)}" />`)}
    ${
      markers &&
      runs
        .flat()
        .map(
          (point) =>
            html`<path class="marker" d="${marker(line.tone, x(point.x), y(point.y))}"
              ><title>${line.name}, ${xLabel} ${point.x}: ${format(point.y)}${interval(point)}</title></path
            >`,
        )
    }
  </g>`;
}

/** Runs of points that can be drawn. */
function brokenAt(points: readonly Point[]): Point[][] {
  const runs: Point[][] = [[]];
  for (const point of points) {
    if (isDrawn(point)) runs.at(-1)?.push(point);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

/** A small shape round a point: lines differ by shape as well as by colour. */
function marker(tone: number, x: number, y: number): string {
  const at = (dx: number, dy: number): string => `${px(x + dx)} ${px(y + dy)}`;
  switch (tone % 4) {
    case 1:
      return `M${at(-3.4, 0)}a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0Z`;
    case 2:
      return `M${at(-3, -3)}h6v6h-6Z`;
    case 3:
      return `M${at(0, -4)}L${at(4, 3)}H${px(x - 4)}Z`;
    default:
      return `M${at(0, -4.2)}L${at(4.2, 0)}L${at(0, 4.2)}L${at(-4.2, 0)}Z`;
  }
}

/** One bar of a pair of histograms. */
export interface PairedBin {
  /** What falls into it, e.g. `3/8`. */
  readonly name: string;
  /** Shares in [0, 1]. */
  readonly before: number;
  readonly after: number;
  /** Whether the bin lies where tasks are wanted. */
  readonly wanted: boolean;
}

/** Two histograms over the same bins, side by side; `top` is the share at the upper end, so that several compare. */
export function pairedHistogram(options: {
  readonly label: string;
  readonly bins: readonly PairedBin[];
  readonly top: number;
  readonly format: (share: number) => string;
  readonly names: readonly [before: string, after: string];
}): Markup {
  const { bins, top, format, names } = options;
  const [width, height, left, bottom] = [236, 132, 38, 20];
  const y = scale([0, top], [height - bottom, 8]);
  const step = (width - left - 4) / bins.length;
  const bar = (at: number, share: number, kind: 'before' | 'after', title: string): Markup =>
    html`<rect
      class="${kind}"
      x="${px(at)}"
      y="${px(y(share))}"
      width="${px(step * 0.4)}"
      height="${px(y(0) - y(share))}"
      ><title>${title}: ${format(share)}</title></rect
    >`;
  return svg(
    width,
    height,
    options.label,
    html`${bins.map((bin, i) => bin.wanted && html`<rect class="zone" x="${px(left + i * step)}" y="8" width="${px(step)}" height="${height - bottom - 8}" />`)}
    ${[0, top / 2, top].map((at) => gridLine(left, width - 2, y(at), format(at)))}
    ${bins.map((bin, i) => [
      bar(left + (i + 0.08) * step, bin.before, 'before', `${names[0]}, ${bin.name}`),
      bar(left + (i + 0.52) * step, bin.after, 'after', `${names[1]}, ${bin.name}`),
    ])}
    ${bins.map((bin, i) => labelled(i, bins.length) && text(left + (i + 0.5) * step, height - 6, 'middle', bin.name))}`,
  );
}

/** Every bin has its name when there are few, else first, middle and last. */
function labelled(i: number, bins: number): boolean {
  return bins <= 5 || i === 0 || i === bins - 1 || 2 * i === bins - 1;
}

/** Stacked bars, one a column; parts are from the bottom up. */
export function stackedBars(options: {
  readonly label: string;
  readonly xLabel: string;
  readonly columns: ReadonlyArray<{
    readonly name: string;
    readonly parts: ReadonlyArray<{ readonly name: string; readonly tone: number; readonly value: number }>;
  }>;
  readonly format: (value: number) => string;
}): Markup {
  const { columns, format, xLabel } = options;
  const totals = columns.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  if (!(Math.max(0, ...totals) > 0)) return html`<p class="none">Nothing to draw yet.</p>`;
  const ticks = axisTicks([0, ...totals], [0, Infinity]);
  const y = scale([0, ticks.at(-1) as number], [HEIGHT - BOTTOM, TOP]);
  const step = (WIDTH - LEFT - RIGHT) / columns.length;
  const wide = Math.min(44, step * 0.7);
  const every = Math.ceil(columns.length / 12);
  return svg(
    WIDTH,
    HEIGHT,
    options.label,
    html`${gridLines(ticks, y, format)}
    ${columns.map(({ name, parts }, i) => {
      const middle = LEFT + (i + 0.5) * step;
      let under = 0;
      const rects = parts.map((part) => {
        const from = under;
        under += part.value;
        const high = y(from) - y(under);
        return (
          high > 0 &&
          html`<rect
            class="part tone-${part.tone}"
            x="${px(middle - wide / 2)}"
            y="${px(y(under))}"
            width="${px(wide)}"
            height="${px(high)}"
            ><title>${xLabel} ${name}, ${part.name}: ${format(part.value)}</title></rect
          >`
        );
      });
      return [rects, i % every === 0 && text(middle, HEIGHT - BOTTOM + 15, 'middle', name)];
    })}
    ${text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, 'middle', xLabel, 'axis')}`,
  );
}

/** A move on the scale from 0 to 1: where it came from (hollow), where it went (full), and the zone that is wanted. */
export function moveGauge(options: {
  readonly label: string;
  readonly before: number | null;
  readonly after: number;
  readonly zone: Zone;
}): Markup {
  const { before, after, zone } = options;
  const [width, height] = [300, 34];
  const x = scale([0, 1], [10, width - 10]);
  const middle = 12;
  const shaft = (from: number): Content => {
    const length = Math.abs(x(after) - x(from));
    if (length < 14) return null;
    const way = after > from ? 1 : -1;
    const tip = x(after) - way * 6;
    return html`<path class="shaft" d="M${px(x(from) + way * 6)} ${middle}H${px(tip)}" /><path
        class="tip"
        d="M${px(tip)} ${middle}l${px(-way * 6)} -4v8Z"
      />`;
  };
  return svg(
    width,
    height,
    options.label,
    html`<rect
        class="zone"
        x="${px(x(zone.from))}"
        y="2"
        width="${px(x(zone.to) - x(zone.from))}"
        height="20"
      />
      <path class="grid" d="M${px(x(0))} ${middle}H${px(x(1))}" />
      ${[0, 0.5, 1].map((at) => html`<path class="grid" d="M${px(x(at))} ${middle - 4}v8" />${text(x(at), height - 1, 'middle', String(at))}`)}
      ${before !== null && html`${shaft(before)}<circle class="was" cx="${px(x(before))}" cy="${middle}" r="5" />`}
      <circle class="is" cx="${px(x(after))}" cy="${middle}" r="5" />`,
    'gauge',
  );
}

/** What the colours and shapes of a chart mean. `kind` is how a key is drawn. */
export function legend(
  entries: ReadonlyArray<{
    readonly name: string;
    readonly tone?: number;
    readonly kind: 'line' | 'part' | 'before' | 'after' | 'zone';
  }>,
): Markup {
  const key = (entry: { readonly tone?: number; readonly kind: string }): Markup => {
    if (entry.kind !== 'line') return html`<rect class="${entry.kind}" x="3" y="2" width="16" height="10" />`;
    return html`<path class="line" d="M1 7H21" /><path
        class="marker"
        d="${marker(entry.tone ?? 1, 11, 7)}"
      />`;
  };
  return html`<ul class="legend">
    ${entries.map(
      (entry) =>
        html`<li>
          <svg class="tone-${entry.tone ?? 1}" viewBox="0 0 22 14" width="22" height="14" aria-hidden="true">
            ${key(entry)}
          </svg>
          ${entry.name}
        </li>`,
    )}
  </ul>`;
}

/** Round values at equal steps that hold all of `values`, three to seven of them, within `bounds`. */
export function axisTicks(values: readonly number[], bounds?: readonly [number, number]): number[] {
  const [low, high] = spread(Math.min(...values), Math.max(...values));
  const raw = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw * 0.999) ?? 10) * power;
  const below = (value: number): number => Math.floor(value / step + 1e-9);
  const above = (value: number): number => Math.ceil(value / step - 1e-9);
  const from = Math.max(below(low), bounds ? below(bounds[0]) : -Infinity);
  const to = Math.min(above(high), bounds ? above(bounds[1]) : Infinity);
  return Array.from({ length: Math.max(2, to - from + 1) }, (_, i) =>
    Number(((from + i) * step).toPrecision(12)),
  );
}

/** Writes ticks with the decimals that tell them apart. */
function tickText(ticks: readonly number[], inPercent: boolean): (value: number) => string {
  const step = ((ticks[1] as number) - (ticks[0] as number)) * (inPercent ? 100 : 1);
  const digits = [0, 1, 2, 3, 4, 5, 6].find((n) => {
    const scaled = step * 10 ** n;
    return Math.round(scaled) > 0 && Math.abs(scaled - Math.round(scaled)) < 1e-6;
  });
  if (inPercent) return (value) => percent(value, digits ?? 2);
  return (value) => (digits === undefined ? short(value) : fixed(value, digits));
}

/** An interval that isn't a point. */
function spread(low: number, high: number): [number, number] {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > Math.max(1e-12, 1e-9 * size)) return [low, high];
  return size < 1e-9 ? [0, 1] : [low - 0.1 * size, high + 0.1 * size];
}

/** At most seven whole numbers from low to high. */
function wholeTicks(low: number, high: number): number[] {
  const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500].find((s) => (high - low) / s <= 6);
  const by = step ?? Math.ceil((high - low) / 6);
  const first = Math.ceil(low / by) * by;
  return Array.from({ length: Math.floor((high - first) / by) + 1 }, (_, i) => first + i * by);
}

function scale([a, b]: readonly [number, number], [from, to]: readonly [number, number]): Scale {
  return (value) => from + ((value - a) / (b - a)) * (to - from);
}

function gridLines(ticks: readonly number[], y: Scale, format: (value: number) => string): Markup[] {
  return ticks.map((at) => gridLine(LEFT, WIDTH - RIGHT, y(at), format(at)));
}

function gridLine(from: number, to: number, at: number, name: string): Markup {
  return html`<path
      class="grid"
      d="M${px(from)} ${px(at)}H${px(to)}"
    />${text(from - 5, at + 4, 'end', name)}`;
}

function zoneRect({ from, to }: Zone, y: Scale, ticks: readonly number[]): Content {
  const low = Math.max(from, ticks[0] as number);
  const high = Math.min(to, ticks.at(-1) as number);
  if (!(high > low)) return null;
  return html`<rect
    class="zone"
    x="${LEFT}"
    y="${px(y(high))}"
    width="${WIDTH - LEFT - RIGHT}"
    height="${px(y(low) - y(high))}"
  />`;
}

function text(
  x: number,
  y: number,
  anchor: 'start' | 'middle' | 'end',
  words: string,
  kind = 'tick',
): Markup {
  return html`<text class="${kind}" x="${px(x)}" y="${px(y)}" text-anchor="${anchor}">${words}</text>`;
}

function svg(width: number, height: number, label: string, content: Content, kind = 'chart'): Markup {
  return html`<svg class="${kind}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    ${content}
  </svg>`;
}

/** A coordinate in tenths. */
function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}
