import type { Json } from '../core/json.js';
import { base64, type ExportRecord } from './records.js';
import { BYTES, DOUBLE, INT, list, parquetOf, STRING, struct, type ColumnType } from './parquet.js';

/** Data formats of trainers and evaluators. */
export const FORMATS = ['verl', 'trl', 'ms-swift', 'easyr1', 'hf', 'vlmevalkit'] as const;

export type Format = (typeof FORMATS)[number];

/** A file of an export; `name` is relative, with forward slashes. */
export interface ExportFile {
  readonly name: string;
  readonly bytes: Uint8Array | string;
}

/** Rows of one Parquet file at most, so that large pictures don't have to be held in memory by a reader all at once. */
const SHARD = 2_000;

/** The files of an export. `split` names it (`train`, `test`); `source` is what the data is called where a format asks for it. */
export function filesOf(
  format: Format,
  records: readonly ExportRecord[],
  split: string,
  source: string,
): ExportFile[] {
  switch (format) {
    case 'verl':
      return parquetFiles(split, VERL, records, (record, i) => verlRow(record, i, split, source));
    case 'trl':
      return parquetFiles(split, TRL, records, trlRow, TRL_FEATURES);
    case 'easyr1':
      return parquetFiles(split, EASYR1, records, easyr1Row, EASYR1_FEATURES);
    case 'hf':
      return parquetFiles(split, HF, records, hfRow, HF_FEATURES);
    case 'ms-swift':
      return swiftFiles(records, split);
    case 'vlmevalkit':
      return [{ name: `${split}.tsv`, bytes: tsv(records, split) }];
    default:
      return format satisfies never;
  }
}

function parquetFiles(
  split: string,
  columns: Readonly<Record<string, ColumnType>>,
  records: readonly ExportRecord[],
  rowOf: (record: ExportRecord, index: number) => Readonly<Record<string, unknown>>,
  features?: Readonly<Record<string, unknown>>,
): ExportFile[] {
  const shards = Math.max(1, Math.ceil(records.length / SHARD));
  return Array.from({ length: shards }, (_, shard) => {
    const rows = records
      .slice(shard * SHARD, (shard + 1) * SHARD)
      .map((record, i) => rowOf(record, shard * SHARD + i));
    const number = (n: number): string => String(n).padStart(5, '0');
    const name = shards === 1 ? `${split}.parquet` : `${split}-${number(shard)}-of-${number(shards)}.parquet`;
    return { name, bytes: parquetOf(columns, rows, features) };
  });
}

const IMAGES = list(struct({ bytes: BYTES, path: STRING }));

/** How Hugging Face `datasets` says that a column holds pictures. */
const IMAGE_FEATURES = [{ _type: 'Image' }];
const text = { dtype: 'string', _type: 'Value' };
const real = { dtype: 'float64', _type: 'Value' };
const whole = { dtype: 'int64', _type: 'Value' };

const pictures = (record: ExportRecord): unknown[] =>
  record.images.map(({ hash, png }) => ({ bytes: png, path: `${hash}.png` }));

/** Where a label comes from, with all it takes to make it again. */
function origin({ task }: ExportRecord): { readonly label: string; readonly derivation: string } {
  const { label } = task;
  const { origin: from, ...rest } = label;
  return { label: from, derivation: JSON.stringify(label.origin === 'derived' ? label.derivation : rest) };
}

const VERL: Readonly<Record<string, ColumnType>> = {
  data_source: STRING,
  prompt: list(struct({ role: STRING, content: STRING })),
  images: list(struct({ bytes: BYTES })),
  ability: STRING,
  reward_model: struct({ style: STRING, ground_truth: STRING }),
  extra_info: struct({
    index: INT,
    split: STRING,
    task_id: STRING,
    question: STRING,
    answer: STRING,
    answer_kind: STRING,
    choices: list(STRING),
    round: INT,
    pass_rate: DOUBLE,
    rollouts: INT,
    label_origin: STRING,
    derivation: STRING,
  }),
};

function verlRow(
  record: ExportRecord,
  index: number,
  split: string,
  source: string,
): Record<string, unknown> {
  const { task, round, passRate, rollouts, messages, images } = record;
  const { label, derivation } = origin(record);
  return {
    data_source: source,
    prompt: messages,
    images: images.map(({ png }) => ({ bytes: png })),
    ability: 'visual reasoning',
    reward_model: { style: 'rule', ground_truth: task.answer },
    extra_info: {
      ...{ index, split, round, rollouts, derivation },
      task_id: task.id,
      question: task.question,
      answer: task.answer,
      answer_kind: task.answerKind,
      choices: task.choices ?? [],
      pass_rate: passRate,
      label_origin: label,
    },
  };
}

const TRL: Readonly<Record<string, ColumnType>> = {
  prompt: list(struct({ role: STRING, content: list(struct({ type: STRING, text: STRING })) })),
  images: IMAGES,
  solution: STRING,
  answer_kind: STRING,
  task_id: STRING,
  pass_rate: DOUBLE,
};
const TRL_FEATURES = {
  prompt: [{ role: text, content: [{ type: text, text }] }],
  images: IMAGE_FEATURES,
  solution: text,
  answer_kind: text,
  task_id: text,
  pass_rate: real,
};

function trlRow(record: ExportRecord): Record<string, unknown> {
  const { task, passRate, messages } = record;
  const prompt = messages.map(({ role, content }) => ({
    role,
    content: content
      .split(/(<image>)/)
      .filter((part) => part !== '')
      .map((part) => (part === '<image>' ? { type: 'image', text: null } : { type: 'text', text: part })),
  }));
  return {
    ...{ prompt, images: pictures(record), solution: task.answer, answer_kind: task.answerKind },
    ...{ task_id: task.id, pass_rate: passRate },
  };
}

const EASYR1: Readonly<Record<string, ColumnType>> = {
  problem: STRING,
  answer: STRING,
  images: IMAGES,
  task_id: STRING,
  pass_rate: DOUBLE,
};
const EASYR1_FEATURES = {
  problem: text,
  answer: text,
  images: IMAGE_FEATURES,
  task_id: text,
  pass_rate: real,
};

function easyr1Row(record: ExportRecord): Record<string, unknown> {
  const { task, passRate, messages } = record;
  const problem = messages.map(({ content }) => content).join('\n\n');
  return { problem, answer: task.answer, images: pictures(record), task_id: task.id, pass_rate: passRate };
}

const HF: Readonly<Record<string, ColumnType>> = {
  task_id: STRING,
  images: IMAGES,
  question: STRING,
  prompt: STRING,
  answer: STRING,
  answer_kind: STRING,
  choices: list(STRING),
  environment: STRING,
  round: INT,
  pass_rate: DOUBLE,
  rollouts: INT,
  label_origin: STRING,
  derivation: STRING,
  facts: STRING,
};
const HF_FEATURES = {
  ...{ task_id: text, images: IMAGE_FEATURES, question: text, prompt: text, answer: text, answer_kind: text },
  ...{ choices: [text], environment: text, round: whole, pass_rate: real, rollouts: whole },
  ...{ label_origin: text, derivation: text, facts: text },
};

function hfRow(record: ExportRecord): Record<string, unknown> {
  const { task, round, passRate, rollouts, messages } = record;
  const { label, derivation } = origin(record);
  return {
    ...{ images: pictures(record), round, rollouts, derivation },
    task_id: task.id,
    question: task.question,
    prompt: messages.map(({ content }) => content).join('\n\n'),
    answer: task.answer,
    answer_kind: task.answerKind,
    choices: task.choices ?? [],
    environment: task.environment,
    pass_rate: passRate,
    label_origin: label,
    facts: JSON.stringify(task.facts),
  };
}

function swiftFiles(records: readonly ExportRecord[], split: string): ExportFile[] {
  const files = new Map<string, Uint8Array>();
  const lines = records.map((record) => {
    const { task, messages, images, passRate } = record;
    for (const { hash, png } of images) files.set(`images/${hash}.png`, png);
    const line: Json = {
      messages: messages.map(({ role, content }) => ({ role, content })),
      images: images.map(({ hash }) => `images/${hash}.png`),
      solution: task.answer,
      answer_kind: task.answerKind,
      task_id: task.id,
      pass_rate: passRate,
    };
    return JSON.stringify(line);
  });
  return [
    { name: `${split}.jsonl`, bytes: lines.map((line) => `${line}\n`).join('') },
    ...[...files].map(([name, bytes]) => ({ name, bytes })),
  ];
}

/** VLMEvalKit's table: one picture a row as base64, options under A, B, ... A task with several pictures lists them as JSON. */
function tsv(records: readonly ExportRecord[], split: string): string {
  const most = Math.max(0, ...records.map(({ task }) => task.choices?.length ?? 0));
  const letters = Array.from({ length: most }, (_, i) => String.fromCharCode(65 + i));
  const header = ['index', 'image', 'question', ...letters, 'answer', 'category', 'split'];
  const rows = records.map(({ task, images }, index) => {
    const encoded = images.map(({ png }) => base64(png));
    const image = encoded.length === 1 ? (encoded[0] ?? '') : JSON.stringify(encoded);
    const category = String(task.facts['family'] ?? task.environment);
    const options = letters.map((_, i) => task.choices?.[i] ?? '');
    const chosen = task.choices?.indexOf(task.answer) ?? -1;
    const answer = chosen >= 0 ? (letters[chosen] ?? task.answer) : task.answer;
    return [String(index), image, task.question, ...options, answer, category, split];
  });
  return [header, ...rows].map((row) => `${row.map(cell).join('\t')}\n`).join('');
}

/** Tabs and line ends would break the table; a quotation mark at the start would swallow it. */
function cell(value: string): string {
  const plain = value.replace(/[\t\r\n]+/g, ' ');
  return plain.includes('"') ? `"${plain.replaceAll('"', '""')}"` : plain;
}
