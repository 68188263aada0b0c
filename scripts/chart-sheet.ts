/**
 * Sixty charts on one sheet: a row for each type; in it two styles drawn at random, then a chart before and after an edit of its data
 * and after an edit of its style: `npx tsx scripts/chart-sheet.ts FILE`.
 */
import { writeFileSync } from 'node:fs';
import { unwrap } from '../src/core/result.js';
import { Rng } from '../src/core/rng.js';
import {
  applyChartEdits,
  numberColumns,
  type ChartEdit,
  type ChartState,
  type Table,
} from '../src/environments/charts/index.js';
import {
  CHART_TYPES,
  contactSheet,
  drawChart,
  encodePng,
  layoutChart,
  readableStyle,
  readingProblems,
  readStyle,
  type ChartSpec,
  type ChartStyle,
  type ChartType,
  type ChartView,
} from '../src/render/index.js';

const VIEW: ChartView = { kind: 'full', width: 480, height: 360 };

/** A made-up table with its words, by what it is good for. */
interface Sample {
  readonly title: string;
  readonly entityLabel: string;
  readonly valueLabel: string;
  readonly unit: string | null;
  readonly entities: readonly string[];
  readonly columns: Readonly<Record<string, readonly number[]>>;
}

const SAMPLES: readonly Sample[] = [
  {
    title: 'Households with a garden, by region',
    entityLabel: 'Region',
    valueLabel: 'Share of households',
    unit: '%',
    entities: ['North', 'East', 'South', 'West', 'Capital'],
    columns: {
      '2005': [41.2, 36.8, 44.1, 39.5, 18.7],
      '2015': [38.9, 35.1, 45.6, 36.2, 15.9],
      '2025': [36.4, 37.3, 46.8, 33.0, 13.2],
    },
  },
  {
    title: 'Visitors to five museums',
    entityLabel: 'Museum',
    valueLabel: 'Visitors in thousands',
    unit: null,
    entities: ['Art Museum', 'City Museum', 'Science Museum', 'Toy Museum', 'Ship Museum'],
    columns: { Adults: [412, 268, 350, 96, 187], Children: [121, 143, 298, 164, 75] },
  },
  {
    title: 'Electricity by source over the years',
    entityLabel: 'Year',
    valueLabel: 'Electricity',
    unit: 'TWh',
    entities: ['2000', '2004', '2008', '2012', '2016', '2020'],
    columns: {
      Wind: [9, 26, 41, 52, 80, 132],
      Solar: [1, 3, 6, 27, 38, 50],
      Hydro: [29, 28, 27, 28, 26, 25],
    },
  },
  {
    title: 'What a family of four spends in a week',
    entityLabel: 'Item',
    valueLabel: 'Spending',
    unit: '$',
    entities: ['Food', 'Housing', 'Transport', 'Leisure', 'Clothing'],
    columns: { Spending: [186, 342, 121, 95, 58], 'Ten years ago': [142, 251, 108, 71, 55] },
  },
];

const rng = Rng.fromSeed(20);
const pictures = CHART_TYPES.flatMap((type, row) => rowOf(type, rng.child(type), row));
const sheet = contactSheet(
  pictures.map(({ spec }) => unwrap(drawChart(spec, viewOf(spec))).image),
  5,
  { gap: 6, labels: pictures.map(({ label }) => label) },
);
const [, , file = 'charts-sheet.png'] = process.argv;
writeFileSync(file, await encodePng(sheet, { level: 9 }));
console.log(`${file}: ${pictures.length} charts, ${sheet.width} x ${sheet.height}`);

function rowOf(type: ChartType, stream: Rng, row: number): { spec: ChartSpec; label: string }[] {
  const pick = (i: number): Sample => sampleFor(type, row + i);
  const first = [0, 1].map((i) => {
    const sample = pick(i);
    const spec = specOf(sample, tableOf(sample, type), {});
    return { spec: { ...spec, style: styleFor(stream.child(i), type, [spec]) }, label: type };
  });
  const sample = pick(2);
  const table = tableOf(sample, type);
  const data = unwrap(applyChartEdits({ table, style: {} }, dataEdits(table)));
  const specs = [table, data.table].map((each) => specOf(sample, each, {}));
  const state: ChartState = { table, style: styleFor(stream.child('edited'), type, specs) };
  const changed = unwrap(applyChartEdits(state, dataEdits(table)));
  const style = styleFor(stream.child('restyled'), type, specs);
  const restyled = unwrap(applyChartEdits(changed, [{ edit: 'restyle', style: { ...style } }]));
  const edited = [state, changed, restyled].map((each) => specOf(sample, each.table, each.style));
  const labels = ['before', 'after: a value, a new row', 'after: a new style'];
  return [...first, ...edited.map((spec, i) => ({ spec, label: `${type}, ${labels[i] ?? ''}` }))];
}

/** So large that a chart fills the cell of the sheet in one direction. */
function viewOf(spec: ChartSpec): ChartView {
  const { width, height } = unwrap(layoutChart(spec, VIEW)).geometry;
  const scale = Math.min(VIEW.width / width, VIEW.height / height);
  return { kind: 'full', width: Math.floor(VIEW.width * scale), height: Math.floor(VIEW.height * scale) };
}

function sampleFor(type: ChartType, i: number): Sample {
  const fit =
    type === 'line' || type === 'area'
      ? [SAMPLES[2], SAMPLES[0]]
      : type.startsWith('pie') || type === 'donut'
        ? [SAMPLES[3], SAMPLES[1]]
        : SAMPLES;
  return fit[i % fit.length] as Sample;
}

function tableOf({ entityLabel, entities, columns, unit }: Sample, type: ChartType): Table {
  const most = ['bar', 'horizontal-bar', 'pie', 'donut'].includes(type) ? 1 : type === 'scatter' ? 2 : 4;
  return {
    entityLabel,
    entities,
    columns: Object.entries(columns)
      .slice(0, most)
      .map(([name, values]) => ({
        kind: 'number' as const,
        name,
        unit,
        decimals: values.some((value) => !Number.isInteger(value)) ? 1 : 0,
        values,
      })),
  };
}

/** One value doubled by a half, and a row put in that looks like another. */
function dataEdits(table: Table): ChartEdit[] {
  const [column] = numberColumns(table);
  const [entity = '', next = ''] = table.entities;
  const value = Math.round(1.5 * (column?.values[0] ?? 1));
  const year = Number(table.entities.at(-1));
  return [
    { edit: 'set_value', entity, column: column?.name ?? '', value },
    {
      edit: 'insert_row',
      at: table.entities.length,
      entity: Number.isInteger(year) ? String(year + 4) : `New ${next}`,
      values: numberColumns(table).map(({ values }) => Math.round(0.8 * (values[1] ?? 1))),
    },
  ];
}

function specOf(sample: Sample, table: Table, look: Readonly<Record<string, unknown>>): ChartSpec {
  const { title, entityLabel, valueLabel } = sample;
  const series = numberColumns(table);
  return {
    title,
    categoryLabel: entityLabel,
    valueLabel,
    categories: table.entities,
    series,
    style: unwrap(readStyle(look)),
  };
}

/** A style under which all of these can be read, at the size that they have on the sheet. */
function styleFor(stream: Rng, type: ChartType, specs: readonly ChartSpec[]): ChartStyle {
  for (let i = 0; ; i++) {
    const style = unwrap(readableStyle(stream.child(i), specs[0] as ChartSpec, VIEW, [type], {}, 60));
    const all = specs.every((spec) => {
      const own = { ...spec, style };
      if (!layoutChart(own, VIEW).ok) return false;
      const layout = layoutChart(own, viewOf(own));
      return layout.ok && readingProblems(layout.value.geometry).length === 0;
    });
    if (all) return style;
  }
}
