import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunStore } from '../../src/runs/index.js';
import { NEW_RUN, writeSteps } from './fixtures.js';

// A process of its own that writes a run, for tests that kill it, starve it or lock it out.
// Arguments: hold | write, directory, steps, user id to become (optional).
const [mode, directory = '', steps = '0', user] = process.argv.slice(2);
if (user !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(Number(user));
  process.setuid?.(Number(user));
}
const say = (line: string): void => void process.stdout.write(`${line}\n`);
try {
  say('started');
  const store = existsSync(path.join(directory, 'run.sqlite'))
    ? await RunStore.open(directory, { write: true }, { note: (line) => say(`note ${line}`) })
    : await RunStore.create(directory, NEW_RUN);
  say('opened');
  if (mode === 'hold') await sleep(600_000);
  await writeSteps(store, Number(steps), (step) => say(`recorded ${step}`));
  await store.close();
  say('done');
} catch (cause) {
  const error = cause as Error;
  say(`failed ${error.name}: ${error.message}`);
  process.exitCode = 1;
}
