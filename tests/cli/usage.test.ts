import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { covolve, start, temporaryDirectory } from './fixtures.js';

const COMMANDS = [
  'run',
  'resume',
  'status',
  'compare',
  'verify',
  'report',
  'probe',
  'check',
  'sandbox',
  'svg',
  'doctor',
];
const GOLDEN = fileURLToPath(new URL('./golden', import.meta.url));
const CLEVR = fileURLToPath(new URL('../../../shared/data/clevr', import.meta.url));

let here: ReturnType<typeof temporaryDirectory>;
beforeAll(() => {
  here = temporaryDirectory();
});
afterAll(() => here.remove());

describe('help', () => {
  it.each(['', ...COMMANDS, 'check clevr', 'check charts', 'check drawings'])(
    'of `covolve %s` reads as it should',
    async (command) => {
      const { code, out, err } = await covolve(here.path, ...command.split(' ').filter(Boolean), '--help');
      expect(err).toBe('');
      expect(code).toBe(0);
      await expect(out).toMatchFileSnapshot(`${GOLDEN}/help-${command.replace(' ', '-') || 'covolve'}.txt`);
      expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    },
  );
});

describe('errors', () => {
  it.each([
    [['nope'], 2, "error: unknown command 'nope'"],
    [['run'], 2, "error: missing required argument 'preset'"],
    [['run', 'vico-clevr-micro', '--dri', 'x'], 2, "error: unknown option '--dri'\n(Did you mean --dir?)"],
    [['compare', 'vico-clevr-micro'], 2, "error: required option '-a, --arms <list>' not specified"],
    [
      ['run', 'vico-clevr-mikro'],
      1,
      'error: preset = "vico-clevr-mikro": there is no such preset; did you mean',
    ],
    [
      ['run', 'vico-clevr-micro', 'vico.round=3'],
      1,
      'error: vico.round = 3: there is no such key; did you mean',
    ],
    [['run', 'vico-clevr-micro', 'rounds'], 1, 'error: setting = "rounds": write settings as key=value'],
    [['resume', 'nowhere'], 1, 'error: can'],
    [['status', 'nowhere'], 1, 'error: can'],
    [['verify', 'nowhere'], 1, 'error: can'],
    [['compare', 'vico-clevr-micro', '--arms', 'full,plan'], 1, 'error: --arms = "plan": must be '],
    [
      ['compare', 'vico-clevr-micro', '--arms', 'full', '--seeds', '1,x'],
      1,
      'error: --seeds = "x": must be a whole',
    ],
    [
      ['compare', 'vico-clevr-micro', '--arms', 'full,full'],
      1,
      'error: --arms = "full,full": full is there twice',
    ],
    [['check', 'clevr', 'a.json', 'b.json'], 1, "error: a.json: can't be read"],
    [['check', 'charts', 'nowhere'], 1, "error: nowhere: can't be read"],
    [['check', 'drawings', 'nowhere'], 1, "error: nowhere: can't be read"],
    [['svg', 'a.svg'], 1, "error: a.svg: can't be read"],
    [['sandbox', 'a.py', 'b.png'], 1, "error: a.py: can't be read"],
  ] as const)('%j exits with %i', async (args, code, message) => {
    const outcome = await covolve(here.path, ...args);
    expect(outcome.out).toBe('');
    if (message === 'error: can') expect(outcome.err).toMatch(/^error: .*nowhere/);
    else expect(outcome.err).toContain(message);
    expect(outcome.code).toBe(code);
    if (code === 1) expect(outcome.err.trimEnd().split('\n')).toHaveLength(1);
  });

  it('a missing base checkpoint is named, with the page that says how it is made, and leaves nothing half-made behind', async () => {
    const settings = [
      'seeds.count=4',
      'evaluation.imagesPerCount=1',
      'micro.actor.checkpoint=none.safetensors',
    ];
    const { code, err } = await covolve(
      here.path,
      'run',
      'vico-clevr-micro',
      ...settings,
      '--dir',
      'lost',
      '-q',
    );
    expect(code).toBe(1);
    expect(err).toMatch(
      /error: micro\.actor\.checkpoint = .*there is no such file.*docs\/base-checkpoints\.md/,
    );
  });

  it('a dry run writes nothing', async () => {
    const settings = ['seeds.count=4', 'evaluation.imagesPerCount=1'];
    const { code, out } = await covolve(
      here.path,
      'run',
      'vico-clevr-micro',
      ...settings,
      '-n',
      '--dir',
      'dry',
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^method: vico$/m);
    expect(out).toMatch(/# 4 seeds, 28 held-out tasks, 5 rounds, [\d,]+ training rollouts/);
    expect(existsSync(path.join(here.path, 'dry'))).toBe(false);
  });
});

describe.skipIf(!existsSync(CLEVR))('check clevr', () => {
  const scenes = path.join(CLEVR, 'scenes.json');
  const questions = path.join(CLEVR, 'questions.json');

  it('agrees with the official files', async () => {
    const { code, out } = await covolve(here.path, 'check', 'clevr', scenes, questions);
    expect(out).toMatch(/^600 questions on 60 scenes: 600 agree/);
    expect(code).toBe(0);
  });

  it('finds a changed answer, in words and as JSON', async () => {
    const file = JSON.parse(readFileSync(questions, 'utf8')) as { questions: { answer: string }[] };
    const changed = file.questions[7];
    if (!changed) throw new Error('no question 7');
    changed.answer = changed.answer === 'rubber' ? 'metal' : 'rubber';
    mkdirSync(path.join(here.path, 'data'), { recursive: true });
    writeFileSync(path.join(here.path, 'data', 'q.json'), JSON.stringify(file));
    const words = await covolve(here.path, 'check', 'clevr', scenes, 'data/q.json');
    expect(words.code).toBe(1);
    expect(words.out).toMatch(/599 agree, 1 differ/);
    expect(words.out).toContain('questions[7]');
    const json = await covolve(here.path, 'check', 'clevr', scenes, 'data/q.json', '--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({ counts: { agreed: 599, differs: 1, failed: 0 } });
  });
});

describe('a process of its own', () => {
  it('hands the exit code on and writes errors to the error stream', async () => {
    const { code, out, err } = await start(here.path, 'status', 'nowhere').ended;
    expect(out).toBe('');
    expect(err).toMatch(/^error: .*nowhere/);
    expect(code).toBe(1);
  });
});

describe('doctor', () => {
  it('answers yes or no, and has a remedy for every no', async () => {
    const { code, out } = await covolve(here.path, 'doctor');
    const lines = out.trimEnd().split('\n');
    const findings = lines.slice(0, -1);
    expect(findings.length).toBeGreaterThanOrEqual(8);
    for (const line of findings) expect(line).toMatch(/^(yes {2}|no {3}).+: .+/);
    for (const line of findings.filter((l) => l.startsWith('no'))) expect(line).toContain(';');
    expect(out).toMatch(/yes {2}array library: multiplies/);
    expect(out).toMatch(/yes {2}run store \(SQLite\)/);
    expect(code).toBe(findings.every((line) => line.startsWith('yes')) ? 0 : 1);
  });
});
