/**
 * Runs generated programs on drawn pictures, asks every kind of question, and runs each program again: pictures, question, options and
 * answer must be the same, and no question may have two right options. Prints what was refused, by step and by rule of likeness.
 * Usage: npx tsx scripts/rerun-transforms.ts [5000 [workers=2]]
 */
import { imageRef, type Image } from '../src/core/image.js';
import { canonicalJson } from '../src/core/json.js';
import { Rng } from '../src/core/rng.js';
import { renderedPictures } from '../src/config/environments/transforms.js';
import {
  ALIKE_RULES,
  challenger,
  pictureSeed,
  QUESTION_KINDS,
  transformEnvironment,
  transformSolver,
  twinOutputs,
  variedProgram,
} from '../src/environments/transforms/index.js';
import { grade } from '../src/rewards/grading.js';
import { openSandbox, type ProgramSandbox } from '../src/sandbox/index.js';

const wanted = Number(process.argv[2] ?? 5000);
const workers = Number(process.argv[3]?.split('=').pop() ?? 2);
const PICTURES = 50;
const SIDE = 64;

const pictures = renderedPictures(Rng.fromSeed('rerun pictures'), PICTURES, SIDE);
const byHash = new Map(pictures.map((image) => [imageRef(image).hash, image]));
const sandbox = await openSandbox({ workers, minPixels: 64 });
/** The outputs of the newest run of every program under way, as the sandbox gave them. */
const outputs = new Map<string, readonly Image[]>();
const watched: ProgramSandbox = {
  async run(program, image) {
    const result = await sandbox.run(program, image);
    if (result.status === 'ok') outputs.set(program, result.images);
    return result;
  },
  close: () => sandbox.close(),
};
const environment = transformEnvironment({
  config: { questions: QUESTION_KINDS, alike: 'pixels' },
  sandbox: watched,
  findImage: (hash) => Promise.resolve(byHash.get(hash) ?? null),
  challenger,
  solver: transformSolver,
});

const differences: string[] = [];
const twoRight: string[] = [];
const reasons: Record<string, number> = {};
const bySteps = new Map<string, { written: number; ran: number; alike: Record<string, number> }>();
let [accepted, questions, done] = [0, 0, 0];

function countRules(steps: readonly string[], images: readonly Image[] | undefined): void {
  for (const step of steps) {
    const row = bySteps.get(step) ?? { written: 0, ran: 0, alike: {} };
    bySteps.set(step, row);
    row.written++;
    if (!images) continue;
    row.ran++;
    for (const rule of ALIKE_RULES) {
      if (twinOutputs(images, rule)) row.alike[rule] = (row.alike[rule] ?? 0) + 1;
    }
  }
}

async function check(i: number): Promise<void> {
  const picture = pictures[i % PICTURES] as Image;
  const made = variedProgram(Rng.fromSeed('rerun programs').child(i), picture);
  if (!made) return;
  const seed = pictureSeed(imageRef(picture));
  const first = await environment.realise(seed, made.action);
  const images = outputs.get(made.action.program);
  countRules(made.steps, images);
  const again = await environment.realise(seed, made.action);
  outputs.delete(made.action.program);
  if (canonicalJson(textOf(first)) !== canonicalJson(textOf(again))) differences.push(made.action.program);
  if (!first.ok) {
    reasons[first.error.reason] = (reasons[first.error.reason] ?? 0) + 1;
    return;
  }
  accepted++;
  for (const { task } of first.value) {
    questions++;
    const right = 'ABCD'.split('').filter((letter) => grade(letter, task));
    const distinct =
      new Set(task.choices).size === 4 && new Set(images?.map((x) => imageRef(x).hash)).size === 4;
    if (right.join() !== task.answer || !distinct) twoRight.push(made.action.program);
  }
}

/** All of a result but its pixels, which the hashes in it stand for. */
function textOf(result: Awaited<ReturnType<typeof environment.realise>>): unknown {
  return result.ok ? result.value.map(({ task, lineage }) => ({ task, lineage })) : result;
}

const started = performance.now();
await Promise.all(
  Array.from({ length: 2 * workers }, async (_, lane) => {
    for (let i = lane; i < wanted; i += 2 * workers) {
      await check(i);
      if (++done % 250 === 0)
        console.error(
          `${done} of ${wanted}: ${accepted} accepted, ${differences.length} differences, ${twoRight.length} with two right options`,
        );
    }
  }),
);
await sandbox.close();

const share = (n: number, of: number): string => `${((100 * n) / Math.max(1, of)).toFixed(1)} %`;
console.log(
  `${done} programs, ${accepted} accepted, ${questions} questions, refused: ${JSON.stringify(reasons)}`,
);
console.log('refused as alike, of the programs that ran:');
console.log(
  `  ${'step'.padEnd(14)}${'ran'.padStart(6)}${ALIKE_RULES.map((rule) => rule.padStart(12)).join('')}`,
);
for (const [step, { ran, alike }] of [...bySteps].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const cells = ALIKE_RULES.map((rule) => share(alike[rule] ?? 0, ran).padStart(12));
  console.log(`  ${step.padEnd(14)}${String(ran).padStart(6)}${cells.join('')}`);
}
console.log(
  `${differences.length} differences on the second run, ${twoRight.length} questions with two right options`,
);
console.log(`${((performance.now() - started) / 1000).toFixed(0)} s`);
for (const program of [...differences, ...twoRight].slice(0, 3)) console.log(program);
process.exitCode = differences.length + twoRight.length > 0 ? 1 : 0;
