import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Rng } from '../../core/rng.js';
import { isYear, type Column, type Table } from './table.js';
import { SOURCES, type Records, type Source } from './vegaSources.js';

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
