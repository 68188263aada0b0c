import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../../src/core/errors.js';
import type { RunJournal } from '../../../src/core/ports.js';
import { roundOf, runMmZero, type MmZeroConfig } from '../../../src/methods/mm-zero/index.js';
import { MemoryJournal } from '../../../src/runs/memory.js';
import { CONFIG, SCRIPTS, tinySetup } from './tiny.js';

const ROUNDS = Array.from({ length: 7 }, (_, round) => round);
const ROLES = ['proposer', 'coder', 'solver'];
const PLACES = ['mm-zero', ...ROLES, ...ROLES.map((role) => `${role}-reward`), 'coder-data', 'solver-data'];

/** Everything that a run left behind, in a form that can be compared. */
async function remains(journal: RunJournal): Promise<string> {
  const found: unknown[] = [];
  for (const round of ROUNDS) {
    found.push(await journal.findProposals(round));
    for (const role of PLACES) {
      for (let step = 0; step < 4; step++) {
        const key = { round, role, step };
        found.push([key, await journal.findGroups(key), await journal.findMetrics(key)]);
      }
    }
  }
  for (const role of ROLES) found.push(await journal.latestCheckpoint(role));
  return JSON.stringify(found, (_, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Uint8Array) : value,
  );
}

async function whole(config: MmZeroConfig = CONFIG, scripts = SCRIPTS): Promise<MemoryJournal> {
  const journal = new MemoryJournal();
  await runMmZero(await tinySetup(journal, { config, scripts }));
  return journal;
}

describe('the loop of MM-Zero', () => {
  it('trains proposer, coder and solver in turn, a round each, and evaluates after every one', async () => {
    const journal = new MemoryJournal();
    const evaluated: number[] = [];
    await runMmZero(await tinySetup(journal, { evaluated }));
    expect(evaluated).toEqual(ROUNDS);
    for (const iteration of [1, 2]) {
      for (const role of ['proposer', 'coder', 'solver'] as const) {
        const round = roundOf(iteration, role);
        const groups = await journal.findGroups({ round, role, step: 0 });
        expect(groups?.length).toBeGreaterThan(0);
        for (const other of ROLES.filter((name) => name !== role)) {
          expect(await journal.findGroups({ round, role: other, step: 0 })).toBeNull();
        }
      }
    }
    expect(journal.events.at(-1)?.kind).toBe('finished');
  });

  it('asks the coder only for what it draws now and then, and the solver only what it is of several minds about', async () => {
    const journal = await whole();
    const forCoder = (await journal.findProposals(roundOf(1, 'coder'))) ?? [];
    expect(forCoder).toHaveLength(CONFIG.coder.proposals);
    const reasons = new Set(
      forCoder.flatMap(({ outcome }) => (outcome.kind === 'rejected' ? [outcome.reason] : [])),
    );
    expect(reasons).toContain('unreadable');
    const forSolver = (await journal.findProposals(roundOf(1, 'solver'))) ?? [];
    const ids = forSolver.flatMap(({ outcome }) => (outcome.kind === 'accepted' ? [outcome.taskId] : []));
    expect(ids.length).toBeGreaterThan(0);
    for (const { task, lineage } of await journal.findTasks(ids)) {
      if (task.label.origin !== 'pseudo') throw new Error('a voted label is never called true');
      expect(task.label.share).toBeGreaterThanOrEqual(0.27 - 1e-9);
      expect(task.label.share).toBeLessThanOrEqual(0.75 + 1e-9);
      expect(lineage.actions).toHaveLength(1);
    }
  });

  it('raises what each role is paid for', async () => {
    const config = {
      ...CONFIG,
      proposer: { ...CONFIG.proposer, tasksPerStep: 12, learningRate: 0.004 },
      coder: { ...CONFIG.coder, proposals: 60, learningRate: 0.004 },
    };
    const journal = await whole(config);
    const metric = async (iteration: number, role: 'proposer' | 'coder', name: string): Promise<number> =>
      (await journal.findMetrics({ round: roundOf(iteration, role), role: `${role}-reward`, step: 0 }))?.[
        name
      ] ?? NaN;
    expect(await metric(2, 'coder', 'render_rate')).toBeGreaterThan(await metric(1, 'coder', 'render_rate'));
    expect(await metric(2, 'proposer', 'form')).toBeGreaterThan(await metric(1, 'proposer', 'form'));
  });

  it('does not train in the base arm', async () => {
    const journal = await whole({ ...CONFIG, arm: 'base' });
    for (const role of ROLES) expect(await journal.latestCheckpoint(role)).toBeNull();
  });

  it('goes on where a phase has nothing to train on', async () => {
    const coder = () => ({ right: ['fine'], wrong: [], passRate: 1 });
    const journal = await whole(CONFIG, { ...SCRIPTS, coder });
    const data = await journal.findMetrics({ round: roundOf(1, 'coder'), role: 'coder-data', step: 0 });
    expect(data?.['render_rate']).toBeGreaterThan(0.9);
    expect(data?.['kept']).toBeLessThan(0.2);
    expect(journal.events.at(-1)?.kind).toBe('finished');
  });

  it('ends as uninterrupted when it was stopped at every safe point', async () => {
    const expected = await remains(await whole());
    const journal = new MemoryJournal();
    let stops = 0;
    for (let allowed = 0; ; allowed++) {
      let passed = 0;
      const safePoint = (): void => {
        if (passed++ >= allowed) throw new InterruptedError('stopped by the test');
      };
      try {
        await runMmZero(await tinySetup(journal, { safePoint }));
        break;
      } catch (cause) {
        if (!(cause instanceof InterruptedError)) throw cause;
        stops++;
      }
    }
    expect(stops).toBeGreaterThan(12);
    expect(await remains(journal)).toBe(expected);
  });

  it('ends as uninterrupted when the process died before or behind every record', async () => {
    const expected = await remains(await whole());
    for (const behind of [false, true]) {
      const journal = new MemoryJournal();
      let deaths = 0;
      for (;;) {
        try {
          // The second record, so that a record that is lost is made again in the next life.
          await runMmZero(await tinySetup(mortal(journal, 2, behind)));
          break;
        } catch (cause) {
          if (!(cause instanceof Death)) throw cause;
          deaths++;
        }
      }
      expect(deaths).toBeGreaterThan(12);
      expect(await remains(journal)).toBe(expected);
    }
  });
});

class Death extends Error {}

/** A journal whose process dies at its `lives`-th record. */
function mortal(journal: MemoryJournal, lives: number, behind: boolean): RunJournal {
  let left = lives;
  const record = async (write: () => Promise<void>): Promise<void> => {
    const dies = --left === 0;
    if (!dies || behind) await write();
    if (dies) throw new Death();
  };
  return {
    findProposals: (round) => journal.findProposals(round),
    findTasks: (ids) => journal.findTasks(ids),
    findImage: (hash) => journal.findImage(hash),
    findGroups: (key) => journal.findGroups(key),
    findMetrics: (key) => journal.findMetrics(key),
    findEvents: (kind) => journal.findEvents(kind),
    latestCheckpoint: (role) => journal.latestCheckpoint(role),
    recordTasks: (...args) => journal.recordTasks(...args),
    recordEvent: (...args) => journal.recordEvent(...args),
    recordProposals: (...args) => record(() => journal.recordProposals(...args)),
    recordGroups: (...args) => record(() => journal.recordGroups(...args)),
    recordMetrics: (...args) => record(() => journal.recordMetrics(...args)),
    recordCheckpoint: (...args) => record(() => journal.recordCheckpoint(...args)),
  };
}
