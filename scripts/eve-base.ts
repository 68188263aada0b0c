/**
 * Makes the micro base checkpoints of EVE: supervised learning of the challenger on scripted programs, and of the solver on questions
 * about what they do. Usage: npx tsx scripts/eve-base.ts challenger|solver OUT.safetensors [minutes=5] [programs=4000]
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { learningRateAt } from '../src/algorithms/schedule.js';
import { renderedPictures, scriptedAction } from '../src/config/environments/transforms.js';
import type { Realised } from '../src/core/environment.js';
import { imageRef, type Image } from '../src/core/image.js';
import type { TrainGroup } from '../src/core/policy.js';
import type { Prompt } from '../src/core/prompt.js';
import { Rng } from '../src/core/rng.js';
import type { MicroConfig } from '../src/engines/micro/config.js';
import { MicroPolicy } from '../src/engines/micro/index.js';
import {
  CELL,
  DEFAULT_TRANSFORM_CONFIG,
  MICRO_SEED_PROGRAMS,
  microChallenger,
  microSolver,
  microWording,
  MOSAIC,
  pictureSeed,
  scriptedProgram,
  TRANSFORM_VOCABULARY,
  transformEnvironment,
} from '../src/environments/transforms/index.js';
import { grade } from '../src/rewards/grading.js';
import { openSandbox } from '../src/sandbox/index.js';

const [role, out, ...rest] = process.argv.slice(2);
if ((role !== 'challenger' && role !== 'solver') || !out) {
  throw new Error('usage: eve-base.ts challenger|solver OUT [minutes=5] [programs=4000]');
}
const options = Object.fromEntries(rest.map((pair) => pair.split('=')));
const minutes = Number(options['minutes'] ?? 5);
const programs = Number(options['programs'] ?? 4000);
const rng = Rng.fromSeed(`eve-base ${role}`);
const images = renderedPictures(rng.child('pictures'), 400, CELL);
const sandbox = await openSandbox({ minPixels: 16, workers: 2 });
const byHash = new Map(images.map((image) => [imageRef(image).hash, image]));
const environment = transformEnvironment({
  config: DEFAULT_TRANSFORM_CONFIG,
  sandbox,
  findImage: (hash) => Promise.resolve(byHash.get(hash) ?? null),
  solver: microSolver,
  challenger: microChallenger,
  seedPrograms: MICRO_SEED_PROGRAMS,
  wording: microWording,
});

const shared = { heads: 4, layers: 3, expand: 4, vocabulary: TRANSFORM_VOCABULARY } as const;
const eye = { stride: 8, window: 12, layers: 2, patchLabels: 4 } as const;
const CONFIGS = {
  challenger: {
    ...shared,
    width: 64,
    promptLength: 56,
    completionLength: 64,
    vision: { ...eye, imageWidth: CELL, imageHeight: CELL },
  },
  solver: {
    ...shared,
    width: 96,
    promptLength: 52,
    completionLength: 4,
    vision: { ...eye, imageWidth: MOSAIC.width, imageHeight: MOSAIC.height },
  },
} as const satisfies Record<string, MicroConfig>;

interface Lesson {
  readonly prompt: Prompt;
  readonly text: string;
}

const picture = (stream: Rng): Image => stream.pick(images);

function challengerLesson(stream: Rng): Lesson {
  const example = (name: string): string => scriptedAction(stream.child(name)).program;
  const seen = picture(stream.child('picture'));
  const prompt = microChallenger.prompt({
    lineage: pictureSeed(imageRef(seen)),
    images: [seen],
    examples: [example('first'), example('second')],
  });
  return { prompt, text: scriptedProgram(stream.child('program')).text };
}

async function solverTasks(stream: Rng): Promise<Realised[]> {
  const seed = pictureSeed(imageRef(picture(stream.child('picture'))));
  const made = await environment.realise(seed, scriptedAction(stream.child('program')));
  return made.ok ? [...made.value] : [];
}

const policy = await MicroPolicy.create(CONFIGS[role], rng.child('init'), {
  name: role,
  freezeVision: false,
  trainShapes: [{ B: 32, K: 1 }],
});

const held: Realised[] = [];
if (role === 'solver') {
  for (let i = 0; held.length < 512; i += 32) {
    const made = await Promise.all(
      Array.from({ length: 32 }, (_, k) => solverTasks(rng.child('held-out', i + k))),
    );
    held.push(...made.flat());
  }
}

/** Share of held-out questions answered right, by kind; or what the sandbox says of sampled programs. */
async function judge(step: number): Promise<string> {
  if (role === 'solver') {
    const said = await policy.sample(
      held.map(({ task, images: shown }, i) =>
        ask(microSolver.prompt({ task, images: shown }), 4, 0, rng.child('eval', i)),
      ),
    );
    const right = held.map(({ task }, i) => {
      const solution = microSolver.parse(said[i]?.[0]?.text ?? '', { task, images: [] });
      return solution.ok && grade(solution.value.answer, task);
    });
    const share = (kind: string): string => {
      const of = right.filter((_, i) => held[i]?.task.facts['kind'] === kind);
      return ((100 * of.filter(Boolean).length) / of.length).toFixed(1);
    };
    return DEFAULT_TRANSFORM_CONFIG.questions.map((kind) => `${kind} ${share(kind)}`).join(' ');
  }
  const lessons = Array.from({ length: 96 }, (_, i) => challengerLesson(rng.child('eval', step, i)));
  const said = await policy.sample(
    lessons.map(({ prompt }, i) => ask(prompt, 64, 1, rng.child('say', step, i))),
  );
  const counts = new Map<string, number>();
  await Promise.all(
    said.map(async ([one], i) => {
      const action = microChallenger.parse(one?.text ?? '', undefined as never);
      const seed = pictureSeed(imageRef(picture(rng.child('judged', i))));
      const made = action.ok ? await environment.realise(seed, action.value) : action;
      const reason = made.ok ? 'ok' : made.error.reason;
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }),
  );
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([reason, n]) => `${reason} ${n}`)
    .join(' ');
}

function ask(
  prompt: Prompt,
  maxTokens: number,
  temperature: number,
  stream: Rng,
): Parameters<typeof policy.sample>[0][number] {
  return { prompt, n: 1, maxTokens, temperature, rng: stream };
}

const taught: Lesson[] = [];
if (role === 'solver') {
  for (let i = 0; i < programs; i += 64) {
    const made = await Promise.all(
      Array.from({ length: 64 }, (_, k) => solverTasks(rng.child('task', i + k))),
    );
    taught.push(
      ...made.flat().map(({ task, images: shown }) => ({
        prompt: microSolver.prompt({ task, images: shown }),
        text: `\\boxed{ ${task.answer} }`,
      })),
    );
  }
  console.log(`${taught.length} questions about ${programs} programs`);
}

const BATCH = 64;
const started = performance.now();
let average = 0;
let next = 0;
for (let step = 0; ; step++) {
  const elapsed = (performance.now() - started) / 60_000;
  if (elapsed >= next || elapsed >= minutes) {
    const line = `${role} ${elapsed.toFixed(1)} min step ${step} loss ${average.toFixed(4)} | ${await judge(step)}`;
    console.log(line);
    appendFileSync(`${out}.curve.txt`, `${line}\n`);
    next = Math.floor(elapsed) + Math.max(1, minutes / 8);
  }
  if (elapsed >= minutes) break;
  const stream = rng.child('step', step);
  const lessons =
    role === 'challenger'
      ? Array.from({ length: BATCH }, (_, i) => challengerLesson(stream.child(i)))
      : Array.from({ length: BATCH }, (_, i) => stream.child(i).pick(taught));
  const groups: TrainGroup[] = lessons.map(({ prompt, text }) => {
    const tokens = policy.encode(text);
    return { prompt, samples: [{ tokens, logprobs: new Float32Array(tokens.length), weight: 1 }] };
  });
  const schedule = {
    peak: 2e-3,
    warmupSteps: 20,
    totalSteps: 1000,
    decay: 'cosine',
    finalShare: 0.05,
  } as const;
  const rate = Math.min(
    learningRateAt(schedule, Math.floor((elapsed / minutes) * 1000)),
    (2e-3 * (step + 1)) / 60,
  );
  const { loss } = await policy.update(groups, { name: 'cross-entropy' }, rate);
  average = average === 0 ? loss : 0.97 * average + 0.03 * loss;
}
writeFileSync(out, await policy.exportWeights());
await sandbox.close();
policy.dispose();
console.log(`wrote ${out}`);
