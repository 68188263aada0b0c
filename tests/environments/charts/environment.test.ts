import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Lineage } from '../../../src/core/environment.js';
import { ConfigError } from '../../../src/core/errors.js';
import { grammarLiterals } from '../../../src/core/grammar.js';
import { promptText } from '../../../src/core/prompt.js';
import { unwrap } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import { compileGrammar } from '../../../src/engines/micro/grammar.js';
import { END, makeTokenizer } from '../../../src/engines/micro/tokenizer.js';
import {
  CHART_FAMILIES,
  CHART_TASK_REJECTIONS,
  chartsEnvironment,
  chartsMicroVocabulary,
  DEFAULT_CHARTS_CONFIG,
  inverseChartEdits,
  makeChartSeed,
  microEditGrammar,
  MICRO_CONFIG,
  MICRO_STYLES,
  sampleMicroCharts,
  sampleVegaCharts,
  sameTable,
  type ChartAction,
  type ChartSeed,
  type ChartTaskState,
} from '../../../src/environments/charts/index.js';
import { environmentContract } from '../contract.js';
import { secondOpinion } from './second-opinion.js';

const SMALL = {
  ...DEFAULT_CHARTS_CONFIG,
  view: { kind: 'full', width: 480, height: 360 },
} as const;

function microSeeds(name: string, count: number): ChartSeed[] {
  const options = { rows: [3, 8], families: MICRO_CONFIG.families, questionsPerChart: 2 } as const;
  const look = { types: MICRO_STYLES.type, plain: false };
  return sampleMicroCharts(Rng.fromSeed(name), count, { ...options, ...look }, MICRO_CONFIG);
}

function fullSeeds(name: string, count: number): ChartSeed[] {
  const options = { rows: [3, 8], families: CHART_FAMILIES, questionsPerChart: 3 } as const;
  return sampleVegaCharts(Rng.fromSeed(name), count, { ...options, part: 'training' }, SMALL);
}

function invert(before: Lineage<ChartTaskState>, action: ChartAction): ChartAction | null {
  if (action.kind === 'ask') return { kind: 'ask', question: before.state.question };
  return { kind: 'edits', edits: unwrap(inverseChartEdits(before.state, action.edits)) };
}

environmentContract('charts, micro', () => ({
  environment: chartsEnvironment(MICRO_CONFIG),
  seeds: microSeeds('contract', 12),
  inverse: invert,
  reasons: CHART_TASK_REJECTIONS,
}));

environmentContract('charts, full', () => ({
  environment: chartsEnvironment(SMALL),
  seeds: fullSeeds('contract', 8),
  inverse: invert,
  reasons: CHART_TASK_REJECTIONS,
}));

describe('realised charts', () => {
  it('carry labels that a second derivation gives, along chains of edits and questions', async () => {
    let compared = 0;
    for (const [environment, seeds] of [
      [chartsEnvironment(MICRO_CONFIG), microSeeds('chains', 60)],
      [chartsEnvironment(SMALL), fullSeeds('chains', 25)],
    ] as const) {
      for (const [i, seed] of seeds.entries()) {
        let lineage: Lineage<ChartTaskState> = seed;
        for (let depth = 0; depth < 3; depth++) {
          const rng = Rng.fromSeed('chain').child(i, depth);
          const asks = rng.chance(0.3) ? environment.redrawQuestion(lineage, rng) : null;
          const action = depth === 0 ? null : (asks ?? environment.randomEdit(lineage, rng));
          const result = await environment.realise(lineage, action);
          if (!result.ok) continue;
          const [realised] = result.value;
          if (!realised) throw new Error('no task');
          const { state } = realised.lineage;
          expect(realised.task.answer, state.question.text).toBe(secondOpinion(state));
          if (action?.kind === 'edits' && state.question.operation.op !== 'cell') {
            expect(sameTable(state.table, lineage.state.table)).toBe(true);
          }
          lineage = realised.lineage;
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(200);
  }, 120_000);

  it('refuse what can’t be drawn or read, with its reason', async () => {
    const [seed] = microSeeds('refusals', 1) as [ChartSeed];
    const environment = chartsEnvironment(MICRO_CONFIG);
    const restyle = async (style: Record<string, string | number | boolean>): Promise<string> => {
      const result = await environment.realise(seed, { kind: 'edits', edits: [{ edit: 'restyle', style }] });
      return result.ok ? 'accepted' : result.error.reason;
    };
    expect(await restyle({ type: 'grouped-bar' })).toBe('unsuitable');
    expect(await restyle({ colour: 'red' })).toBe('bad-style');
    expect(await restyle({ type: 'pie' })).toMatch(/value-unreadable|accepted/);
    const { table, question } = seed.state;
    const cell = { op: 'cell', cell: { entity: table.entities[0] as string, column: 'value' } } as const;
    const asked = makeChartSeed({ ...seed.state, question: { ...question, operation: cell } });
    const out = await environment.realise(asked, {
      kind: 'edits',
      edits: [{ edit: 'set_value', entity: cell.cell.entity, column: 'value', value: 25 }],
    });
    expect(out).toMatchObject({ ok: false, error: { reason: 'out-of-range' } });
    const gone = await environment.realise(asked, {
      kind: 'edits',
      edits: [{ edit: 'remove_row', entity: cell.cell.entity }],
    });
    expect(gone).toMatchObject({ ok: false, error: { reason: 'anchor-lost' } });
  });

  it('stand on a configuration that works', () => {
    const bad = [
      { rows: { min: 5, max: 2 } },
      { families: [] },
      { tolerance: -1 },
      { view: DEFAULT_CHARTS_CONFIG.view },
      { rows: { min: 2, max: 99 } },
    ];
    for (const change of bad) {
      expect(() => chartsEnvironment({ ...MICRO_CONFIG, ...change })).toThrow(ConfigError);
    }
  });
});

describe('roles', () => {
  const tokenizer = makeTokenizer(chartsMicroVocabulary());
  const environment = chartsEnvironment(MICRO_CONFIG);

  it('keep to the micro vocabulary and its lengths', async () => {
    for (const [i, seed] of microSeeds('vocabulary', 150).entries()) {
      const [realised] = unwrap(await environment.realise(seed, null));
      if (!realised) throw new Error('no task');
      const length = (text: string): number => tokenizer.encode(text).length;
      expect(length(promptText(environment.solver.prompt(realised)))).toBeLessThanOrEqual(16);
      expect(length(environment.solverTarget(realised))).toBeLessThan(8);
      const rewrite = { lineage: seed, passRate: (i % 9) / 8 };
      expect(length(promptText(environment.rewriter.prompt(rewrite)))).toBeLessThanOrEqual(60);
      const action = environment.scriptedEditor(seed, Rng.fromSeed(i));
      if (action?.kind === 'edits') expect(length(JSON.stringify(action.edits))).toBeLessThan(28);
    }
  });

  it('let the grammar write nothing but lists that parse, and all of the scripted editor’s', () => {
    for (const [i, seed] of microSeeds('grammar', 40).entries()) {
      const automaton = compileGrammar(microEditGrammar(seed.state, MICRO_CONFIG), tokenizer);
      const rng = Rng.fromSeed('walk').child(i);
      const ids: number[] = [];
      for (let state = automaton.start; ids.at(-1) !== END;) {
        const id = rng.pick([...automaton.allowed(state)]);
        ids.push(id);
        if (id !== END) state = automaton.next(state, id);
      }
      const text = tokenizer.decode(ids);
      expect(environment.rewriter.parse(text, { lineage: seed, passRate: 0 }).ok, text).toBe(true);
      const action = environment.scriptedEditor(seed, rng);
      if (action?.kind !== 'edits') continue;
      let state = automaton.start;
      let last = '';
      // A second edit of one list may take back the first, which the grammar of the chart as it is can't foresee.
      if (action.edits.length > 1) continue;
      for (const id of tokenizer.encode(JSON.stringify(action.edits))) {
        last = `${last} ${tokenizer.tokens[id] ?? ''}`;
        state = automaton.next(state, id);
      }
      expect([...automaton.allowed(state)], last).toContain(END);
    }
    const literals = new Set(chartsMicroVocabulary());
    for (const { state } of microSeeds('literals', 20)) {
      for (const literal of grammarLiterals(microEditGrammar(state, MICRO_CONFIG))) {
        expect(literals).toContain(literal);
      }
    }
  });

  it('tell a full rewriter what it may do, by tier', () => {
    const full = chartsEnvironment(SMALL);
    for (const seed of fullSeeds('prompts', 12)) {
      const text = promptText(full.rewriter.prompt({ lineage: seed, passRate: 0.9 }));
      const cell = seed.state.question.operation.op === 'cell';
      expect(text.includes('"insert_row"')).toBe(cell);
      expect(text).toContain(seed.state.question.text);
      expect(text).toContain('90%');
      const constraint = full.rewriter.constraint?.({ lineage: seed, passRate: 0.9 });
      if (!constraint) throw new Error('nothing holds the rewriter');
      const accepts = (edits: unknown): boolean =>
        z.fromJSONSchema(constraint.jsonSchema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(edits)
          .success;
      const action = full.scriptedEditor(seed, Rng.fromSeed('schema'));
      expect(action?.kind === 'edits' && accepts(action.edits)).toBe(true);
      expect(accepts([{ edit: 'remove_row', entity: 'x' }])).toBe(cell);
      expect(accepts([])).toBe(false);
    }
  });

  it('never throw on mutated text', () => {
    const full = chartsEnvironment(SMALL);
    const [seed] = fullSeeds('mutations', 1) as [ChartSeed];
    const texts = [
      '<think> 7 </think> <answer> 7 </answer>',
      '[{"edit":"set_value","entity":"red","column":"value","value":7}]',
      '[{"edit":"insert_row","at":0,"entity":"blue","values":[5]},{"edit":"restyle","style":{"type":"line"}}]',
      '{"kind":"ask","question":{"text":"?","operation":{"op":"sum","column":"value","entities":null}}}',
      JSON.stringify(seed.state),
    ];
    const mutated = fc
      .tuple(fc.constantFrom(...texts), fc.nat(400), fc.nat(30), fc.string({ maxLength: 8 }))
      .map(([text, at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut));
    fc.assert(
      fc.property(mutated, (text) => {
        for (const each of [environment, full]) {
          const edits = each.rewriter.parse(text, { lineage: seed, passRate: 0.5 });
          if (!edits.ok) expect(CHART_TASK_REJECTIONS).toContain(edits.error.reason);
          each.solver.parse(text, { task: {} as never, images: [] });
        }
        let json: unknown = text;
        try {
          json = JSON.parse(text);
        } catch {
          // Text is a JSON value too.
        }
        full.parseAction(json);
        full.parseState(json);
      }),
      { numRuns: 2_000 },
    );
  });
});
