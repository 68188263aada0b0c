import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { imageRef, type Image } from '../../src/core/image.js';
import type { Proposal, RunJournal, StepKey, StoredTask } from '../../src/core/ports.js';
import type { Group, Rollout } from '../../src/core/reward.js';
import { Rng } from '../../src/core/rng.js';
import { makeTask } from '../../src/core/task.js';
import type { NewRun } from '../../src/runs/index.js';

export const NEW_RUN: NewRun = {
  config: { rounds: 2, name: 'a "test"\n' },
  seed: 7,
  preset: 'test',
  version: '0.0.0',
};

/** A new directory for one test. The caller removes it. */
export function temporaryDirectory(): { readonly path: string; readonly remove: () => void } {
  const directory = mkdtempSync(path.join(tmpdir(), 'covolve-runs-'));
  return { path: directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

export function sampleImage(rng: Rng, width = 9, height = 7): Image {
  return { width, height, rgb: Uint8Array.from({ length: 3 * width * height }, () => rng.int(256)) };
}

/** A task with one picture; everything follows from (seed, index). */
export function sampleTask(
  seed: string,
  index: number,
  round = 0,
  parent: string | null = null,
): { stored: StoredTask; image: Image } {
  const rng = Rng.fromSeed(seed).child('task', index, round);
  const image = sampleImage(rng);
  const actions = parent === null ? [] : [{ move: index, by: rng.float() }];
  const task = makeTask({
    environment: 'test',
    images: [imageRef(image)],
    question: `How many "things" ${index}?`,
    answer: String(rng.int(10)),
    answerKind: 'number',
    label: {
      origin: 'derived',
      derivation: { seedId: `seed-${index}`, actions, rule: 'recompute', trace: [1, null] },
    },
    facts: { family: 'count', objects: rng.int(8) },
  });
  const state = { z: 1, a: [index, rng.float()], text: '\u0000 and \ud800' };
  return {
    stored: { task, lineage: { seedId: `seed-${index}`, actions, state }, parentTaskId: parent, round },
    image,
  };
}

const TEXTS = ['<think>3</think><answer>3</answer>', '', 'a\0b', '\ud800x', 'né\u{1f600}', '"\\\n'];

export function sampleRollout(rng: Rng, sample: number): Rollout {
  const length = rng.int(12);
  const correct = rng.int(2) === 1;
  return {
    sample,
    completion: {
      text: TEXTS[rng.int(TEXTS.length)] as string,
      tokens: Int32Array.from({ length }, () => rng.int(2 ** 31) - 2 ** 30),
      logprobs: Float32Array.from({ length }, () => -rng.float()),
      finish: rng.int(2) === 0 ? 'stop' : 'length',
    },
    score: { total: correct ? 1 : -0, terms: { accuracy: correct ? 1 : 0, format: -0.1 * rng.float() }, correct },
    advantage: rng.float() - 0.5,
  };
}

export function sampleGroup(rng: Rng, { task }: StoredTask, rollouts = 8): Group {
  const made = Array.from({ length: rollouts }, (_, sample) => sampleRollout(rng, sample));
  return { task, rollouts: made, passRate: made.filter(({ score }) => score.correct).length / rollouts };
}

export function sampleProposal(
  rng: Rng,
  index: number,
  parentTaskId: string,
  outcome: Proposal['outcome'],
): Proposal {
  const { completion } = sampleRollout(rng, 0);
  const { text, tokens, logprobs } = completion;
  const action = index % 3 === 2 ? null : { add: index, where: [0.1, null] };
  return { index, parentTaskId, parentPassRate: rng.int(9) / 8, origin: 'rewriter', text, tokens, logprobs, action, outcome };
}

export const STEPS_A_ROUND = 5;
export const TASKS = 6;

/**
 * What a method does, in small: asks what is there, and records what isn't, step after step. The content follows from the
 * step alone, so a run that was stopped and gone on with must equal one that wasn't.
 */
export async function writeSteps(
  journal: RunJournal,
  until: number,
  recorded: (step: number) => void = () => undefined,
): Promise<void> {
  const seeds = Array.from({ length: TASKS }, (_, index) => sampleTask('kill', index));
  await journal.recordTasks(
    seeds.map(({ stored }) => stored),
    seeds.map(({ image }) => image),
  );
  for (let index = 0; index < until; index++) {
    const rng = Rng.fromSeed('kill').child('step', index);
    const key: StepKey = { round: 1 + Math.floor(index / STEPS_A_ROUND), role: 'actor', step: index % STEPS_A_ROUND };
    if (key.step === 0 && (await journal.findProposals(key.round)) === null) {
      const children = [0, 1].map((child) =>
        sampleTask('kill', child, key.round, seeds[child]?.stored.task.id ?? null),
      );
      const proposals = children.map(({ stored }, i) =>
        sampleProposal(rng.child('proposal', i), i, stored.parentTaskId ?? '', {
          kind: 'accepted',
          taskId: stored.task.id,
        }),
      );
      const refused = sampleProposal(rng.child('refused'), 2, 'elsewhere', { kind: 'rejected', reason: 'overlap', detail: 'a\0b' });
      await journal.recordProposals(
        key.round,
        [...proposals, refused],
        children.map(({ stored }) => stored),
        children.map(({ image }) => image),
      );
    }
    if ((await journal.findGroups(key)) === null) {
      await journal.recordGroups(
        key,
        seeds.map(({ stored }, i) => sampleGroup(rng.child('group', i), stored)),
      );
    }
    if ((await journal.findMetrics(key)) === null) {
      await journal.recordMetrics(key, { loss: rng.child('loss').float(), gradNorm: NaN });
    }
    await journal.recordCheckpoint(
      { ...key, updates: index + 1, parent: null },
      Uint8Array.from({ length: 4096 }, (_, i) => (i * (index + 1)) & 255),
    );
    recorded(index);
  }
}
