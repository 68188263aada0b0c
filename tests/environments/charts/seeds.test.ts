import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DataError } from '../../../src/core/errors.js';
import { Rng } from '../../../src/core/rng.js';
import {
  CHART_FAMILIES,
  chartQaSeeds,
  chartsEnvironment,
  DEFAULT_CHARTS_CONFIG,
  MICRO_CONFIG,
  MICRO_STYLES,
  nameKey,
  numberColumns,
  readChartSeeds,
  readChartsFolder,
  sampleMicroCharts,
  sampleVegaCharts,
  tableSource,
  vegaReader,
  type ChartSeed,
} from '../../../src/environments/charts/index.js';

const SHARED = '../shared/data/chartqa';
const OPTIONS = { rows: [3, 8], families: CHART_FAMILIES, questionsPerChart: 3 } as const;

function vega(seed: string, count: number, part: 'training' | 'held-out' = 'training'): ChartSeed[] {
  return sampleVegaCharts(Rng.fromSeed(seed), count, { ...OPTIONS, part }, DEFAULT_CHARTS_CONFIG);
}

describe('tables of vega-datasets', () => {
  it('are small, whole and named apart, from many files; the two parts share no title', () => {
    const reader = vegaReader();
    const titles = { training: new Set<string>(), 'held-out': new Set<string>() };
    for (let i = 0; i < 400; i++) {
      const part = i % 2 === 0 ? 'training' : 'held-out';
      const cut = reader.cut(Rng.fromSeed('cuts').child(i), [3, 8], part);
      if (!cut) continue;
      titles[part].add(cut.title);
      const { entities } = cut.table;
      expect(entities.length).toBeGreaterThanOrEqual(3);
      expect(entities.length).toBeLessThanOrEqual(8);
      expect(new Set(entities.map(nameKey)).size).toBe(entities.length);
      for (const { values, decimals, name } of numberColumns(cut.table)) {
        for (const value of values) expect(Number(value?.toFixed(decimals)), name).toBe(value);
      }
    }
    expect(titles.training.size).toBe(12);
    expect(titles['held-out'].size).toBe(4);
    expect([...titles.training].filter((title) => titles['held-out'].has(title))).toEqual([]);
  });

  it('become seeds that the environment accepts, the same for the same stream, shorter lists first', async () => {
    const environment = chartsEnvironment();
    const seeds = vega('seeds', 24);
    expect(vega('seeds', 24)).toEqual(seeds);
    expect(vega('seeds', 10)).toEqual(seeds.slice(0, 10));
    for (const seed of seeds) {
      const result = await environment.realise(seed, null);
      expect(result.ok, result.ok ? '' : result.error.detail).toBe(true);
      expect(environment.parseState(JSON.parse(JSON.stringify(seed.state)))).toEqual({
        ok: true,
        value: seed.state,
      });
    }
  });
});

describe('micro charts', () => {
  it('become seeds that the environment accepts', async () => {
    const environment = chartsEnvironment(MICRO_CONFIG);
    const look = { types: MICRO_STYLES.type, plain: false, families: MICRO_CONFIG.families };
    const seeds = sampleMicroCharts(Rng.fromSeed('micro'), 80, { ...OPTIONS, ...look }, MICRO_CONFIG);
    let refused = 0;
    for (const seed of seeds) if (!(await environment.realise(seed, null)).ok) refused++;
    expect(refused).toBe(0);
  });
});

describe('seeds of a user', () => {
  const csv = 'Country,2019,2020\nSpain,19.7%,8.5%\nChile,8%,11.5%\nKorea,2%,4.5%\n';
  const folder = mkdtempSync(path.join(tmpdir(), 'charts-'));
  const file = path.join(folder, 'seeds.jsonl');
  const write = (...lines: unknown[]): void =>
    writeFileSync(
      file,
      lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    );
  const read = (onBadLine: 'fail' | 'skip' = 'fail'): ReturnType<typeof readChartSeeds> =>
    readChartSeeds(file, { onBadLine }, DEFAULT_CHARTS_CONFIG);
  const cell = { id: 'one', csv, question: 'What was the value of Spain in 2020?', answer: 8.5 };

  it('are read from JSONL, tiered by their words', async () => {
    write(cell, '', { csv, question: 'How much did the mood improve?', answer: 'a lot' });
    const { seeds } = read();
    expect(seeds.map(({ state }) => state.question.operation)).toEqual([
      { op: 'cell', cell: { entity: 'Spain', column: '2020' } },
      { op: 'given', answer: 'a lot', kind: 'word' },
    ]);
    expect(seeds[0]?.seedId).toBe('one');
    for (const seed of seeds) expect((await chartsEnvironment().realise(seed, null)).ok).toBe(true);
  });

  it.each([
    ['{', 1, /not JSON/],
    [{ ...cell, answer: 90 }, 1, /contradicts/],
    [{ ...cell, question: 'What does the red bar show?' }, 1, /colours/],
    [{ csv: 'x', question: 'q', answer: 'a' }, 1, /csv/],
    [{ csv, question: 'q' }, 1, /answer/],
  ])('name file and line of %j', (line, number, words) => {
    write(line, cell);
    expect(() => read()).toThrow(DataError);
    expect(() => read()).toThrow(words);
    expect(() => read()).toThrow(`seeds.jsonl:${number}`);
    expect(read('skip').seeds).toHaveLength(1);
  });

  it('are an error when there is none', () => {
    write('');
    expect(() => read('skip')).toThrow(/no usable seeds/);
    rmSync(folder, { recursive: true });
  });

  it.runIf(existsSync(SHARED))('come from ChartQA’s layout, with what is left out counted', async () => {
    const shared = readChartsFolder(SHARED);
    const environment = chartsEnvironment();
    const { seeds, notes } = chartQaSeeds(shared.questions, tableSource(shared), environment.config);
    const left = notes.reduce((sum, note) => sum + Number(/^\d+/.exec(note)?.[0]), 0);
    expect(seeds.length + left).toBe(shared.questions.length);
    expect(seeds.length).toBeGreaterThan(20);
    const tiers = new Set<unknown>();
    for (const seed of seeds) {
      const result = await environment.realise(seed, null);
      if (!result.ok) throw new Error(`${seed.state.question.text}: ${result.error.detail}`);
      tiers.add(result.value[0]?.task.facts['tier']);
    }
    expect(tiers).toEqual(new Set([1, 2]));
  });
});
