import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Lineage } from '../../core/environment.js';
import { DataError } from '../../core/errors.js';
import { contentHash } from '../../core/json.js';
import { Rng } from '../../core/rng.js';
import {
  DEFAULT_STYLE,
  layoutChart,
  readableStyle,
  readingProblems,
  type ChartType,
  type ReadingNeeds,
} from '../../render/index.js';
import { readCell } from './cells.js';
import { tableName, type ChartQuestion } from './check.js';
import type { ChartLook } from './edit.js';
import type { ChartsConfig } from './environment.js';
import { SERIES_TYPES, SINGLE_TYPES } from './lexicon.js';
import { microLook, microTable } from './micro.js';
import { answerOf, type ChartFamily, type Operation } from './operation.js';
import { askQuestions } from './questions.js';
import { readTable } from './read.js';
import type { ChartTaskState } from './state.js';
import { numberColumns, type Table } from './table.js';
import { tierOf } from './tier.js';
import { vegaReader, type VegaPart } from './vega.js';
import { chartSpec, readingNeeds } from './view.js';

/** A task's starting point, before any action. */
export type ChartSeed = Lineage<ChartTaskState>;

/** A seed; its id is a hash of its content unless one is given. */
export function makeChartSeed(state: ChartTaskState, id?: string): ChartSeed {
  return { seedId: id ?? `charts-${contentHash(state).slice(0, 16)}`, actions: [], state };
}

/** What is drawn for sampled seeds. */
export interface SampleChartsOptions {
  /** Fewest and most rows of a table. */
  readonly rows: readonly [min: number, max: number];
  readonly families: readonly ChartFamily[];
  /** Most questions about one chart, at least 1. */
  readonly questionsPerChart: number;
}

/**
 * `count` seeds from micro tables, chart by chart, without those that can't be read. Chart i comes from `rng.child('chart', i)` alone, so a longer list begins with
 * the shorter one. A plain look has the first value of every key but the type.
 */
export function sampleMicroCharts(
  rng: Rng,
  count: number,
  options: SampleChartsOptions & { readonly types: readonly ChartType[]; readonly plain: boolean },
  config: ChartsConfig,
): ChartSeed[] {
  return sample(rng, count, (stream) => {
    const table = microTable(stream.child('table'), options.rows);
    const style = microLook(stream.child('look'), options.types, options.plain);
    return answerable(asked({ title: '', measure: '', table, style }, stream, options, config), config);
  });
}

/** `count` seeds from tables of `vega-datasets` in styles that leave them readable, chart by chart as above. */
export function sampleVegaCharts(
  rng: Rng,
  count: number,
  options: SampleChartsOptions & { readonly part: VegaPart },
  config: ChartsConfig,
): ChartSeed[] {
  const reader = vegaReader();
  return sample(rng, count, (stream) => {
    const cut = reader.cut(stream.child('table'), options.rows, options.part);
    if (!cut) return [];
    const plain = asked({ ...cut, style: DEFAULT_STYLE }, stream, options, config);
    return inReadableStyle(plain, stream.child('style'), config);
  });
}

type Bare = Omit<ChartTaskState, 'question'>;

function asked(
  bare: Bare,
  stream: Rng,
  { families, questionsPerChart }: SampleChartsOptions,
  { paraphrase }: Pick<ChartsConfig, 'paraphrase'>,
): ChartTaskState[] {
  const options = { paraphrase, measure: bare.measure };
  return askQuestions(bare.table, families, questionsPerChart, stream.child('questions'), options).map(
    (question) => ({ ...bare, question }),
  );
}

function sample(rng: Rng, count: number, draw: (stream: Rng) => readonly ChartTaskState[]): ChartSeed[] {
  const seeds: ChartSeed[] = [];
  for (let i = 0; seeds.length < count; i++) {
    if (i >= 100 + 20 * count)
      throw new Error(`sampled charts: ${i} draws gave only ${seeds.length} questions`);
    const states = draw(rng.child('chart', i));
    seeds.push(...states.slice(0, count - seeds.length).map((state) => makeChartSeed(state)));
  }
  return seeds;
}

/** What a reader has to find out for a state's question; null where it has no answer. */
function needsOf({ table, question }: ChartTaskState, tolerance: number): ReadingNeeds | null {
  const answer = answerOf(table, question.operation);
  return answer.ok ? readingNeeds(table, answer.value.used, answer.value.kind, tolerance) : null;
}

/** Those of some states, which share table, title and style, that can be answered from the picture. */
function answerable(
  states: readonly ChartTaskState[],
  { view, range, tolerance }: ChartsConfig,
): ChartTaskState[] {
  const [first] = states;
  const spec = first && chartSpec(first, range);
  const layout = spec?.ok ? layoutChart(spec.value, view) : null;
  if (!layout?.ok) return [];
  return states.filter((state) => {
    const needs = needsOf(state, tolerance);
    return needs !== null && readingProblems(layout.value.geometry, needs).length === 0;
  });
}

/** The states, which share table and title, in one style in which all of them can be answered; without those that can't be. */
function inReadableStyle(
  states: readonly ChartTaskState[],
  rng: Rng,
  config: ChartsConfig,
): ChartTaskState[] {
  const { view, range, tolerance } = config;
  const [first] = states;
  const spec = first && chartSpec(first, range);
  if (!spec?.ok) return [];
  const strictest = states.flatMap((state) => {
    const needs = needsOf(state, tolerance);
    return needs?.tolerance === tolerance ? [needs] : [];
  });
  const all = { ...strictest[0], queried: strictest.flatMap(({ queried }) => queried ?? []) };
  const types = numberColumns(first?.table as Table).length > 1 ? SERIES_TYPES : SINGLE_TYPES;
  const found = readableStyle(rng, spec.value, view, types, all);
  if (!found.ok) return [];
  const style: ChartLook = found.value;
  return answerable(
    states.map((state) => ({ ...state, style })),
    config,
  );
}

/** Seeds of someone else's questions, and how many were left out, by reason. */
export interface ReadCharts {
  readonly seeds: readonly ChartSeed[];
  readonly notes: readonly string[];
}

/**
 * Seeds of a data set in ChartQA's layout. Tier 1 questions are labelled by their cell, tier 2 ones keep their answer; those about
 * colours and places, those that contradict their table, and charts that no style leaves readable are left out and counted.
 */
export function chartQaSeeds(
  questions: readonly ChartQuestion[],
  source: (name: string) => string | null,
  config: ChartsConfig,
): ReadCharts {
  const seeds: ChartSeed[] = [];
  const left = new Map<string, number>();
  for (const { imgname, query, label } of questions) {
    const read = readTable(source(tableName(imgname)) ?? '');
    const made = read.ok
      ? seedOf(read.value.table, query, label, { title: '', measure: '' }, config)
      : 'its table can’t be read';
    if (typeof made === 'string') left.set(made, (left.get(made) ?? 0) + 1);
    else seeds.push(made);
  }
  return { seeds, notes: [...left].map(([reason, count]) => `${count} questions left out: ${reason}`) };
}

/** The seed of a question with its answer, in a readable style drawn from its own words; else why there is none. */
function seedOf(
  table: Table,
  query: string,
  label: string,
  words: Pick<ChartTaskState, 'title' | 'measure'>,
  config: ChartsConfig,
  id?: string,
): ChartSeed | string {
  const { tier, entity, column } = tierOf(table, query, label);
  if (tier === 'visual') return 'about colours or places';
  if (tier === 'noise') return 'the answer contradicts the table';
  const text = query.trim();
  if (text === '' || label.trim() === '') return 'no question or no answer';
  const operation: Operation =
    tier === '1' && entity !== null && column !== null
      ? { op: 'cell', cell: { entity, column } }
      : { op: 'given', answer: label.trim(), kind: kindOf(label) };
  const state = { ...words, table, style: DEFAULT_STYLE, question: { text, operation } };
  const [styled] = inReadableStyle([state], Rng.fromSeed(contentHash(state)), config);
  return styled ? makeChartSeed(styled, id) : 'no style leaves the chart readable';
}

function kindOf(label: string): 'number' | 'yes-no' | 'word' {
  if (readCell(label).kind === 'number') return 'number';
  return /^(yes|no)$/i.test(label.trim()) ? 'yes-no' : 'word';
}

const LINE = z.strictObject({
  id: z.string().min(1).optional(),
  csv: z.string().min(1),
  title: z.string().default(''),
  measure: z.string().default(''),
  question: z.string().trim().min(1),
  answer: z.union([z.string().min(1), z.number()]).transform(String),
});

/**
 * Reads a user's seeds: JSONL, one `{id?, csv, title?, measure?, question, answer}` a line, `csv` being the table as text. Throws a
 * DataError that names file, line and reason at the first line that gives no seed; with `skip` such lines are counted instead.
 */
export function readChartSeeds(
  file: string,
  options: { readonly onBadLine: 'fail' | 'skip' },
  config: ChartsConfig,
): ReadCharts {
  const seeds: ChartSeed[] = [];
  const notes: string[] = [];
  for (const [i, text] of readLines(file).entries()) {
    if (text.trim() === '') continue;
    const made = lineSeed(text, config);
    if (typeof made !== 'string') seeds.push(made);
    else if (options.onBadLine === 'fail') throw new DataError(file, i + 1, made);
    else notes.push(`${file}:${i + 1}: skipped: ${made}`);
  }
  if (seeds.length === 0) throw new DataError(file, null, `no usable seeds (${notes.length} bad lines)`);
  return { seeds, notes };
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch (cause) {
    throw new DataError(
      file,
      null,
      `can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

function lineSeed(text: string, config: ChartsConfig): ChartSeed | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    return `not JSON: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
  const line = LINE.safeParse(json);
  if (!line.success) {
    const issue = line.error.issues[0];
    return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a seed'}`;
  }
  const { id, csv, title, measure, question, answer } = line.data;
  const read = readTable(csv);
  if (!read.ok) return `csv: ${read.error.detail}`;
  return seedOf(read.value.table, question, answer, { title, measure }, config, id);
}
