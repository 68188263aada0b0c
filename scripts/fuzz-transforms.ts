/**
 * Feeds mutated completions to all that reads those of challenger and solver, and counts the outcomes; an exception, a reason that is
 * in no closed union, or a text that takes more than a second ends it.
 * Usage: npx tsx scripts/fuzz-transforms.ts [100000]
 */
import { BOXED_REASONS } from '../src/core/boxed.js';
import { Rng } from '../src/core/rng.js';
import {
  linesOf,
  parseProgram,
  scriptedProgram,
  SEED_PROGRAMS,
  TRANSFORM_REJECTIONS,
  transformSolver,
  variedProgram,
} from '../src/environments/transforms/index.js';
import { mutated, TROUBLE } from './mutate.js';

const count = Number(process.argv[2] ?? 100_000);
const fenced = (program: string): string => `<thinking>a {#} b</thinking>\n\`\`\`python\n${program}\`\`\`\n`;
const varied = Array.from({ length: 12 }, (_, i) =>
  variedProgram(Rng.fromSeed('fuzz programs').child(i), { width: 90, height: 60 }),
);
const SEEDS = [
  ...SEED_PROGRAMS.map(({ program }) => fenced(program)),
  ...varied.flatMap((made) => (made ? [fenced(made.action.program)] : [])),
  ...Array.from({ length: 6 }, (_, i) => scriptedProgram(Rng.fromSeed('fuzz scripted').child(i)).text),
  '<think>maybe {A}</think> so it is \\boxed{\\text{B}}',
  '<think>no</think><answer> C </answer>',
];
const PIECES = [
  ...TROUBLE,
  ...[
    '```',
    '```python\n',
    '\n```\n',
    '<thinking>',
    '</thinking>',
    '<think>',
    '</think>',
    '\\boxed{',
    '<answer>',
  ],
  ...['#', ' # no\n', '"""', "'''", '\\', '\n', '\r', '\r\n', 'args_list = [', '<nl>', '<in>', '\u2028'],
];

const outcomes: Record<string, number> = {};
function note(
  what: string,
  known: readonly string[],
  result: { ok: boolean; error?: { reason: string } },
): void {
  const reason = result.ok ? 'ok' : (result.error?.reason ?? '');
  if (!result.ok && !known.includes(reason))
    throw new Error(`${what}: ${JSON.stringify(reason)} is no known reason`);
  outcomes[`${what} ${reason}`] = (outcomes[`${what} ${reason}`] ?? 0) + 1;
}

const rng = Rng.fromSeed('fuzz-transforms');
let slowest = 0;
for (let i = 0; i < count; i++) {
  const text = mutated(rng.child(i), SEEDS, PIECES);
  const started = performance.now();
  note('program', TRANSFORM_REJECTIONS, parseProgram(text));
  note('micro program', TRANSFORM_REJECTIONS, parseProgram(linesOf(text)));
  note('answer', BOXED_REASONS, transformSolver.parse(text));
  const took = performance.now() - started;
  if (took > 1000) throw new Error(`text ${i} took ${took.toFixed(0)} ms`);
  slowest = Math.max(slowest, took);
}
console.log(outcomes);
console.log(`${count} texts, slowest ${slowest.toFixed(1)} ms`);
