import { expect, it } from 'vitest';
import { replay, type Lineage, type Realised, type SolvableEnvironment } from '../../src/core/environment.js';
import { imageRef } from '../../src/core/image.js';
import { canonicalJson, contentHash, type Json } from '../../src/core/json.js';
import { promptImages, promptText } from '../../src/core/prompt.js';
import { unwrap } from '../../src/core/result.js';

/** An accepted action on a seed, or none, with the tasks that came of it. */
export interface Made<State extends Json, Action extends Json> {
  readonly seed: Lineage<State>;
  readonly action: Action | null;
  readonly tasks: readonly Realised<State>[];
}

/** What a completion of a solver looks like in every environment. */
function completion(answer: string): string {
  return `<think> looking </think> <answer> ${answer} </answer>`;
}

/**
 * Declares the tests that every environment whose tasks are solved must pass, whatever its actions are. `environment` and `made` are
 * asked when the tests run.
 */
export function solvableTests<State extends Json, Action extends Json>(
  environment: () => SolvableEnvironment<State, Action>,
  made: () => readonly Made<State, Action>[],
): void {
  const tasks = (): readonly Realised<State>[] => made().flatMap((one) => one.tasks);

  it('names itself in its tasks and gives every image of a task', () => {
    expect(tasks().length).toBeGreaterThan(0);
    for (const realised of tasks()) {
      expect(realised.task.environment).toBe(environment().name);
      expect(realised.images.map(imageRef)).toEqual(realised.task.images);
      const { id, ...content } = realised.task;
      expect(id).toBe(contentHash(content));
      expect(Object.isFrozen(realised.task)).toBe(true);
    }
  });

  it('keeps tasks and lineages unchanged by JSON', () => {
    for (const { task, lineage } of tasks()) {
      for (const value of [task, lineage]) expect(json(value)).toEqual(value);
      expect(unwrap(environment().parseState(json(lineage.state)))).toEqual(lineage.state);
    }
  });

  it('gives the derived answer as itself through the solver role, and no other', () => {
    for (const { task, images } of tasks()) {
      const input = { task, images };
      const parsed = unwrap(environment().solver.parse(completion(task.answer), input));
      expect(parsed.answer).toBe(task.answer);
      const other = unwrap(environment().solver.parse(completion(`${task.answer}x`), input));
      expect(other.answer).not.toBe(task.answer);
      expect(task.answer.trim()).not.toBe('');
    }
  });

  it('shows the solver the pictures and the question, and never the derivation', () => {
    for (const { task, images, lineage } of tasks()) {
      const prompt = environment().solver.prompt({ task, images });
      expect(promptImages(prompt)).toEqual(images);
      const flat = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
      expect(flat(promptText(prompt))).toContain(flat(task.question));
      expect(promptText(prompt)).not.toContain(lineage.seedId);
    }
  });

  it('gives the same bytes and the same tasks again', async () => {
    for (const { seed, action, tasks: first } of made()) {
      const again = unwrap(await environment().realise(json(seed) as Lineage<State>, action));
      expect(again.map(({ task }) => task)).toEqual(first.map(({ task }) => task));
      expect(again.map(bytesOf)).toEqual(first.map(bytesOf));
    }
  });

  it('makes a task again from its seed and the actions of its derivation', async () => {
    for (const { seed, tasks: first } of made()) {
      for (const { task } of first) {
        if (task.label.origin !== 'derived') throw new Error('not derived');
        const { derivation } = task.label;
        expect(derivation.seedId).toBe(seed.seedId);
        const again = unwrap(await replay(environment(), seed, json(derivation.actions) as Json[]));
        expect(again.map((one) => one.task)).toContainEqual(task);
      }
    }
  });

  it('leaves the lineage it was given alone', async () => {
    for (const { seed, action } of made()) {
      const before = canonicalJson(seed);
      await environment().realise(seed, action);
      expect(canonicalJson(seed)).toBe(before);
    }
  });

  it('reads actions back from JSON and says them in words', () => {
    for (const { action } of made()) {
      if (action === null) continue;
      expect(unwrap(environment().parseAction(json(action)))).toEqual(action);
      expect(environment().describeAction(action).trim()).not.toBe('');
    }
  });
}

/** A value as it comes back from a file. */
export function json(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function bytesOf({ images }: Pick<Realised, 'images'>): string[] {
  return images.map((image) => Buffer.from(image.rgb).toString('base64'));
}
