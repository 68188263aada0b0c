import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageRef } from '../../src/core/image.js';
import { userPrompt } from '../../src/core/prompt.js';
import { Rng } from '../../src/core/rng.js';
import {
  collectRecords,
  enlarged,
  filesOf,
  FORMATS,
  metricLines,
  writeExport,
  type Collected,
  type CollectOptions,
  type ExportFile,
} from '../../src/export/index.js';
import { decodeImage } from '../../src/render/index.js';
import { RunReader, RunStore } from '../../src/runs/index.js';
import { NEW_RUN, sampleGroup, sampleImage, sampleTask, temporaryDirectory } from '../runs/fixtures.js';

const TASKS = 6;
let here: ReturnType<typeof temporaryDirectory>;
let reader: RunReader;
/** Pass rates of the tasks that were trained on, by id, counted here. */
const trained = new Map<string, number>();

beforeAll(async () => {
  here = temporaryDirectory();
  const directory = path.join(here.path, 'run');
  const store = await RunStore.create(directory, NEW_RUN, { newestCheckpoints: 1 });
  const made = Array.from({ length: TASKS }, (_, i) => sampleTask('export', i, i % 3));
  await store.recordTasks(
    made.map(({ stored }) => stored),
    made.map(({ image }) => image),
  );
  const rng = Rng.fromSeed('export');
  const groupsOf = (tasks: typeof made, stream: Rng): ReturnType<typeof sampleGroup>[] =>
    tasks.map(({ stored }, i) => sampleGroup(stream.child(i), stored));
  const [first, second] = [
    groupsOf(made.slice(0, 4), rng.child(1)),
    groupsOf(made.slice(0, 2), rng.child(2)),
  ];
  await store.recordGroups({ round: 1, role: 'actor', step: 0 }, first);
  await store.recordGroups({ round: 2, role: 'actor', step: 0 }, second);
  await store.recordGroups(
    { round: 0, role: 'evaluation-sampled', step: 0 },
    groupsOf(made.slice(4, 5), rng.child(3)),
  );
  await store.recordMetrics({ round: 2, role: 'actor', step: 0 }, { loss: 0.5, b: 2 });
  await store.recordMetrics({ round: 1, role: 'actor', step: 0 }, { loss: 1 });
  await store.close();
  for (const [i, { stored }] of made.slice(0, 4).entries()) {
    const all = [first[i], second[i]].flatMap((group) => group?.rollouts ?? []);
    trained.set(stored.task.id, all.filter(({ score }) => score.correct).length / all.length);
  }
  reader = RunReader.open(directory);
});
afterAll(() => {
  reader.close();
  here.remove();
});

const collect = (options: Partial<CollectOptions> = {}): Promise<Collected> =>
  collectRecords(reader, {
    filter: { tasks: 'trained' },
    promptOf: ({ question }, images) => userPrompt(question, images),
    minSide: 28,
    enlarge: true,
    ...options,
  });

async function rowsOf(file: ExportFile | undefined): Promise<Array<Record<string, unknown>>> {
  const bytes = file?.bytes as Uint8Array;
  return parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer,
    utf8: false,
  });
}

describe('what is exported', () => {
  it('is what was trained on, with the pass rate over all its rollouts', async () => {
    const { records } = await collect();
    const rates = new Map(records.map(({ task, passRate }) => [task.id, passRate]));
    for (const [id, rate] of trained) expect(rates.get(id)).toBeCloseTo(rate, 12);
    expect(records.map(({ rollouts }) => rollouts)).toEqual([16, 16, 8, 8, 0]);
    expect(records.at(-1)?.passRate).toBeNull();
  });

  it('is what was judged, when that is asked for', async () => {
    const { records } = await collect({ filter: { tasks: 'held-out' } });
    expect(records).toHaveLength(1);
    expect(trained.has(records[0]?.task.id ?? '')).toBe(false);
  });

  it('keeps to pass rates, rounds and environment', async () => {
    const ids = async (filter: object): Promise<string[]> =>
      (await collect({ filter: { tasks: 'trained', ...filter } })).records.map(({ task }) => task.id);
    const between = [...trained].filter(([, rate]) => rate >= 0.4 && rate <= 0.6).map(([id]) => id);
    expect(await ids({ minPassRate: 0.4, maxPassRate: 0.6 })).toEqual(between);
    expect(await ids({ minPassRate: 0 })).toHaveLength(4);
    expect(await ids({ rounds: [1, 1] })).toHaveLength(1);
    expect(await ids({ environment: 'other' })).toEqual([]);
    const { leftOut } = await collect({ filter: { tasks: 'trained', environment: 'other' } });
    expect(leftOut).toBe(TASKS);
  });

  it('has a mark for every picture, and refuses a text that holds one of its own', async () => {
    const { records } = await collect();
    for (const { messages, task } of records) {
      expect(messages).toEqual([{ role: 'user', content: `<image>${task.question}` }]);
    }
    const stray = await collect({ promptOf: (_task, images) => userPrompt('what is <image>?', images) });
    expect(stray.records).toEqual([]);
    expect(stray.refused['stray-image-mark']).toBe(5);
    const lost = await collect({ promptOf: ({ question }) => userPrompt(question) });
    expect(lost.refused['stray-image-mark']).toBe(5);
  });

  it('enlarges small pictures by a whole factor, or refuses them', async () => {
    const { records } = await collect();
    for (const { images } of records) {
      const image = await decodeImage(images[0]?.png ?? new Uint8Array());
      expect([image.width, image.height]).toEqual([36, 28]);
    }
    expect((await collect({ enlarge: false })).refused['too-small']).toBe(5);
    expect((await collect({ enlarge: false, minSide: 7 })).refused['too-small']).toBe(0);
    const small = sampleImage(Rng.fromSeed(1), 3, 2);
    const large = enlarged(small, 5);
    for (let y = 0; y < large.height; y++) {
      for (let x = 0; x < large.width; x++) {
        const from = 3 * (Math.floor(y / 3) * 3 + Math.floor(x / 3));
        const at = 3 * (y * large.width + x);
        expect([...large.rgb.subarray(at, at + 3)]).toEqual([...small.rgb.subarray(from, from + 3)]);
      }
    }
    expect(enlarged(small, 2)).toBe(small);
  });
});

describe('formats', () => {
  it.each(FORMATS)('%s gives the same bytes again', async (format) => {
    const { records } = await collect();
    expect(filesOf(format, records, 'train', 'x')).toEqual(filesOf(format, records, 'train', 'x'));
  });

  it('writes verl rows that read back as they were', async () => {
    const { records } = await collect();
    const [file] = filesOf('verl', records, 'train', 'covolve/test');
    expect(file?.name).toBe('train.parquet');
    const rows = await rowsOf(file);
    expect(rows).toHaveLength(5);
    for (const [i, row] of rows.entries()) {
      const { task, messages, images, passRate, round } = records[i]!;
      expect(row).toMatchObject({
        data_source: 'covolve/test',
        prompt: messages,
        ability: 'visual reasoning',
        reward_model: { style: 'rule', ground_truth: task.answer },
        extra_info: {
          split: 'train',
          task_id: task.id,
          answer_kind: 'number',
          pass_rate: passRate,
          label_origin: 'derived',
        },
      });
      const { index, round: told, derivation } = row['extra_info'] as Record<string, unknown>;
      expect([Number(index), Number(told)]).toEqual([i, round]);
      expect(task.label.origin === 'derived' && JSON.parse(String(derivation))).toEqual(
        task.label.origin === 'derived' && task.label.derivation,
      );
      const [picture] = row['images'] as Array<{ bytes: Uint8Array }>;
      expect([...(picture?.bytes ?? [])]).toEqual([...(images[0]?.png ?? [])]);
    }
  });

  it.each(['trl', 'easyr1', 'hf'] as const)(
    '%s holds every picture, and says which column does',
    async (format) => {
      const { records } = await collect();
      const rows = await rowsOf(filesOf(format, records, 'train', 'x')[0]);
      for (const [i, row] of rows.entries()) {
        expect(row['task_id']).toBe(records[i]?.task.id);
        const [picture] = row['images'] as Array<{ bytes: Uint8Array; path: string }>;
        expect(picture?.path).toBe(`${records[i]?.images[0]?.hash}.png`);
        expect(picture?.bytes.length).toBe(records[i]?.images[0]?.png.length);
      }
      const bytes = filesOf(format, records, 'train', 'x')[0]?.bytes as Uint8Array;
      expect(Buffer.from(bytes).toString('latin1')).toContain('"images":[{"_type":"Image"}]');
    },
  );

  it('splits TRL prompts into parts, one for each picture', async () => {
    const { records } = await collect();
    const [row] = await rowsOf(filesOf('trl', records, 'train', 'x')[0]);
    expect(row?.['prompt']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', text: null },
          { type: 'text', text: records[0]?.task.question },
        ],
      },
    ]);
  });

  it('writes ms-swift lines beside their pictures', async () => {
    const { records } = await collect();
    const files = filesOf('ms-swift', records, 'val', 'x');
    expect(files[0]?.name).toBe('val.jsonl');
    const lines = String(files[0]?.bytes)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { images: string[] });
    expect(lines).toHaveLength(5);
    const names = new Set(files.map(({ name }) => name));
    for (const { images } of lines) for (const image of images) expect(names.has(image)).toBe(true);
  });

  it('writes a table for VLMEvalKit, options under their letters', async () => {
    const { records } = await collect();
    const choice = {
      ...records[0]!,
      task: { ...records[0]!.task, question: 'a\t"b"\nc', choices: ['x', '1'], answer: '1' },
    };
    const text = String(filesOf('vlmevalkit', [choice, records[1]!], 'test', 'x')[0]?.bytes);
    const [header, first, second] = text.split('\n').map((line) => line.split('\t'));
    expect(header).toEqual(['index', 'image', 'question', 'A', 'B', 'answer', 'category', 'split']);
    expect(first?.slice(2)).toEqual(['"a ""b"" c"', 'x', '1', 'B', 'count', 'test']);
    expect(second?.slice(3)).toEqual(['', '', records[1]?.task.answer, 'count', 'test']);
    const png = Buffer.from(first?.[1] ?? '', 'base64');
    expect((await decodeImage(png)).width).toBe(36);
    expect(imageRef(await decodeImage(png))).toEqual(imageRef(await decodeImage(records[0]!.images[0]!.png)));
  });

  it('splits long data sets into shards', async () => {
    const { records } = await collect();
    const many = Array.from({ length: 2_001 }, (_, i) => records[i % records.length]!);
    const files = filesOf('easyr1', many, 'train', 'x');
    expect(files.map(({ name }) => name)).toEqual([
      'train-00000-of-00002.parquet',
      'train-00001-of-00002.parquet',
    ]);
    expect(await rowsOf(files[1])).toHaveLength(1);
  });

  it('lists metrics in order of place', () => {
    const lines = metricLines(reader)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toEqual([
      { round: 1, role: 'actor', step: 0, name: 'loss', value: 1 },
      { round: 2, role: 'actor', step: 0, name: 'b', value: 2 },
      { round: 2, role: 'actor', step: 0, name: 'loss', value: 0.5 },
    ]);
  });
});

describe('writing', () => {
  const files = [
    { name: 'a.txt', bytes: 'new' },
    { name: 'images/b.png', bytes: new Uint8Array([1]) },
  ];

  it('makes the directory, and leaves nothing else behind', async () => {
    const target = path.join(here.path, 'deep', 'out');
    await writeExport(target, files, false);
    expect(readFileSync(path.join(target, 'a.txt'), 'utf8')).toBe('new');
    expect(readdirSync(path.dirname(target))).toEqual(['out']);
  });

  it('refuses one that holds something, unless told to replace it whole', async () => {
    const target = path.join(here.path, 'full');
    mkdirSync(target);
    writeFileSync(path.join(target, 'mine.txt'), 'mine');
    await expect(writeExport(target, files, false)).rejects.toThrow('holds something already');
    expect(readdirSync(target)).toEqual(['mine.txt']);
    await writeExport(target, files, true);
    expect(readdirSync(target).sort()).toEqual(['a.txt', 'images']);
  });

  it('leaves what was there when it fails', async () => {
    const target = path.join(here.path, 'kept');
    mkdirSync(target);
    writeFileSync(path.join(target, 'mine.txt'), 'mine');
    const bad = [...files, { name: 'a.txt/c.txt', bytes: 'x' }];
    await expect(writeExport(target, bad, true)).rejects.toThrow("can't be written");
    expect(readdirSync(target)).toEqual(['mine.txt']);
    expect(readdirSync(here.path).filter((name) => name.includes('.part-'))).toEqual([]);
  });
});
