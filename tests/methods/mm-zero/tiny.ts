/** The smallest world in which MM-Zero can run: captions of one word, pictures of two pixels, policies without a network. */
import { stepLearner } from '../../../src/algorithms/learner.js';
import type { DrawnEnvironment, Lineage, PictureProposal } from '../../../src/core/environment.js';
import { imageRef, type Image } from '../../../src/core/image.js';
import type { Learner } from '../../../src/core/learner.js';
import type { RunJournal, SafePoint } from '../../../src/core/ports.js';
import { promptText, userPrompt } from '../../../src/core/prompt.js';
import { ok, reject } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import { makeTask, type Label } from '../../../src/core/task.js';
import { FakePolicy, type FakeAnswers } from '../../../src/engines/fake/index.js';
import type { MmZeroConfig, MmZeroSetup, RoleConfig } from '../../../src/methods/mm-zero/index.js';

export type TinyState = { readonly topic: string; readonly drawn: string | null };

export const TOPICS: readonly Lineage<TinyState>[] = ['sea', 'land', 'air'].map((topic) => ({
  seedId: topic,
  actions: [],
  state: { topic, drawn: null },
}));

/** `idea red one two`: a caption, the easy answer, the hard one. */
function parseIdea(text: string): PictureProposal | null {
  const [, caption, easyAnswer, hardAnswer] = /^idea (\w+) (\w+) (\w+)$/.exec(text) ?? [];
  if (!caption || !easyAnswer || !hardAnswer) return null;
  const contentType = caption === 'green' ? 'map' : 'chart';
  return {
    ...{ contentType, caption, easyAnswer, hardAnswer },
    easyQuestion: `what ${caption}`,
    hardQuestion: `why ${caption}`,
  };
}

function picture(caption: string, markup: string): Image {
  const level = (text: string): number => [...text].reduce((sum, c) => sum + c.charCodeAt(0), 0) % 256;
  const rgb = new Uint8Array(6).fill(level(caption), 0, 3).fill(level(markup), 3);
  return { width: 2, height: 1, rgb };
}

/** Nothing is known of green pictures, and their questions give their answers away. */
export const tiny: DrawnEnvironment<TinyState> = {
  name: 'tiny',
  proposer: {
    name: 'proposer',
    prompt: ({ lineage }) => userPrompt(`topic ${lineage.state.topic}`),
    parse(text) {
      const idea = parseIdea(text);
      return idea ? ok(idea) : reject('unreadable', text);
    },
  },
  coder: {
    name: 'coder',
    prompt: ({ caption }) => userPrompt(`draw ${caption}`),
    parse: (text) => (text === 'nothing' ? reject('not-found', 'there is none') : ok(text)),
  },
  solver: {
    name: 'solver',
    prompt: ({ task, images }) => userPrompt(task.question, images),
    parse(text) {
      const [, answer, form] = /^say (\w+)( well)?$/.exec(text) ?? [];
      return answer ? ok({ answer, reasoning: '', format: form !== undefined }) : reject('no-answer', text);
    },
  },
  contentType: ({ contentType }) => contentType,
  leaks: ({ caption }) => (caption === 'green' ? ['told'] : []),
  truth: ({ caption }) => (caption === 'green' ? { easy: null, hard: null } : { easy: 'one', hard: 'two' }),
  failureOf: ({ reason }) => (reason === 'not-found' ? 'none' : reason === 'syntax' ? 'broken' : 'failed'),
  realise(lineage, action) {
    if (action === null) return Promise.resolve(reject('nothing-drawn', lineage.seedId));
    const { proposal, markup, silver } = action;
    if (markup === 'broken') return Promise.resolve(reject('syntax', 'it is broken'));
    if (markup !== 'fine' && markup !== 'rough') return Promise.resolve(reject('blank', markup));
    const images = [picture(proposal.caption, markup)];
    const next = {
      seedId: lineage.seedId,
      actions: [...lineage.actions, action],
      state: { topic: lineage.state.topic, drawn: markup },
    };
    const truth = tiny.truth(proposal);
    const task = (question: string, answer: string, label: Label, known: string | null) => ({
      task: makeTask({
        ...{ environment: 'tiny', images: images.map(imageRef), question, answer, answerKind: 'word', label },
        facts: known === null ? {} : { truth: known },
      }),
      images,
      lineage: next,
    });
    const claimed: Label = { origin: 'pseudo', share: 1, votes: 1 };
    const voted: Label = silver ? { origin: 'pseudo', share: silver.share, votes: silver.votes } : claimed;
    return Promise.resolve(
      ok([
        task(proposal.easyQuestion, proposal.easyAnswer, claimed, truth.easy),
        task(proposal.hardQuestion, silver?.answer ?? proposal.hardAnswer, voted, truth.hard),
      ]),
    );
  },
  parseState: (json) => ok(json as TinyState),
  parseAction: (json) => ok(json as { proposal: PictureProposal; markup: string; silver: null }),
  describeAction: ({ proposal }) => proposal.caption,
};

/** Captions that come to mind with a topic. */
const CAPTIONS: Readonly<Record<string, readonly string[]>> = {
  sea: ['red', 'blue'],
  land: ['gold', 'grey'],
  air: ['pink', 'lime'],
};

/** What each role may say, and how often it is right before it learns. */
export interface Scripts {
  readonly proposer: (prompt: string) => FakeAnswers;
  readonly coder: (prompt: string) => FakeAnswers;
  readonly solver: (prompt: string) => FakeAnswers;
}

export const SCRIPTS: Scripts = {
  proposer: (prompt) => ({
    right: (CAPTIONS[prompt.slice('topic '.length)] ?? []).flatMap((caption) =>
      ['two', 'three'].map((answer) => `idea ${caption} one ${answer}`),
    ),
    wrong: ['rubbish', 'idea green two one', 'idea red two two'],
    passRate: 0.6,
  }),
  coder: () => ({ right: ['fine', 'rough'], wrong: ['broken', 'nothing', 'blot'], passRate: 0.5 }),
  solver: (question) =>
    question.startsWith('what')
      ? { right: ['say one well'], wrong: ['say two'], passRate: 0.8 }
      : { right: ['say two well', 'say two'], wrong: ['say one well', 'say three'], passRate: 0.55 },
};

const ROLE: RoleConfig = {
  ...{ steps: 3, tasksPerStep: 3, groupSize: 4, temperature: 1, maxTokens: 6 },
  ...{ learningRate: 0.001, warmupSteps: 0, decay: 'constant', finalShare: 1 },
  ...{ clipLow: 0.2, clipHigh: 0.3, kl: 0, entropy: 0, normaliseAdvantage: 'std' },
  ...{ updatesPerStep: 1, quietGroupsPerStep: 0 },
};

export const CONFIG: MmZeroConfig = {
  ...{ arm: 'full', iterations: 2, leakPenalty: 0 },
  proposer: { ...ROLE, drawings: 4, rollouts: 5 },
  coder: { ...ROLE, proposals: 20, drawings: 4, rollouts: 5, dataTemperature: 1 },
  solver: { ...ROLE, groupSize: 8, proposals: 40, votes: 10, vote: 'frozen', filter: 'paper' },
};

/** Everything a run needs, its learners restored from the journal. Rounds that were evaluated are added to `evaluated`. */
export async function tinySetup(
  journal: RunJournal,
  options: {
    readonly config?: MmZeroConfig;
    readonly scripts?: Partial<Scripts>;
    readonly safePoint?: SafePoint;
    readonly evaluated?: number[];
    readonly topics?: readonly Lineage<TinyState>[];
  } = {},
): Promise<MmZeroSetup<TinyState>> {
  const safePoint = options.safePoint ?? (() => undefined);
  const progress = { update: () => undefined, note: () => undefined };
  const scripts = { ...SCRIPTS, ...options.scripts };
  const learner = (role: keyof Scripts): Promise<Learner> =>
    stepLearner({
      ...{ role, journal, progress, safePoint, checkpointEvery: 2, origin: 'fake' },
      policy: new FakePolicy({
        name: role,
        vocabulary: [
          ...['idea', 'rubbish', 'one', 'two', 'three', 'fine', 'rough', 'broken', 'nothing', 'blot'],
          ...['say', 'well', 'green', ...Object.values(CAPTIONS).flat()],
        ],
        answers: (prompt) => scripts[role](promptText(prompt)),
      }),
    });
  return {
    ...{ journal, progress, safePoint, environment: tiny, topics: options.topics ?? TOPICS },
    config: options.config ?? CONFIG,
    proposer: await learner('proposer'),
    coder: await learner('coder'),
    solver: await learner('solver'),
    evaluator: { evaluate: (round) => Promise.resolve(void options.evaluated?.push(round)) },
    rng: Rng.fromSeed('tiny'),
  };
}
