import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import {
  configFile,
  loadConfig,
  makeTasks,
  noImages,
  parseConfig,
  planOf,
  presetNames,
  type RawConfig,
  type RunConfig,
  withEnvironment,
} from '../../src/config/index.js';
import { knownKeys } from '../../src/config/schema.js';
import { ConfigError, CovolveError, DataError } from '../../src/core/errors.js';
import type { VicoConfig } from '../../src/methods/vico/index.js';

const micro = (...settings: string[]) => loadConfig('vico-clevr-micro', settings, '/data');

/** The message of what a call throws, which must be one of Covolve's own errors and one line. */
function complaint(call: () => unknown): string {
  try {
    call();
  } catch (cause) {
    expect(cause).toBeInstanceOf(CovolveError);
    const { message } = cause as Error;
    expect(message).not.toContain('\n');
    return message;
  }
  throw new Error('nothing was thrown');
}

describe('the micro preset', () => {
  it('loads, and survives being stored', () => {
    const config = micro();
    expect(config).toMatchObject({ preset: 'vico-clevr-micro', method: 'vico', engine: 'micro' });
    const stored = JSON.parse(JSON.stringify(configFile(config))) as RawConfig;
    expect(parseConfig(stored)).toEqual(config);
  });

  it("keeps the paper's constants where it says nothing else", () => {
    const vico = micro().sections['vico'] as unknown as VicoConfig;
    const { rounds, groupSize, alpha, beta, kMin, copies } = vico;
    expect({ rounds, groupSize, alpha, beta, kMin, copies, kl: vico.actor.kl }).toEqual({
      rounds: 5,
      groupSize: 8,
      alpha: 0.5,
      beta: 4,
      kMin: 0.15,
      copies: 5,
      kl: 0,
    });
  });

  it('makes every arm by a setting', () => {
    const arms = ['full', 'random', 'static', 'text-only', 'plain', 'base'];
    expect(arms.map((arm) => (micro(`vico.arm=${arm}`).sections['vico'] as { arm?: string }).arm)).toEqual(
      arms,
    );
  });

  it('makes file names of settings absolute, and leaves its own to the package', () => {
    const config = micro('micro.actor.checkpoint=own.safetensors');
    expect(config.sections['micro']).toMatchObject({
      actor: { checkpoint: path.resolve('/data/own.safetensors') },
      rewriter: { checkpoint: 'checkpoints/clevr-rewriter.safetensors' },
    });
  });

  it('takes seeds from a file instead', () => {
    expect(micro('seeds.file=mine.jsonl', 'seeds.source=jsonl').seeds).toEqual({
      source: 'jsonl',
      file: path.resolve('/data/mine.jsonl'),
      onBadLine: 'fail',
    });
  });
});

describe('the paper preset', () => {
  it('wants an engine to be named, and is none for the micro engine', () => {
    expect(complaint(() => loadConfig('vico-clevr-paper', [], '/'))).toBe(
      'engine = (missing): name the engine: engine=micro|openai|tinker',
    );
    expect(complaint(() => loadConfig('vico-clevr-paper', ['engine=micro'], '/'))).toMatch(
      /^micro = \(missing\): this configuration has no settings for engine micro; choose a preset made for it/,
    );
  });

  it('is a valid configuration with an engine that has a section', () => {
    const config = loadConfig('vico-clevr-paper', ['engine=openai'], '/');
    expect(config.sections['vico']).toMatchObject({
      temperature: 0.7,
      maxTokens: 3824,
      actor: { learningRate: 1e-6, kl: 0, decay: 'cosine' },
      rewriter: { learningRate: 5e-6 },
    });
    expect(config.seeds).toMatchObject({ source: 'official', limit: 2000 });
  });
});

describe('errors', () => {
  it.each([
    ['vico.round=3', 'vico.round = 3: there is no such key; did you mean vico.rounds?'],
    ['vico.rounds=many', 'vico.rounds = "many": must be a number'],
    ['vico.rounds=2.5', 'vico.rounds = 2.5: must be a whole number'],
    ['vico.rounds=0', 'vico.rounds = 0: must be at least 1'],
    ['vico.alpha=1.5', 'vico.alpha = 1.5: must be at most 1'],
    [
      'vico.arm=fulll',
      'vico.arm = "fulll": must be full, random, static, text-only, plain, sft or base; did you mean full?',
    ],
    ['engine=mikro', 'engine = "mikro": must be micro, openai or tinker'],
    ['seeds.objects=[3,2]', 'seeds.objects = [3,2]: must be [fewest, most], the first not above the second'],
    ['seeds.source=web', 'seeds.source = "web": must be sampled, jsonl or official'],
    ['seeds.source=jsonl', 'seeds.file = (missing): is needed: text'],
    ['vico.actor=3', 'vico.actor = 3: must be a section with keys of its own'],
    ['report=maybe', 'report = "maybe": must be true or false'],
    ['clevr.families=[]', 'clevr.families = []: needs at least 1 entry'],
    ['clevr.families=[one_hopp]', 'clevr.families.0 = "one_hopp": must be zero_hop, one_hop'],
  ])('%s', (setting, message) => {
    expect(complaint(() => micro(setting))).toContain(message);
  });

  it('names presets', () => {
    expect(complaint(() => loadConfig('vico-clever-micro', [], '/'))).toBe(
      'preset = "vico-clever-micro": there is no such preset; did you mean vico-clevr-micro?',
    );
    expect(complaint(() => loadConfig('qqq', [], '/'))).toContain(presetNames().join(', '));
    expect(complaint(() => loadConfig('./none.yaml', [], '/'))).toContain('there is no such file');
  });

  it('are never more than a line, whatever key and value are given', () => {
    const known = knownKeys(configFile(micro()) as RawConfig).map((entry) => entry.path);
    const name = fc.oneof(fc.constantFrom(...known), fc.stringMatching(/^[a-z]{1,6}(\.[a-z]{1,6})?$/));
    const value = fc.constantFrom('3', '-1', 'true', 'word', '[1, 2]', '{a: 1}', '1e9', '""', 'null', '~');
    fc.assert(
      fc.property(name, value, (key, given) => {
        try {
          micro(`${key}=${given}`);
        } catch (cause) {
          expect(cause).toBeInstanceOf(ConfigError);
          expect((cause as Error).message).not.toContain('\n');
          expect((cause as ConfigError).remedy).not.toBe('');
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("a preset of the user's own", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'covolve-config-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };

  it('is read from a path, its file names relative to itself', () => {
    const raw = configFile(micro()) as Record<string, unknown>;
    const seeds = { source: 'jsonl', file: 'seeds.jsonl', onBadLine: 'skip' };
    write('deep/own.yaml', stringify({ ...raw, seeds }));
    const config = loadConfig('deep/own.yaml', ['seed=9'], folder);
    expect(config).toMatchObject({ preset: 'own', seed: 9 });
    expect(config.seeds).toMatchObject({ file: path.join(folder, 'deep', 'seeds.jsonl') });
  });

  it('is named with the line when it is no YAML', () => {
    write('own.yaml', 'seed: 1\nvico: [1,\n');
    expect(() => loadConfig('own.yaml', [], folder)).toThrow(DataError);
    expect(complaint(() => loadConfig('own.yaml', [], folder))).toMatch(/own\.yaml:\d+: not YAML/);
    write('own.yaml', '- 1\n');
    expect(complaint(() => loadConfig('own.yaml', [], folder))).toContain('a YAML mapping');
  });

  it('is named with the key when a key is wrong', () => {
    const raw = configFile(micro()) as Record<string, unknown>;
    write('own.yaml', stringify({ ...raw, vico: { ...(raw['vico'] as object), kmin: 0.1 } }));
    expect(complaint(() => loadConfig('own.yaml', [], folder))).toBe(
      'vico.kmin = 0.1: there is no such key; did you mean vico.kMin?',
    );
  });
});

describe('the tasks of a run', () => {
  const tasksOf = (config: RunConfig) =>
    withEnvironment(config, noImages, (environment) => makeTasks(config, environment));
  const held = ['evaluation.imagesPerCount=1', 'evaluation.questionsPerImage=2'];
  const small = ['seeds.count=6', ...held];

  it('are held out alike for every seed, and trained on apart', async () => {
    const made = await Promise.all(
      ['seed=1', 'seed=1', 'seed=2'].map((seed) => {
        const config = micro(...small, seed);
        return tasksOf(config);
      }),
    );
    const ids = made.map(({ seeds, heldOut }) =>
      [seeds, heldOut].map((list) => list.map(({ task }) => task.id)),
    );
    expect(ids[1]).toEqual(ids[0]);
    expect(ids[2]?.[1]).toEqual(ids[0]?.[1]);
    expect(ids[2]?.[0]).not.toEqual(ids[0]?.[0]);
    expect(ids[0]?.[1]).toHaveLength(14);
  });

  it('skip the bad lines of a file only when asked, and say which', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'covolve-seeds-'));
    try {
      const config = micro(...small, 'seeds.count=1');
      const { seeds } = await tasksOf(config);
      const state = seeds[0]?.lineage.state as { scene: object; question: { text: string; program: object } };
      const line = { scene: state.scene, question: state.question.text, program: state.question.program };
      const program = (line.program as { value?: string }[]).map(({ value, ...node }) => ({
        ...node,
        value_inputs: value === undefined ? [] : [value],
      }));
      writeFileSync(path.join(folder, 's.jsonl'), `${JSON.stringify({ ...line, program })}\n{"scene": 3}\n`);
      const load = (...more: string[]) => {
        const own = loadConfig(
          'vico-clevr-micro',
          [...held, 'seeds.source=jsonl', 'seeds.file=s.jsonl', ...more],
          folder,
        );
        return tasksOf(own);
      };
      await expect(load()).rejects.toThrow(/s\.jsonl:2: /);
      const kept = await load('seeds.onBadLine=skip');
      expect(kept.seeds).toHaveLength(1);
      expect(kept.notes.join()).toMatch(/s\.jsonl:2: skipped: /);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('are counted before they are made', () => {
    const tasks = { seeds: 10, heldOut: 100 };
    const plan = planOf(micro('vico.rounds=5', 'vico.tasksPerRound=20', 'vico.groupSize=8'), tasks);
    expect(plan.rollouts).toBe(8 * (10 + 5 * 20));
    expect(plan.evaluations).toBe(6);
    expect(plan.allRollouts).toBe(plan.rollouts + 6 * 100 * (1 + 3));
    expect(planOf(micro('evaluation.everyRounds=2', 'vico.rounds=5'), tasks).evaluations).toBe(4);
    expect(planOf(micro('vico.arm=base'), tasks)).toMatchObject({ rounds: 0, rollouts: 0, evaluations: 1 });
  });
});
