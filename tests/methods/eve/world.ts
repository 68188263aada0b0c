import { stepLearner } from '../../../src/algorithms/learner.js';
import {
  replay,
  type ExecutableEnvironment,
  type Lineage,
  type Realised,
} from '../../../src/core/environment.js';
import { imageRef, type Image } from '../../../src/core/image.js';
import type { Learner } from '../../../src/core/learner.js';
import type { RunJournal, SafePoint } from '../../../src/core/ports.js';
import { promptText, userPrompt } from '../../../src/core/prompt.js';
import { ok, reject, unwrap } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import { makeTask } from '../../../src/core/task.js';
import { FakePolicy, type FakeOptions } from '../../../src/engines/fake/index.js';
import { heldOutEvaluator } from '../../../src/evaluation/heldOut.js';
import { runEve, type EveConfig } from '../../../src/methods/eve/index.js';

// A small executable environment in memory: pictures of four grey levels, programs of one operation and four numbers.

export type State = { readonly level: number; readonly program: Program | null };
export type Program = { readonly op: 'shift' | 'scale' | 'flip'; readonly args: readonly number[] };

const LETTERS = ['A', 'B', 'C', 'D'];

function picture(level: number, slope: number): Image {
  const rgb = Uint8Array.from({ length: 12 }, (_, i) => level + slope * Math.floor(i / 3));
  return { width: 2, height: 2, rgb };
}

function apply({ op, args }: Program, level: number): Image[] {
  return args.map((x) => {
    if (op === 'shift') return picture(level + x, 10);
    return op === 'scale' ? picture(level, 10 + x) : picture(level, -10 - x);
  });
}

function read(text: string): Program | null {
  const match = /^(shift|scale|flip) by (\d) (\d) (\d) (\d)$/.exec(text);
  if (!match) return null;
  return { op: match[1] as Program['op'], args: match.slice(2).map(Number) };
}

export const world: ExecutableEnvironment<State, Program> & { runs: number } = {
  name: 'world',
  /** Programs that were run. */
  runs: 0,
  seedPrograms: [
    { op: 'shift', args: [1, 2, 3, 4] },
    { op: 'scale', args: [1, 2, 3, 4] },
  ],
  programSource: ({ op, args }) => `${op} by ${args.join(' ')}`,
  programText: ({ op }) => `${op} by`,
  describeAction: ({ op, args }) => `${op} ${args.join(', ')}`,
  parseState: (json) => ok(json as State),
  parseAction: (json) => ok(json as Program),
  pictures: ({ state }) => Promise.resolve([picture(state.level, 10)]),
  challenger: {
    name: 'challenger',
    prompt: ({ lineage, images, examples }) =>
      userPrompt(`write for ${lineage.seedId} after ${examples.join(' or ')}`, images),
    parse: (text) => {
      const program = read(text);
      return program ? ok(program) : reject('no-program', text);
    },
  },
  solver: {
    name: 'solver',
    prompt: ({ task, images }) => userPrompt(`${task.question} key ${task.answer}`, images),
    parse: (text) =>
      LETTERS.includes(text) ? ok({ answer: text, reasoning: '' }) : reject('no-answer', text),
  },
  realise(lineage, program) {
    if (program === null) return Promise.resolve(ok([]));
    world.runs++;
    if (new Set(program.args).size < 4)
      return Promise.resolve(reject('duplicate', 'two arguments are alike'));
    const outputs = apply(program, lineage.state.level);
    const images = [picture(lineage.state.level, 10), ...outputs];
    const actions = [...lineage.actions, program];
    const made = ['which picture', 'which arguments'].map((kind, type): Realised<State> => {
      const rng = Rng.fromSeed(`${lineage.seedId} ${program.op} ${program.args.join(' ')}`).child(kind);
      const target = rng.int(4);
      const shown = type === 0 ? images : [images[0] as Image, outputs[target] as Image];
      const task = makeTask({
        environment: 'world',
        images: shown.map(imageRef),
        question: `${kind} ${lineage.seedId} ${program.op} ${program.args.join(' ')}`,
        answer: LETTERS[target] as string,
        answerKind: 'choice',
        choices: LETTERS.map((letter) => `option ${letter}`),
        label: {
          origin: 'derived',
          derivation: { seedId: lineage.seedId, actions, rule: 'execute', trace: target },
        },
        facts: { type },
      });
      return { task, images: shown, lineage: { ...lineage, actions, state: { ...lineage.state, program } } };
    });
    return Promise.resolve(ok(made));
  },
};

export const SEEDS: Lineage<State>[] = [60, 90, 120, 150, 180].map((level) => ({
  seedId: `p${level}`,
  actions: [],
  state: { level, program: null },
}));

const ARGUMENTS = ['1 2 3 4', '5 6 7 8', '2 4 6 8', '1 3 5 7', '9 8 7 6'];

const CHALLENGER: FakeOptions = {
  name: 'challenger',
  vocabulary: ['shift', 'scale', 'flip', 'by', 'junk', ...Array.from({ length: 10 }, (_, i) => String(i))],
  answers: (_prompt, rng) => ({
    right: ['shift', 'scale', 'flip'].map((op) => `${op} by ${rng.child(op).pick(ARGUMENTS)}`),
    wrong: ['junk', 'shift by 1 1 2 3'],
    passRate: 0.7,
  }),
};

const SOLVER: FakeOptions = {
  name: 'solver',
  vocabulary: [...LETTERS, 'what'],
  answers: (prompt, rng) => {
    const key = promptText(prompt).slice(-1);
    return { right: [key], wrong: [...LETTERS.filter((l) => l !== key), 'what'], passRate: rng.float() };
  },
};

const ROLE = {
  tasksPerStep: 2,
  groupSize: 3,
  temperature: 1,
  topK: null,
  presencePenalty: 0,
  maxTokens: 8,
  learningRate: 1e-3,
  warmupSteps: 0,
  decay: 'constant',
  finalShare: 1,
  clipLow: 0.28,
  clipHigh: 0.2,
  kl: 0.01,
  entropy: 0,
  normaliseAdvantage: 'std',
  updatesPerStep: 1,
  quietGroupsPerStep: 0,
} as const;

export const CONFIG: EveConfig = {
  arm: 'full',
  rounds: 2,
  steps: 2,
  measureRollouts: 4,
  examples: 2,
  queue: { size: 4, entry: 0.2, similar: 0.9 },
  bank: { low: 0.25, high: 1 },
  diversityCut: 0.5,
  challenger: ROLE,
  solver: { ...ROLE, tasksPerStep: 3, groupSize: 4, maxTokens: 2 },
};

/** Counted use of the policies of one process. */
export interface Used {
  /** Completions asked of each role; greedy and sampled held-out ones are the solver's too. */
  readonly samples: { challenger: number; solver: number };
}

/** One process of a run: opens the policies as the run's checkpoints have them, and runs to the end or to a stop. */
export async function process(
  journal: RunJournal,
  config: EveConfig,
  safePoint: SafePoint = () => undefined,
): Promise<Used> {
  const progress = { update: () => undefined, note: () => undefined };
  const used: Used = { samples: { challenger: 0, solver: 0 } };
  const open = async (role: 'challenger' | 'solver', options: FakeOptions): Promise<Learner> => {
    const policy = new FakePolicy(options);
    policy.setReference();
    const sample = policy.sample.bind(policy);
    policy.sample = (requests) => {
      used.samples[role] += requests.reduce((sum, { n }) => sum + n, 0);
      return sample(requests);
    };
    return stepLearner({ role, policy, journal, progress, safePoint, checkpointEvery: 3, origin: 'test' });
  };
  const challenger = await open('challenger', CHALLENGER);
  const solver = await open('solver', SOLVER);
  const held = await replay(world, SEEDS[4] as Lineage<State>, [{ op: 'flip', args: [3, 1, 2, 4] }]);
  const heldOut = unwrap(held);
  await journal.recordTasks(
    heldOut.map(({ task, lineage }) => ({ task, lineage, parentTaskId: null, round: 0 })),
    heldOut.flatMap(({ images }) => images),
  );
  const rng = Rng.fromSeed(5);
  const evaluator = heldOutEvaluator({
    environment: world,
    actor: solver,
    journal,
    tasks: heldOut,
    samples: 2,
    maxTokens: 2,
    everyRounds: 1,
    lastRound: config.rounds,
    progress,
    safePoint,
    rng: rng.child('evaluation'),
  });
  await runEve({
    config,
    environment: world,
    seeds: SEEDS.slice(0, 4),
    challenger,
    solver,
    journal,
    evaluator,
    progress,
    safePoint,
    rng,
  });
  return used;
}
