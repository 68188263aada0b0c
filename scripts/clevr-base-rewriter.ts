/**
 * Warm start of the micro rewriter: supervised learning on verified edits of a scripted editor that knows nothing of pass
 * rates. Usage: npx tsx scripts/clevr-base-rewriter.ts OUT.safetensors [minutes=10] [start=REWRITER.safetensors]
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { TrainGroup } from '../src/core/policy.js';
import { Rng } from '../src/core/rng.js';
import { learningRateAt } from '../src/algorithms/schedule.js';
import { MicroPolicy } from '../src/engines/micro/index.js';
import { editListText } from '../src/environments/clevr/index.js';
import { MICRO_FAMILIES, microClevr, randomTask, REWRITER_CONFIG } from './clevr-base.js';

const [out, ...rest] = process.argv.slice(2);
if (!out) throw new Error('usage: clevr-base-rewriter.ts OUT [minutes=10]');
const options = Object.fromEntries(rest.map((pair) => pair.split('=')));
const minutes = Number(options['minutes'] ?? 10);
const started = options['start'];
const rng = Rng.fromSeed('clevr-base-rewriter');
const environment = microClevr();
const settings = {
  name: 'rewriter',
  freezeVision: true,
  trainShapes: [{ B: 32, K: 1 }],
  sampleShapes: [{ B: 64, K: 1 }],
};
const policy = started
  ? await MicroPolicy.open(readFileSync(started), started, settings)
  : await MicroPolicy.create(REWRITER_CONFIG, rng.child('init'), settings);

async function lineageOf(stream: Rng): ReturnType<typeof randomTask> {
  const family = stream.child('family').pick(MICRO_FAMILIES);
  const objects = stream.child('large').chance(0.5) ? ([2, 3] as const) : ([3, 8] as const);
  return randomTask(environment, stream.child('task'), objects, family);
}

async function report(step: number, elapsed: number, loss: number): Promise<void> {
  const parents = await Promise.all(
    Array.from({ length: 128 }, (_, i) => lineageOf(rng.child('held-out', i))),
  );
  const inputs = parents.map(({ lineage }, i) => ({ lineage, passRate: (i % 9) / 8 }));
  const completions = await policy.sample(
    inputs.map((input, i) => {
      const constraint = environment.rewriter.constraint?.(input);
      return {
        prompt: environment.rewriter.prompt(input),
        n: 1,
        maxTokens: 48,
        temperature: 1,
        rng: rng.child('eval', step, i),
        ...(constraint ? { constraint } : {}),
      };
    }),
  );
  const reasons: Record<string, number> = {};
  for (const [i, input] of inputs.entries()) {
    const parsed = environment.rewriter.parse(completions[i]?.[0]?.text ?? '', input);
    const result = parsed.ok ? await environment.realise(input.lineage, parsed.value) : parsed;
    const reason = result.ok ? 'accepted' : result.error.reason;
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  const line = `rewriter ${elapsed.toFixed(1)} min step ${step} loss ${loss.toFixed(4)} of 128: ${JSON.stringify(reasons)}`;
  console.log(line, completions[0]?.[0]?.text);
  appendFileSync(`${out}.curve.txt`, `${line}\n`);
}

const BATCH = 32;
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
  const batch: TrainGroup[] = [];
  for (let i = 0; batch.length < BATCH; i++) {
    const stream = rng.child('train', started ?? '', step, i);
    const { lineage } = await lineageOf(stream);
    const action = environment.scriptedEditor(lineage, stream.child('edit'));
    if (action?.kind !== 'edits') continue;
    const prompt = environment.rewriter.prompt({ lineage, passRate: stream.int(9) / 8 });
    const tokens = policy.encode(editListText(action.edits));
    batch.push({ prompt, samples: [{ tokens, logprobs: new Float32Array(tokens.length), weight: 1 }] });
  }
  const schedule = {
    peak: 2e-3,
    warmupSteps: 20,
    totalSteps: 1000,
    decay: 'cosine',
    finalShare: 0.04,
  } as const;
  const rate = Math.min(
    learningRateAt(schedule, Math.floor((elapsed / minutes) * 1000)),
    (2e-3 * (step + 1)) / 60,
  );
  const { loss } = await policy.update(batch, { name: 'cross-entropy' }, rate);
  average = average === 0 ? loss : 0.97 * average + 0.03 * loss;
}
writeFileSync(out, await policy.exportWeights());
