import type { Json } from '../../core/json.js';
import type { Group } from '../../core/reward.js';
import type { Rng } from '../../core/rng.js';
import { bleuDistances } from '../../rewards/bleu.js';
import { tokensOf } from '../../rewards/diversity.js';
import { eveDifficulty, learningSignal } from '../../rewards/passRate.js';
import type { Bank } from './bank.js';
import { textOf, type ChallengerStep } from './challenger.js';
import type { EveConfig } from './config.js';
import type { Queue } from './queue.js';
import type { Rated } from './rate.js';
import type { EveSetup } from './setup.js';
import type { SolverPhase } from './solver.js';

/** Roles under which the numbers of a challenger step and of a round are recorded. */
export const STEP_ROLE = 'eve-programs';
export const ROUND_ROLE = 'eve';

/** Texts that a diversity is measured on at most; more are sampled. */
const MOST_COMPARED = 256;

/** Mean pairwise 1 - BLEU of texts, the earlier one as hypothesis; null for fewer than two. */
export function codeDiversity(texts: readonly string[]): number | null {
  const n = texts.length;
  if (n < 2) return null;
  const distances = bleuDistances(texts.map(tokensOf));
  return distances.reduce((sum, distance) => sum + distance, 0) / (n * (n - 1));
}

/** What one challenger step was like. Shares are over its programs; reward terms are means of what was paid. */
export function stepMetrics<State extends Json, Action extends Json>(
  setup: Pick<EveSetup<State, Action>, 'environment'>,
  { programs, groups, measured, rated, imageDistance }: ChallengerStep<Action>,
): Record<string, number> {
  const n = programs.length;
  const texts = programs.flatMap((program) => (program.parsed.ok ? [textOf(setup, program)] : []));
  const reasons = new Map<string, number>();
  for (const { outcome } of programs) {
    if (outcome.kind !== 'valid') reasons.set(outcome.reason, (reasons.get(outcome.reason) ?? 0) + 1);
  }
  const scores = (groups ?? []).flatMap(({ rollouts }) => rollouts.map(({ score }) => score));
  const questions = [...rated.values()];
  return {
    programs: n,
    format_share: programs.filter(({ outcome }) => outcome.kind !== 'malformed').length / n,
    valid_share: programs.filter(({ outcome }) => outcome.kind === 'valid').length / n,
    questions: questions.length,
    measured_rollouts: measured.reduce((sum, { rollouts }) => sum + rollouts.length, 0),
    ...named('difficulty', mean(programs.flatMap(({ difficulty }) => difficulty ?? []))),
    // What difficulty would be if every question were judged by execution, the same in all arms.
    ...named('true_difficulty', mean(questions.map(({ accuracy }) => eveDifficulty(accuracy)))),
    ...named('accuracy', mean(questions.map(({ accuracy }) => accuracy))),
    ...named('label_accuracy', mean(questions.map(({ labelRight }) => Number(labelRight)))),
    ...named('code_diversity', codeDiversity(texts)),
    ...named('image_distance', imageDistance),
    ...named('reward', mean(scores.map(({ total }) => total))),
    ...Object.fromEntries(
      Object.keys(scores[0]?.terms ?? {}).map((term) => [
        `reward/${term}`,
        mean(scores.map(({ terms }) => terms[term] ?? 0)) ?? 0,
      ]),
    ),
    ...Object.fromEntries([...reasons].sort().map(([reason, count]) => [`rejected/${reason}`, count])),
  };
}

/** Numbers of steps whose mean is a number of the round. */
const MEANS = [
  'format_share',
  'valid_share',
  'difficulty',
  'true_difficulty',
  'accuracy',
  'image_distance',
  'reward',
];

/** What one iteration was like, from its parts. */
export interface RoundParts<Action extends Json> {
  readonly steps: readonly ChallengerStep<Action>[];
  readonly queue: Queue<Action>;
  readonly bank: Bank;
  readonly rated: ReadonlyMap<string, Rated>;
  readonly solver: SolverPhase;
  /** For the sample of programs whose diversity is measured. */
  readonly rng: Rng;
}

/**
 * The numbers of a round. `code_diversity` compares programs of the whole round (a sample of 256), so that a challenger which writes
 * one program for every image is found out; the other numbers of programs are means over the steps.
 */
export function roundMetrics<State extends Json, Action extends Json>(
  setup: Pick<EveSetup<State, Action>, 'environment'> & { readonly config: EveConfig },
  { steps, queue, bank, rated, solver, rng }: RoundParts<Action>,
): Record<string, number> {
  const ofSteps = steps.map((step) => stepMetrics(setup, step));
  const over = (name: string): [string, number][] =>
    Object.entries(named(name, mean(ofSteps.flatMap((values) => values[name] ?? []))));
  const programs = steps.flatMap((step) => step.programs);
  const texts = programs.flatMap((program) => (program.parsed.ok ? [textOf(setup, program)] : []));
  const labels = (ids: readonly string[]): number[] =>
    ids.flatMap((id) => {
      const question = rated.get(id);
      return question ? [Number(question.labelRight)] : [];
    });
  const learned = queue.filter(({ isSeed }) => !isSeed);
  const written = steps.flatMap(({ groups }) => groups ?? []);
  return {
    programs: programs.length,
    distinct_programs: new Set(texts).size,
    ...Object.fromEntries(MEANS.flatMap(over)),
    ...named('code_diversity', codeDiversity(rng.shuffle(texts).slice(0, MOST_COMPARED))),
    challenger_rollouts: countRollouts(written),
    measured_rollouts: steps.reduce((sum, { measured }) => sum + countRollouts(measured), 0),
    queue: queue.length,
    ...named('queue_difficulty', mean(learned.map(({ difficulty }) => difficulty))),
    bank: bank.length,
    tasks: solver.groups.length,
    questions_trained: solver.chosen.length,
    ...named('label_accuracy', mean(labels(bank.map(({ taskId }) => taskId)))),
    ...named('label_accuracy_trained', mean(labels(solver.chosen))),
    solver_rollouts: countRollouts(solver.groups),
    ...named('pass_rate', mean(solver.groups.map(({ passRate }) => passRate))),
    ...named('mixed_share', mean(solver.groups.map(({ passRate: p }) => Number(p > 0 && p < 1)))),
    ...named('learning_signal', mean(solver.groups.map(({ passRate }) => learningSignal(passRate)))),
    ...named('response_length', mean(solver.groups.flatMap(lengths))),
    ...named('program_length', mean(written.flatMap(lengths))),
  };
}

function countRollouts(groups: readonly Group[]): number {
  return groups.reduce((sum, { rollouts }) => sum + rollouts.length, 0);
}

function lengths({ rollouts }: Group): number[] {
  return rollouts.map(({ completion }) => completion.tokens.length);
}

function named(name: string, value: number | null): Record<string, number> {
  return value === null ? {} : { [name]: value };
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, v) => sum + v, 0) / values.length;
}
