import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { renderReport } from '../../src/report/index.js';
import { RunStore } from '../../src/runs/index.js';
import { CONFIG, process } from '../methods/eve/world.js';
import { parsePage } from './markup.js';

const folder = mkdtempSync(path.join(tmpdir(), 'covolve-report-eve-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('shows what programs were like, some of them with their pictures, and why others were refused', async () => {
  const directory = path.join(folder, 'run');
  const config = { method: 'eve', environment: 'world', eve: { arm: 'full', rounds: 2 } };
  const store = await RunStore.create(directory, { config, seed: 5, preset: 'test', version: '0.0.0' });
  await process(store, CONFIG);
  await store.close();
  const page = await renderReport(directory);
  const { problems, text, tags } = parsePage(page);
  expect(problems).toEqual([]);
  for (const title of [
    'Programs that can be used',
    'Difficulty',
    'Diversity of code',
    'Diversity of pictures',
    'Labels that are right',
    'Question bank and example queue',
    'Entropy of the solver',
    'KL of the challenger from its start',
    'Refused programs',
  ]) {
    expect(text).toContain(title);
  }
  expect(text).toContain('no-program');
  const cards = page
    .split('<article')
    .slice(1)
    .filter((card) => card.includes(', program '));
  expect(cards.length).toBeGreaterThan(3);
  // image_0 and what was made of it.
  expect(cards.filter((card) => (card.match(/<img/g) ?? []).length === 5).length).toBeGreaterThan(0);
  expect(tags.some(({ name }) => name === 'script')).toBe(false);
});
