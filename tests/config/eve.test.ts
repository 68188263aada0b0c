import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  configFile,
  loadConfig,
  parseConfig,
  planOf,
  resumeRun,
  runConfig,
  startRun,
  verifyRun,
  withEnvironment,
  type RawConfig,
  type RunConfig,
} from '../../src/config/index.js';
import { Rng } from '../../src/core/rng.js';
import type { MicroConfig } from '../../src/engines/micro/config.js';
import { MicroPolicy } from '../../src/engines/micro/index.js';
import { CELL, MOSAIC, TRANSFORM_VOCABULARY } from '../../src/environments/transforms/index.js';
import type { EveConfig } from '../../src/methods/eve/index.js';
import { MEASURE_ROLE } from '../../src/methods/eve/index.js';
import { EVE_WEIGHTS } from '../../src/rewards/eve.js';
import { RunReader } from '../../src/runs/index.js';
import { unavailable } from '../sandbox/fixtures.js';

const micro = (...settings: string[]): RunConfig => loadConfig('eve-micro', settings, '/data');
const eve = (config: RunConfig): EveConfig => config.sections['eve'] as unknown as EveConfig;

describe('the presets of EVE', () => {
  it('load, and survive being stored', () => {
    const config = micro();
    expect(config).toMatchObject({ method: 'eve', environment: 'transforms', engine: 'micro' });
    const stored = JSON.parse(JSON.stringify(configFile(config))) as RawConfig;
    expect(parseConfig(stored)).toEqual(config);
  });

  it("name the paper's constants", () => {
    const options = [
      'engine=openai',
      'openai={baseUrls: [http://localhost:1/v1], model: Qwen/Qwen3-VL-8B-Instruct}',
    ];
    const paper = eve(loadConfig('eve-paper', options, '/data'));
    expect(paper).toMatchObject({
      rounds: 3,
      steps: 10,
      measureRollouts: 6,
      examples: 2,
      queue: { size: 50, entry: 0.5, similar: 0.25 },
      bank: { low: 0.25, high: 1 },
    });
    const role = { topK: 40, presencePenalty: 2, temperature: 1, learningRate: 1e-6, kl: 0.01 };
    expect(paper.challenger).toMatchObject({ ...role, tasksPerStep: 128, groupSize: 4, maxTokens: 2048 });
    expect(paper.solver).toMatchObject({
      ...role,
      tasksPerStep: 128,
      groupSize: 8,
      clipLow: 0.28,
      clipHigh: 0.2,
    });
    expect(EVE_WEIGHTS).toEqual({ format: 0.2, valid: 0.4, difficulty: 0.4, diversity: 0.3 });
  });

  it('plan equal budgets for all arms, the challenger apart', () => {
    const rollouts = (arm: string): number =>
      planOf(micro(`eve.arm=${arm}`), { seeds: 256, heldOut: 0 }).rollouts;
    // 3 rounds of 10 steps: 16 x 4 programs, 2 questions of each answered 6 times, 32 questions answered 8 times.
    expect(rollouts('full')).toBe(30 * (64 + 2 * 64 * 6 + 32 * 8));
    for (const arm of ['no-div', 'no-div-diff', 'pseudo-label']) expect(rollouts(arm)).toBe(rollouts('full'));
    expect(rollouts('full') - rollouts('templates')).toBe(30 * 64);
    expect(rollouts('base')).toBe(0);
  });

  it('name what is wrong', () => {
    expect(() => micro('eve.bank.low=0.9', 'eve.bank.high=0.5')).toThrow(
      /eve\.bank = .*low must be below high/,
    );
    expect(() => micro('eve.arm=jigsaw')).toThrow(/eve\.arm = "jigsaw"/);
    expect(() => micro('eve.queue.sise=9')).toThrow(/size/);
    expect(() => micro('environment=clevr')).toThrow();
  });
});

describe.skipIf(unavailable !== null)(`a run in the real sandbox (${unavailable ?? 'isolated'})`, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'covolve-eve-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const eye = { stride: 12, window: 12, layers: 1, patchLabels: 1 };
  const shape = { width: 16, heads: 1, layers: 1, expand: 2, vocabulary: TRANSFORM_VOCABULARY };
  const roles: Record<'challenger' | 'solver', MicroConfig> = {
    challenger: {
      ...{ ...shape, promptLength: 56, completionLength: 8 },
      vision: { ...eye, imageWidth: CELL, imageHeight: CELL },
    },
    solver: {
      ...{ ...shape, promptLength: 52, completionLength: 4 },
      vision: { ...eye, imageWidth: MOSAIC.width, imageHeight: MOSAIC.height },
    },
  };

  beforeAll(async () => {
    for (const [role, config] of Object.entries(roles)) {
      const policy = await MicroPolicy.create(config, Rng.fromSeed(role), { name: role, freezeVision: true });
      writeFileSync(path.join(folder, `${role}.safetensors`), await policy.exportWeights());
      policy.dispose();
    }
  }, 120_000);

  const small = [
    'eve.rounds=1',
    'eve.steps=2',
    'eve.measureRollouts=2',
    'eve.bank.low=0', // a solver that knows nothing is never right
    'eve.challenger.tasksPerStep=2',
    'eve.challenger.kl=0',
    'eve.solver.tasksPerStep=2',
    'eve.solver.groupSize=2',
    'eve.solver.kl=0',
    'seeds.count=3',
    'evaluation.pictures=1',
    'evaluation.samples=1',
    'report=false',
    'micro.challenger.sampleShapes=[{B: 2, K: 4}]',
    'micro.challenger.trainShapes=[{B: 2, K: 4}]',
    'micro.solver.sampleShapes=[{B: 4, K: 2}]',
    'micro.solver.trainShapes=[{B: 2, K: 2}]',
    `micro.challenger.checkpoint=${path.join(folder, 'challenger.safetensors')}`,
    `micro.solver.checkpoint=${path.join(folder, 'solver.safetensors')}`,
  ];
  const progress = { update: () => undefined, note: () => undefined };
  const hooks = { progress, safePoint: () => undefined };

  it('stopped and resumed, is complete, and every label is found again', { timeout: 600_000 }, async () => {
    const directory = path.join(folder, 'templates');
    let calls = 0;
    const stopping = {
      progress,
      safePoint: () => {
        if (++calls === 5) throw new Error('stopped');
      },
    };
    await expect(startRun(micro('eve.arm=templates', ...small), directory, stopping)).rejects.toThrow(
      'stopped',
    );
    await resumeRun(directory, hooks);
    const reader = RunReader.open(directory);
    try {
      // 2 steps x 2 pictures x 4 seed programs, 2 questions of each that is valid on its picture.
      const proposals = reader.proposals(1);
      expect(proposals).toHaveLength(16);
      const valid = proposals.filter(({ outcome }) => outcome.kind === 'accepted');
      expect(valid.length).toBeGreaterThan(8);
      const measured = [0, 1].flatMap((step) => reader.groups({ round: 1, role: MEASURE_ROLE, step }) ?? []);
      expect(measured).toHaveLength(2 * valid.length);
      const found = await withEnvironment(
        runConfig(directory),
        (hash) => reader.image(hash),
        (environment) =>
          verifyRun({ reader, environment, progress: () => undefined, safePoint: () => undefined }),
      );
      expect(found.differences).toEqual([]);
      // Every picture comes at least once: 3 x 4 programs with 2 questions each, and 4 held-out questions.
      expect(found.derived).toBe(28);
    } finally {
      reader.close();
    }
  });

  it('goes on when the challenger writes no program at all', { timeout: 600_000 }, async () => {
    const directory = path.join(folder, 'full');
    await startRun(micro(...small, 'eve.steps=1'), directory, hooks);
    const reader = RunReader.open(directory);
    const reasons = reader
      .proposals(1)
      .map(({ outcome }) => (outcome.kind === 'rejected' ? outcome.reason : 'ok'));
    expect(new Set(reasons)).toEqual(new Set(['no-code']));
    expect(reader.metrics('valid_share').map(({ value }) => value)).toEqual([0, 0]);
    reader.close();
  });
});
