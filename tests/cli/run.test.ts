import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Rng } from '../../src/core/rng.js';
import { RunReader } from '../../src/runs/index.js';
import { covolve, start, temporaryDirectory, TINY, writeTinyModels, type Command } from './fixtures.js';

const MINUTES = 60_000;
const PRESET = 'vico-clevr-micro';

/** One directory for all: the models, and a run `straight` that was never stopped. */
let here: ReturnType<typeof temporaryDirectory>;
const at = (name: string): string => path.join(here.path, name);

beforeAll(async () => {
  here = temporaryDirectory();
  await writeTinyModels(here.path);
  const outcome = await covolve(here.path, 'run', PRESET, ...TINY, '--dir', 'straight');
  expect(outcome.err + outcome.out).toContain('complete: ');
  expect(outcome.code).toBe(0);
}, 5 * MINUTES);

afterAll(() => here.remove());

function read<T>(name: string, work: (reader: RunReader) => T): T {
  const reader = RunReader.open(at(name));
  try {
    return work(reader);
  } finally {
    reader.close();
  }
}

/** Steps and proposal rounds that are recorded; 0 while there is no run. */
function progressOf(name: string): number {
  try {
    return read(name, (reader) => reader.steps().length + reader.proposalRounds().length);
  } catch {
    return 0;
  }
}

/** Resolves when the run has recorded `more` steps than `from`, or the command has ended. */
async function waitForSteps(command: Command, name: string, from: number, more: number): Promise<void> {
  let over = false;
  void command.ended.then(() => {
    over = true;
  });
  while (!over && progressOf(name) < from + more) await setTimeout(20);
}

describe('a run', () => {
  it(
    'trains both roles, evaluates every round, and prints the round table',
    async () => {
      const { out } = await covolve(here.path, 'resume', 'straight');
      expect(out).toMatch(/round +tasks +pass rate +mixed/);
      expect(out.match(/^ +[012] +\d+ /gm)).toHaveLength(3);
      read('straight', (reader) => {
        const updates = (role: string): number =>
          Math.max(
            0,
            ...reader
              .checkpoints()
              .filter((c) => c.role === role)
              .map((c) => c.updates),
          );
        expect(updates('actor')).toBeGreaterThan(2);
        expect(updates('rewriter')).toBeGreaterThan(0);
        expect(reader.metrics('p1').map(({ round }) => round)).toEqual([0, 1, 2]);
        expect(reader.metrics('p1').at(-1)?.value).toBeGreaterThan(0);
        expect(reader.counts().accepted).toBeGreaterThan(0);
        expect(reader.writer()).toBeNull();
      });
      expect(readFileSync(at('straight/config.yaml'), 'utf8')).toContain('tasksPerRound: 12');
      expect(existsSync(at('straight/report.html'))).toBe(true);
    },
    MINUTES,
  );

  it(
    'has a status that says it is complete',
    async () => {
      const { code, out } = await covolve(here.path, 'status', 'straight');
      expect(code).toBe(0);
      expect(out).toMatch(/^vico-clevr-micro, arm full, seed 1\ncomplete \(/);
      expect(out).toMatch(/held-out after round 2: greedy \d+\.\d \(-?\d+\.\d to \d+\.\d\), p1 /);
    },
    MINUTES,
  );

  it(
    'killed at random instants and gone on with ends as one that was never stopped',
    async () => {
      const rng = Rng.fromSeed('kills of a whole run');
      // A run that died before it was made is started again; any other is gone on with.
      const next = (): Command =>
        hasRun('killed')
          ? start(here.path, 'resume', 'killed', '-q')
          : start(here.path, 'run', PRESET, ...TINY, '--dir', 'killed', '-q');
      for (let kills = 0; ; kills++) {
        const from = progressOf('killed');
        const command = next();
        // One dies while it starts, the others a random moment after a random number of records.
        if (kills > 0) await waitForSteps(command, 'killed', from, 1 + rng.int(4));
        await setTimeout(rng.float() * (kills === 0 ? 3000 : 400));
        command.process.kill('SIGKILL');
        const { code, err } = await command.ended;
        if (code === null) continue;
        expect(err).not.toContain('error');
        expect(code).toBe(0);
        expect(kills).toBeGreaterThanOrEqual(4);
        break;
      }
      const [straight, killed] = ['straight', 'killed'].map((name) =>
        read(name, (reader) => reader.digest()),
      );
      expect(killed).toBe(straight);
      expect(read('killed', (reader) => reader.problems())).toEqual([]);
    },
    10 * MINUTES,
  );

  it(
    'is refused to a second process, stops at Ctrl-C, and says how to go on',
    async () => {
      const first = start(here.path, 'run', PRESET, ...TINY, '--dir', 'twice');
      await waitForSteps(first, 'twice', 0, 1);
      const second = await covolve(here.path, 'resume', 'twice');
      expect(second.code).toBe(1);
      expect(second.err).toContain(`process ${first.process.pid}`);
      const status = await covolve(here.path, 'status', 'twice');
      first.process.kill('SIGINT');
      const { code, err } = await first.ended;
      expect(status.out).toContain(`running (process ${first.process.pid}`);
      expect(code).toBe(130);
      expect(err).toContain('stopped; go on with: covolve resume twice');
      expect((await covolve(here.path, 'status', 'twice')).out).toContain('go on with: covolve resume twice');
      const again = await covolve(here.path, 'run', PRESET, ...TINY, '--dir', 'twice');
      expect(again.code).toBe(1);
      expect(again.err.split('\n').filter((line) => line.startsWith('error:'))).toHaveLength(1);
      expect(again.err).toContain('already holds a run; resume it');
    },
    3 * MINUTES,
  );

  it(
    'is not gone on with from other checkpoints than it began with',
    async () => {
      cpSync(at('straight'), at('moved'), { recursive: true });
      const db = new Database(at('moved/run.sqlite'));
      db.prepare("DELETE FROM events WHERE kind = 'completed'").run();
      db.prepare('UPDATE events SET detail = \'{"actor":"other"}\' WHERE kind = \'policies\'').run();
      db.close();
      const { code, err } = await covolve(here.path, 'resume', 'moved', '-q');
      expect(code).toBe(1);
      expect(err).toContain('the checkpoints it starts from are no longer those it began with');
    },
    MINUTES,
  );
});

function hasRun(name: string): boolean {
  try {
    return read(name, () => true);
  } catch {
    return false;
  }
}

describe('verify', () => {
  const tamper = (name: string, sql: string): void => {
    cpSync(at('straight'), at(name), { recursive: true });
    const db = new Database(at(`${name}/run.sqlite`));
    expect(db.prepare(sql).run().changes).toBe(1);
    db.close();
  };
  const kinds = async (name: string): Promise<{ code: number | null; kinds: string[] }> => {
    const { code, out } = await covolve(here.path, 'verify', name, '--json');
    const found = JSON.parse(out) as { differences: { kind: string }[] };
    return { code, kinds: [...new Set(found.differences.map(({ kind }) => kind))].sort() };
  };
  const edited = '(SELECT id FROM tasks WHERE lineage NOT LIKE \'%"actions":[]%\' LIMIT 1)';

  it(
    'finds nothing in a run as it was made',
    async () => {
      const { code, out } = await covolve(here.path, 'verify', 'straight');
      expect(out).toMatch(/\n0 differences\n$/);
      expect(code).toBe(0);
      const counts = read('straight', (reader) => reader.counts());
      expect(out).toContain(`${counts.tasks} derivations replayed, ${counts.images} pictures compared`);
      expect(out).toContain(`${counts.rollouts} rollouts graded again`);
    },
    MINUTES,
  );

  it(
    'finds an answer that was changed',
    async () => {
      tamper(
        'answer',
        `UPDATE tasks SET content = json_set(content, '$.answer', 'green') WHERE id = ${edited}`,
      );
      const found = await kinds('answer');
      expect(found.code).toBe(1);
      expect(found.kinds).toContain('answer');
      expect(found.kinds).toContain('id');
    },
    MINUTES,
  );

  it(
    'finds an action that was changed',
    async () => {
      const other = `json('{"kind":"edits","edits":[{"edit":"change_attribute","object":0,"color":"cyan"},{"edit":"change_attribute","object":1,"color":"gray"}]}')`;
      tamper(
        'action',
        `UPDATE tasks SET lineage = json_set(lineage, '$.actions[0]', ${other}) WHERE id = ${edited}`,
      );
      const found = await kinds('action');
      expect(found.code).toBe(1);
      expect(found.kinds).toContain('lineage');
      expect(found.kinds.some((kind) => ['state', 'rejected', 'id', 'derivation'].includes(kind))).toBe(true);
    },
    MINUTES,
  );

  it(
    'finds a rollout that was called right and is wrong, or the reverse',
    async () => {
      tamper(
        'grade',
        'UPDATE rollouts SET correct = 1 - correct WHERE id = (SELECT id FROM rollouts LIMIT 1)',
      );
      const found = await kinds('grade');
      expect(found.code).toBe(1);
      expect(found.kinds).toContain('grade');
    },
    MINUTES,
  );

  it(
    'finds a pass rate that was changed',
    async () => {
      tamper('rate', 'UPDATE groups SET pass_rate = 0.123 WHERE id = (SELECT id FROM groups LIMIT 1)');
      expect(await kinds('rate')).toEqual({ code: 1, kinds: ['pass-rate'] });
    },
    MINUTES,
  );
});

describe('compare', () => {
  it(
    'runs what is missing, keeps what is complete, and writes table and plot',
    async () => {
      const args = [
        'compare',
        PRESET,
        ...TINY,
        'report=false',
        '--arms',
        'plain,base',
        '--seeds',
        '1,2',
        '--dir',
        'cmp',
      ];
      const first = await covolve(here.path, ...args, '--jobs', '2');
      expect(first.err).toContain('plain-1 starts');
      expect(first.err).not.toContain('failed');
      expect(first.code).toBe(0);
      const page = readFileSync(at('cmp/compare.md'), 'utf8');
      expect(page).toMatch(/^\| plain +\| +2 \| +\d/m);
      expect(page).toMatch(/^\| base +\| +2 \| .* 0\.0 \(0\.0 to 0\.0\)/m);
      expect(readFileSync(at('cmp/compare.svg'), 'utf8')).toMatch(/^<svg[\s\S]*plain[\s\S]*<\/svg>\n$/);
      const second = await covolve(here.path, ...args);
      expect(second.code).toBe(0);
      expect(second.err.match(/is complete/g)).toHaveLength(4);
      expect(readFileSync(at('cmp/compare.md'), 'utf8')).toBe(page);
      const other = await covolve(here.path, ...args, 'vico.rounds=1');
      expect(other.code).toBe(1);
      expect(other.err).toContain('holds a run with other settings');
    },
    5 * MINUTES,
  );
});
