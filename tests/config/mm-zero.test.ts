import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  configFile,
  loadConfig,
  makeTasks,
  noImages,
  packageRoot,
  parseConfig,
  planOf,
  withEnvironment,
  type RawConfig,
} from '../../src/config/index.js';
import type { MmZeroConfig } from '../../src/methods/mm-zero/index.js';

const micro = (...settings: string[]) => loadConfig('mm-zero-micro', settings, '/data');
const method = (...settings: string[]): MmZeroConfig =>
  micro(...settings).sections['mm-zero'] as unknown as MmZeroConfig;

describe('the micro preset of MM-Zero', () => {
  it('loads, and survives being stored', () => {
    const config = micro();
    expect(config).toMatchObject({ method: 'mm-zero', environment: 'drawings', engine: 'micro' });
    const stored = JSON.parse(JSON.stringify(configFile(config))) as RawConfig;
    expect(parseConfig(stored)).toEqual(config);
  });

  it("keeps the paper's constants where it says nothing else", () => {
    const { iterations, proposer, coder, solver } = method();
    expect(iterations).toBe(3);
    expect([proposer.groupSize, coder.groupSize, solver.groupSize]).toEqual([4, 4, 8]);
    expect([proposer.drawings, proposer.rollouts, coder.drawings, coder.rollouts]).toEqual([4, 5, 4, 5]);
    expect(proposer.tasksPerStep * proposer.groupSize).toBe(72);
    for (const { kl, clipLow, clipHigh } of [proposer, coder, solver]) {
      expect({ kl, clipLow, clipHigh }).toEqual({ kl: 0.01, clipLow: 0.2, clipHigh: 0.3 });
    }
    expect([solver.votes, solver.filter]).toEqual([10, 'paper']);
  });

  it('makes every arm by a setting, and says how much a run will do', () => {
    const arms = ['full', 'no-solvability-cap', 'no-content-type', 'base'];
    expect(arms.map((arm) => method(`mm-zero.arm=${arm}`).arm)).toEqual(arms);
    const plan = planOf(micro(), { seeds: 8, heldOut: 600 });
    expect(plan.rounds).toBe(9);
    expect(plan.evaluations).toBe(4);
    expect(planOf(micro('mm-zero.arm=base'), { seeds: 8, heldOut: 600 }).rollouts).toBe(0);
  });

  it('asks the topics it is told, and no strange ones', async () => {
    const asked = async (...settings: string[]): Promise<string[]> => {
      const config = micro('evaluation.picturesPerKind=1', ...settings);
      const tasks = await withEnvironment(config, noImages, (environment) => makeTasks(config, environment));
      expect(tasks.heldOut.length).toBeGreaterThan(5);
      expect(tasks.heldOut.every(({ task }) => task.label.origin === 'derived')).toBe(true);
      return tasks.lineages.map(({ seedId }) => seedId);
    };
    expect(await asked()).toHaveLength(8);
    expect(await asked('seeds.topics=[shop,space]')).toEqual(['topic/shop', 'topic/space']);
    await expect(asked('seeds.topics=[opera]')).rejects.toThrow(
      /seeds.topics = "opera": the micro proposer reads only/,
    );
  });

  it('needs an environment in which pictures are proposed, and VICO one in which they are edited', () => {
    expect(() => micro('environment=clevr')).toThrow(/method mm-zero can't run on it; choose drawings/);
    expect(() => loadConfig('vico-clevr-micro', ['environment=drawings'], '/')).toThrow(
      /method vico can't run on it; choose clevr/,
    );
  });
});

describe('the paper preset of MM-Zero', () => {
  it('is a valid configuration but for the engine', () => {
    const file = path.join(packageRoot(), 'presets', 'mm-zero-paper.yaml');
    const raw = parse(readFileSync(file, 'utf8')) as RawConfig;
    const section = configFile(micro()) as Record<string, unknown>;
    const config = parseConfig({ ...raw, preset: 'mm-zero-paper', engine: 'micro', micro: section['micro'] });
    const paper = config.sections['mm-zero'] as unknown as MmZeroConfig;
    expect(paper.coder.proposals).toBe(4000);
    expect(paper.solver.vote).toBe('online');
    for (const role of [paper.proposer, paper.coder, paper.solver]) {
      expect(role).toMatchObject({ steps: 20, learningRate: 1e-6, temperature: 1, kl: 0.01 });
    }
  });
});
