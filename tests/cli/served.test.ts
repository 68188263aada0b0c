import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RunReader } from '../../src/runs/index.js';
import {
  answer,
  fakeServer,
  picturesOf,
  status,
  type Behaviour,
  type FakeServer,
} from '../engines/openai/server.js';
import { covolve, temporaryDirectory } from './fixtures.js';

/** Eight small held-out tasks: 8 greedy answers and 16 sampled ones. */
const SMALL = [
  'engine=openai',
  'openai.model=tiny',
  'openai.backoffSeconds=0.01',
  'openai.restSeconds=0.02',
  'seeds.source=sampled',
  'seeds.count=2',
  'seeds.objects=[3,4]',
  'seeds.families=[zero_hop]',
  'seeds.questionsPerScene=1',
  'clevr.view={width: 96, height: 64}',
  'evaluation.objects=[3,4]',
  'evaluation.imagesPerCount=2',
  'evaluation.questionsPerImage=2',
  'evaluation.samples=2',
  'vico.maxTokens=32',
];

const solves: Behaviour = answer({ say: () => '<think> hm </think> <answer> yes </answer>' });

let here: ReturnType<typeof temporaryDirectory>;
let server: FakeServer;
beforeAll(() => {
  here = temporaryDirectory();
});
afterEach(() => server.close());
afterAll(() => here.remove());

const run = (arm: string, dir: string, ...settings: string[]): ReturnType<typeof covolve> =>
  covolve(
    here.path,
    ...['run', 'vico-clevr-paper', ...SMALL, `vico.arm=${arm}`, `openai.baseUrls=[${server.url}]`],
    ...settings,
    ...['--dir', dir],
  );

function read<T>(dir: string, work: (reader: RunReader) => T): T {
  const reader = RunReader.open(path.join(here.path, dir));
  try {
    return work(reader);
  } finally {
    reader.close();
  }
}

describe('a preset on a served model', () => {
  it('is evaluated by the arm that trains nothing', async () => {
    server = await fakeServer(solves);
    const { code, out, err } = await run('base', 'base', 'openai.tokens=ids');
    expect(err).not.toContain('error');
    expect(out).toContain('complete: ');
    expect(code).toBe(0);
    const pictures = server.received.filter(({ body }) => picturesOf(body) === 1);
    expect(pictures.map(({ body }) => `${body.temperature} x ${body.n}`).sort()).toEqual([
      ...Array<string>(8).fill('0 x 1'),
      ...Array<string>(8).fill('1 x 2'),
    ]);
    read('base', (reader) => {
      expect(reader.counts().rollouts).toBe(24);
      const [greedy] = reader.metrics('greedy');
      expect(greedy?.value).toBeGreaterThanOrEqual(0);
      const spent = reader.events().filter(({ kind }) => kind === 'openai-usage');
      expect(spent).toHaveLength(1);
      expect(spent[0]?.detail).toMatchObject({ role: 'actor', model: 'tiny', imageTokens: 16 * 16 });
    });
    const verified = await covolve(here.path, 'verify', 'base');
    expect(verified.code).toBe(0);
  });

  it.each(['full', 'plain', 'sft'])('is refused at once by %s, which trains', async (arm) => {
    server = await fakeServer(solves);
    const { code, err } = await run(arm, `trains-${arm}`);
    expect(code).toBe(1);
    expect(err).toContain(
      `error: engine = "openai": samples only and can't train the actor; evaluate with the arm that trains nothing (base), or choose an engine that trains\n`,
    );
    expect(server.received).toHaveLength(0);
  });

  it('says that its key is missing', async () => {
    server = await fakeServer(solves);
    const { code, err } = await run('base', 'key', 'openai.apiKeyEnv=NO_SUCH_KEY');
    expect(code).toBe(1);
    expect(err).toContain('openai.apiKeyEnv = "NO_SUCH_KEY": this environment variable is not set');
  });

  it('refuses a server that sees nothing', async () => {
    server = await fakeServer(answer({ say: () => '<think> </think><answer> no </answer>', imageTokens: 0 }));
    const { code, err } = await run('base', 'blind');
    expect(code).toBe(1);
    expect(err).toMatch(/error: openai\.baseUrls = ".*": \d+ prompt tokens with 1 image, \d+ without/);
    read('blind', (reader) => expect(reader.counts().rollouts).toBe(0));
  });

  it('stops when its server dies in the middle, and resumes with no rollout lost or doubled', async () => {
    server = await fakeServer();
    const { url } = server;
    server.usual = (received, response, socket) => {
      if (server.received.length <= 6) return solves(received, response, socket);
      return status(500, 'the engine died')(received, response, socket);
    };
    const { code, err } = await run('base', 'dies', 'openai.patienceSeconds=0.3');
    expect(code).toBe(1);
    expect(err).toMatch(/openai: .* is away: status 500: the engine died; no server is left, the run waits/);
    expect(err).toMatch(/error: .* was away for .*; resume the run when it answers/);
    read('dies', (reader) => expect(reader.counts().rollouts).toBe(0));
    await server.close();
    server = await fakeServer(solves, Number(new URL(url).port));
    const resumed = await covolve(here.path, 'resume', 'dies');
    expect(resumed.out).toContain('complete: ');
    expect(resumed.code).toBe(0);
    read('dies', (reader) => expect(reader.counts().rollouts).toBe(24));
  });
});
