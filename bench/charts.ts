/**
 * Charts a second, 800 x 600 with text, twelve types, against Matplotlib and beside ECharts; and at the micro
 * size: `npx tsx bench/charts.ts [python=INTERPRETER] [count=CHARTS]`. All by processor
 * time, so that other work on the machine spoils little; both cores are two processes at the same time.
 */
import { execFileSync, fork, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { unwrap } from '../src/core/result.js';
import {
  CHART_TYPES,
  DEFAULT_STYLE,
  drawChart,
  encodePng,
  type ChartSpec,
  type ChartView,
} from '../src/render/index.js';
import { echartsSvg } from './peers/echarts.js';
import { printTable, rate, type Row } from './table.js';

const FULL: ChartView = { kind: 'full', width: 800, height: 600 };
const MICRO: ChartView = { kind: 'micro', width: 72, height: 48 };
const PEER = fileURLToPath(new URL('peers/charts.py', import.meta.url));
const NAMES = [
  'Austria',
  'Belgium',
  'Croatia',
  'Denmark',
  'Estonia',
  'Finland',
  'Greece',
  'Hungary',
  'Iceland',
  'Latvia',
  'Malta',
  'Norway',
];
const ONE: readonly string[] = ['bar', 'horizontal-bar', 'pie', 'donut'];

/** Twelve categories each; every other one with value labels. */
const specs: readonly ChartSpec[] = CHART_TYPES.map((type, n) => ({
  title: 'Share of adults who use the service, by country',
  categoryLabel: 'Country',
  valueLabel: 'Share of adults',
  categories: NAMES,
  series: ['2010', '2015', '2020']
    .slice(0, ONE.includes(type) ? 1 : type === 'scatter' ? 2 : 3)
    .map((name, k) => ({
      name,
      unit: '%',
      decimals: 0,
      values: NAMES.map((_, i) => 10 + ((37 * i + 17 * k + n) % 50)),
    })),
  style: { ...DEFAULT_STYLE, type, valueLabels: n % 2 === 0 ? 'outside' : 'none' },
}));

async function ours(count: number, view: ChartView, png: boolean): Promise<number> {
  for (let i = 0; i < count; i++) {
    const { image } = unwrap(drawChart(specs[i % specs.length] as ChartSpec, view));
    if (png) await encodePng(image);
  }
  return count;
}

/** Charts a second of two processes that draw at the same time, each by its own processor time, together. */
async function both(count: number, png: boolean): Promise<number> {
  const children = [0, 1].map(() =>
    fork(fileURLToPath(import.meta.url), ['worker', String(count), String(png)]),
  );
  const all = (): Promise<unknown[]> =>
    Promise.all(children.map((child) => new Promise((resolve) => child.once('message', resolve))));
  await all();
  const done = all();
  for (const child of children) child.send('go');
  return (await done).reduce<number>((sum, each) => sum + Number(each), 0);
}

/** Says when it is warm, waits for the other one, and says its rate. */
async function worker(count: number, png: boolean): Promise<void> {
  await ours(specs.length * 4, FULL, png);
  process.once('message', () => {
    void rate(() => ours(count, FULL, png), 5, 0).then((each) => {
      process.send?.(each);
      process.disconnect();
    });
  });
  process.send?.('warm');
}

/** Charts a second of Matplotlib. */
function matplotlib(python: string, file: string, mode: 'pixels' | 'png', count: number): number {
  return 1 / Number(execFileSync(python, [PEER, file, mode, String(count)], { encoding: 'utf8' }));
}

/** ECharts' part of the work: SVG, no pixels. */
function echarts(count: number): number {
  for (let i = 0; i < count; i++) echartsSvg(specs[i % specs.length] as ChartSpec, FULL);
  return count;
}

async function compare(python: string, count: number): Promise<void> {
  const rows: Row[] = [];
  const folder = mkdtempSync(path.join(tmpdir(), 'covolve-charts-'));
  const file = path.join(folder, 'specs.json');
  writeFileSync(file, JSON.stringify(specs));
  const there = spawnSync(python, ['-c', 'import matplotlib'], { stdio: 'ignore' }).status === 0;
  if (!there) console.log(`Matplotlib is missing (${python}), so that there is nothing to compare with`);
  try {
    for (const mode of ['pixels', 'png'] as const) {
      const png = mode === 'png';
      const what = png ? 'PNG level 1' : 'pixels';
      const peer = there ? matplotlib(python, file, mode, count) : null;
      const one = await rate(() => ours(count, FULL, png), 5, 2);
      const two = await both(count, png);
      const to = (value: number, yardstick: number | null): Pick<Row, 'ratio'> =>
        yardstick === null ? {} : { ratio: { to: 'Matplotlib', value: value / yardstick } };
      if (peer !== null) rows.push({ what: `Matplotlib, ${what}, one core`, rate: peer, unit: 'charts' });
      rows.push({
        what: `ours, ${what}, one core`,
        rate: one,
        unit: 'charts',
        ...to(one, peer),
      });
      rows.push({
        what: `ours, ${what}, both cores`,
        rate: two,
        unit: 'charts',
        ...to(two, peer),
      });
    }
    const svg = await rate(() => echarts(count), 3, 1);
    rows.push({ what: 'ECharts, SVG only, no pixels, one core', rate: svg, unit: 'charts' });
    const micro = await rate(() => ours(20 * count, MICRO, false), 5, 2);
    rows.push({ what: 'ours, micro size, 72 x 48, one core', rate: micro, unit: 'charts' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  printTable(rows);
}

const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`${name}=`))?.slice(name.length + 1);
if (process.argv[2] === 'worker') await worker(Number(process.argv[3]), process.argv[4] === 'true');
else await compare(option('python') ?? '/usr/bin/python3', Number(option('count') ?? 48));
