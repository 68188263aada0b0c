import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunReader, RunStore } from '../../src/runs/index.js';
import { startWriter, stopWriters } from './child.js';
import { NEW_RUN, temporaryDirectory, writeSteps } from './fixtures.js';

describe('the lock of a run directory', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let run: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    run = `${directory.path}/run`;
  });
  afterEach(() => {
    stopWriters();
    directory.remove();
  });

  it('refuses a second writer and names the first; readers are let in; a killed writer is replaced', { timeout: 300_000 }, async () => {
    const writer = startWriter('hold', run);
    await writer.said('opened');
    const refusal = new RegExp(`process ${writer.pid} on ${hostname()} is writing this run`);
    await expect(RunStore.open(run, { write: true })).rejects.toThrow(refusal);
    await expect(RunStore.create(run, NEW_RUN)).rejects.toThrow(/already holds a run/);
    const reader = RunReader.open(run);
    expect(reader.writer()).toMatchObject({ pid: writer.pid, state: 'alive' });
    const reading = await RunStore.open(run, { write: false });
    await expect(reading.recordEvent('x', null)).rejects.toThrow(/opened for reading/);
    await reading.close();
    expect(existsSync(`${run}/lock`)).toBe(true);

    writer.kill();
    await writer.ended;
    expect(reader.writer()).toMatchObject({ pid: writer.pid, state: 'gone' });
    const notes: string[] = [];
    const store = await RunStore.open(run, { write: true }, { note: (line) => notes.push(line) });
    expect(notes).toEqual([`took over from process ${writer.pid}, which ended without closing the run`]);
    expect(reader.events().at(-1)).toMatchObject({ kind: 'lock-taken-over', detail: { pid: writer.pid } });
    await writeSteps(store, 1);
    await store.close();
    expect(reader.writer()).toBeNull();
    reader.close();
  });

  it('is held against the own process too, and given back by close', async () => {
    const store = await RunStore.create(run, NEW_RUN);
    await expect(RunStore.open(run, { write: true })).rejects.toThrow(`process ${process.pid}`);
    await store.close();
    await store.close();
    const again = await RunStore.open(run, { write: true });
    await again.close();
    await expect(again.recordEvent('late', null)).rejects.toThrow(/was closed/);
  });

  it('tells a process from a later one with the same number', async () => {
    await (await RunStore.create(run, NEW_RUN)).close();
    const lock = { pid: process.pid, host: hostname(), started: '1', since: 0 };
    writeFileSync(`${run}/lock`, JSON.stringify(lock));
    if (existsSync('/proc/self/stat')) {
      const store = await RunStore.open(run, { write: true });
      expect(JSON.parse(readFileSync(`${run}/lock`, 'utf8'))).toMatchObject({ pid: process.pid });
      await store.close();
    } else {
      await expect(RunStore.open(run, { write: true })).rejects.toThrow(/is writing this run/);
    }
  });

  it("doesn't judge a writer on another host, and says what to do", async () => {
    await (await RunStore.create(run, NEW_RUN)).close();
    writeFileSync(`${run}/lock`, JSON.stringify({ pid: 12, host: 'elsewhere', started: null, since: 0 }));
    await expect(RunStore.open(run, { write: true })).rejects.toThrow(
      `process 12 on elsewhere is writing this run; if that process is gone, delete ${run}/lock and try again`,
    );
    expect(existsSync(`${run}/lock`)).toBe(true);
    writeFileSync(`${run}/lock`, '{"pid": 1');
    await (await RunStore.open(run, { write: true })).close();
  });

  it('goes to exactly one of several that find it stale at once', { timeout: 300_000 }, async () => {
    await (await RunStore.create(run, NEW_RUN)).close();
    writeFileSync(`${run}/lock`, JSON.stringify({ pid: 999_999_999, host: hostname(), started: '1', since: 0 }));
    const writers = Array.from({ length: 5 }, () => startWriter('hold', run));
    const outcomes = await Promise.all(
      writers.map(async (writer) => {
        await Promise.race([writer.said('opened'), writer.said('failed')]);
        return writer.lines.find((line) => /^(opened|failed)/.test(line)) ?? 'died';
      }),
    );
    writers.forEach((writer) => writer.kill());
    await Promise.all(writers.map((writer) => writer.ended));
    const won = outcomes.indexOf('opened');
    expect(outcomes.filter((line) => line === 'opened')).toHaveLength(1);
    for (const line of outcomes.filter((_, i) => i !== won)) {
      expect(line).toContain(`process ${writers[won]?.pid} on ${hostname()} is writing this run`);
    }
  });
});
