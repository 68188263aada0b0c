import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stepLearner } from '../../src/algorithms/learner.js';
import type { EditableEnvironment, RewriteRequest } from '../../src/core/environment.js';
import type { Completion, Policy, SampleRequest, UpdateMetrics } from '../../src/core/policy.js';
import type { Progress, SafePoint } from '../../src/core/ports.js';
import type { Prompt } from '../../src/core/prompt.js';
import { Rng } from '../../src/core/rng.js';
import type { Task } from '../../src/core/task.js';
import {
  clevrEnvironment,
  DEFAULT_CLEVR_CONFIG,
  editListText,
  sampleSeeds,
  type ClevrAction,
  type ClevrEnvironment,
  type ClevrState,
  type Family,
} from '../../src/environments/clevr/index.js';
import { heldOutEvaluator } from '../../src/evaluation/heldOut.js';
import { heldOutSeeds, realiseSeeds } from '../../src/evaluation/tasks.js';
import { runVico, type VicoArm, type VicoConfig } from '../../src/methods/vico/index.js';
import { RunStore } from '../../src/runs/index.js';

/** How large a scripted run is, and how it goes. */
export interface ScriptedRun {
  readonly arm: VicoArm;
  readonly rounds: number;
  readonly seeds: number;
  readonly tasksPerRound: number;
  /** Pictures for each number of objects, two questions each. */
  readonly heldOut: number;
  /** Skill gained by an update of the actor; 0 leaves it as it is, apart from chance. */
  readonly gain: number;
  readonly safePoint?: SafePoint;
  readonly preset?: string;
}

export const SMALL: ScriptedRun = {
  arm: 'full',
  rounds: 2,
  seeds: 24,
  tasksPerRound: 32,
  heldOut: 6,
  gain: 0.1,
};

/** A new directory for one test. The caller removes it. */
export function temporaryDirectory(): { readonly path: string; readonly remove: () => void } {
  const directory = mkdtempSync(path.join(tmpdir(), 'covolve-report-'));
  return { path: directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

const FAMILIES: readonly Family[] = ['zero_hop', 'one_hop', 'same_relate', 'compare_integer'];

/**
 * A whole VICO run in the real CLEVR environment and a real store, its policies scripted: the actor is right with a
 * probability that falls with the number of objects and rises with its updates, the rewriter writes valid edits, bad ones
 * and nonsense. Everything follows from the options; the store's clock goes on a second a write.
 */
export async function makeRun(directory: string, run: ScriptedRun): Promise<void> {
  const clevr = clevrEnvironment({
    ...DEFAULT_CLEVR_CONFIG,
    view: { width: 72, height: 48 },
    objects: { min: 1, max: 8 },
    families: FAMILIES,
    paraphrase: false,
    maxEdits: 3,
    promptStyle: 'micro',
  });
  const script = scripted(clevr);
  const { environment } = script;
  const vico = vicoConfig(run);
  let clock = Date.UTC(2026, 0, 31, 9, 5);
  const store = await RunStore.create(
    directory,
    {
      config: {
        preset: run.preset ?? 'scripted',
        method: 'vico',
        environment: 'clevr',
        engine: 'micro',
        seed: 5,
        vico,
      } as never,
      seed: 5,
      preset: run.preset ?? 'scripted',
      version: '0.1.0',
    },
    { now: () => (clock += 1000) },
  );
  try {
    const rng = Rng.fromSeed('report');
    const drawn = sampleSeeds(rng.child('seeds'), run.seeds, {
      objects: [2, 4],
      extent: 3,
      families: FAMILIES,
      questionsPerScene: 2,
      view: clevr.config.view,
      paraphrase: false,
    });
    const judged = heldOutSeeds(
      { objects: [2, 7], imagesPerCount: run.heldOut, questionsPerImage: 2, sizes: ['small', 'large'] },
      clevr.config,
      rng.child('held-out'),
    );
    const { tasks: seeds } = await realiseSeeds(environment, drawn);
    const { tasks: heldOut } = await realiseSeeds(environment, judged);
    const all = [...seeds, ...heldOut];
    await store.recordTasks(
      all.map(({ task, lineage }) => ({ task, lineage, parentTaskId: null, round: 0 })),
      all.flatMap(({ images }) => images),
    );
    const progress: Progress = { update: () => undefined, note: () => undefined };
    const safePoint = run.safePoint ?? ((): void => undefined);
    const common = { journal: store, progress, safePoint, checkpointEvery: 4, origin: 'script' };
    const actor = await stepLearner({ ...common, role: 'actor', policy: script.actor(run.gain) });
    const rewriter = await stepLearner({ ...common, role: 'rewriter', policy: script.rewriter() });
    const evaluator = heldOutEvaluator({
      environment,
      actor,
      journal: store,
      tasks: heldOut,
      samples: 7,
      maxTokens: 12,
      everyRounds: 1,
      lastRound: run.rounds,
      progress,
      safePoint,
      rng: rng.child('evaluation'),
    });
    await runVico({
      demonstrate: (realised) => clevr.solverTarget(realised),
      config: vico,
      environment,
      seeds,
      actor,
      rewriter,
      journal: store,
      evaluator,
      progress,
      safePoint,
      rng,
    });
    if (run.arm === 'base') await store.recordEvent('completed', {});
  } finally {
    await store.close();
  }
}

function vicoConfig({ arm, rounds, tasksPerRound }: ScriptedRun): VicoConfig {
  const rate = { learningRate: 1e-3, warmupSteps: 0, decay: 'constant', finalShare: 1 } as const;
  return {
    arm,
    rounds,
    tasksPerRound,
    groupSize: 8,
    temperature: 1,
    maxTokens: 12,
    alpha: 0.5,
    beta: 4,
    kMin: 0.15,
    lambda: 1,
    copies: 5,
    replayShare: 0.25,
    seedParentShare: 0.5,
    sft: { ...rate, batchSize: 8, updatesPerRound: 4 },
    actor: {
      ...rate,
      clipLow: 0.2,
      clipHigh: 0.2,
      kl: 0,
      entropy: 0.01,
      normaliseAdvantage: 'std',
      tasksPerStep: 16,
      updatesPerStep: 1,
      quietGroupsPerStep: 0,
    },
    rewriter: {
      ...rate,
      ...{ temperature: 1, maxTokens: 48, batchSize: 16, epochs: 1 },
      ...{ lessons: 'sweet-spot', balanceLessons: false },
    },
  };
}

/** An environment that lets the scripts know what a prompt is about, and the policies that use it. */
function scripted(clevr: ClevrEnvironment): {
  readonly environment: EditableEnvironment<ClevrState, ClevrAction>;
  actor(gain: number): Policy;
  rewriter(): Policy;
} {
  const asked = new WeakMap<Prompt, Task>();
  const edited = new WeakMap<Prompt, RewriteRequest<ClevrState>>();
  const { solver, rewriter } = clevr;
  return {
    environment: {
      ...clevr,
      solver: {
        ...solver,
        prompt(input) {
          const prompt = solver.prompt(input);
          asked.set(prompt, input.task);
          return prompt;
        },
      },
      rewriter: {
        ...rewriter,
        prompt(input) {
          const prompt = rewriter.prompt(input);
          edited.set(prompt, input);
          return prompt;
        },
      },
    },
    actor: (gain) =>
      scriptedPolicy('actor', gain, (request, rng, skill) => {
        const task = asked.get(request.prompt);
        if (!task) throw new Error('the script was never asked this');
        return solve(task, skill, request.temperature === 0, rng);
      }),
    rewriter: () =>
      scriptedPolicy('rewriter', 1, (request, rng) => {
        const input = edited.get(request.prompt);
        if (!input) throw new Error('the script was never asked this');
        return rewrite(clevr, input, rng);
      }),
  };
}

function solve(task: Task, skill: number, greedy: boolean, rng: Rng): string {
  const objects = Number(task.facts['objects']);
  const own = Rng.fromSeed(task.id).normal();
  const p = 1 / (1 + Math.exp(-(2.6 - 0.9 * (objects - 2) + own + skill)));
  const steps = Array.from({ length: 1 + rng.int(3) }, () => rng.int(9)).join(' ');
  if (!greedy && rng.chance(0.02)) return `<think> ${steps} </think>`;
  const right = greedy ? rng.chance(Math.min(1, Math.max(0, 1.5 * (p - 0.5) + 0.5))) : rng.chance(p);
  return `<think> ${steps} </think> <answer> ${right ? task.answer : wrong(task, rng)} </answer>`;
}

function wrong({ answer, answerKind }: Task, rng: Rng): string {
  if (answerKind === 'yes-no') return answer === 'yes' ? 'no' : 'yes';
  if (answerKind === 'number') return String(Number(answer) + 1 + rng.int(2));
  return rng.pick(['red', 'cube', 'large', 'metal', 'gray'].filter((word) => word !== answer));
}

/** Mostly an edit in the direction wanted, sometimes an impossible one, sometimes no edit at all. */
function rewrite(
  clevr: ClevrEnvironment,
  { lineage, passRate }: RewriteRequest<ClevrState>,
  rng: Rng,
): string {
  if (rng.chance(0.05)) return '[{"edit":"add_object","shape":';
  if (rng.chance(0.08))
    return editListText([{ edit: 'move_object', object: 0, x: rng.pick([-3, 3]), y: 2.5 }]);
  if (rng.chance(0.05)) return editListText([{ edit: 'remove_object', object: 9 }]);
  const drafts = Array.from({ length: 6 }, (_, i) => clevr.randomEdit(lineage, rng.child(i)));
  const growth = (action: ClevrAction): number =>
    action.kind === 'edits'
      ? action.edits.reduce(
          (sum, { edit }) => sum + (edit === 'add_object' ? 1 : edit === 'remove_object' ? -1 : 0),
          0,
        )
      : 0;
  const wanted = passRate > 0.6 ? 1 : passRate < 0.4 ? -1 : 0;
  const best = drafts.sort((a, b) => wanted * (growth(b) - growth(a)))[0] as ClevrAction;
  return best.kind === 'edits' ? editListText(best.edits) : '';
}

function scriptedPolicy(
  name: string,
  gain: number,
  write: (request: SampleRequest, rng: Rng, skill: number) => string,
): Policy {
  let updates = 0;
  const encode = (text: string): Int32Array => Int32Array.from(text.split(' '), (word) => word.length);
  return {
    name,
    encode,
    sample: (requests) =>
      Promise.resolve(
        requests.map((request) =>
          Array.from({ length: request.n }, (_, i): Completion => {
            const text = write(request, request.rng.child(i), gain * updates);
            const tokens = encode(text);
            return { text, tokens, logprobs: new Float32Array(tokens.length).fill(-0.5), finish: 'stop' };
          }),
        ),
      ),
    logprobs: () => Promise.reject(new Error('the script has no log-probabilities')),
    update(_batch, objective, learningRate): Promise<UpdateMetrics> {
      updates++;
      const noise = Rng.fromSeed(name).child(updates).normal();
      const loss =
        objective.name === 'cross-entropy' ? 1.5 / Math.sqrt(updates) + 0.05 * noise : 0.02 * noise;
      const metrics = { loss, gradNorm: 0.4 + 0.1 * Math.abs(noise), learningRate };
      return Promise.resolve(
        objective.name === 'cross-entropy'
          ? metrics
          : { ...metrics, clipFraction: 0, entropy: 0.6 / (1 + 0.05 * updates) },
      );
    },
    save: () => Promise.resolve(Buffer.from(String(updates))),
    load(state) {
      updates = Number(Buffer.from(state).toString());
      return Promise.resolve();
    },
    dispose: () => undefined,
  };
}
