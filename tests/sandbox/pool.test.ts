import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, OutageError } from '../../src/core/errors.js';
import { checkIsolation, DEFAULT_LIMITS, openSandbox } from '../../src/sandbox/index.js';
import { Worker } from '../../src/sandbox/worker.js';
import { expectHealthy, GOOD, picture, unavailable, withBody } from './fixtures.js';

describe('options', () => {
  it.each([
    [{ workers: 0 }, 'sandbox.workers = 0'],
    [{ seconds: 0 }, 'sandbox.seconds = 0'],
    [{ memoryMiB: 1.5 }, 'sandbox.memoryMiB = 1.5'],
    [{ characters: NaN }, 'sandbox.characters'],
    [{ minPixels: 100, maxPixels: 10 }, 'sandbox.minPixels = 100: must not exceed 10'],
  ])('%j is refused', async (options, message) => {
    const opening = openSandbox(options);
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(message);
  });
});

describe.skipIf(unavailable !== null)(`the pool (${unavailable ?? 'isolated'})`, () => {
  /** Process ids of the interpreters of this process's sandboxes (bubblewrap's own). */
  const children = (): number[] =>
    readdirSync('/proc/self/task')
      .map((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8'))
      .join(' ')
      .split(/\s+/)
      .filter(Boolean)
      .map(Number);
  let before: readonly number[] = [];
  beforeAll(() => {
    before = children();
  });
  afterAll(() => expect(children().filter((pid) => !before.includes(pid))).toEqual([]));

  it('answers many programs at once, each with its own', async () => {
    const sandbox = await openSandbox({ workers: 2 });
    try {
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          sandbox.run(withBody(`img.putpixel((0, 0), (${i}, 0, 0))`), picture),
        ),
      );
      const first = results.map((result) => result.status === 'ok' && result.images[3]?.rgb[0]);
      expect(first).toEqual(Array.from({ length: 12 }, (_, i) => i));
    } finally {
      await sandbox.close();
    }
  });

  it('replaces a worker that is killed, and runs its program again', async () => {
    const sandbox = await openSandbox({ workers: 1 });
    try {
      const slow = sandbox.run(withBody('for i in range(3000000):\n    pass'), picture);
      await new Promise((resolve) => setTimeout(resolve, 50));
      // The one at work and the spare both: the program waits for a fresh interpreter.
      for (const pid of children().filter((pid) => !before.includes(pid))) process.kill(pid, 'SIGKILL');
      expect(await slow).toMatchObject({ status: 'ok' });
      await expectHealthy(sandbox);
    } finally {
      await sandbox.close();
    }
  });

  it('rejects what is under way when it is closed, and what comes later', async () => {
    const sandbox = await openSandbox({ workers: 1 });
    const running = [1, 2].map(() => sandbox.run(withBody('while True:\n    pass'), picture));
    const failures = Promise.allSettled(running);
    await sandbox.close();
    for (const outcome of await failures) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(OutageError) });
    }
    await expect(sandbox.run(GOOD, picture)).rejects.toThrow('the sandbox was closed');
  });

  it('keeps to limits of its own', async () => {
    const sandbox = await openSandbox({ workers: 1, characters: 250, minPixels: 1, maxPixels: 100 });
    try {
      expect(await sandbox.run(withBody('return img.resize((10, 10))'), picture)).toMatchObject({
        status: 'ok',
      });
      expect(await sandbox.run(GOOD, picture)).toMatchObject({
        status: 'bad-output',
        reason: 'an image of 120 x 90, not of 1 to 100 pixels',
      });
      expect(await sandbox.run(`x = "${'y'.repeat(300)}"`, picture)).toMatchObject({ status: 'malformed' });
    } finally {
      await sandbox.close();
    }
  });

  it('gives the same bytes every time', async () => {
    const program = withBody(
      "s = ''.join({'red', 'green', 'blue', 'white'})\nreturn img.rotate(a * len(s.split('e')[0]))",
    );
    const hashes = new Set<string>();
    for (let i = 0; i < 2; i++) {
      const sandbox = await openSandbox({ workers: 1 });
      const result = await sandbox.run(program, picture);
      await sandbox.close();
      if (result.status !== 'ok') throw new Error(result.reason);
      hashes.add(Buffer.concat(result.images.map(({ rgb }) => rgb)).toString('base64'));
    }
    expect(hashes.size).toBe(1);
  });

  it('refuses an image that is none', async () => {
    const sandbox = await openSandbox({ workers: 1 });
    expect(() => sandbox.run(GOOD, { ...picture, width: 121 })).toThrow('no image');
    await sandbox.close();
  });

  it('works without giving root up first, too', async () => {
    const isolation = await checkIsolation();
    if (!isolation.ok) throw new Error(isolation.error.detail);
    const { worker } = await Worker.start({
      ...isolation.value.options,
      dropRoot: false,
      limits: DEFAULT_LIMITS,
    });
    expect((await worker.run(Buffer.from(GOOD), picture)).status).toBe('ok');
    worker.kill();
    await worker.ended;
    await expect(worker.run(Buffer.from(GOOD), picture)).rejects.toThrow('killed');
  });
});
