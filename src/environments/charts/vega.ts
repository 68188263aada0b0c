import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Rng } from '../../core/rng.js';
import { isYear, type Column, type Table } from './table.js';

/** A number under two names, e.g. a country and a year; `series` is the measure itself where there is one series only. */
interface Fact {
  readonly row: string;
  readonly series: string;
  readonly value: number;
}

type Records = readonly Readonly<Record<string, string | number | null>>[];

/** One measure of a data file. */
interface Source {
  readonly file: string;
  readonly title: string;
  /** What the numbers are, where there are several series; empty where the one series is called after it. */
  readonly measure: string;
  readonly rowLabel: string;
  /** What the series are; null where they can't stand as rows. */
  readonly seriesLabel: string | null;
  readonly unit: string | null;
  readonly decimals: number;
  /** Left out of training: tables of these files are for judging. */
  readonly heldOut?: true;
  facts(records: Records): readonly Fact[];
}

/** Rows of a record under its own keys, one fact a column. */
function wide(row: string, columns: Readonly<Record<string, string>>, scale = 1): Source['facts'] {
  return (records) =>
    records.flatMap((record) =>
      Object.entries(columns).map(([key, series]) => ({
        row: String(record[row]),
        series,
        value: number(record[key]) * scale,
      })),
    );
}

/** One fact a record. */
function long(row: string, series: string, value: string, scale = 1): Source['facts'] {
  return (records) =>
    records.map((record) => ({
      row: String(record[row]),
      series: String(record[series]),
      value: number(record[value]) * scale,
    }));
}

function number(value: string | number | null | undefined): number {
  return value === null || value === undefined || value === '' ? NaN : Number(value);
}

/** The year of a date, where the record is a year's first. */
function january(date: string, read: Source['facts']): Source['facts'] {
  const first = (text: string): boolean => /-01-01|^Jan 1 /.test(text);
  const year = (text: string): string => /\d{4}/.exec(text)?.[0] ?? text;
  return (records) =>
    read(
      records
        .filter((record) => first(String(record[date])))
        .map((record) => ({ ...record, [date]: year(String(record[date])) })),
    );
}

const gapminder = { file: 'gapminder.json', rowLabel: 'Country', seriesLabel: 'Year' } as const;
const SECTORS = {
  construction: 'Construction',
  manufacturing: 'Manufacturing',
  retail_trade: 'Retail trade',
  financial_activities: 'Finance',
  government: 'Government',
  leisure_and_hospitality: 'Leisure',
};

/** Real data of the package `vega-datasets` whose tables make fair charts. */
const SOURCES: readonly Source[] = [
  {
    ...gapminder,
    title: 'Life expectancy by country',
    measure: 'Life expectancy in years',
    unit: null,
    decimals: 1,
    facts: long('country', 'year', 'life_expect'),
  },
  {
    ...gapminder,
    title: 'Children per woman',
    measure: 'Fertility rate',
    unit: null,
    decimals: 2,
    facts: long('country', 'year', 'fertility'),
  },
  {
    ...gapminder,
    title: 'Population by country',
    measure: 'Population in millions',
    unit: null,
    decimals: 1,
    facts: long('country', 'year', 'pop', 1e-6),
  },
  {
    file: 'gapminder-health-income.csv',
    title: 'Income per person',
    measure: '',
    rowLabel: 'Country',
    seriesLabel: null,
    unit: '$',
    decimals: 0,
    facts: wide('country', { income: 'Income per person' }),
  },
  {
    file: 'barley.json',
    title: 'Barley trials of 1931',
    measure: 'Yield in bushels per acre',
    rowLabel: 'Site',
    seriesLabel: 'Variety',
    unit: null,
    decimals: 1,
    facts: (records) => long('site', 'variety', 'yield')(records.filter(({ year }) => year === 1931)),
  },
  {
    file: 'iowa-electricity.csv',
    title: 'Electricity in Iowa',
    measure: 'Net generation in gigawatt hours',
    rowLabel: 'Year',
    seriesLabel: 'Energy source',
    unit: null,
    decimals: 0,
    facts: january('year', long('year', 'source', 'net_generation')),
  },
  {
    file: 'stocks.csv',
    title: 'Share prices in January',
    measure: 'Share price',
    rowLabel: 'Year',
    seriesLabel: 'Company',
    unit: '$',
    decimals: 2,
    facts: january('date', long('date', 'symbol', 'price')),
  },
  {
    file: 'unemployment-across-industries.json',
    title: 'Unemployment in January',
    measure: 'Unemployment rate',
    rowLabel: 'Industry',
    seriesLabel: 'Year',
    unit: '%',
    decimals: 1,
    facts: (records) => long('series', 'year', 'rate')(records.filter(({ month }) => month === 1)),
  },
  {
    file: 'obesity.json',
    title: 'Obesity in the United States',
    measure: '',
    rowLabel: 'State',
    seriesLabel: null,
    unit: '%',
    decimals: 1,
    facts: (records) =>
      records.map(({ state, rate }) => ({
        row: String(state),
        series: 'Obesity rate',
        value: number(rate) * 100,
      })),
  },
  {
    file: 'wheat.json',
    title: 'The price of wheat in England',
    measure: '',
    rowLabel: 'Year',
    seriesLabel: null,
    unit: null,
    decimals: 1,
    facts: wide('year', { wheat: 'Price of wheat in shillings' }),
  },
  {
    file: 'population_engineers_hurricanes.csv',
    title: 'Hurricanes that reached a state',
    measure: '',
    rowLabel: 'State',
    seriesLabel: null,
    unit: null,
    decimals: 0,
    facts: wide('state', { hurricanes: 'Number of hurricanes' }),
  },
  {
    file: 'global-temp.csv',
    title: 'Global temperature',
    measure: '',
    rowLabel: 'Year',
    seriesLabel: null,
    unit: null,
    decimals: 2,
    facts: wide('year', { temp: 'Temperature anomaly in degrees' }),
  },
  {
    file: 'us-employment.csv',
    title: 'Jobs in the United States in January',
    measure: 'Number of jobs in thousands',
    rowLabel: 'Year',
    seriesLabel: 'Sector',
    unit: null,
    decimals: 0,
    heldOut: true,
    facts: january('month', wide('month', SECTORS)),
  },
  {
    file: 'income.json',
    title: 'Households by income in dollars',
    measure: 'Share of households',
    rowLabel: 'State',
    seriesLabel: null,
    unit: '%',
    decimals: 1,
    heldOut: true,
    facts: (records) =>
      records.map(({ name, group, pct }) => ({
        row: String(name),
        series: String(group).replace('<', 'under '),
        value: number(pct) * 100,
      })),
  },
  {
    file: 'driving.json',
    title: 'Driving in the United States',
    measure: '',
    rowLabel: 'Year',
    seriesLabel: null,
    unit: null,
    decimals: 0,
    heldOut: true,
    facts: wide('year', { miles: 'Distance driven per person in miles' }),
  },
  {
    file: 'co2-concentration.csv',
    title: 'Carbon dioxide at Mauna Loa in January',
    measure: '',
    rowLabel: 'Year',
    seriesLabel: null,
    unit: null,
    decimals: 2,
    heldOut: true,
    facts: january('Date', wide('Date', { CO2: 'Carbon dioxide in parts per million' })),
  },
];

/** A table that was cut from a data file, with its words. */
export interface VegaTable {
  readonly table: Table;
  readonly title: string;
  readonly measure: string;
}

/** Which data files tables are cut from; the two parts share none. */
export type VegaPart = 'training' | 'held-out';

/** Facts of each source, read once by a reader of its own. */
export interface VegaReader {
  /** A small table: `rows` fewest and most rows, up to three series, no value missing. Null when the draw found none. */
  cut(rng: Rng, rows: readonly [min: number, max: number], part: VegaPart): VegaTable | null;
}

const MOST_SERIES = 3;
/** Share of cuts with more than one series, where there are more. */
const SEVERAL = 0.6;

/** Reads data files of `vega-datasets` as they are needed. */
export function vegaReader(): VegaReader {
  const folder = path.join(path.dirname(createRequire(import.meta.url).resolve('vega-datasets')), '../data');
  const known = new Map<Source, ReadonlyMap<string, ReadonlyMap<string, number>>>();
  const factsOf = (source: Source): ReadonlyMap<string, ReadonlyMap<string, number>> => {
    const facts = known.get(source) ?? gather(source, readRecords(path.join(folder, source.file)));
    known.set(source, facts);
    return facts;
  };
  return {
    cut(rng, rows, part) {
      const source = rng.pick(SOURCES.filter(({ heldOut }) => (heldOut === true) === (part === 'held-out')));
      return cutTable(source, factsOf(source), rows, rng);
    },
  };
}

function readRecords(file: string): Records {
  const text = readFileSync(file, 'utf8');
  return file.endsWith('.json') ? (JSON.parse(text) as Records) : parse(text, { columns: true });
}

/** Values by row and series, rounded to the source's decimals; the first of several under the same names. */
function gather(source: Source, records: Records): Map<string, Map<string, number>> {
  const rows = new Map<string, Map<string, number>>();
  for (const { row, series, value } of source.facts(records)) {
    if (!Number.isFinite(value)) continue;
    const own = rows.get(row) ?? new Map<string, number>();
    rows.set(row, own);
    if (!own.has(series)) own.set(series, Number(value.toFixed(source.decimals)) + 0);
  }
  return rows;
}

function cutTable(
  source: Source,
  facts: ReadonlyMap<string, ReadonlyMap<string, number>>,
  [least, most]: readonly [number, number],
  rng: Rng,
): VegaTable | null {
  const { unit, decimals, title, measure } = source;
  const names = [...facts.keys()];
  const series = [...new Set([...facts.values()].flatMap((row) => [...row.keys()]))];
  const value = (row: string, of: string): number | undefined => facts.get(row)?.get(of);
  const turned = source.seriesLabel !== null && series.length >= least && rng.chance(0.4);
  const [down, across] = turned ? [series, names] : [names, series];
  const at = (entity: string, column: string): number | undefined =>
    turned ? value(column, entity) : value(entity, column);
  const several = across.length > 1 && rng.chance(SEVERAL);
  const columns = pickInOrder(across, several ? 2 + rng.int(MOST_SERIES - 1) : 1, rng.child('series'));
  const whole = down.filter((entity) => columns.every((column) => at(entity, column) !== undefined));
  const entities = pickInOrder(whole, least + rng.int(most - least + 1), rng.child('rows'));
  if (entities.length < least) return null;
  const table: Table = {
    entityLabel: turned ? source.seriesLabel : source.rowLabel,
    entities,
    columns: columns.map((name): Column => ({
      kind: 'number',
      name,
      unit,
      decimals,
      values: entities.map((entity) => at(entity, name) as number),
    })),
  };
  return { table, title, measure };
}

/** Some of a list: years evenly from a random stretch and in order, other names shuffled. */
function pickInOrder(names: readonly string[], count: number, rng: Rng): string[] {
  if (!names.every(isYear)) return rng.shuffle(names).slice(0, count);
  const years = [...names].sort();
  const step = 1 + rng.int(Math.max(1, Math.floor(years.length / Math.max(1, count))));
  const span = Math.max(0, years.length - step * (count - 1));
  const from = rng.int(Math.max(1, span));
  return Array.from({ length: count }, (_, i) => years[from + step * i]).filter((year) => year !== undefined);
}
