import type { Lineage, PictureProposal, Realised } from '../../core/environment.js';
import type { Json } from '../../core/json.js';
import type { Rejection } from '../../core/result.js';
import type { Rng } from '../../core/rng.js';
import { strictZip } from '../../core/zip.js';
import { grade } from '../../rewards/grading.js';
import { majorityVote, type MajorityVote } from '../../rewards/majority.js';
import { mmZeroDifficulty } from '../../rewards/passRate.js';
import type { MmZeroSetup } from './setup.js';

/** A proposal to draw. `rng` decides everything about it, so that it comes out alike wherever it stands in a batch. */
export interface Sketch<State extends Json> {
  readonly lineage: Lineage<State>;
  readonly proposal: PictureProposal;
  readonly rng: Rng;
}

/** A completion of the coder with the picture it gave, or with what went wrong. */
export interface Drawing<State extends Json> extends Sketch<State> {
  /** Empty when the completion holds no markup. */
  readonly markup: string;
  readonly picture:
    | { readonly rendered: true; readonly easy: Realised<State>; readonly hard: Realised<State> }
    | {
        readonly rendered: false;
        readonly failure: 'none' | 'broken' | 'failed';
        readonly rejection: Rejection;
      };
}

/** A picture with what the solver made of it. */
export interface Judgement {
  /** S: share of answers to the easy question that equal the proposer's. */
  readonly solvability: number;
  /** D = min(c, 1 - c), c the self-consistency on the hard question; 0 where nobody answered. */
  readonly difficulty: number;
  readonly vote: MajorityVote | null;
}

/** The coder as it is draws each sketch `count` times; result [i][n] is drawing n of sketch i. */
export async function drawSketches<State extends Json>(
  setup: MmZeroSetup<State>,
  sketches: readonly Sketch<State>[],
  count: number,
): Promise<Drawing<State>[][]> {
  const { coder, config, environment } = setup;
  const completions = await coder.sample(
    sketches.map(({ proposal, rng }) => ({
      prompt: environment.coder.prompt(proposal),
      n: count,
      maxTokens: config.coder.maxTokens,
      temperature: config.coder.dataTemperature,
      rng: rng.child('draw'),
    })),
  );
  return Promise.all(
    strictZip(sketches, completions).map(([sketch, said]) =>
      Promise.all(
        said.map(({ text }, n) =>
          renderDrawing(setup, { ...sketch, rng: sketch.rng.child('drawing', n) }, text),
        ),
      ),
    ),
  );
}

/** What a completion of the coder comes to. */
export async function renderDrawing<State extends Json>(
  { environment }: Pick<MmZeroSetup<State>, 'environment'>,
  sketch: Sketch<State>,
  text: string,
): Promise<Drawing<State>> {
  const { proposal, lineage } = sketch;
  const failed = (markup: string, rejection: Rejection): Drawing<State> => {
    const failure = environment.failureOf(rejection);
    return { ...sketch, markup, picture: { rendered: false, failure, rejection } };
  };
  const markup = environment.coder.parse(text, proposal);
  if (!markup.ok) return failed('', markup.error);
  const made = await environment.realise(lineage, { proposal, markup: markup.value, silver: null });
  if (!made.ok) return failed(markup.value, made.error);
  const [easy, hard] = made.value;
  if (!easy || !hard) throw new Error(`${environment.name}: a drawing gave fewer than two tasks`);
  return { ...sketch, markup: markup.value, picture: { rendered: true, easy, hard } };
}

/** The solver as it is answers both questions of every picture `rollouts` times. Null for a drawing without a picture. */
export async function judgeDrawings<State extends Json>(
  { environment, solver, config }: MmZeroSetup<State>,
  drawings: readonly Drawing<State>[],
  rollouts: number,
): Promise<(Judgement | null)[]> {
  const shown = drawings.flatMap(({ picture, rng }) => (picture.rendered ? [{ ...picture, rng }] : []));
  const asked = shown.flatMap(({ easy, hard, rng }) => [
    { realised: easy, rng: rng.child('easy') },
    { realised: hard, rng: rng.child('hard') },
  ]);
  const said = await solver.sample(
    asked.map(({ realised, rng }) => ({
      prompt: environment.solver.prompt(realised),
      n: rollouts,
      maxTokens: config.solver.maxTokens,
      temperature: config.solver.temperature,
      rng,
    })),
  );
  const answers = strictZip(asked, said).map(([{ realised }, completions]) =>
    completions.map(({ text }) => {
      const solution = environment.solver.parse(text, { task: realised.task, images: realised.images });
      return solution.ok ? solution.value.answer : null;
    }),
  );
  let next = 0;
  return drawings.map(({ picture, rng }) => {
    if (!picture.rendered) return null;
    const easy = answers[next++] ?? [];
    const hard = answers[next++] ?? [];
    const right = easy.filter((answer) => answer !== null && grade(answer, picture.easy.task)).length;
    const vote = majorityVote(hard, picture.hard.task, rng.child('tie'));
    return {
      solvability: right / easy.length,
      difficulty: vote ? mmZeroDifficulty(vote.selfConsistency) : 0,
      vote,
    };
  });
}
