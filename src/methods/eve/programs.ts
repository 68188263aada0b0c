import { chunk } from '../../core/chunk.js';
import type { ChallengeRequest, Realised } from '../../core/environment.js';
import type { Image } from '../../core/image.js';
import type { Json } from '../../core/json.js';
import type { Completion } from '../../core/policy.js';
import { restoreTasks } from '../../core/restore.js';
import type { Rejection, Result } from '../../core/result.js';
import type { Group, Rollout } from '../../core/reward.js';
import type { Task } from '../../core/task.js';
import { strictZip } from '../../core/zip.js';
import { eveTaskReward } from '../../rewards/eve.js';
import { editVector } from '../../rewards/imageDistance.js';
import { limitsOf, type EveSetup } from './setup.js';

/** What the challenger is asked: a picture with examples, as a task without an answer. */
export interface Challenge<State extends Json> {
  readonly task: Task;
  readonly input: ChallengeRequest<State>;
}

/** A program as it was written (no completion where the environment's seed programs are used). */
export interface Attempt<State extends Json, Action extends Json> {
  readonly challenge: Challenge<State>;
  readonly completion: Completion | null;
  readonly parsed: Result<Action, Rejection>;
}

/** What became of an attempt: the ids of its questions, or why there are none. JSON, since the run keeps it. */
export type Outcome =
  | { readonly kind: 'valid'; readonly questions: readonly string[] }
  | { readonly kind: 'malformed' | 'invalid'; readonly reason: string; readonly detail: string };

/** What the sandbox and the frozen solver made of the attempts of a step. */
export interface Measured {
  /** One for each attempt. */
  readonly outcomes: readonly Outcome[];
  /** K rollouts of the frozen solver for every distinct question, graded against the label of execution. */
  readonly groups: readonly Group[];
  /** What each valid program changed; see `editVector`. */
  readonly edits: readonly Float64Array[];
}

/** Role under which the frozen solver's rollouts are recorded. */
export const MEASURE_ROLE = 'solver-frozen';

/** Programs that run, and whose questions are answered, between two safe points; their pictures are held at once. */
const AT_ONCE = 64;

/**
 * Runs programs, records the tasks that they make, and has the frozen solver answer each question K times. Records no rollouts:
 * that is for the step, once it is known which completions it has.
 */
export async function measurePrograms<State extends Json, Action extends Json>(
  setup: EveSetup<State, Action>,
  place: { readonly round: number; readonly step: number },
  attempts: readonly Attempt<State, Action>[],
): Promise<Measured> {
  const outcomes: Outcome[] = [];
  const groups = new Map<string, Group>();
  const edits: Float64Array[] = [];
  for (const part of chunk(attempts, AT_ONCE)) {
    setup.safePoint();
    const made = await Promise.all(part.map((attempt) => run(setup, attempt)));
    const fresh = new Map<string, Realised<State>>();
    for (const [{ challenge }, { outcome, questions }] of strictZip(part, made)) {
      outcomes.push(outcome);
      for (const question of questions) {
        if (!groups.has(question.task.id)) fresh.set(question.task.id, question);
      }
      const edit = editOf(challenge.input.images, questions);
      if (edit) edits.push(edit);
      await setup.journal.recordTasks(
        questions.map(({ task, lineage }) => ({
          task,
          lineage,
          parentTaskId: challenge.task.id,
          round: place.round,
        })),
        questions.flatMap(({ images }) => images),
      );
    }
    for (const group of await answer(setup, place, [...fresh.values()])) groups.set(group.task.id, group);
    setup.progress.update(
      `round ${place.round} programs of step ${place.step + 1}`,
      outcomes.length,
      attempts.length,
      'programs',
    );
  }
  return { outcomes, groups: [...groups.values()], edits };
}

/** The frozen solver's rollouts of questions that the run holds already. */
export async function measureAgain<State extends Json, Action extends Json>(
  setup: EveSetup<State, Action>,
  place: { readonly round: number; readonly step: number },
  questions: readonly string[],
): Promise<Group[]> {
  const groups: Group[] = [];
  for (const part of chunk([...new Set(questions)], AT_ONCE)) {
    setup.safePoint();
    groups.push(...(await answer(setup, place, await restoreTasks<State>(setup.journal, part))));
  }
  return groups;
}

async function run<State extends Json, Action extends Json>(
  { environment, solver }: EveSetup<State, Action>,
  { challenge, parsed }: Attempt<State, Action>,
): Promise<{ readonly outcome: Outcome; readonly questions: readonly Realised<State>[] }> {
  if (!parsed.ok) return { outcome: { kind: 'malformed', ...textOf(parsed.error) }, questions: [] };
  const made = await environment.realise(challenge.input.lineage, parsed.value);
  if (!made.ok) return { outcome: { kind: 'invalid', ...textOf(made.error) }, questions: [] };
  if (made.value.length === 0) throw new Error(`${environment.name}: an accepted program gave no question`);
  for (const question of made.value) {
    // A prompt is never cut, so a program about which the solver can't be asked is no valid one.
    const detail = solver.refuses?.(environment.solver.prompt(question)) ?? null;
    if (detail !== null) return { outcome: { kind: 'invalid', reason: 'unreadable', detail }, questions: [] };
  }
  return {
    outcome: { kind: 'valid', questions: made.value.map(({ task }) => task.id) },
    questions: made.value,
  };
}

function textOf({ reason, detail }: Rejection): Pick<Rejection, 'reason' | 'detail'> {
  return { reason, detail };
}

/** The pictures of a program's questions other than the source's tell what it did. */
function editOf(sources: readonly Image[], questions: readonly Realised[]): Float64Array | null {
  const source = sources[0];
  if (!source) return null;
  const outputs = new Map<string, Image>();
  for (const { task, images } of questions) {
    for (const [ref, image] of strictZip(task.images, images)) outputs.set(ref.hash, image);
  }
  const same = (image: Image): boolean => sources.some((other) => samePixels(image, other));
  const edited = [...outputs.values()].filter((image) => !same(image));
  return edited.length === 0 ? null : editVector(source, edited);
}

function samePixels(a: Image, b: Image): boolean {
  return a.width === b.width && a.height === b.height && Buffer.compare(a.rgb, b.rgb) === 0;
}

async function answer<State extends Json, Action extends Json>(
  { environment, solver, config, rng }: EveSetup<State, Action>,
  { round, step }: { readonly round: number; readonly step: number },
  questions: readonly Realised<State>[],
): Promise<Group[]> {
  const { temperature, maxTokens } = config.solver;
  const stream = rng.child('round', round, 'measure', step);
  const said = await solver.sample(
    questions.map((question) => ({
      prompt: environment.solver.prompt(question),
      n: config.measureRollouts,
      maxTokens,
      temperature,
      ...limitsOf(config.solver),
      rng: stream.child(question.task.id),
    })),
  );
  const batch = strictZip(questions, said).map(([{ task }, completions]) => ({ task, completions }));
  const scores = await solverReward(environment)(batch);
  return strictZip(batch, scores).map(([{ task, completions }, scored]) => {
    const rollouts = strictZip(completions, scored).map(([completion, score], sample): Rollout => ({
      sample,
      completion,
      score,
      advantage: 0,
    }));
    return { task, rollouts, passRate: scored.filter(({ correct }) => correct).length / scored.length };
  });
}

/** EVE's reward of the solver, its answers read as the environment reads them. */
export function solverReward<State extends Json, Action extends Json>({
  solver,
}: EveSetup<State, Action>['environment']): ReturnType<typeof eveTaskReward> {
  return eveTaskReward((text, task) => solver.parse(text, { task, images: [] }));
}
