/**
 * SVG with text to PNG of 800 x 600, against CairoSVG, and MM-Zero's three-field diversity term of 256 proposals, against NLTK with
 * scikit-learn, in one run: `npx tsx bench/svg.ts [python=python3]`. By the clock on the wall, since the drawing is in other
 * processes; ours and the peer's passes take turns, so that a busy machine slows both. The peers are wanted in that Python
 * (`pip install cairosvg nltk scikit-learn`); a missing one is skipped.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { unwrap } from '../src/core/result.js';
import { Rng } from '../src/core/rng.js';
import { encodePng, openSvgRasteriser, type SvgRasteriser } from '../src/render/index.js';
import { mmZeroDiversity, tokensOf, type ProposalTexts } from '../src/rewards/diversity.js';
import { printTable, type Row } from './table.js';

const options = Object.fromEntries(process.argv.slice(2).map((pair) => pair.split('=')));
const python = options['python'] ?? 'python3';
const PEER = fileURLToPath(new URL('peers/svg.py', import.meta.url));
const SIZE = { width: 800, height: 600 };
const PASSES = 5;
const PICTURES = 24;
const PROPOSALS = 256;

const folder = mkdtempSync(path.join(tmpdir(), 'covolve-bench-'));
const rng = Rng.fromSeed('bench svg');

/** A bar chart of a dozen bars with title, grid, labels and numbers. */
function chart(stream: Rng): string {
  const bars = Array.from({ length: 12 }, (_, i) => {
    const height = 40 + stream.int(380);
    const [x, y] = [70 + 58 * i, 520 - height];
    return (
      `<rect x="${x}" y="${y}" width="40" height="${height}" fill="hsl(${30 * i},60%,50%)"/>` +
      `<text x="${x + 20}" y="${y - 6}" font-size="14" text-anchor="middle">${height}</text>` +
      `<text x="${x + 20}" y="540" font-size="14" text-anchor="middle">Month ${i + 1}</text>`
    );
  });
  const lines = Array.from({ length: 9 }, (_, i) => {
    const y = 520 - 50 * i;
    return `<line x1="60" y1="${y}" x2="770" y2="${y}" stroke="#ccc"/><text x="20" y="${y + 5}" font-size="14">${50 * i}</text>`;
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 600" width="800" height="600">` +
    `<rect width="800" height="600" fill="white"/><text x="400" y="40" font-size="24" text-anchor="middle">Sales of a small shop</text>` +
    `${lines.join('')}${bars.join('')}</svg>`
  );
}

const THINGS = ['apples', 'books', 'trains', 'lamps', 'boats', 'stamps', 'songs', 'maps'];
const WORDS =
  'with bars labels colours each month north south total legend title axis above below between red blue'.split(
    ' ',
  );

function proposal(stream: Rng): ProposalTexts {
  const thing = stream.pick(THINGS);
  const words = (n: number): string => Array.from({ length: n }, () => stream.pick(WORDS)).join(' ');
  const numbers = Array.from({ length: 6 }, () => 1 + stream.int(90)).join(', ');
  return {
    caption: `A chart of ${thing} sold in six months: ${numbers}, ${words(24)}.`,
    easyQuestion: `How many ${thing} were sold in month ${1 + stream.int(6)}?`,
    hardQuestion: `How many more ${thing} were sold in the best month than ${words(4)} in month ${1 + stream.int(6)}?`,
  };
}

/** What the peer says, or null with a line where this Python lacks it. */
function peer<T>(mode: 'draw' | 'diversity', input: unknown, count: number, needs: string): T | null {
  const file = path.join(folder, `${mode}.json`);
  writeFileSync(file, JSON.stringify(input));
  try {
    return JSON.parse(
      execFileSync(python, [PEER, mode, file, String(count)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    ) as T;
  } catch (cause) {
    const said = cause instanceof Error ? (cause.message.trim().split('\n').at(-1) ?? '') : String(cause);
    console.log(`skipped ${mode}'s peer: ${python} has no ${needs} (${said})`);
    return null;
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** PNGs a second. */
async function drawn(rasteriser: SvgRasteriser, markups: readonly string[]): Promise<number> {
  const start = performance.now();
  await Promise.all(markups.map(async (markup) => encodePng(unwrap(await rasteriser.render(markup, SIZE)))));
  return markups.length / ((performance.now() - start) / 1000);
}

async function drawing(): Promise<Row[]> {
  const markups = Array.from({ length: PICTURES }, (_, i) => chart(rng.child('chart', i)));
  const one = openSvgRasteriser({ workers: 1 });
  const two = openSvgRasteriser({ workers: 2 });
  const rates = { one: [] as number[], two: [] as number[], peer: [] as number[] };
  for (let pass = -1; pass < PASSES; pass++) {
    const round = { one: await drawn(one, markups), two: await drawn(two, markups) };
    if (pass < 0) continue;
    rates.one.push(round.one);
    rates.two.push(round.two);
    const said = peer<{ seconds: number }>('draw', markups, PICTURES, 'cairosvg');
    if (said) rates.peer.push(PICTURES / said.seconds);
    else if (pass === 0) rates.peer.length = 0;
    if (!said) break;
  }
  await Promise.all([one.close(), two.close()]);
  const unit = 'pictures';
  const yardstick = median(rates.peer);
  const against = (value: number): Pick<Row, 'ratio'> =>
    Number.isNaN(yardstick) ? {} : { ratio: { to: 'CairoSVG', value: value / yardstick } };
  return [
    ...(Number.isNaN(yardstick) ? [] : [{ what: 'SVG to PNG 800 x 600, CairoSVG', rate: yardstick, unit }]),
    { what: 'the same, one drawing process', rate: median(rates.one), unit, ...against(median(rates.one)) },
    { what: 'the same, two drawing processes', rate: median(rates.two), unit, ...against(median(rates.two)) },
  ];
}

function diversity(): Row[] {
  const proposals = Array.from({ length: PROPOSALS }, (_, i) => proposal(rng.child('proposal', i)));
  const seconds: number[] = [];
  let terms: Float64Array = new Float64Array(0);
  for (let pass = -1; pass < PASSES; pass++) {
    const start = performance.now();
    terms = mmZeroDiversity(proposals);
    if (pass >= 0) seconds.push((performance.now() - start) / 1000);
  }
  const unit = 'batches';
  const ours = { what: `diversity of ${PROPOSALS} proposals`, rate: 1 / median(seconds), unit };
  const cut = proposals.map(({ caption, easyQuestion, hardQuestion }) => ({
    caption: tokensOf(caption),
    easyQuestion: tokensOf(easyQuestion),
    hardQuestion: tokensOf(hardQuestion),
  }));
  const said = peer<{ seconds: number; terms: number[] }>('diversity', cut, 1, 'nltk and scikit-learn');
  if (!said) return [ours];
  const apart = Math.max(...said.terms.map((term, i) => Math.abs(term - (terms[i] ?? NaN))));
  console.log(`the peer's terms differ by ${apart.toExponential(1)} at most`);
  const rate = 1 / said.seconds;
  return [
    { what: 'the same, NLTK with scikit-learn', rate, unit },
    { ...ours, ratio: { to: 'NLTK with scikit-learn', value: ours.rate / rate } },
  ];
}

try {
  printTable([...(await drawing()), ...diversity()]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
