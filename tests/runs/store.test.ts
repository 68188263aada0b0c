import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import Sqlite from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { imageRef } from '../../src/core/image.js';
import { RunReader, RunStore } from '../../src/runs/index.js';
import { NEW_RUN, sampleTask, temporaryDirectory, writeSteps } from './fixtures.js';

const bytes = (fill: number): Uint8Array => new Uint8Array(1000).fill(fill);
const place = (step: number) => ({ round: 1, role: 'actor', step, updates: step, parent: null });

describe('a run directory', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let run: string;
  let store: RunStore;
  let notes: string[];
  const settings = { note: (line: string): void => void notes.push(line) };
  const reopen = async (): Promise<void> => {
    await store.close();
    store = await RunStore.open(run, { write: true }, settings);
  };
  beforeEach(async () => {
    directory = temporaryDirectory();
    run = `${directory.path}/run`;
    notes = [];
    store = await RunStore.create(run, NEW_RUN, settings);
  });
  afterEach(async () => {
    await store.close();
    directory.remove();
  });

  it('knows what run it is, and has the files that people look for', async () => {
    await store.writeConfigFile('rounds: 2\n');
    await writeSteps(store, 2);
    await reopen();
    expect(store.info).toMatchObject(NEW_RUN);
    expect(readFileSync(`${run}/config.yaml`, 'utf8')).toBe('rounds: 2\n');
    const { image } = sampleTask('kill', 0);
    const { hash } = imageRef(image);
    expect(existsSync(`${run}/blobs/${hash.slice(0, 2)}/${hash}.png`)).toBe(true);
    await store.close();
    // What is there after closing is all in one database file.
    expect(readFileSync(`${run}/run.sqlite-wal`).length).toBe(0);
    await expect(RunStore.create(run, NEW_RUN)).rejects.toThrow(/already holds a run; resume it/);
  });

  it('keeps the bytes of the newest checkpoints and of those marked', async () => {
    for (const step of [0, 1, 2, 3]) {
      await store.recordCheckpoint(place(step), bytes(step));
      if (step === 0) await store.keepCheckpoint(place(0));
    }
    const reader = RunReader.open(run);
    const listed = reader.checkpoints();
    expect(listed.map(({ step, blob, keep }) => [step, blob, keep])).toEqual([
      [0, 'live', true],
      [1, 'deleted', false],
      [2, 'live', false],
      [3, 'live', false],
    ]);
    expect(readdirSync(`${run}/checkpoints`).sort()).toEqual(
      [0, 2, 3].map((step) => `${listed[step]?.hash}.bin`).sort(),
    );
    expect(await reader.checkpoint(listed[0]!.hash)).toStrictEqual({ state: bytes(0) });
    expect(await reader.checkpoint(listed[1]!.hash)).toStrictEqual({ damage: 'the file is gone' });
    await expect(store.keepCheckpoint(place(1))).rejects.toThrow(/no checkpoint to keep/);
    reader.close();
  });

  it('never deletes bytes that another checkpoint shares', async () => {
    await store.recordCheckpoint({ ...place(0), role: 'rewriter' }, bytes(1));
    for (const step of [0, 1, 2, 3]) await store.recordCheckpoint(place(step), bytes(step === 0 ? 1 : step + 5));
    expect((await store.latestCheckpoint('rewriter'))?.state).toStrictEqual(bytes(1));
  });

  it.each([
    ['cut short', (file: string) => truncateSync(file, 500)],
    ['changed', (file: string) => writeFileSync(file, bytes(77))],
    ['gone', (file: string) => rmSync(file)],
  ])('goes back to the checkpoint before one that is %s, and lets it be recorded again', async (_, damage) => {
    for (const step of [0, 1, 2]) await store.recordCheckpoint(place(step), bytes(step));
    const reader = RunReader.open(run);
    const newest = reader.checkpoints().at(-1)!;
    damage(`${run}/checkpoints/${newest.hash}.bin`);
    await reopen();
    expect(await store.latestCheckpoint('actor')).toStrictEqual({ updates: 1, state: bytes(1) });
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(/round 1, actor, step 2 is damaged .*; going back to that of round 1, actor, step 1$/);
    expect(reader.events().at(-1)).toMatchObject({ kind: 'checkpoint-damaged', detail: { step: 2, hash: newest.hash } });
    // Training goes on from the older one and comes to the same place again, here with other bytes.
    await store.recordCheckpoint(place(2), bytes(9));
    await reopen();
    expect(await store.latestCheckpoint('actor')).toStrictEqual({ updates: 2, state: bytes(9) });
    expect(reader.checkpoints().map(({ step, blob }) => [step, blob])).toEqual([
      [0, 'deleted'],
      [1, 'live'],
      [2, 'live'],
    ]);
    expect(readdirSync(`${run}/checkpoints`)).toHaveLength(2);
    expect(notes).toHaveLength(1);
    reader.close();
  });

  it('heals a damaged checkpoint that is recorded again with the same bytes', async () => {
    await store.recordCheckpoint(place(0), bytes(0));
    const [file] = readdirSync(`${run}/checkpoints`);
    truncateSync(`${run}/checkpoints/${file}`, 1);
    await store.recordCheckpoint(place(0), bytes(0));
    expect((await store.latestCheckpoint('actor'))?.state).toStrictEqual(bytes(0));
  });

  it("says so when no checkpoint is whole, and doesn't start over", async () => {
    for (const step of [0, 1]) await store.recordCheckpoint(place(step), bytes(step));
    for (const file of readdirSync(`${run}/checkpoints`)) truncateSync(`${run}/checkpoints/${file}`, 0);
    await expect(store.latestCheckpoint('actor')).rejects.toThrow(/damaged .* and actor has no older checkpoint/);
    expect(await store.latestCheckpoint('rewriter')).toBeNull();
  });

  it('refuses a picture whose file was changed', async () => {
    const [a, b] = [sampleTask('picture', 0), sampleTask('picture', 1)];
    await store.recordTasks([a.stored, b.stored], [a.image, b.image]);
    const [first, second] = [a, b].map(({ image }) => imageRef(image).hash) as [string, string];
    const file = (hash: string): string => `${run}/blobs/${hash.slice(0, 2)}/${hash}.png`;
    copyFileSync(file(second), file(first));
    await expect(store.findImage(first)).rejects.toThrow(/its pixels don't have the hash in its name/);
    truncateSync(file(second), 40);
    await expect(store.findImage(second)).rejects.toThrow(/damaged/);
    rmSync(file(second));
    await expect(store.findImage(second)).rejects.toThrow(/can't read .*no such file/);
  });

  it('clears up what killed writers left, and nothing else', async () => {
    await writeSteps(store, 3);
    const orphan = 'ab'.repeat(32);
    const before = readdirSync(run, { recursive: true, encoding: 'utf8' }).sort();
    mkdirSync(`${run}/blobs/ab`, { recursive: true });
    writeFileSync(`${run}/checkpoints/${orphan}.bin`, 'x');
    writeFileSync(`${run}/checkpoints/${orphan}.bin.tmp`, 'x');
    writeFileSync(`${run}/blobs/ab/${orphan}.png.tmp`, 'x');
    writeFileSync(`${run}/checkpoints/mine.bin`, 'x');
    await reopen();
    const after = readdirSync(run, { recursive: true, encoding: 'utf8' });
    const folders = before.includes('blobs/ab') ? [] : ['blobs/ab'];
    expect(after.sort()).toEqual([...before, ...folders, 'checkpoints/mine.bin'].sort());
  });

  it('mirrors metrics line by line and mends the file from the database', async () => {
    await writeSteps(store, 3);
    const file = `${run}/metrics.jsonl`;
    const text = readFileSync(file, 'utf8');
    const lines = text.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ round, role, step }) => [round, role, step])).toEqual([
      [1, 'actor', 0],
      [1, 'actor', 1],
      [1, 'actor', 2],
    ]);
    expect(lines[0]?.['metrics']).toEqual({ loss: (await store.findMetrics(place(0)))?.['loss'], gradNorm: null });
    await store.recordMetrics(place(2), (await store.findMetrics(place(2)))!);
    expect(readFileSync(file, 'utf8')).toBe(text);
    truncateSync(file, text.length - 10);
    await reopen();
    expect(readFileSync(file, 'utf8')).toBe(text);
    appendFileSync(file, '{"torn');
    await reopen();
    expect(readFileSync(file, 'utf8')).toBe(text);
    // A mirror that can't be written stops nothing; it is mended when it can.
    rmSync(file);
    mkdirSync(file);
    await store.recordMetrics(place(7), { loss: 1 });
    await store.recordMetrics(place(8), { loss: 2 });
    expect(notes).toEqual([expect.stringMatching(/metrics.jsonl can't be written/)]);
    rmSync(file, { recursive: true });
    await store.recordMetrics(place(9), { loss: 3 });
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(6);
  });

  it('says what is wrong with a directory that holds no run of this version', async () => {
    await store.close();
    const make = (name: string, content: string | null): string => {
      const path = `${directory.path}/${name}`;
      mkdirSync(path);
      if (content !== null) writeFileSync(`${path}/run.sqlite`, content);
      return path;
    };
    const edited = (name: string, sql: string): string => {
      const path = make(name, null);
      copyFileSync(`${run}/run.sqlite`, `${path}/run.sqlite`);
      const db = new Sqlite(`${path}/run.sqlite`);
      db.exec(sql);
      db.close();
      return path;
    };
    const foreign = make('foreign', null);
    const other = new Sqlite(`${foreign}/run.sqlite`);
    other.exec('CREATE TABLE t (a)');
    other.close();
    const cases: ReadonlyArray<readonly [string, RegExp]> = [
      [make('bare', null), /no run in this directory \(it has no run.sqlite\)/],
      [make('half', ''), /stopped while it was being made, and holds nothing; delete the directory/],
      [make('text', 'hello '.repeat(1000)), /damaged, or no database/],
      [foreign, /a database, but not of a Covolve run/],
      [edited('newer', 'PRAGMA user_version = 99'), /format 99 of the run store, and this version .* reads format 1/],
      [edited('nameless', 'DELETE FROM run'), /damaged, it doesn't say what run it is/],
    ];
    for (const [path, message] of cases) {
      const before = readdirSync(path);
      expect(() => RunReader.open(path), path).toThrow(message);
      await expect(RunStore.open(path, { write: true }), path).rejects.toThrow(message);
      await expect(RunStore.open(path, { write: false }), path).rejects.toThrow(message);
      expect(readdirSync(path).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(before);
    }
    await expect(RunStore.create(foreign, NEW_RUN)).rejects.toThrow(/holds a database of something else/);
    await expect(RunStore.create(`${directory.path}/text`, NEW_RUN)).rejects.toThrow(/damaged, or no database/);
    const made = await RunStore.create(`${directory.path}/half`, NEW_RUN);
    await made.close();
  });

  it('reports a damaged database as such', async () => {
    await writeSteps(store, 5);
    await store.close();
    const content = readFileSync(`${run}/run.sqlite`);
    writeFileSync(`${run}/run.sqlite`, content.fill(0xff, 4096, content.length - 4096));
    await expect(
      (async () => {
        const reader = RunReader.open(run);
        try {
          const found = reader.problems();
          if (found.length > 0) throw new Error(`damaged: ${found[0]}`);
        } finally {
          reader.close();
        }
      })(),
    ).rejects.toThrow(/damaged/);
  });
});
