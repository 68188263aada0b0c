import { beforeAll, describe, expect, it } from 'vitest';
import { replay, type EditableEnvironment, type Lineage, type Realised } from '../../src/core/environment.js';
import { canonicalJson, type Json } from '../../src/core/json.js';
import { unwrap } from '../../src/core/result.js';
import { Rng } from '../../src/core/rng.js';
import { json, solvableTests } from './shared.js';

/** An environment under test, with what the contract can't know about it. */
export interface ContractSubject<State extends Json, Action extends Json> {
  readonly environment: EditableEnvironment<State, Action>;
  /** Several starting points, no action taken yet. */
  readonly seeds: readonly Lineage<State>[];
  /** The action that takes the structure back after `action` on `before`; null where there is none. */
  inverse(before: Lineage<State>, action: Action): Action | null;
  /** Every reason the environment's union knows. */
  readonly reasons: readonly string[];
}

const MALFORMED = [
  '',
  'no',
  '[]',
  '{}',
  'null',
  '[1]',
  '[{"edit":"nothing of the kind"}]',
  '[{"edit":',
  '{"edit":"x"}',
  '<think>',
  '\u0000',
];

/** The tests that every editable environment must pass. `make` is called once. */
export function environmentContract<State extends Json, Action extends Json>(
  name: string,
  make: () => ContractSubject<State, Action>,
): void {
  describe(`${name}: the contract of environments`, () => {
    let subject: ContractSubject<State, Action>;
    /** Seeds with their own task, and an accepted random edit of it. */
    let edited: { seed: Lineage<State>; own: Realised<State>; action: Action; twin: Realised<State> }[];

    beforeAll(async () => {
      subject = make();
      const { environment } = subject;
      edited = [];
      for (const [i, seed] of subject.seeds.entries()) {
        const own = first(unwrap(await environment.realise(seed, null)));
        for (let attempt = 0; attempt < 20; attempt++) {
          const action = environment.randomEdit(seed, Rng.fromSeed(`contract ${i} ${attempt}`));
          const result = await environment.realise(seed, action);
          if (!result.ok) {
            expect(subject.reasons).toContain(result.error.reason);
            continue;
          }
          edited.push({ seed, own, action, twin: first(result.value) });
          break;
        }
      }
      expect(edited.length).toBeGreaterThan(subject.seeds.length / 2);
    }, 60_000);

    solvableTests<State, Action>(
      () => subject.environment,
      () =>
        edited.flatMap(({ seed, own, action, twin }) => [
          { seed, action: null, tasks: [own] },
          { seed, action, tasks: [twin] },
        ]),
    );

    it('draws the same random edit from the same stream', () => {
      for (const [i, { seed }] of edited.entries()) {
        const draw = (): Action => subject.environment.randomEdit(seed, Rng.fromSeed(i).child('edit'));
        expect(canonicalJson(draw())).toBe(canonicalJson(draw()));
      }
    });

    it('replays a lineage of two actions to the same task id and image hash', async () => {
      const { environment } = subject;
      let replayed = 0;
      for (const [i, { seed, twin }] of edited.entries()) {
        const second = await environment.realise(
          twin.lineage,
          environment.randomEdit(twin.lineage, Rng.fromSeed(`second ${i}`)),
        );
        if (!second.ok) continue;
        const last = first(second.value);
        expect(last.lineage.actions).toHaveLength(2);
        if (last.task.label.origin !== 'derived') throw new Error('not derived');
        const { derivation } = last.task.label;
        expect(derivation.seedId).toBe(seed.seedId);
        const again = first(unwrap(await replay(environment, seed, json(derivation.actions) as Json[])));
        expect(again.task.id).toBe(last.task.id);
        expect(again.task.images).toEqual(last.task.images);
        expect(again.task.answer).toBe(last.task.answer);
        replayed++;
      }
      expect(replayed).toBeGreaterThan(0);
    });

    it('comes back to structure, answer and picture by the inverse of an edit', async () => {
      let undone = 0;
      for (const { seed, own, action, twin } of edited) {
        const inverse = subject.inverse(seed, action);
        if (inverse === null) continue;
        const back = first(unwrap(await subject.environment.realise(twin.lineage, inverse)));
        expect(back.lineage.state).toEqual(seed.state);
        expect(back.task.answer).toBe(own.task.answer);
        expect(back.task.images).toEqual(own.task.images);
        undone++;
      }
      expect(undone).toBeGreaterThan(0);
    });

    it('redraws a question on the same picture', async () => {
      const { environment } = subject;
      let redrawn = 0;
      for (const [i, { seed, own }] of edited.entries()) {
        const action = environment.redrawQuestion(seed, Rng.fromSeed(`redraw ${i}`));
        if (action === null) continue;
        const result = first(unwrap(await environment.realise(seed, action)));
        expect(result.task.images).toEqual(own.task.images);
        expect(result.task.id).not.toBe(own.task.id);
        redrawn++;
      }
      expect(redrawn).toBeGreaterThan(0);
    });

    it('refuses malformed text with a reason, and never throws', () => {
      const { environment } = subject;
      const { seed, twin } = edited[0] as (typeof edited)[number];
      for (const text of MALFORMED) {
        const edit = environment.rewriter.parse(text, { lineage: seed, passRate: 0.5 });
        expect(edit.ok, `rewriter on ${JSON.stringify(text)}`).toBe(false);
        if (!edit.ok) expect(subject.reasons).toContain(edit.error.reason);
        const solution = environment.solver.parse(text, { task: twin.task, images: twin.images });
        expect(solution.ok, `solver on ${JSON.stringify(text)}`).toBe(false);
        if (!solution.ok) expect(solution.error.detail).not.toBe('');
      }
      for (const value of [null, 3, 'x', [], {}, { scene: 1 }, { kind: 'edits', edits: [] }]) {
        expect(environment.parseState(value).ok).toBe(false);
        expect(environment.parseAction(value).ok).toBe(false);
      }
    });
  });
}

function first<T>(list: readonly T[]): T {
  const item = list[0];
  if (item === undefined) throw new Error('an accepted action gave no task');
  return item;
}
