import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pairedDifference } from '../../src/algorithms/statistics.js';
import { StoreError } from '../../src/core/errors.js';
import { imageRef } from '../../src/core/image.js';
import type { Proposal } from '../../src/core/ports.js';
import { makeTask } from '../../src/core/task.js';
import { renderReport, writeReport } from '../../src/report/index.js';
import { RunReader, RunStore } from '../../src/runs/index.js';
import { makeRun, SMALL, temporaryDirectory } from './fixtures.js';
import { outline, parsePage, textOf } from './markup.js';

const runs = temporaryDirectory();
const at = (name: string): string => path.join(runs.path, name);

beforeAll(async () => {
  await makeRun(at('full'), SMALL);
  await makeRun(at('plain'), { ...SMALL, arm: 'plain', tasksPerRound: 16 });
  await makeRun(at('base'), { ...SMALL, arm: 'base' });
  let asked = 0;
  const stop = (): void => {
    if (asked++ > 9) throw new Error('stopped by the test');
  };
  await expect(makeRun(at('stopped'), { ...SMALL, safePoint: stop })).rejects.toThrow('stopped by the test');
}, 300_000);

afterAll(() => runs.remove());

/** What must hold for every page. */
function expectSound(page: string): void {
  const { tags, problems } = parsePage(page);
  expect(problems).toEqual([]);
  const all = (name: string): string[] => tags.flatMap(({ attributes }) => attributes.get(name) ?? []);
  const ids = all('id');
  expect(new Set(ids).size).toBe(ids.length);
  for (const href of all('href')) {
    expect(href.startsWith('#')).toBe(true);
    expect(ids).toContain(href.slice(1));
  }
  for (const source of all('src')) expect(source).toMatch(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/);
  for (const label of all('aria-labelledby')) expect(ids).toContain(label);
  for (const { name, attributes, closing } of tags) {
    if (name === 'img') expect(attributes.get('alt')).not.toBe('');
    if (name === 'svg' && !closing)
      expect(attributes.has('aria-label') || attributes.has('aria-hidden')).toBe(true);
    for (const key of attributes.keys()) expect(key.startsWith('on')).toBe(false);
  }
  const names = new Set(tags.map(({ name }) => name));
  for (const never of ['script', 'iframe', 'object', 'link', 'form']) expect(names.has(never)).toBe(false);
  expect(page).not.toMatch(/url\(|@import|https?:/);
  expect(page).not.toContain(runs.path);
  expect(page).not.toMatch(/\b(undefined|NaN|\[object)/);
  expect(tags.filter(({ name, closing }) => name === 'h1' && !closing)).toHaveLength(1);
}

describe('writeReport', () => {
  it('writes one sound, self-contained file and nothing beside it', async () => {
    const before = readdirSync(at('full'));
    const file = await writeReport(at('full'));
    expect(file).toBe(path.join(at('full'), 'report.html'));
    const page = readFileSync(file, 'utf8');
    expectSound(page);
    expect(page.length).toBeLessThan(3_000_000);
    // Reading alone makes the database's own side files.
    const own = (name: string): boolean => before.includes(name) || name.startsWith('run.sqlite');
    expect(readdirSync(at('full')).filter((name) => !own(name))).toEqual(['report.html']);
    expect(await renderReport(at('full'))).toBe(page);
  });

  it('has the shape that people know', async () => {
    await expect(outline(await renderReport(at('full')))).toMatchFileSnapshot(
      '__snapshots__/full.outline.txt',
    );
    await expect(outline(await renderReport(at('plain')))).toMatchFileSnapshot(
      '__snapshots__/plain.outline.txt',
    );
  });

  it('names another file, and says what is wrong when it can not write', async () => {
    mkdirSync(at('elsewhere'));
    const file = await writeReport(at('base'), path.join(at('elsewhere'), 'r.html'));
    expect(existsSync(file)).toBe(true);
    await expect(writeReport(at('base'), path.join(at('elsewhere'), 'no', 'r.html'))).rejects.toThrow(
      /can't be written/,
    );
    await expect(writeReport(at('nowhere'))).rejects.toThrow(StoreError);
    expect(readdirSync(at('elsewhere'))).toEqual(['r.html']);
  });

  it('reads a run that nobody may write to', async () => {
    chmodSync(at('base'), 0o555);
    try {
      expectSound(await renderReport(at('base')));
    } finally {
      chmodSync(at('base'), 0o755);
    }
  });
});

describe('what a report says', () => {
  it('gives the change with the interval that the paired items have', async () => {
    const reader = RunReader.open(at('full'));
    const values = (round: number, role: string): Array<{ item: string; value: number; cluster: string }> =>
      reader.passRates({ round, role }).map(({ taskId, passRate }) => ({
        item: taskId,
        value: passRate,
        cluster: reader.task(taskId)?.task.images[0]?.hash ?? '',
      }));
    const expected = ['evaluation-greedy', 'evaluation-sampled'].map((role) =>
      pairedDifference(values(SMALL.rounds, role), values(0, role)),
    );
    reader.close();
    const page = await renderReport(at('full'));
    const sentence = textOf(page, 'result').replaceAll('\u00a0', ' ').replaceAll('\u2212', '-');
    for (const { mean, low, high } of expected) {
      const [m, l, h] = [mean, low, high].map((d) => `${d > 0 ? '+' : ''}${(100 * d).toFixed(1)}`);
      expect(sentence).toContain(`${m} points, 95 % interval ${l} to ${h}`);
    }
    const claims = expected.map(({ low, high }) => (low > 0 || high < 0 ? 'excludes' : 'includes'));
    expect([...sentence.matchAll(/which (excludes|includes) zero/g)].map(([, claim]) => claim)).toEqual(
      claims,
    );
    expect(sentence).toContain('On 72 held-out tasks, from the base to round 2');
  });

  it('claims nothing when the policy has not changed', async () => {
    await makeRun(at('still'), { ...SMALL, arm: 'plain', tasksPerRound: 16, rounds: 1, gain: 0 });
    const sentence = textOf(await renderReport(at('still')), 'result');
    expect(sentence).toContain('which includes zero: no change can be claimed');
  });

  it('shows edits with their pictures, rollouts and derivations, and refused ones with reasons', async () => {
    const page = await renderReport(at('full'));
    const cards = page.split('<article').slice(1);
    const edits = cards.filter((card) => card.includes('Rollouts after'));
    expect(edits.length).toBeGreaterThanOrEqual(8);
    for (const card of edits) {
      expect(card.match(/<img\s/g)).toHaveLength(2);
      const chips = card.slice(card.indexOf('class="chips"'), card.indexOf('</ul>'));
      const right = (chips.match(/class="right"/g) ?? []).length;
      expect(right + (chips.match(/class="wrong"/g) ?? []).length).toBe(8);
      expect(card).toContain(`after, p = ${(right / 8).toFixed(2)}`);
      expect(card).toContain('#0 scene');
      expect(card).toContain('&quot;kind&quot;:&quot;edits&quot;');
    }
    const reader = RunReader.open(at('full'));
    const reasons = [...new Set(reader.rejections().map(({ reason }) => reason))];
    reader.close();
    expect(reasons.length).toBeGreaterThan(2);
    for (const reason of reasons) expect(page).toContain(`aria-label="Refused: ${reason}"`);
  });

  it('has no part about edits where there are none', async () => {
    const plain = await renderReport(at('plain'));
    expectSound(plain);
    expect(plain).toContain('Nothing was edited in this run');
    expect(plain).not.toContain('id="edits"');
    expect(plain).not.toContain('id="rejections"');
    const base = await renderReport(at('base'));
    expectSound(base);
    expect(textOf(base, 'result')).toMatch(/^This arm trains nothing\. On 72/);
    expect(base).not.toContain('id="training"');
    await makeRun(at('sft'), { ...SMALL, arm: 'sft' });
    const sft = await renderReport(at('sft'));
    expectSound(sft);
    expect(sft).toContain('Supervised loss');
    expect(sft).not.toContain('Clipped policy-gradient loss');
  });

  it('says how far a run is that was stopped, that goes on, or that holds nothing', async () => {
    const stopped = await renderReport(at('stopped'));
    expectSound(stopped);
    expect(textOf(stopped, 'status')).toMatch(/^stopped in round \d of 2; can be resumed$/);
    const store = await RunStore.open(at('stopped'), { write: true });
    try {
      expect(textOf(await renderReport(at('stopped')), 'status')).toMatch(/^running, in round \d of 2$/);
    } finally {
      await store.close();
    }
    await (
      await RunStore.create(at('empty'), { config: null, seed: 1, preset: 'none', version: '0' })
    ).close();
    const empty = await renderReport(at('empty'));
    expectSound(empty);
    expect(textOf(empty, 'result')).toContain('Nothing has been recorded in this run yet');
    expect(textOf(await renderReport(at('full')), 'status')).toBe('finished');
  });
});

describe('hostile text', () => {
  const BAD = `"><script>alert(1)</script><img src=x onerror=alert(1)>'</style></pre>&lt;\u202e\0\ud800<!--`;

  it('is shown and never read, wherever a user or a model may have put it', async () => {
    await makeHostileRun(at('hostile'), BAD);
    const page = await renderReport(at('hostile'));
    expectSound(page);
    expect(page).not.toContain('<script');
    expect(page).not.toContain('<!--');
    expect(page).not.toMatch(/[\0\u202e]/);
    const shown = page.split('&lt;script&gt;alert(1)&lt;/script&gt;').length - 1;
    // Preset, seed, version, arm, configuration; question, answer, action, rollouts; reason, detail, metric stratum, event.
    expect(shown).toBeGreaterThan(20);
  });
});

/** A run in which every text is the given one. */
async function makeHostileRun(directory: string, bad: string): Promise<void> {
  const config = { method: bad, environment: bad, engine: bad, [bad]: { arm: bad, rounds: 1 } };
  const store = await RunStore.create(directory, { config, seed: bad, preset: bad, version: bad });
  const image = { width: 4, height: 3, rgb: new Uint8Array(36) };
  const task = (id: string, answer: string): ReturnType<typeof makeTask> =>
    makeTask({
      environment: bad,
      images: [imageRef(image)],
      question: `${bad} ${id}`,
      answer,
      answerKind: 'word',
      label: {
        origin: 'derived',
        derivation: { seedId: bad, actions: [], rule: 'recompute', trace: { program: [bad], values: [bad] } },
      },
      facts: { [bad]: bad },
    });
  const [seed, child] = [task('seed', bad), task('child', `${bad}2`)];
  const lineage = { seedId: bad, actions: [], state: { [bad]: bad } };
  const proposal = (index: number, outcome: Proposal['outcome'], action: Proposal['action']): Proposal => ({
    index,
    parentTaskId: seed.id,
    parentPassRate: 1,
    origin: bad,
    text: bad,
    tokens: new Int32Array(0),
    logprobs: new Float32Array(0),
    action,
    outcome,
  });
  const group = (of: typeof seed): Parameters<RunStore['recordGroups']>[1][number] => ({
    task: of,
    passRate: 0.5,
    rollouts: [bad, `<think>${bad}</think><answer>'"&${bad.replaceAll('<', '')}</answer>`].map(
      (text, sample) => ({
        sample,
        completion: {
          text,
          tokens: Int32Array.of(1),
          logprobs: Float32Array.of(-1),
          finish: 'stop' as const,
        },
        score: { total: 1 - 2 * sample, terms: { [bad]: 1 }, correct: sample === 0 },
        advantage: 0,
      }),
    ),
  });
  await store.recordTasks([{ task: seed, lineage, parentTaskId: null, round: 0 }], [image]);
  await store.recordGroups({ round: 0, role: 'actor', step: 0 }, [group(seed)]);
  await store.recordProposals(
    1,
    [
      proposal(0, { kind: 'accepted', taskId: child.id }, { [bad]: bad }),
      proposal(1, { kind: 'rejected', reason: bad, detail: bad }, { [bad]: bad }),
      proposal(2, { kind: 'rejected', reason: `${bad}2`, detail: bad }, null),
    ],
    [{ task: child, lineage, parentTaskId: seed.id, round: 1 }],
    [image],
  );
  await store.recordGroups({ round: 1, role: 'actor', step: 0 }, [group(child)]);
  await store.recordMetrics(
    { round: 1, role: 'vico', step: 0 },
    { [bad]: 1, learning_signal: NaN, mixed_share: 1 },
  );
  await store.recordMetrics(
    { round: 0, role: 'evaluation', step: 0 },
    {
      items: 1,
      greedy: 1,
      greedy_low: -Infinity,
      greedy_high: Infinity,
      p1: 0.5,
      [`n/${bad.replaceAll('=', '')}=${bad}`]: 1,
    },
  );
  await store.recordEvent(bad, { [bad]: bad });
  await store.close();
}
