/**
 * Makes the micro base checkpoints for charts from scratch: the encoder learns to name, in every patch, the bars and dots whose
 * ends it holds (which colour, how high); the actor learns to answer on few bars in a plain style; the rewriter learns to write
 * the lists of a scripted editor that knows nothing of pass rates.
 * Usage: npx tsx scripts/charts-base.ts FOLDER [vision=2] [actor=4] [rewriter=1] [from=FOLDER]
 * in CPU minutes; 0 leaves a stage out. With `from`, encoder and actor go on from those of an earlier run, on other charts.
 */
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Lineage, Realised } from '../src/core/environment.js';
import type { TrainGroup } from '../src/core/policy.js';
import { Rng } from '../src/core/rng.js';
import { learningRateAt } from '../src/algorithms/schedule.js';
import { MicroPolicy } from '../src/engines/micro/index.js';
import { visionTokens, type MicroConfig } from '../src/engines/micro/config.js';
import { visionPretrainer, type LabelledImage } from '../src/engines/micro/pretrain.js';
import { readSafetensors, writeSafetensors } from '../src/engines/micro/safetensors.js';
import {
  askQuestion,
  chartsEnvironment,
  chartsMicroVocabulary,
  chartSpec,
  microLook,
  microTable,
  MICRO_COLOURS,
  MICRO_CONFIG,
  MICRO_MOST,
  MICRO_RANGE,
  MICRO_STYLES,
  type ChartFamily,
  type ChartTaskState,
} from '../src/environments/charts/index.js';
import { drawChart, type ChartMark } from '../src/render/index.js';
import { unwrap } from '../src/core/result.js';
import { grade } from '../src/rewards/grading.js';
import { alignWithBars } from './charts-align.js';

const VIEW = MICRO_CONFIG.view;
const STRIDE = 8;
/** Is there an end; which colour it has; how high it is. */
const LABELS = 1 + MICRO_COLOURS.length + MICRO_MOST;

const ACTOR_CONFIG: MicroConfig = {
  width: 64,
  heads: 4,
  layers: 3,
  expand: 4,
  promptLength: 16,
  completionLength: 8,
  vocabulary: chartsMicroVocabulary(),
  vision: {
    imageWidth: VIEW.width,
    imageHeight: VIEW.height,
    stride: STRIDE,
    window: 12,
    layers: 2,
    patchLabels: LABELS,
  },
};
const REWRITER_CONFIG: MicroConfig = {
  width: 64,
  heads: 4,
  layers: 2,
  expand: 4,
  promptLength: 60,
  completionLength: 28,
  vocabulary: chartsMicroVocabulary(),
  vision: null,
};

const [folder, ...rest] = process.argv.slice(2);
if (!folder) throw new Error('usage: charts-base.ts FOLDER [vision=2] [actor=4] [rewriter=1]');
const options = Object.fromEntries(rest.map((pair) => pair.split('=')));
const minutesOf = (stage: string, usual: number): number => Number(options[stage] ?? usual);
const at = (name: string): string => path.join(folder, name);
mkdirSync(folder, { recursive: true });
const rng = Rng.fromSeed('charts-base');
const from = options['from'];
/** Where training charts come from; every run that goes on draws others. */
const charts = from ? rng.child('after', readFileSync(path.join(from, 'curve.txt'), 'utf8')) : rng;
const environment = chartsEnvironment(MICRO_CONFIG);

function say(line: string): void {
  console.log(line);
  appendFileSync(at('curve.txt'), `${line}\n`);
}

/** Runs `step` until the process has worked for so many minutes, with a rate that follows them, and reports five times. */
async function train(
  minutes: number,
  report: (step: number, elapsed: number, loss: number) => Promise<void>,
  step: (step: number, rate: number) => Promise<number>,
): Promise<void> {
  const schedule = {
    peak: 2e-3,
    warmupSteps: 20,
    totalSteps: 1000,
    decay: 'cosine',
    finalShare: 0.04,
  } as const;
  const worked = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 60e6;
  const t0 = worked();
  let average = 0;
  let next = 0.2 * minutes;
  for (let i = 0; ; i++) {
    const elapsed = worked() - t0;
    if (elapsed >= next || elapsed >= minutes) {
      await report(i, elapsed, average);
      next += 0.2 * minutes;
    }
    if (elapsed >= minutes) return;
    const rate = Math.min(
      learningRateAt(schedule, Math.floor((elapsed / minutes) * 1000)),
      (2e-3 * (i + 1)) / 60,
    );
    const loss = await step(i, rate);
    average = average === 0 ? loss : 0.97 * average + 0.03 * loss;
  }
}

/** Where the end of a mark is that shows its value. */
function endOf(mark: ChartMark): { x: number; y: number } {
  if (mark.kind === 'point') return mark.at;
  if (mark.kind !== 'bar') throw new Error(`no label for ${mark.kind}`);
  const { left, top, width, height } = mark.box;
  return mark.direction === 'up'
    ? { x: left + width / 2, y: mark.tip }
    : { x: mark.tip, y: top + height / 2 };
}

function labelledChart(stream: Rng): LabelledImage {
  const table = microTable(stream.child('table'), [2, 8]);
  const style = microLook(stream.child('look'), MICRO_STYLES.type, false);
  const { image, geometry } = unwrap(
    drawChart(unwrap(chartSpec({ title: '', measure: '', table, style }, MICRO_RANGE)), VIEW),
  );
  const columns = VIEW.width / STRIDE;
  const labels = new Float32Array(
    visionTokens(ACTOR_CONFIG.vision as NonNullable<MicroConfig['vision']>) * LABELS,
  );
  for (const mark of geometry.marks) {
    const { x, y } = endOf(mark);
    const [px, py] = [Math.min(VIEW.width - 1, x), Math.min(VIEW.height - 1, y)].map((v) =>
      Math.floor(Math.max(0, v) / STRIDE),
    ) as [number, number];
    const from = (py * columns + px) * LABELS;
    labels[from] = 1;
    labels[from + 1 + MICRO_COLOURS.indexOf(table.entities[mark.category] as string)] = 1;
    labels[from + 1 + MICRO_COLOURS.length + mark.value - 1] = 1;
  }
  return { image, labels };
}

async function encoderOf(file: string): Promise<NonNullable<MicroPolicy['vision']>> {
  const { vision: encoder } = await MicroPolicy.open(readFileSync(file), file, {
    name: 'start',
    freezeVision: false,
  });
  if (!encoder) throw new Error(`${file} has no encoder`);
  return encoder;
}

async function vision(minutes: number): Promise<void> {
  const BATCH = 16;
  const start = from ? await encoderOf(path.join(from, 'vision.safetensors')) : undefined;
  const trainer = await visionPretrainer(ACTOR_CONFIG, BATCH, rng.child('vision'), start);
  const heldOut = Array.from({ length: 128 }, (_, i) => labelledChart(rng.child('vision held-out', i)));
  await train(
    minutes,
    async (step, elapsed, loss) => {
      const seen = { ends: 0, colour: 0, value: 0 };
      for (let i = 0; i < heldOut.length; i += BATCH) {
        const part = heldOut.slice(i, i + BATCH);
        const logits = await trainer.predict(part.map(({ image }) => image));
        part.forEach(({ labels }, k) => {
          const z = logits[k] as Float32Array;
          const best = (from: number, n: number): number =>
            Array.from({ length: n }, (_, j) => from + j).reduce((a, b) =>
              (z[a] as number) >= (z[b] as number) ? a : b,
            );
          for (let p = 0; p < labels.length; p += LABELS) {
            if (labels[p] !== 1) continue;
            seen.ends++;
            seen.colour += labels[best(p + 1, MICRO_COLOURS.length)] as number;
            seen.value += labels[best(p + 1 + MICRO_COLOURS.length, MICRO_MOST)] as number;
          }
        });
      }
      const share = (n: number): string => (n / seen.ends).toFixed(3);
      say(
        `vision ${elapsed.toFixed(2)} min step ${step} loss ${loss.toFixed(3)} colour ${share(seen.colour)} value ${share(seen.value)}`,
      );
    },
    (step, rate) =>
      trainer.step(
        Array.from({ length: BATCH }, (_, i) => labelledChart(charts.child('vision train', step, i))),
        rate,
      ),
  );
  const policy = await MicroPolicy.create(
    ACTOR_CONFIG,
    rng.child('text'),
    { name: 'base', freezeVision: true },
    trainer.weights(),
  );
  writeFileSync(at('vision.safetensors'), await policy.exportWeights());
  policy.dispose();
}

/** Questions about one random chart, drawn and labelled. */
async function chartTasks(
  stream: Rng,
  rows: readonly [number, number],
  plain: boolean,
): Promise<Realised<ChartTaskState>[]> {
  const table = microTable(stream.child('table'), rows);
  const style = microLook(stream.child('look'), plain ? ['bar'] : MICRO_STYLES.type, plain);
  const tasks: Realised<ChartTaskState>[] = [];
  // Cells and comparisons twice: they are what an edit changes, and what everything else is made of.
  for (const [i, family] of (['cell', ...MICRO_CONFIG.families] as ChartFamily[]).entries()) {
    const question = askQuestion(table, family, stream.child(i), { paraphrase: false });
    if (!question) continue;
    const state = { title: '', measure: '', table, style, question };
    const realised = await environment.realise({ seedId: 'base', actions: [], state }, null);
    if (realised.ok) tasks.push(...realised.value);
  }
  return tasks;
}

/** Share of training charts beyond the easy ones: enough to know them, too few to be good at them. */
const HARD_SHARE = 0.1;
const easyOrHard = (stream: Rng): Promise<Realised<ChartTaskState>[]> =>
  stream.chance(HARD_SHARE) ? chartTasks(stream, [3, 8], false) : chartTasks(stream, [3, 4], true);

async function actor(minutes: number): Promise<void> {
  const BATCH = 64;
  const settings = { name: 'actor', freezeVision: true, trainShapes: [{ B: BATCH, K: 1 }] };
  const encoder = readSafetensors(readFileSync(at('vision.safetensors')), 'vision');
  const fresh = await MicroPolicy.create(ACTOR_CONFIG, rng.child('init'), settings);
  const decoder = from
    ? readFileSync(path.join(from, 'charts-actor.safetensors'))
    : await fresh.exportWeights();
  const { tensors, metadata } = readSafetensors(decoder, 'decoder');
  fresh.dispose();
  const merged = new Map(tensors);
  for (const [name, tensor] of encoder.tensors) if (name.startsWith('vision.')) merged.set(name, tensor);
  if (!from) {
    const values = Array.from({ length: MICRO_MOST }, (_, i) => String(i + 1));
    alignWithBars(merged, ACTOR_CONFIG, MICRO_COLOURS, values);
  }
  const policy = await MicroPolicy.open(
    writeSafetensors({ tensors: merged, metadata }),
    'fresh weights',
    settings,
  );
  const heldOut: Array<{ stratum: string; realised: Realised<ChartTaskState> }> = [];
  for (const [rows, plain] of [
    [[3, 4], true],
    [[3, 5], false],
    [[6, 8], false],
  ] as const) {
    for (let i = 0; i < 20; i++) {
      const tasks = await chartTasks(rng.child('held-out', rows[0], rows[1], i), rows, plain);
      const stratum = plain ? 'plain' : `${rows[0]}-${rows[1]}`;
      heldOut.push(...tasks.map((realised) => ({ stratum, realised })));
    }
  }
  const queue: TrainGroup[] = [];
  let drawn = 0;
  await train(
    minutes,
    async (step, elapsed, loss) => {
      const completions = await policy.sample(
        heldOut.map(({ realised }, i) => ({
          prompt: environment.solver.prompt(realised),
          n: 1,
          maxTokens: 8,
          temperature: 0,
          rng: rng.child('eval', i),
        })),
      );
      const right = heldOut.map(({ realised: { task } }, i) => {
        const solution = environment.solver.parse(completions[i]?.[0]?.text ?? '', { task, images: [] });
        return solution.ok && grade(solution.value.answer, task);
      });
      const share = (keep: (h: (typeof heldOut)[number]) => boolean): string => {
        const rows = right.filter((_, i) => keep(heldOut[i] as (typeof heldOut)[number]));
        return ((100 * rows.filter(Boolean).length) / rows.length).toFixed(1);
      };
      const strata = ['plain', '3-5', '6-8'].map((name) => `${name} ${share((h) => h.stratum === name)}`);
      const kinds = MICRO_CONFIG.families.map(
        (f) => `${f} ${share((h) => h.realised.task.facts['family'] === f)}`,
      );
      writeFileSync(at('charts-actor.safetensors'), await policy.exportWeights());
      say(
        `actor ${elapsed.toFixed(2)} min step ${step} loss ${loss.toFixed(4)} greedy ${strata.join(' ')} | ${kinds.join(' ')}`,
      );
    },
    async (step, rate) => {
      while (queue.length < 4 * BATCH) {
        for (const realised of await easyOrHard(charts.child('chart', drawn++))) {
          const tokens = policy.encode(environment.solverTarget(realised));
          const prompt = environment.solver.prompt(realised);
          queue.push({ prompt, samples: [{ tokens, logprobs: new Float32Array(tokens.length), weight: 1 }] });
        }
      }
      const shuffled = charts.child('shuffle', step).shuffle(queue);
      queue.length = 0;
      queue.push(...shuffled.slice(BATCH));
      return (await policy.update(shuffled.slice(0, BATCH), { name: 'cross-entropy' }, rate)).loss;
    },
  );
  policy.dispose();
}

async function rewriter(minutes: number): Promise<void> {
  const BATCH = 32;
  const policy = await MicroPolicy.create(REWRITER_CONFIG, rng.child('rewriter'), {
    name: 'rewriter',
    freezeVision: true,
    trainShapes: [{ B: BATCH, K: 1 }],
    sampleShapes: [{ B: 64, K: 1 }],
  });
  /** A chart as it comes from a seed or after some edits, with one question. */
  const parentOf = (stream: Rng): { readonly lineage: Lineage<ChartTaskState> } => {
    for (let i = 0; ; i++) {
      const part = stream.child(i);
      const table = microTable(part.child('table'), part.chance(0.5) ? [3, 4] : [3, 8]);
      const style = microLook(part.child('look'), MICRO_STYLES.type, part.child('plain').chance(0.5));
      const family = part.child('family').pick(MICRO_CONFIG.families);
      const question = askQuestion(table, family, part.child('question'), { paraphrase: false });
      const state = { title: '', measure: '', table, style };
      if (question) return { lineage: { seedId: 'base', actions: [], state: { ...state, question } } };
    }
  };
  await train(
    minutes,
    async (step, elapsed, loss) => {
      const parents = Array.from({ length: 128 }, (_, i) => parentOf(rng.child('parents', i)));
      const inputs = parents.map(({ lineage }, i) => ({ lineage, passRate: (i % 9) / 8 }));
      const completions = await policy.sample(
        inputs.map((input, i) => {
          const constraint = environment.rewriter.constraint?.(input);
          return {
            prompt: environment.rewriter.prompt(input),
            n: 1,
            maxTokens: 28,
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
      say(
        `rewriter ${elapsed.toFixed(2)} min step ${step} loss ${loss.toFixed(4)} of 128: ${JSON.stringify(reasons)}`,
      );
    },
    async (step, rate) => {
      const batch: TrainGroup[] = [];
      for (let i = 0; batch.length < BATCH; i++) {
        const stream = charts.child('rewriter train', step, i);
        const { lineage } = parentOf(stream);
        const action = environment.scriptedEditor(lineage, stream.child('edit'));
        if (action?.kind !== 'edits') continue;
        const prompt = environment.rewriter.prompt({ lineage, passRate: stream.int(9) / 8 });
        const tokens = policy.encode(JSON.stringify(action.edits));
        batch.push({ prompt, samples: [{ tokens, logprobs: new Float32Array(tokens.length), weight: 1 }] });
      }
      return (await policy.update(batch, { name: 'cross-entropy' }, rate)).loss;
    },
  );
  writeFileSync(at('charts-rewriter.safetensors'), await policy.exportWeights());
  policy.dispose();
}

const visionMinutes = minutesOf('vision', 2);
if (visionMinutes > 0) await vision(visionMinutes);
else if (from && !existsSync(at('vision.safetensors')))
  copyFileSync(path.join(from, 'vision.safetensors'), at('vision.safetensors'));
if (minutesOf('actor', 4) > 0) await actor(minutesOf('actor', 4));
if (minutesOf('rewriter', 1) > 0) await rewriter(minutesOf('rewriter', 1));
