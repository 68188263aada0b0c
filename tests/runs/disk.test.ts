import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../src/core/errors.js';
import { imageRef } from '../../src/core/image.js';
import { Rng } from '../../src/core/rng.js';
import { RunReader, RunStore } from '../../src/runs/index.js';
import { startWriter, stopWriters } from './child.js';
import { NEW_RUN, sampleGroup, sampleImage, sampleTask, temporaryDirectory, writeSteps } from './fixtures.js';

const root = process.getuid?.() === 0;
const mounts = root && canMount();

function canMount(): boolean {
  const directory = temporaryDirectory();
  try {
    mount(['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory.path]);
    unmount(directory.path);
    return true;
  } catch {
    return false;
  } finally {
    directory.remove();
  }
}

function mount(parameters: string[]): void {
  execFileSync('mount', parameters, { stdio: 'pipe' });
}

function unmount(directory: string): void {
  // Lazily: SQLite keeps its file open until the garbage collector has found the statements.
  execFileSync('umount', ['-l', directory], { stdio: 'pipe' });
}

describe('a disk that refuses', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let mounted: string[];
  beforeEach(() => {
    directory = temporaryDirectory();
    mounted = [];
  });
  afterEach(() => {
    stopWriters();
    for (const path of mounted.reverse()) unmount(path);
    directory.remove();
  });

  it.skipIf(!mounts)('(needs root and mount) because it is full: one clear line, nothing half-written, goes on', { timeout: 300_000 }, async () => {
    const disk = `${directory.path}/disk`;
    mkdirSync(disk);
    mount(['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
    mounted.push(disk);
    const run = `${disk}/run`;
    const notes: string[] = [];
    const store = await RunStore.create(run, NEW_RUN, { note: (line) => notes.push(line) });
    await writeSteps(store, 2);
    const rng = Rng.fromSeed('full');
    const seed = sampleTask('full', 0);
    await store.recordTasks([seed.stored], [seed.image]);
    const group = sampleGroup(rng, seed.stored, 1000);
    const image = sampleImage(rng, 300, 300);
    const task = sampleTask('full', 1).stored;
    const key = { round: 50, role: 'actor', step: 0 };
    const calls: Record<string, () => Promise<void>> = {
      groups: () => store.recordGroups(key, [group]),
      images: () => store.recordTasks([task], [sampleTask('full', 1).image, image]),
      checkpoint: () => store.recordCheckpoint({ ...key, updates: 99, parent: null }, new Uint8Array(500_000)),
      config: () => store.writeConfigFile('a: 1\n'.repeat(50_000)),
      metrics: () =>
        store.recordMetrics(key, Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`metric ${i}`, i]))),
    };
    for (const [name, call] of Object.entries(calls)) {
      for (const spared of [0, 8_192, 40_000]) {
        fillDisk(disk, spared);
        await expect(call(), `${name}, ${spared} bytes left`).rejects.toThrow(
          /^can't write \S+: (no space left on the disk; free some space|the disk refused the operation; check free space).*$/,
        );
        await expect(call()).rejects.toThrow(StoreError);
        const reader = RunReader.open(run);
        expect(reader.problems()).toEqual([]);
        expect(reader.counts()).toMatchObject({ steps: 2, tasks: 9, checkpoints: 2 });
        expect(reader.metricNames()).toEqual(['loss', 'gradNorm']);
        reader.close();
        rmSync(`${disk}/ballast`);
      }
      expect(await store.findGroups(key)).toBeNull();
    }
    expect(leftovers(run)).toEqual([]);
    for (const call of Object.values(calls)) await call();
    expect(await store.findGroups(key)).toStrictEqual([group]);
    expect(await store.findImage(imageRef(image).hash)).toStrictEqual(image);
    expect((await store.latestCheckpoint('actor'))?.updates).toBe(99);
    await store.close();
    const reader = RunReader.open(run);
    expect(reader.problems()).toEqual([]);
    reader.close();

    fillDisk(disk, 0);
    await expect(RunStore.create(`${disk}/other`, NEW_RUN)).rejects.toThrow(/no space left|the disk refused/);
    rmSync(`${disk}/ballast`);
    await (await RunStore.create(`${disk}/other`, NEW_RUN)).close();
  });

  it.skipIf(process.platform === 'win32')(
    'because of a file size limit: one clear line, and the run goes on without it',
    { timeout: 300_000 },
    async () => {
      const run = `${directory.path}/run`;
      const writer = startWriter('write', run, 500, { prelude: 'ulimit -f 900' });
      expect(await writer.ended).toBe(1);
      const last = writer.lines.at(-1) ?? '';
      expect(last).toMatch(/^failed StoreError: can't write \S+: .*ulimit -f.* resume the run$/);
      const reader = RunReader.open(run);
      expect(reader.problems()).toEqual([]);
      const before = reader.steps().length;
      reader.close();
      expect(before).toBeGreaterThan(0);
      const store = await RunStore.open(run, { write: true });
      await writeSteps(store, before + 5);
      await store.close();
    },
  );

  it.skipIf(!mounts)('(needs root and mount) because it is read-only: refuses to write, reads all', { timeout: 300_000 }, async () => {
    const run = `${directory.path}/run`;
    const store = await RunStore.create(run, NEW_RUN);
    await writeSteps(store, 2);
    await store.close();
    mount(['--bind', run, run]);
    mounted.push(run);
    mount(['-o', 'remount,ro,bind', run]);
    await expect(RunStore.open(run, { write: true })).rejects.toThrow(
      `can't open ${run}: it is read-only; choose a directory that can be written, or make this one writable`,
    );
    const reader = RunReader.open(run);
    expect(reader.counts()).toMatchObject({ steps: 2, rollouts: 96 });
    expect([...reader.tasks()]).toHaveLength(8);
    reader.close();
    const reading = await RunStore.open(run, { write: false });
    expect((await reading.latestCheckpoint('actor'))?.updates).toBe(2);
    await reading.close();
    await expect(RunStore.create(`${run}/inner`, NEW_RUN)).rejects.toThrow(/can't make .* it is read-only/);
  });

  it('because of permissions: refuses to write, reads what it may', { timeout: 300_000 }, async () => {
    const run = `${directory.path}/run`;
    const store = await RunStore.create(run, NEW_RUN);
    await writeSteps(store, 1);
    await store.close();
    chmodSync(directory.path, 0o555);
    chmodSync(run, 0o555);
    // Root may do everything, so another user tries.
    const user = root ? { user: 65_534 } : {};
    for (const [path, action] of [
      [run, "can't open"],
      [`${directory.path}/new`, "can't make the run directory"],
    ] as const) {
      const writer = startWriter('write', path, 2, user);
      expect(await writer.ended).toBe(1);
      expect(writer.lines.at(-1)).toBe(
        `failed StoreError: ${action} ${path}: permission denied; check who owns the run directory`,
      );
    }
    chmodSync(run, 0o755);
    chmodSync(directory.path, 0o755);
    const again = await RunStore.open(run, { write: true });
    await writeSteps(again, 2);
    await again.close();
  });

  it('because something is in the way', async () => {
    const file = `${directory.path}/file`;
    writeFileSync(file, 'text');
    await expect(RunStore.create(file, NEW_RUN)).rejects.toThrow(/can't make .*file: /);
    await expect(RunStore.create(`${file}/run`, NEW_RUN)).rejects.toThrow(/a file is where a directory should be/);
    await expect(RunStore.open(file, { write: true })).rejects.toThrow(/a file, not a run directory/);
    expect(() => RunReader.open(`${directory.path}/none`)).toThrow(/can't open .*none: no such file/);
    expect(existsSync(`${directory.path}/none`)).toBe(false);
    await expect(RunStore.create(directory.path, NEW_RUN)).rejects.toThrow(/not empty \(it holds file\)/);
    expect(readdirSync(directory.path)).toEqual(['file']);
  });
});

/** Fills a small disk but for about `spared` bytes. */
function fillDisk(disk: string, spared: number): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(`${disk}/ballast`, new Uint8Array(Math.max(0, bavail * bsize - spared)));
}

function leftovers(run: string): string[] {
  return readdirSync(run, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tmp'));
}
