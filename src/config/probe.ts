import type { OpenedLearner } from '../core/engine.js';
import type { EditableEnvironment } from '../core/environment.js';
import { ConfigError } from '../core/errors.js';
import type { Progress, RunJournal, SafePoint } from '../core/ports.js';
import { Rng } from '../core/rng.js';
import { probeEditors, randomEditor, rewriterEditor, type ProbeRow } from '../evaluation/probe.js';
import type { VicoConfig } from '../methods/vico/index.js';
import { MemoryJournal, RunStore } from '../runs/index.js';
import { resolveFile } from './presets.js';
import { engineEntry, environmentEntry, methodEntry } from './registry.js';
import type { RunConfig } from './schema.js';
import { noImages, withEnvironment } from './wire.js';

export interface ProbeRunSetup {
  readonly config: RunConfig;
  readonly directory: string;
  /** Which actor measures: the one the run began with, or its newest checkpoint. */
  readonly actor: 'first' | 'last';
  readonly parentsPerSide: number;
  /** Fresh rollouts that measure a task. */
  readonly rollouts: number;
  readonly progress: Progress;
  readonly safePoint: SafePoint;
  /** Environment variables that the configuration names. */
  readonly secret: (variable: string) => string | null;
}

/** Candidates for parents are the run's kind of held-out scenes, but other ones: drawn from a seed of their own. */
const CANDIDATE_SEED = 'probe candidates';
const SELECT_WITH = 8;
const TRIES = 8;

/**
 * Measures the newest rewriter of a run, the one it began with, and random valid edits by the same protocol, on tasks that the
 * run never saw. Opens the run for reading, so it works while the run goes on.
 */
export async function probeRun(setup: ProbeRunSetup): Promise<ProbeRow[]> {
  const { config, directory } = setup;
  if (methodEntry(config.method).needs !== 'editable') {
    throw new ConfigError('run', directory, `has no rewriter: its method is ${config.method}`);
  }
  return withEnvironment(config, noImages, (environment) =>
    probeIn(environment as EditableEnvironment, setup),
  );
}

async function probeIn(environment: EditableEnvironment, setup: ProbeRunSetup): Promise<ProbeRow[]> {
  const { config, progress, safePoint } = setup;
  const vico = config.sections[config.method] as unknown as VicoConfig;
  const rng = Rng.fromSeed(CANDIDATE_SEED).child(config.seed);
  const entry = environmentEntry(config.environment);
  const { tasks } = await entry.heldOutTasks(
    config.evaluation.heldOut,
    config.sections[config.environment],
    environment,
    rng.child('tasks'),
  );
  const store = await RunStore.open(setup.directory, { write: false });
  const opened: OpenedLearner[] = [];
  // What is measured here is no part of the run.
  const checkpoints = Object.assign(new MemoryJournal(), {
    latestCheckpoint: (role: string) => store.latestCheckpoint(role),
  });
  const open = async (role: string, journal: RunJournal): Promise<OpenedLearner['learner']> => {
    const learner = await engineEntry(config.engine).open({
      role,
      options: config.sections[config.engine],
      reference: false,
      trained: false,
      journal,
      progress,
      safePoint,
      checkpointEvery: config.store.checkpointEvery,
      resolveFile,
      secret: setup.secret,
    });
    opened.push(learner);
    return learner.learner;
  };
  try {
    const sampling = { temperature: vico.rewriter.temperature, maxTokens: vico.rewriter.maxTokens };
    const untrained = await open('rewriter', new MemoryJournal());
    const trained = await open('rewriter', checkpoints);
    return await probeEditors({
      environment,
      actor: await open('actor', setup.actor === 'first' ? new MemoryJournal() : checkpoints),
      editors: [
        rewriterEditor('rewriter', environment, trained, sampling),
        rewriterEditor('rewriter, untrained', environment, untrained, sampling),
        randomEditor(environment),
      ],
      candidates: rng.child('order').shuffle(tasks),
      parentsPerSide: setup.parentsPerSide,
      selectWith: SELECT_WITH,
      measureWith: setup.rollouts,
      temperature: vico.temperature,
      maxTokens: vico.maxTokens,
      tries: TRIES,
      alpha: vico.alpha,
      kMin: vico.kMin,
      progress,
      safePoint,
      rng: rng.child('rollouts'),
    });
  } finally {
    for (const learner of opened) learner.dispose();
    await store.close();
  }
}
