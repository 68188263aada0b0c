import type { Lineage, PictureProposal } from '../../core/environment.js';
import type { Json } from '../../core/json.js';
import type { Completion } from '../../core/policy.js';
import type { Reward, Sampled, Score } from '../../core/reward.js';
import type { Rng } from '../../core/rng.js';
import type { Task } from '../../core/task.js';
import { strictZip } from '../../core/zip.js';
import type { TermedReward } from '../../rewards/eve.js';
import { grade } from '../../rewards/grading.js';
import { majorityVote } from '../../rewards/majority.js';
import {
  coderReward,
  MM_ZERO_PROPOSER,
  mmZeroSolverReward,
  proposerRewards,
  type JudgedProposal,
  type ProposerOptions,
} from '../../rewards/mmZero.js';
import type { MmZeroArm } from './config.js';
import { drawSketches, judgeDrawings, renderDrawing, type Drawing, type Judgement } from './judge.js';
import { drawingMetrics, mean, proposalMetrics, pseudoLabelErrors, rewardMetrics, share } from './metrics.js';
import type { MmZeroSetup } from './setup.js';

/** Metrics of the step in which these tasks are asked. Kept before the rollouts are, so that none of them is ever lost. */
export type NoteStep = (tasks: readonly Task[], metrics: Readonly<Record<string, number>>) => Promise<void>;

/** What a generator wrote has no right answer, so that `correct` is false; its terms say how good it is. */
function scored({ total, terms }: TermedReward<string>): Score {
  return { total, terms, correct: false };
}

/** The constants of the proposer's reward in an arm. */
export function proposerOptions(arm: MmZeroArm): ProposerOptions {
  switch (arm) {
    case 'no-solvability-cap':
      return { ...MM_ZERO_PROPOSER, solvabilityCap: null };
    case 'no-content-type':
      return { ...MM_ZERO_PROPOSER, contentPenalty: 0 };
    case 'full':
    case 'base':
      return MM_ZERO_PROPOSER;
    default:
      return arm satisfies never;
  }
}

/**
 * The proposer's reward: each proposal is drawn N times by the coder as it is, each picture answered by the solver as it is, and
 * the batch compared for content types and diversity. `topicOf` gives the topic that a task asked about.
 */
export function proposerReward<State extends Json>(
  setup: MmZeroSetup<State>,
  topicOf: (task: Task) => Lineage<State>,
  rng: Rng,
  note: NoteStep,
): Reward {
  const { config, environment } = setup;
  return async (batch) => {
    const written = flat(batch).map(({ task, completion, sample }) => {
      const lineage = topicOf(task);
      const parsed = environment.proposer.parse(completion.text, { lineage });
      return { lineage, proposal: parsed.ok ? parsed.value : null, rng: rng.child(task.id, sample) };
    });
    const sketches = written.flatMap(({ proposal, ...rest }) => (proposal ? [{ proposal, ...rest }] : []));
    const drawn = await drawSketches(setup, sketches, config.proposer.drawings);
    const judged = await judgeDrawings(setup, drawn.flat(), config.proposer.rollouts);
    const rows = strictZip(sketches, drawn).map(([{ proposal }, drawings], i) => {
      const from = i * config.proposer.drawings;
      return { proposal, drawings, judgements: judged.slice(from, from + drawings.length) };
    });
    let next = 0;
    const judgedOf = written.map(({ proposal }) => (proposal ? judgedProposal(setup, rows[next++]) : null));
    const rewards = proposerRewards(judgedOf, proposerOptions(config.arm));
    next = 0;
    const final = strictZip(written, rewards).map(([{ proposal }, reward]) =>
      withLeaks(reward, proposal ? leakShare(setup, rows[next++]?.drawings ?? []) : 0, config.leakPenalty),
    );
    await note(
      batch.map(({ task }) => task),
      {
        form: share(written, ({ proposal }) => proposal !== null),
        ...rewardMetrics(final),
        ...drawingMetrics(drawn.flat(), judged),
        ...proposalMetrics(
          environment,
          rows.map(({ proposal, drawings }) => ({ proposal, markup: shownMarkup(drawings) })),
        ),
      },
    );
    return nested(batch, final.map(scored));
  };
}

function judgedProposal<State extends Json>(
  { environment }: MmZeroSetup<State>,
  row: { readonly proposal: PictureProposal; readonly judgements: readonly (Judgement | null)[] } | undefined,
): JudgedProposal {
  if (!row) throw new Error('a proposal without drawings');
  return {
    ...row.proposal,
    contentType: environment.contentType(row.proposal),
    drawings: row.judgements.map((judgement) =>
      judgement
        ? { rendered: true, solvability: judgement.solvability, difficulty: judgement.difficulty }
        : { rendered: false },
    ),
  };
}

/** The first markup that gave a picture; null where none did. */
function shownMarkup<State extends Json>(drawings: readonly Drawing<State>[]): string | null {
  return drawings.find(({ picture }) => picture.rendered)?.markup ?? null;
}

/** Share of a proposal's pictures in which the hard question gives its answer away; 0 without a picture. */
function leakShare<State extends Json>(
  { environment }: MmZeroSetup<State>,
  drawings: readonly Drawing<State>[],
): number {
  const shown = drawings.filter(({ picture }) => picture.rendered);
  return share(shown, ({ proposal, markup }) => environment.leaks(proposal, markup).length > 0);
}

function withLeaks(reward: TermedReward<string>, leaked: number, penalty: number): TermedReward<string> {
  if (penalty === 0) return reward;
  const leak = -penalty * leaked + 0;
  return { total: reward.total + leak, terms: { ...reward.terms, leak } };
}

/** The coder's reward: a picture, and what the solver as it is makes of it. `sketchOf` gives what a task asks to draw. */
export function coderGroupReward<State extends Json>(
  setup: MmZeroSetup<State>,
  sketchOf: (task: Task) => { readonly lineage: Lineage<State>; readonly proposal: PictureProposal },
  rng: Rng,
  note: NoteStep,
): Reward {
  return async (batch) => {
    const drawings = await Promise.all(
      flat(batch).map(({ task, completion, sample }) =>
        renderDrawing(setup, { ...sketchOf(task), rng: rng.child(task.id, sample) }, completion.text),
      ),
    );
    const judged = await judgeDrawings(setup, drawings, setup.config.coder.rollouts);
    const rewards = strictZip(drawings, judged).map(([{ picture }, judgement]) => {
      if (!picture.rendered) return coderReward({ rendered: false, failure: picture.failure });
      if (!judgement) throw new Error('a picture that nobody judged');
      const { solvability, difficulty } = judgement;
      return coderReward({ rendered: true, solvability, difficulty });
    });
    await note(
      batch.map(({ task }) => task),
      { ...rewardMetrics(rewards), ...drawingMetrics(drawings, judged) },
    );
    return nested(batch, rewards.map(scored));
  };
}

/**
 * The solver's reward, test-time RL on hard questions: agreement with the silver answer, which is the task's own (`frozen`) or
 * the vote of this very group (`online`). `correct` always says whether the task's own answer was met.
 */
export function solverReward<State extends Json>(
  { environment, config }: MmZeroSetup<State>,
  rng: Rng,
  note: NoteStep,
): Reward {
  return async (batch) => {
    const groups = batch.map(({ task, completions }) => {
      const solutions = completions.map(({ text }) => {
        const solution = environment.solver.parse(text, { task, images: [] });
        return solution.ok ? solution.value : null;
      });
      const answers = solutions.map((solution) => solution?.answer ?? null);
      const vote = config.solver.vote === 'online' ? majorityVote(answers, task, rng.child(task.id)) : null;
      const silver = config.solver.vote === 'online' ? (vote?.answer ?? null) : task.answer;
      const rewards = solutions.map((solution, i) => {
        const right = solution !== null && grade(solution.answer, task);
        const agrees = vote ? vote.classOf[i] === vote.winner : config.solver.vote === 'frozen' && right;
        return { right, reward: mmZeroSolverReward(solution?.format === true, agrees) };
      });
      return { task, silver, answers, rewards };
    });
    const all = groups.flatMap(({ rewards }) => rewards);
    const labels = groups.flatMap(({ task, silver }) =>
      silver === null ? [] : [{ task, silver, truth: truthOf(task) }],
    );
    const errors = pseudoLabelErrors(labels);
    const told = groups.flatMap(({ task, answers }) => {
      const answer = truthOf(task);
      return answer === null ? [] : answers.map((said) => said !== null && grade(said, { ...task, answer }));
    });
    await note(
      batch.map(({ task }) => task),
      {
        ...rewardMetrics(all.map(({ reward }) => reward)),
        silver_rate: mean(all.map(({ right }) => Number(right))),
        ...(errors.known > 0
          ? {
              pseudo_label_error: errors.error,
              true_rate: share(told, Boolean),
            }
          : {}),
      },
    );
    return groups.map(({ rewards }) =>
      rewards.map(({ right, reward }) => ({ total: reward.total, terms: reward.terms, correct: right })),
    );
  };
}

/** The true answer of a task as the environment noted it; null where it isn't known. */
export function truthOf(task: Task): string | null {
  const { truth } = task.facts;
  return truth === undefined ? null : String(truth);
}

interface Said {
  readonly task: Task;
  readonly completion: Completion;
  readonly sample: number;
}

function flat(batch: readonly Sampled[]): Said[] {
  return batch.flatMap(({ task, completions }) =>
    completions.map((completion, sample) => ({ task, completion, sample })),
  );
}

function nested(batch: readonly Sampled[], scores: readonly Score[]): Score[][] {
  let next = 0;
  return batch.map(({ completions }) => {
    const part = scores.slice(next, next + completions.length);
    next += completions.length;
    return part;
  });
}
