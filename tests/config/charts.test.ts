import { describe, expect, it } from 'vitest';
import {
  loadConfig,
  makeTasks,
  noImages,
  planOf,
  withEnvironment,
  type RunConfig,
} from '../../src/config/index.js';
import { engineEntry } from '../../src/config/registry.js';
import { MICRO_CONFIG } from '../../src/environments/charts/index.js';

const tasksOf = (config: RunConfig): ReturnType<typeof makeTasks> =>
  withEnvironment(config, noImages, (environment) => makeTasks(config, environment));

describe('the micro preset of charts', () => {
  const small = ['seeds.count=12', 'evaluation.chartsPerCount=2'];
  const micro = (...settings: string[]): RunConfig => loadConfig('vico-charts-micro', settings, '/data');

  it('has the environment of the base checkpoints, and settings that its engine takes', () => {
    const { sections } = micro();
    expect(sections['charts']).toEqual(MICRO_CONFIG);
    expect(engineEntry('micro').options.safeParse(sections['micro']).success).toBe(true);
    expect(planOf(micro(), { seeds: 512, heldOut: 1920 }).rounds).toBe(5);
  });

  it('draws easy seeds, and the same held-out tasks over all sizes and looks for every seed', async () => {
    const [one, again, other] = await Promise.all(
      ['seed=1', 'seed=1', 'seed=2'].map((s) => tasksOf(micro(...small, s))),
    );
    if (!one || !again || !other) throw new Error('no tasks');
    const ids = (list: typeof one.seeds): string[] => list.map(({ task }) => task.id);
    expect(ids(again.seeds)).toEqual(ids(one.seeds));
    expect(ids(other.seeds)).not.toEqual(ids(one.seeds));
    expect(ids(other.heldOut)).toEqual(ids(one.heldOut));
    expect(one.notes).toEqual([]);
    expect(new Set(one.seeds.map(({ task }) => task.facts['type']))).toEqual(new Set(['bar']));
    const marks = new Set(one.heldOut.map(({ task }) => task.facts['objects']));
    expect(marks).toEqual(new Set([3, 4, 5, 6, 7, 8]));
  });
});

describe('the paper preset of charts', () => {
  it('judges on files that its own draws never come from', async () => {
    const config = loadConfig('vico-charts-paper', ['engine=openai'], '/');
    expect(config.seeds).toMatchObject({ source: 'chartqa', limit: 2000 });
    const drawn = ['source=vega', 'count=8', 'rows=[3,10]', 'families=[cell,ratio]', 'questionsPerChart=2'];
    const few = ['evaluation.rows=[3,4]', 'evaluation.chartsPerCount=2'];
    const settings = ['engine=openai', ...drawn.map((each) => `seeds.${each}`), ...few];
    const { seeds, heldOut: judged } = await tasksOf(loadConfig('vico-charts-paper', settings, '/'));
    const titles = (list: typeof seeds): Set<string> =>
      new Set(list.map(({ lineage }) => (lineage.state as { title: string }).title));
    const [a, b] = [titles(seeds), titles(judged)];
    expect(seeds.length).toBe(8);
    expect([...a].filter((title) => b.has(title))).toEqual([]);
  });
});
