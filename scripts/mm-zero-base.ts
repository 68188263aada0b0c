/**
 * Makes the base checkpoints of MM-Zero's micro roles: a picture encoder and the solver on it, the proposer and the coder, each
 * by supervised learning on what a script writes. The script's drawings are careless on purpose (see CARE), so that the coder
 * starts with much to learn. Usage:
 *
 *     npx tsx scripts/mm-zero-base.ts OUT-FOLDER [proposer=400] [coder=600] [vision=500] [solver=700]
 *
 * The numbers are optimiser steps; 0 leaves a stage out. The solver needs `vision.safetensors` in the folder.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { learningRateAt } from '../src/algorithms/schedule.js';
import type { Image } from '../src/core/image.js';
import type { TrainGroup } from '../src/core/policy.js';
import type { Prompt } from '../src/core/prompt.js';
import { unwrap } from '../src/core/result.js';
import { Rng } from '../src/core/rng.js';
import { visionTokens, type MicroConfig } from '../src/engines/micro/config.js';
import { MicroPolicy } from '../src/engines/micro/index.js';
import { visionPretrainer, type LabelledImage } from '../src/engines/micro/pretrain.js';
import { readSafetensors, writeSafetensors } from '../src/engines/micro/safetensors.js';
import { parseBoxed, parseProposal } from '../src/environments/drawings/index.js';
import {
  COLOURS,
  derive,
  KINDS,
  MICRO_LENGTHS,
  MICRO_VOCABULARY,
  microCoder,
  microProposer,
  microSolver,
  MOST_VALUE,
  placedMarks,
  proposalText,
  scriptPair,
  SHAPES,
  SIDE,
  solutionText,
  truthOf,
  writeScripted,
  type Figure,
} from '../src/environments/drawings/micro/index.js';
import { checkSvg, extractSvg, openSvgRasteriser } from '../src/render/index.js';

/** Half of the drawings aren't well-formed, a tenth of the easy answers belong to another picture. */
const CARE = { brokenDrawings: 0.5, wrongAnswers: 0.1 };

const FORMS = ['bar', 'row', 'event', ...SHAPES];
const LABELS = 1 + COLOURS.length + FORMS.length + MOST_VALUE;
const STRIDE = 8;
const DECODER = { width: 64, heads: 4, layers: 3, expand: 4, vision: null };

const PROPOSER: MicroConfig = {
  ...DECODER,
  promptLength: MICRO_LENGTHS.proposer.prompt,
  completionLength: MICRO_LENGTHS.proposer.completion,
  vocabulary: MICRO_VOCABULARY.proposer,
};
const CODER: MicroConfig = {
  ...DECODER,
  promptLength: MICRO_LENGTHS.coder.prompt,
  completionLength: MICRO_LENGTHS.coder.completion,
  vocabulary: MICRO_VOCABULARY.coder,
};
const SOLVER: MicroConfig = {
  ...DECODER,
  width: 96,
  promptLength: MICRO_LENGTHS.solver.prompt,
  completionLength: MICRO_LENGTHS.solver.completion,
  vocabulary: MICRO_VOCABULARY.solver,
  vision: { imageWidth: SIDE, imageHeight: SIDE, stride: STRIDE, window: 12, layers: 3, patchLabels: LABELS },
};

const [folder, ...rest] = process.argv.slice(2);
if (!folder)
  throw new Error('usage: mm-zero-base.ts OUT-FOLDER [proposer=400] [coder=600] [vision=500] [solver=700]');
const options = Object.fromEntries(rest.map((pair) => pair.split('=')));
const steps = (stage: string, otherwise: number): number => Number(options[stage] ?? otherwise);
const file = (name: string): string => path.join(folder, name);
const rng = Rng.fromSeed('mm-zero-base');
const rasteriser = openSvgRasteriser({ workers: 2 });
mkdirSync(folder, { recursive: true });

async function draw(svg: string): Promise<Image> {
  return unwrap(await rasteriser.render(svg, { width: SIDE, height: SIDE }));
}

/** Runs `count` steps at a learning rate that falls as a cosine; reports ten times on the way. */
async function train(
  stage: string,
  count: number,
  peak: number,
  step: (step: number, learningRate: number) => Promise<number>,
  report: () => Promise<string>,
): Promise<void> {
  const schedule = { peak, warmupSteps: 30, totalSteps: count, decay: 'cosine', finalShare: 0.04 } as const;
  const t0 = process.cpuUsage();
  let average = 0;
  for (let i = 1; i <= count; i++) {
    const loss = await step(i, learningRateAt(schedule, i - 1));
    average = i === 1 ? loss : 0.97 * average + 0.03 * loss;
    if (i % Math.ceil(count / 10) !== 0 && i !== count) continue;
    const { user, system } = process.cpuUsage(t0);
    const minutes = ((user + system) / 60e6).toFixed(1);
    const line = `${stage} ${minutes} min step ${i} loss ${average.toFixed(4)} ${await report()}`;
    console.log(line);
    appendFileSync(file('curve.txt'), `${line}\n`);
  }
}

function lesson(policy: MicroPolicy, prompt: Prompt, text: string): TrainGroup {
  const tokens = policy.encode(text);
  return { prompt, samples: [{ tokens, logprobs: new Float32Array(tokens.length), weight: 1 }] };
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const shareOf = (flags: readonly boolean[]): string => percent(flags.filter(Boolean).length / flags.length);

async function say(policy: MicroPolicy, prompts: readonly Prompt[], temperature: number): Promise<string[]> {
  const requests = prompts.map((prompt, i) => ({
    prompt,
    n: 1,
    maxTokens: policy.config.completionLength,
    temperature,
    rng: rng.child('say', i),
  }));
  return (await policy.sample(requests)).map((said) => said[0]?.text ?? '');
}

async function proposerStage(count: number): Promise<void> {
  const settings = { name: 'proposer', freezeVision: true, trainShapes: [{ B: 32, K: 1 }] };
  const policy = await MicroPolicy.create(PROPOSER, rng.child('proposer'), settings);
  const pair = (...at: (string | number)[]): ReturnType<typeof scriptPair> =>
    scriptPair(rng.child('proposer', ...at), CARE);
  await train(
    'proposer',
    count,
    2e-3,
    async (step, rate) => {
      const batch = Array.from({ length: 32 }, (_, i) => {
        const { topic, proposal } = pair('train', step, i);
        return lesson(policy, microProposer.prompt({ topic }), proposalText(proposal));
      });
      return (await policy.update(batch, { name: 'cross-entropy' }, rate)).loss;
    },
    async () => {
      const topics = Array.from({ length: 128 }, (_, i) => pair('held-out', i).topic);
      const texts = await say(
        policy,
        topics.map((topic) => microProposer.prompt({ topic })),
        1,
      );
      const read = texts.map((text) => parseProposal(text));
      const known = read.map((p) => (p.ok ? { ...truthOf(p.value), said: p.value } : null));
      return `of 128: form ${shareOf(read.map((p) => p.ok))}, both questions sensible ${shareOf(known.map((k) => k !== null && k.easy !== null && k.hard !== null))}, easy answer true ${shareOf(known.map((k) => k !== null && k.easy === k.said.easyAnswer))}`;
    },
  );
  writeFileSync(file('mm-zero-proposer.safetensors'), await policy.exportWeights());
  policy.dispose();
}

async function coderStage(count: number): Promise<void> {
  const settings = { name: 'coder', freezeVision: true, trainShapes: [{ B: 32, K: 1 }] };
  const policy = await MicroPolicy.create(CODER, rng.child('coder'), settings);
  await train(
    'coder',
    count,
    2e-3,
    async (step, rate) => {
      const batch = Array.from({ length: 32 }, (_, i) => {
        const { proposal, svg } = scriptPair(rng.child('coder', 'train', step, i), CARE);
        return lesson(policy, microCoder.prompt(proposal), svg);
      });
      return (await policy.update(batch, { name: 'cross-entropy' }, rate)).loss;
    },
    async () => {
      const pairs = Array.from({ length: 128 }, (_, i) =>
        scriptPair(rng.child('coder', 'held-out', i), CARE),
      );
      const prompts = pairs.map(({ proposal }) => microCoder.prompt(proposal));
      const texts = await say(policy, prompts, 1);
      const sound = texts.map((text) => {
        const svg = extractSvg(text);
        return svg.ok && checkSvg(svg.value).ok;
      });
      const faithful = texts.map((text, i) => text === pairs[i]?.scripted.svg);
      return `of 128: well-formed ${shareOf(sound)}, just as the script ${shareOf(faithful)}`;
    },
  );
  writeFileSync(file('mm-zero-coder.safetensors'), await policy.exportWeights());
  policy.dispose();
}

/** A drawn figure with what stands in each patch: that there is a mark, its colour, form and value (an event's place). */
async function labelled(figure: Figure, svg: string): Promise<LabelledImage> {
  const image = await draw(svg);
  const columns = SIDE / STRIDE;
  const labels = new Float32Array(visionTokens(SOLVER.vision as NonNullable<MicroConfig['vision']>) * LABELS);
  for (const { x, y, colour, value, shape } of placedMarks(figure)) {
    const at = (Math.floor(y / STRIDE) * columns + Math.floor(x / STRIDE)) * LABELS;
    const kinds = { bars: 'bar', table: 'row', timeline: 'event', geometry: shape, diagram: shape };
    const number = value ?? figure.marks.findIndex((mark) => mark.colour === colour) + 1;
    labels[at] = 1;
    labels[at + 1 + COLOURS.indexOf(colour)] = 1;
    labels[at + 1 + COLOURS.length + FORMS.indexOf(kinds[figure.kind] ?? '')] = 1;
    labels[at + 1 + COLOURS.length + FORMS.length + number - 1] = 1;
  }
  return { image, labels };
}

async function visionStage(count: number): Promise<void> {
  const BATCH = 16;
  const trainer = await visionPretrainer(SOLVER, BATCH, rng.child('vision'));
  const some = (...at: (string | number)[]): Promise<LabelledImage[]> =>
    Promise.all(
      Array.from({ length: BATCH }, (_, i) => {
        const stream = rng.child('vision', ...at, i);
        const { figure, svg } = writeScripted(stream, stream.child('kind').pick(KINDS));
        return labelled(figure, svg);
      }),
    );
  const heldOut = await Promise.all(Array.from({ length: 8 }, (_, i) => some('held-out', i)));
  await train(
    'vision',
    count,
    2e-3,
    async (step, rate) => trainer.step(await some('train', step), rate),
    async () => {
      const right: boolean[] = [];
      for (const part of heldOut) {
        const logits = await trainer.predict(part.map(({ image }) => image));
        part.forEach(({ labels }, i) => {
          for (let at = 0; at < labels.length; at += LABELS) {
            if (labels[at] !== 1) continue;
            const seen = (logits[i] as Float32Array).subarray(at, at + LABELS);
            right.push(seen.every((z, k) => z > 0 === (labels[at + k] === 1)));
          }
        });
      }
      return `marks with colour, form and value all right ${shareOf(right)}`;
    },
  );
  const policy = await MicroPolicy.create(
    SOLVER,
    rng.child('text'),
    { name: 'vision', freezeVision: true },
    trainer.weights(),
  );
  writeFileSync(file('vision.safetensors'), await policy.exportWeights());
  policy.dispose();
}

/** A fresh decoder on top of the encoder that `visionStage` trained. */
async function freshSolver(): Promise<MicroPolicy> {
  const settings = { name: 'solver', freezeVision: true, trainShapes: [{ B: 64, K: 1 }] };
  const fresh = await MicroPolicy.create(SOLVER, rng.child('solver'), settings);
  const { tensors, metadata } = readSafetensors(await fresh.exportWeights(), 'fresh weights');
  fresh.dispose();
  const merged = new Map(tensors);
  const encoder = readSafetensors(readFileSync(file('vision.safetensors')), 'vision.safetensors');
  for (const [name, tensor] of encoder.tensors) if (name.startsWith('vision.')) merged.set(name, tensor);
  return MicroPolicy.open(writeSafetensors({ tensors: merged, metadata }), 'solver', settings);
}

interface Exercise {
  readonly prompt: Prompt;
  readonly answer: string;
  readonly text: string;
  readonly hard: boolean;
}

/** One random picture with its two questions and their worked answers. */
async function exercises(stream: Rng): Promise<Exercise[]> {
  const { figure, easy, hard, svg, proposal } = writeScripted(stream, stream.child('kind').pick(KINDS));
  const image = await draw(svg);
  return [
    { question: easy, text: proposal.easyQuestion, hard: false },
    { question: hard, text: proposal.hardQuestion, hard: true },
  ].map(({ question, text, hard: isHard }) => {
    const derived = derive(figure, question);
    if (!derived) throw new Error(`no answer to ${text}`);
    const prompt = microSolver.prompt({ image, question: text });
    return { prompt, answer: derived.answer, text: solutionText(derived), hard: isHard };
  });
}

async function solverStage(count: number): Promise<void> {
  const policy = await freshSolver();
  const some = async (count: number, ...at: (string | number)[]): Promise<Exercise[]> =>
    (
      await Promise.all(Array.from({ length: count }, (_, i) => exercises(rng.child('solver', ...at, i))))
    ).flat();
  const heldOut = await some(200, 'held-out');
  await train(
    'solver',
    count,
    2e-3,
    async (step, rate) => {
      const batch = (await some(32, 'train', step)).map(({ prompt, text }) => lesson(policy, prompt, text));
      return (await policy.update(batch, { name: 'cross-entropy' }, rate)).loss;
    },
    async () => {
      const answered = async (temperature: number): Promise<boolean[]> => {
        const texts = await say(
          policy,
          heldOut.map(({ prompt }) => prompt),
          temperature,
        );
        return texts.map((text, i) => {
          const said = parseBoxed(text);
          return said.ok && said.value.answer === heldOut[i]?.answer;
        });
      };
      const [greedy, sampled] = [await answered(0), await answered(1)];
      const of = (flags: readonly boolean[], hard: boolean): string =>
        shareOf(flags.filter((_, i) => heldOut[i]?.hard === hard));
      return `greedy easy ${of(greedy, false)} hard ${of(greedy, true)}, at temperature 1 easy ${of(sampled, false)} hard ${of(sampled, true)}`;
    },
  );
  writeFileSync(file('mm-zero-solver.safetensors'), await policy.exportWeights());
  policy.dispose();
}

try {
  const stages = [
    ['proposer', 400, proposerStage],
    ['coder', 600, coderStage],
    ['vision', 500, visionStage],
    ['solver', 700, solverStage],
  ] as const;
  for (const [name, otherwise, stage] of stages) {
    const count = steps(name, otherwise);
    if (count > 0) await stage(count);
  }
} finally {
  await rasteriser.close();
}
