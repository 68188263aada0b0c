/**
 * Pre-trains the micro model's picture encoder on CLEVR scenes of our own: every patch learns to name the object whose
 * centre it holds. Usage: npx tsx scripts/clevr-base-vision.ts OUT.safetensors [minutes=8] [start=FILE]
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Rng } from '../src/core/rng.js';
import { learningRateAt } from '../src/algorithms/schedule.js';
import { MicroPolicy } from '../src/engines/micro/index.js';
import { visionPretrainer } from '../src/engines/micro/pretrain.js';
import { visionTokens } from '../src/engines/micro/config.js';
import { ACTOR_CONFIG, labelledScene, MICRO_SIZES, patchScores } from './clevr-base.js';

const [out, ...rest] = process.argv.slice(2);
if (!out) throw new Error('usage: clevr-base-vision.ts OUT.safetensors [minutes=8] [start=FILE]');
const options = Object.fromEntries(rest.map((pair) => pair.split('=')));
const minutes = Number(options['minutes'] ?? 8);
const BATCH = 16;
/** Share of training scenes drawn as the micro task draws them; the others have up to ten objects of both sizes. */
const MICRO_SHARE = 0.6;
const rng = Rng.fromSeed('clevr-base-vision');
const started = options['start'];
const start =
  started && existsSync(started)
    ? (await MicroPolicy.open(readFileSync(started), started, { name: 'start', freezeVision: false })).vision
    : null;
const trainer = await visionPretrainer(ACTOR_CONFIG, BATCH, rng.child('init'), start ?? undefined);
const heldOut = Array.from({ length: 256 }, (_, i) => labelledScene(rng.child('held-out', i), 1, 10));

const report = async (step: number, elapsed: number, loss: number): Promise<void> => {
  const scores: Array<ReturnType<typeof patchScores>> = [];
  for (let i = 0; i < heldOut.length; i += BATCH) {
    const part = heldOut.slice(i, i + BATCH);
    const predicted = await trainer.predict(part.map((p) => p.image));
    part.forEach((p, k) => scores.push(patchScores(predicted[k] as Float32Array, p.labels)));
  }
  const sum = (f: (s: ReturnType<typeof patchScores>) => number): number =>
    scores.reduce((a, s) => a + f(s), 0);
  const share = (key: 'size' | 'color' | 'material' | 'shape' | 'all'): string =>
    (sum((s) => s[key]) / sum((s) => s.objects)).toFixed(3);
  const line = `vision ${elapsed.toFixed(1)} min step ${step} loss ${loss.toFixed(3)} recall ${share('all')} size ${share('size')} color ${share('color')} material ${share('material')} shape ${share('shape')} false ${(sum((s) => s.falseAlarms) / sum((s) => s.objects)).toFixed(3)}`;
  console.log(line);
  appendFileSync(`${out}.curve.txt`, `${line}\n`);
};

const t0 = performance.now();
let average = 0;
let next = 1;
for (let step = 0; ; step++) {
  const elapsed = (performance.now() - t0) / 60_000;
  if (elapsed >= minutes) {
    await report(step, elapsed, average);
    break;
  }
  if (elapsed >= next) {
    await report(step, elapsed, average);
    next++;
  }
  const batch = Array.from({ length: BATCH }, (_, i) => {
    const stream = rng.child('train', started ?? '', step, i);
    const micro = stream.child('sizes').chance(MICRO_SHARE);
    return micro ? labelledScene(stream, 1, 8, MICRO_SIZES) : labelledScene(stream, 1, 10);
  });
  // The schedule runs over wall-clock time, in thousandths.
  const schedule = {
    peak: 2e-3,
    warmupSteps: 20,
    totalSteps: 1000,
    decay: 'cosine',
    finalShare: 0.03,
  } as const;
  const rate = Math.min(
    learningRateAt(schedule, Math.floor((elapsed / minutes) * 1000)),
    (2e-3 * (step + 1)) / 60,
  );
  const loss = await trainer.step(batch, rate);
  average = average === 0 ? loss : 0.97 * average + 0.03 * loss;
}
const policy = await MicroPolicy.create(
  ACTOR_CONFIG,
  rng.child('text'),
  { name: 'base', freezeVision: true },
  trainer.weights(),
);
writeFileSync(out, await policy.exportWeights());
console.log(`wrote ${out} (${visionTokens(ACTOR_CONFIG.vision)} picture tokens)`);
