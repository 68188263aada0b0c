/** A number under two names, e.g. a country and a year; `series` is the measure itself where there is one series only. */
export interface Fact {
  readonly row: string;
  readonly series: string;
  readonly value: number;
}

/** A data file as it was read. */
export type Records = readonly Readonly<Record<string, string | number | null>>[];

/** One measure of a data file. */
export interface Source {
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
export const SOURCES: readonly Source[] = [
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
