import { describe, expect, it } from 'vitest';
import type { Completion } from '../../../src/core/policy.js';
import { Rng } from '../../../src/core/rng.js';
import { makeRequest, type Task } from '../../../src/core/task.js';
import { entropyBits, pseudoLabelErrors } from '../../../src/methods/mm-zero/metrics.js';
import { coderGroupReward, proposerReward, solverReward } from '../../../src/methods/mm-zero/rewards.js';
import { MemoryJournal } from '../../../src/runs/memory.js';
import { CONFIG, tiny, tinySetup, TOPICS, type Scripts } from './tiny.js';

const said = (text: string): Completion => ({
  text,
  tokens: new Int32Array(1),
  logprobs: new Float32Array(1),
  finish: 'stop',
});
const always =
  (text: string): (() => { right: string[]; wrong: string[]; passRate: number }) =>
  () => ({
    right: [text],
    wrong: [],
    passRate: 1,
  });
/** The coder always draws, and the solver always answers the easy question right and the hard one alike. */
const SURE: Partial<Scripts> = {
  coder: always('fine'),
  solver: (question) => always(question.startsWith('what') ? 'say one well' : 'say two well')(),
};

const request: Task = makeRequest({ environment: 'tiny', images: [], question: 'propose', facts: {} });
const topic = TOPICS[0] as (typeof TOPICS)[number];
const noted: Record<string, number>[] = [];
const note = (_: readonly Task[], metrics: Readonly<Record<string, number>>): Promise<void> => {
  noted.push({ ...metrics });
  return Promise.resolve();
};

async function proposals(
  texts: readonly string[],
  config: Partial<typeof CONFIG> = {},
  scripts: Partial<Scripts> = SURE,
): Promise<{ totals: number[]; terms: Readonly<Record<string, number>>[]; metrics: Record<string, number> }> {
  const setup = await tinySetup(new MemoryJournal(), { config: { ...CONFIG, ...config }, scripts });
  const reward = proposerReward(setup, () => topic, Rng.fromSeed('reward'), note);
  const scores = (await reward([{ task: request, completions: texts.map(said) }]))[0] ?? [];
  return {
    totals: scores.map(({ total }) => total),
    terms: scores.map(({ terms }) => terms),
    metrics: noted.at(-1) ?? {},
  };
}

describe("the proposer's reward through the frozen roles", () => {
  it('is the worked example: four drawings, S = 1 capped, D = 0, the hard question too easy', async () => {
    const { totals, terms, metrics } = await proposals(['idea red one two']);
    expect(terms[0]).toMatchObject({ execution: 0.5, easy: -0.3, content: 0, diversity: 0, format: 0 });
    expect(totals[0]).toBeCloseTo(0.2);
    expect(metrics).toMatchObject({ render_rate: 1, solvability: 1, difficulty: 0, form: 1, drawings: 4 });
    expect(metrics).toMatchObject({ easy_answer_error: 0, truth_known: 1, leak_rate: 0 });
  });

  it('pays -1 for what is no proposal, and draws nothing for it', async () => {
    const { totals, metrics } = await proposals(['rubbish', 'idea red one two']);
    expect(totals[0]).toBe(-1);
    expect(metrics).toMatchObject({ form: 0.5, drawings: 4 });
  });

  it('counts solvability without the cap in that arm', async () => {
    const { terms } = await proposals(['idea red one two'], { arm: 'no-solvability-cap' });
    expect(terms[0]?.['execution']).toBeCloseTo(1);
  });

  it('has the content term only where the arm has it', async () => {
    const texts = ['idea red one two', 'idea blue one two', 'idea red one one', 'idea green one two'];
    const full = await proposals(texts);
    // Three charts and a map: f = 0.75, so 0.15 (0.75 - 0.5) / 0.5.
    expect(full.terms.map((terms) => terms['content'])).toEqual([-0.075, -0.075, -0.075, 0]);
    const without = await proposals(texts, { arm: 'no-content-type' });
    expect(without.terms.map((terms) => (terms['content'] ?? 0) + 0)).toEqual([0, 0, 0, 0]);
    expect(full.metrics['content_entropy']).toBeCloseTo(0.8113, 4);
  });

  it('measures leaks always, and charges for them where the configuration says so', async () => {
    const free = await proposals(['idea green one two']);
    expect(free.metrics).toMatchObject({ leak_rate: 1, 'leak/told': 1, truth_known: 0 });
    expect(free.terms[0]).not.toHaveProperty('leak');
    const charged = await proposals(['idea green one two'], { leakPenalty: 0.4 });
    expect(charged.terms[0]?.['leak']).toBeCloseTo(-0.4);
    expect((charged.totals[0] ?? 0) - (free.totals[0] ?? 0)).toBeCloseTo(-0.4);
  });
});

describe("the coder's reward", () => {
  it('is 1 + S + D for a picture, and tells why there is none', async () => {
    const setup = await tinySetup(new MemoryJournal(), { scripts: SURE });
    const proposal = tiny.proposer.parse('idea red one two', { lineage: topic });
    if (!proposal.ok) throw new Error('no proposal');
    const sketch = { lineage: topic, proposal: proposal.value };
    const reward = coderGroupReward(setup, () => sketch, Rng.fromSeed('coder'), note);
    const texts = ['fine', 'broken', 'nothing', 'blot'];
    const [scores] = await reward([{ task: request, completions: texts.map(said) }]);
    expect(scores?.map(({ total }) => Number(total.toFixed(9)))).toEqual([2, -0.15, -0.5, -0.1]);
    expect(noted.at(-1)).toMatchObject({
      render_rate: 0.25,
      'failure/broken': 0.25,
      'failure/none': 0.25,
      'failure/failed': 0.25,
    });
  });
});

describe("the solver's reward", () => {
  const hard = async (silver: string): Promise<Task> => {
    const proposal = tiny.proposer.parse('idea red one two', { lineage: topic });
    if (!proposal.ok) throw new Error('no proposal');
    const vote = { answer: silver, share: 0.6, votes: 10 };
    const made = await tiny.realise(topic, { proposal: proposal.value, markup: 'fine', silver: vote });
    if (!made.ok || !made.value[1]) throw new Error('not drawn');
    return made.value[1].task;
  };
  const completions = ['say one well', 'say one', 'say one well', 'say two well', 'nothing'].map(said);

  it('agrees with the vote before training where that is frozen', async () => {
    const setup = await tinySetup(new MemoryJournal());
    const [scores] = await solverReward(
      setup,
      Rng.fromSeed('s'),
      note,
    )([{ task: await hard('two'), completions }]);
    expect(scores?.map(({ total }) => total)).toEqual([0.1, 0, 0.1, 1, 0]);
    expect(scores?.map(({ correct }) => correct)).toEqual([false, false, false, true, false]);
    expect(noted.at(-1)).toMatchObject({ pseudo_label_error: 0, true_rate: 0.2, silver_rate: 0.2 });
  });

  it('agrees with the vote of the group where that is online', async () => {
    const config = { ...CONFIG, solver: { ...CONFIG.solver, vote: 'online' as const } };
    const setup = await tinySetup(new MemoryJournal(), { config });
    const [scores] = await solverReward(
      setup,
      Rng.fromSeed('s'),
      note,
    )([{ task: await hard('two'), completions }]);
    expect(scores?.map(({ total }) => total)).toEqual([1, 0.9, 1, 0.1, 0]);
    // The truth is `two`, the group says `one`; `correct` keeps to the task's own answer.
    expect(noted.at(-1)).toMatchObject({ pseudo_label_error: 1, silver_rate: 0.2 });
    expect(scores?.[3]?.correct).toBe(true);
  });
});

describe('measures', () => {
  it('counts a voted label as wrong only where the truth is known and differs as an answer', () => {
    const number = { answerKind: 'number' } as const;
    const word = { answerKind: 'word' } as const;
    const labels = [
      { task: number, silver: '14.0', truth: '14' },
      { task: number, silver: '13', truth: '14' },
      { task: word, silver: 'Red', truth: 'red' },
      { task: word, silver: 'blue', truth: 'red' },
      { task: word, silver: 'blue', truth: null },
    ];
    expect(pseudoLabelErrors(labels)).toEqual({ known: 4, error: 0.5 });
    expect(pseudoLabelErrors([])).toEqual({ known: 0, error: 0 });
  });

  it('measures entropy in bits', () => {
    expect(entropyBits(['a', 'b', 'c', 'd'])).toBeCloseTo(2);
    expect(entropyBits(['a', 'a'])).toBe(0);
    expect(entropyBits([])).toBe(0);
  });
});
