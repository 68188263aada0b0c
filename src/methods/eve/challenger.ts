import { imageRef } from '../../core/image.js';
import type { ChallengeRequest, Lineage } from '../../core/environment.js';
import type { Json } from '../../core/json.js';
import type { AskedTask } from '../../core/learner.js';
import type { Group, Reward, Sampled } from '../../core/reward.js';
import { makeRequest, type Task } from '../../core/task.js';
import { strictZip } from '../../core/zip.js';
import { eveDiversity } from '../../rewards/diversity.js';
import { challengerReward } from '../../rewards/eve.js';
import { meanCosineDistance } from '../../rewards/imageDistance.js';
import { weightsOf } from './config.js';
import {
  measureAgain,
  measurePrograms,
  MEASURE_ROLE,
  type Attempt,
  type Challenge,
  type Measured,
  type Outcome,
} from './programs.js';
import { drawExamples, type Queue } from './queue.js';
import { difficulties, rateQuestions, type Rated } from './rate.js';
import { stepJob, type EveSetup } from './setup.js';

/** One program of a step with all that is known of it, pictures apart. */
export interface Program<Action extends Json> extends Omit<Attempt<Json, Action>, 'challenge'> {
  /** What the challenger was asked. */
  readonly request: Task;
  readonly outcome: Outcome;
  /** Mean over its questions; null for a program without. */
  readonly difficulty: number | null;
}

/** What one step of the challenger phase came to. */
export interface ChallengerStep<Action extends Json> {
  readonly programs: readonly Program<Action>[];
  /** The challenger's rollouts with their rewards; null where the programs are templates. */
  readonly groups: readonly Group[] | null;
  /** The frozen solver's rollouts. */
  readonly measured: readonly Group[];
  readonly rated: ReadonlyMap<string, Rated>;
  readonly imageDistance: number | null;
}

/**
 * One step of the challenger phase (Algorithm 1, 5 to 19): images and examples are drawn, programs written and run, their
 * questions put to the frozen solver, and the challenger updated with the reward of equation 1.
 */
export async function challengerStep<State extends Json, Action extends Json>(
  setup: EveSetup<State, Action>,
  place: { readonly round: number; readonly step: number },
  queue: Queue<Action>,
): Promise<ChallengerStep<Action>> {
  const { config, journal, challenger } = setup;
  const challenges = await drawChallenges(setup, place, queue);
  await journal.recordTasks(
    challenges.map(({ task, input: { lineage } }) => ({
      task,
      lineage,
      parentTaskId: null,
      round: place.round,
    })),
    challenges.flatMap(({ input }) => input.images),
  );
  if (config.arm === 'templates') {
    const attempts = templateAttempts(setup, challenges);
    return settleStep(setup, place, attempts, null, null);
  }
  let fresh: Measured | null = null;
  const reward: Reward = async (batch) => {
    const attempts = attemptsOf(setup, challenges, batch);
    fresh = await measurePrograms(setup, place, attempts);
    return scoresOf(setup, batch, attempts, fresh);
  };
  const tasks = challenges.map((challenge) => askedOf(setup, challenge));
  const stream = setup.rng.child('round', place.round, 'challenger', place.step);
  const groups = await challenger.trainGroups(
    stepJob(config, config.challenger, place, { tasks, reward, rng: stream }),
  );
  const batch = groups.map(({ task, rollouts }) => ({
    task,
    completions: rollouts.map(({ completion }) => completion),
  }));
  return settleStep(setup, place, attemptsOf(setup, challenges, batch), groups, fresh);
}

/** The images of a step, every one as often as the others give or take one over the round, each with examples of the queue. */
async function drawChallenges<State extends Json, Action extends Json>(
  setup: EveSetup<State, Action>,
  { round, step }: { readonly round: number; readonly step: number },
  queue: Queue<Action>,
): Promise<Challenge<State>[]> {
  const { config, environment, seeds, rng } = setup;
  const stream = rng.child('round', round);
  const { tasksPerStep } = config.challenger;
  const challenges: Challenge<State>[] = [];
  for (let slot = 0; slot < tasksPerStep; slot++) {
    const draw = step * tasksPerStep + slot;
    const pass = stream.child('images', Math.floor(draw / seeds.length)).shuffle(seeds);
    const lineage = pass[draw % seeds.length] as Lineage<State>;
    const images = await environment.pictures(lineage);
    const drawn =
      config.arm === 'templates'
        ? []
        : drawExamples(queue, config.examples, stream.child('examples', step, slot)).map(({ action }) =>
            environment.programSource(action),
          );
    const examples = fitting(setup, { lineage, images }, drawn);
    const task = makeRequest({
      environment: environment.name,
      images: images.map(imageRef),
      question: [`a program for picture ${lineage.seedId}`, ...examples].join('\n\n'),
      facts: { role: 'challenger', seed: lineage.seedId, round, step, slot },
    });
    challenges.push({ task, input: { lineage, images, examples } });
  }
  return challenges;
}

/** The examples that the challenger can read together; the last ones are left out where they are too long. */
function fitting<State extends Json, Action extends Json>(
  { challenger, environment }: EveSetup<State, Action>,
  input: Omit<ChallengeRequest<State>, 'examples'>,
  examples: readonly string[],
): readonly string[] {
  let shown = examples;
  const refused = (): boolean =>
    (challenger.refuses?.(environment.challenger.prompt({ ...input, examples: shown })) ?? null) !== null;
  while (shown.length > 0 && refused()) shown = shown.slice(0, -1);
  return shown;
}

function askedOf<State extends Json, Action extends Json>(
  { environment: { challenger } }: EveSetup<State, Action>,
  { task, input }: Challenge<State>,
): AskedTask {
  const constraint = challenger.constraint?.(input);
  return { task, prompt: challenger.prompt(input), ...(constraint ? { constraint } : {}) };
}

function attemptsOf<State extends Json, Action extends Json>(
  { environment }: EveSetup<State, Action>,
  challenges: readonly Challenge<State>[],
  batch: readonly Sampled[],
): Attempt<State, Action>[] {
  return strictZip(challenges, batch).flatMap(([challenge, { completions }]) =>
    completions.map((completion) => ({
      challenge,
      completion,
      parsed: environment.challenger.parse(completion.text, challenge.input),
    })),
  );
}

/** The seed programs in turn, as many an image as the challenger would have written. */
function templateAttempts<State extends Json, Action extends Json>(
  { config, environment: { seedPrograms } }: EveSetup<State, Action>,
  challenges: readonly Challenge<State>[],
): Attempt<State, Action>[] {
  const { groupSize } = config.challenger;
  return challenges.flatMap((challenge, slot) =>
    Array.from({ length: groupSize }, (_, k) => ({
      challenge,
      completion: null,
      parsed: { ok: true, value: seedPrograms[(slot * groupSize + k) % seedPrograms.length] as Action },
    })),
  );
}

/** Rewards of a step's programs, equation 1; diversity is counted within the programs of one image. */
function scoresOf<State extends Json, Action extends Json>(
  setup: EveSetup<State, Action>,
  batch: readonly Sampled[],
  attempts: readonly Attempt<State, Action>[],
  measured: Measured,
): ReturnType<Extract<Reward, (batch: readonly Sampled[]) => unknown>> {
  const weights = weightsOf(setup.config.arm);
  const difficulty = difficulties(measured, rateQuestions(setup, measured.groups));
  let at = 0;
  return batch.map(({ completions }) => {
    const group = attempts.slice(at, at + completions.length);
    const diversity = eveDiversity(
      group.map((attempt) => textOf(setup, attempt)),
      setup.config.diversityCut,
    );
    return group.map((_, k) => {
      const outcome = measured.outcomes[at++];
      const reward = challengerReward(
        {
          format: outcome?.kind !== 'malformed',
          valid: outcome?.kind === 'valid',
          difficulty: difficulty[at - 1] ?? 0,
          diversity: diversity[k] as number,
        },
        weights,
      );
      // What a generator wrote has no right answer.
      return { ...reward, correct: false };
    });
  });
}

/** What diversity compares: a program's code without its arguments, or all that was said where there is no program. */
export function textOf<State extends Json, Action extends Json>(
  { environment }: Pick<EveSetup<State, Action>, 'environment'>,
  { parsed, completion }: Pick<Attempt<State, Action>, 'parsed' | 'completion'>,
): string {
  return parsed.ok ? environment.programText(parsed.value) : (completion?.text ?? '');
}

/** Kind of the events that say what the programs of a step became. */
const PROGRAMS = 'eve-programs';

interface ProgramsNote {
  readonly round: number;
  readonly step: number;
  readonly outcomes: readonly Outcome[];
  readonly imageDistance: number | null;
}

/**
 * Records what the programs of a step became and the rollouts that measured them, or reads it back. What was lost between the
 * challenger's record and this one is made again: programs do what they did, and the solver hasn't changed.
 */
async function settleStep<State extends Json, Action extends Json>(
  setup: EveSetup<State, Action>,
  place: { readonly round: number; readonly step: number },
  attempts: readonly Attempt<State, Action>[],
  groups: readonly Group[] | null,
  fresh: Measured | null,
): Promise<ChallengerStep<Action>> {
  const { journal } = setup;
  const { round, step } = place;
  const notes = (await journal.findEvents(PROGRAMS)) as unknown as readonly ProgramsNote[];
  let note = notes.find((known) => known.round === round && known.step === step);
  let measured: readonly Group[] | null = null;
  if (!note) {
    const { outcomes, edits, groups: answered } = fresh ?? (await measurePrograms(setup, place, attempts));
    measured = answered;
    note = { round, step, outcomes, imageDistance: meanCosineDistance(edits) };
    await journal.recordEvent(PROGRAMS, note as unknown as Json);
  }
  const key = { round, role: MEASURE_ROLE, step };
  let rollouts = await journal.findGroups(key);
  if (!rollouts) {
    const questions = note.outcomes.flatMap((outcome) => (outcome.kind === 'valid' ? outcome.questions : []));
    rollouts = measured ?? (await measureAgain(setup, place, questions));
    await journal.recordGroups(key, rollouts);
  }
  const rated = rateQuestions(setup, rollouts);
  const difficulty = difficulties(note, rated);
  const programs = strictZip(attempts, note.outcomes).map(([attempt, outcome], i) => ({
    request: attempt.challenge.task,
    completion: attempt.completion,
    parsed: attempt.parsed,
    outcome,
    difficulty: difficulty[i] ?? null,
  }));
  return { programs, groups, measured: rollouts, rated, imageDistance: note.imageDistance };
}
