/**
 * Teaches the micro actor to answer: supervised learning on scenes of two and three objects (and a few larger ones), with
 * the encoder frozen. Usage: npx tsx scripts/clevr-base-actor.ts VISION.safetensors OUT.safetensors [minutes=20]
 * [start=ACTOR.safetensors: begin with the decoder of an earlier run]
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { Realised } from '../src/core/environment.js';
import type { TrainGroup } from '../src/core/policy.js';
import { Rng } from '../src/core/rng.js';
import { learningRateAt } from '../src/algorithms/schedule.js';
import { MicroPolicy } from '../src/engines/micro/index.js';
import { readSafetensors, writeSafetensors } from '../src/engines/micro/safetensors.js';
import { sampleScene, generateQuestion, type ClevrState } from '../src/environments/clevr/index.js';
import { grade } from '../src/rewards/grading.js';
import {
  ACTOR_CONFIG,
  alignDecoder,
  MICRO_FAMILIES,
  MICRO_SIZES,
  microClevr,
  randomTask,
} from './clevr-base.js';

const [visionFile, out, ...rest] = process.argv.slice(2);
if (!visionFile || !out) throw new Error('usage: clevr-base-actor.ts VISION OUT [minutes=20]');
const options = Object.fromEntries(rest.map((pair) => pair.split('=')));
const minutes = Number(options['minutes'] ?? 20);
const rng = Rng.fromSeed('clevr-base-actor');
const environment = microClevr();
const settings = { name: 'actor', freezeVision: true, trainShapes: [{ B: 64, K: 1 }] };
const policy = await startPolicy(options['start']);

/** The decoder of an earlier run or a fresh one aligned with the encoder, on top of the encoder's weights. */
async function startPolicy(decoder: string | undefined): Promise<MicroPolicy> {
  const encoder = readSafetensors(readFileSync(visionFile as string), visionFile as string);
  const fresh = await MicroPolicy.create(ACTOR_CONFIG, rng.child('init'), settings);
  const bytes = decoder === undefined ? await fresh.exportWeights() : readFileSync(decoder);
  fresh.dispose();
  const { tensors, metadata } = readSafetensors(bytes, decoder ?? 'fresh weights');
  const merged = new Map(tensors);
  for (const [name, tensor] of encoder.tensors) if (name.startsWith('vision.')) merged.set(name, tensor);
  if (decoder === undefined) alignDecoder(merged);
  return MicroPolicy.open(
    writeSafetensors({ tensors: merged, metadata }),
    decoder ?? 'fresh weights',
    settings,
  );
}

/** Share of training scenes with four to eight objects: enough to know the larger numbers, too few to be good at them. */
const LARGE_SHARE = 0.04;

async function sceneTasks(stream: Rng): Promise<Realised<ClevrState>[]> {
  const large = stream.chance(LARGE_SHARE);
  const scene = sampleScene(stream.child('scene'), { objects: large ? [4, 8] : [2, 3], sizes: MICRO_SIZES });
  const tasks: Realised<ClevrState>[] = [];
  // Half of the questions ask for an attribute: those take longest to learn.
  for (const family of MICRO_FAMILIES) {
    for (const asks of [undefined, ['query'] as const]) {
      const question = generateQuestion(scene, family, stream.child(family, asks ? 1 : 0), {
        paraphrase: false,
        ...(asks ? { asks } : {}),
      });
      if (!question) continue;
      const realised = await environment.realise(
        { seedId: 'sft', actions: [], state: { scene, question } },
        null,
      );
      if (realised.ok) tasks.push(realised.value[0] as Realised<ClevrState>);
    }
  }
  return tasks;
}

const STRATA = [
  [2, 3],
  [4, 5],
  [6, 8],
] as const;
const heldOut: Array<{ stratum: string; realised: Realised<ClevrState> }> = [];
for (const objects of STRATA) {
  for (let i = 0; i < 240; i++) {
    const family = MICRO_FAMILIES[i % MICRO_FAMILIES.length] as (typeof MICRO_FAMILIES)[number];
    const realised = await randomTask(environment, rng.child('held-out', objects[0], i), objects, family);
    heldOut.push({ stratum: `${objects[0]}-${objects[1]}`, realised });
  }
}

async function report(step: number, elapsed: number, loss: number): Promise<void> {
  const completions = await policy.sample(
    heldOut.map(({ realised }, i) => ({
      prompt: environment.solver.prompt({ task: realised.task, images: realised.images }),
      n: 1,
      maxTokens: 12,
      temperature: 0,
      rng: rng.child('eval', i),
    })),
  );
  const right = heldOut.map(({ realised }, i) => {
    const text = completions[i]?.[0]?.text ?? '';
    const solution = environment.solver.parse(text, { task: realised.task, images: [] });
    return solution.ok && grade(solution.value.answer, realised.task);
  });
  const share = (keep: (h: (typeof heldOut)[number]) => boolean): string => {
    const rows = right.filter((_, i) => keep(heldOut[i] as (typeof heldOut)[number]));
    return ((100 * rows.filter(Boolean).length) / rows.length).toFixed(1);
  };
  const strata = STRATA.map(([a, b]) => `${a}-${b}: ${share((h) => h.stratum === `${a}-${b}`)}`).join(' ');
  const families = MICRO_FAMILIES.map(
    (f) => `${f} ${share((h) => h.realised.task.facts['family'] === f)}`,
  ).join(' ');
  const line = `actor ${elapsed.toFixed(1)} min step ${step} loss ${loss.toFixed(4)} greedy ${strata} | ${families}`;
  console.log(line);
  appendFileSync(`${out}.curve.txt`, `${line}\n`);
}

const BATCH = 64;
const queue: TrainGroup[] = [];
let scenes = 0;
const t0 = performance.now();
let average = 0;
let next = 1;
for (let step = 0; ; step++) {
  const elapsed = (performance.now() - t0) / 60_000;
  if (elapsed >= next || elapsed >= minutes) {
    await report(step, elapsed, average);
    next = Math.floor(elapsed) + 1;
  }
  if (elapsed >= minutes) break;
  while (queue.length < 4 * BATCH) {
    for (const realised of await sceneTasks(rng.child('scene', options['start'] ?? '', scenes++))) {
      const tokens = policy.encode(environment.solverTarget(realised));
      const prompt = environment.solver.prompt({ task: realised.task, images: realised.images });
      queue.push({ prompt, samples: [{ tokens, logprobs: new Float32Array(tokens.length), weight: 1 }] });
    }
  }
  const shuffled = rng.child('shuffle', step).shuffle(queue);
  queue.length = 0;
  queue.push(...shuffled.slice(BATCH));
  // Wall-clock schedule in thousandths: cosine over the first three quarters, flat at 4 % of the peak behind it.
  const schedule = {
    peak: 2e-3,
    warmupSteps: 20,
    totalSteps: 750,
    decay: 'cosine',
    finalShare: 0.04,
  } as const;
  const rate = Math.min(
    learningRateAt(schedule, Math.floor((elapsed / minutes) * 1000)),
    (2e-3 * (step + 1)) / 60,
  );
  const { loss } = await policy.update(shuffled.slice(0, BATCH), { name: 'cross-entropy' }, rate);
  average = average === 0 ? loss : 0.97 * average + 0.03 * loss;
}
writeFileSync(out, await policy.exportWeights());
console.log(`wrote ${out}: ${scenes} scenes`);
