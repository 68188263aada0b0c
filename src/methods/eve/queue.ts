import { topByDifficulty } from '../../algorithms/selection.js';
import type { ExecutableEnvironment } from '../../core/environment.js';
import type { Json } from '../../core/json.js';
import type { Rng } from '../../core/rng.js';
import { bleuMatrix } from '../../rewards/bleu.js';
import { tokensOf } from '../../rewards/diversity.js';
import type { QueueConfig } from './config.js';

/** A program with what it is ranked and compared by. */
export interface RatedProgram<Action extends Json> {
  readonly action: Action;
  /** Its code without its arguments. */
  readonly text: string;
  readonly difficulty: number;
}

/** A program that prompts may show. */
export interface Example<Action extends Json> extends RatedProgram<Action> {
  readonly isSeed: boolean;
}

/** The example queue, oldest first. A value: `enqueue` gives a new one. */
export type Queue<Action extends Json> = readonly Example<Action>[];

/** What seeds are ranked by, above any program, so that they never leave. */
const SEED_DIFFICULTY = 100;

/** The queue before the first step: the environment's seed programs. */
export function openQueue<Action extends Json>({
  seedPrograms,
  programText,
}: Pick<ExecutableEnvironment<Json, Action>, 'seedPrograms' | 'programText'>): Queue<Action> {
  return seedPrograms.map((action) => ({
    action,
    text: programText(action),
    difficulty: SEED_DIFFICULTY,
    isSeed: true,
  }));
}

/**
 * The queue after these programs, oldest first, one after the other: one enters when its difficulty is above `entry` and its BLEU
 * with no queued program (that one as reference) is above `similar`; then the top `size` by difficulty stay, among equals the newer.
 */
export function enqueue<Action extends Json>(
  queue: Queue<Action>,
  programs: readonly RatedProgram<Action>[],
  { size, entry, similar }: QueueConfig,
): Queue<Action> {
  let now = queue;
  for (const { action, text, difficulty } of programs) {
    if (difficulty <= entry || resembles(text, now, similar)) continue;
    const next = [...now, { action, text, difficulty, isSeed: false }];
    const seeds = next.filter((example) => example.isSeed).length;
    const kept = new Set(topByDifficulty(next, (example) => example.difficulty, Math.max(size, seeds)));
    now = next.filter((example) => kept.has(example));
  }
  return now;
}

function resembles<Action extends Json>(text: string, queue: Queue<Action>, similar: number): boolean {
  const texts = [text, ...queue.map((example) => example.text)].map(tokensOf);
  // Row 0: the new program as hypothesis, each queued one as reference.
  return bleuMatrix(texts)
    .subarray(1, texts.length)
    .some((score) => score > similar);
}

/** `count` different examples at random, the most difficult first; all there are where there are fewer. */
export function drawExamples<Action extends Json>(
  queue: Queue<Action>,
  count: number,
  rng: Rng,
): Example<Action>[] {
  return topByDifficulty(rng.shuffle(queue).slice(0, count), (example) => example.difficulty, count);
}
