import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandbox, type ProgramSandbox } from '../../src/sandbox/index.js';
import { expectHealthy, picture, reasonOf, unavailable } from './fixtures.js';
import { HOSTILE } from './hostile.js';

describe.skipIf(unavailable !== null)(`hostile programs (${unavailable ?? 'isolated'})`, () => {
  let sandbox: ProgramSandbox;
  beforeAll(async () => {
    sandbox = await openSandbox({ workers: 1, seconds: 1, memoryMiB: 256 });
  });
  afterAll(() => sandbox.close());

  it('are many, and no two alike', () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(60);
    expect(new Set(HOSTILE.map(({ program }) => program)).size).toBe(HOSTILE.length);
  });

  it.each(HOSTILE)('$what', async ({ program, ends }) => {
    const result = await sandbox.run(program, picture);
    expect(ends, `${result.status}: ${reasonOf(result)}`).toContain(result.status);
    expect(reasonOf(result)).not.toMatch(/\p{Cc}/u);
    expect(reasonOf(result).length).toBeLessThanOrEqual(2000);
    await expectHealthy(sandbox);
    expect(existsSync('/tmp/x.png') || existsSync('/usr/x') || existsSync('/tmp/root')).toBe(false);
  });
});
