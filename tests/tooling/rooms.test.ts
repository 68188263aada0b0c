import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ROOMS, importProblem, roomOf } from '../../tooling/rooms.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SRC = path.join(ROOT, 'src');

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
}

/** Every module that a text names, found by the compiler's own scanner: static, dynamic, re-exported. */
function imports(text: string): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map((file) => file.fileName);
}

function problems(file: string, text: string): string[] {
  return imports(text)
    .map((specifier) => importProblem(file, specifier))
    .filter((problem) => problem !== null);
}

/** Files that break the table, each in its own way. */
const BAD: ReadonlyArray<{ file: string; text: string; says: string }> = [
  {
    file: 'core/peek.ts',
    text: "import { grade } from '../rewards/grading.js';\nexport const x = grade;\n",
    says: 'core may not import rewards',
  },
  {
    file: 'environments/clevr/peek.ts',
    text: "export * from '../charts/index.js';\n",
    says: 'environments/clevr may not import environments/charts',
  },
  {
    file: 'engines/fake/peek.ts',
    text: "export const x = (): unknown => import('../micro/index.js');\n",
    says: 'engines/fake may not import engines/micro',
  },
  {
    file: 'methods/vico/peek.ts',
    text: "export { x } from '../eve/x.js';\n",
    says: 'methods/vico may not import methods/eve',
  },
  {
    file: 'rewards/peek.ts',
    text: "import type { Schedule } from '../algorithms/schedule.js';\nexport type X = Schedule;\n",
    says: 'rewards may not import algorithms',
  },
  {
    file: 'algorithms/peek.ts',
    text: "import '../rewards/passRate.js';\n",
    says: 'algorithms may not import rewards',
  },
  {
    file: 'config/peek.ts',
    text: "import '../cli/main.js';\n",
    says: 'config may not import cli',
  },
  {
    file: 'evaluation/peek.ts',
    text: "import '../runs/store.js';\n",
    says: 'evaluation may not import runs',
  },
  { file: 'core/peek.ts', text: "import 'covolve/testing';\n", says: 'by its own name' },
  { file: 'core/peek.ts', text: "import '../../scripts/x.js';\n", says: 'outside src/' },
  { file: 'attic/peek.ts', text: "import 'node:fs';\n", says: 'in no room' },
];

describe('rooms', () => {
  it('are kept by every import in src/', () => {
    const files = sources(SRC);
    expect(files.length).toBeGreaterThan(50);
    const found = files.flatMap((file) => problems(file, readFileSync(path.join(SRC, file), 'utf8')));
    expect(found).toEqual([]);
  });

  it('are named by the table, one room to a file', () => {
    const files = sources(SRC);
    expect(files.filter((file) => roomOf(file) === null)).toEqual([]);
    expect(roomOf('engines/micro/policy.ts')).toBe('engines/micro');
    expect(roomOf('environments/clevr/roles/solver.ts')).toBe('environments/clevr');
    expect(roomOf('config/environments/clevr.ts')).toBe('config');
    expect(roomOf('index.ts')).toBe('index');
    expect(roomOf('engines/loose.ts')).toBeNull();
  });

  it('have no circle in the table, and nothing imports the command line', () => {
    const reached = (room: string, seen: ReadonlySet<string>): boolean =>
      (ROOMS[room] ?? []).every((next) => !seen.has(next) && reached(next, new Set([...seen, next])));
    for (const [room, list] of Object.entries(ROOMS)) {
      for (const other of list) expect(Object.keys(ROOMS), `${room} names ${other}`).toContain(other);
      expect(list).not.toContain('cli');
      expect(list).not.toContain(room);
      expect(reached(room, new Set([room])), room).toBe(true);
    }
  });

  it.each(BAD)('notice a bad import: $says', ({ file, text, says }) => {
    expect(problems(file, text).join('\n')).toContain(says);
  });

  it('let the allowed pass', () => {
    expect(problems('methods/vico/x.ts', "import '../../rewards/vico.js';\nimport './loop.js';\n")).toEqual(
      [],
    );
    expect(problems('cli/x.ts', "import '../config/index.js';\nimport 'zod';\n")).toEqual([]);
  });
});

describe('eslint', () => {
  /** Files that aren't on disk have no types: the rules that need none must report them all the same. */
  const eslint = new ESLint({
    cwd: ROOT,
    overrideConfig: [{ languageOptions: { parserOptions: { projectService: false, project: false } } }],
    ruleFilter: ({ ruleId }) =>
      ['covolve/rooms', 'no-restricted-properties'].includes(ruleId) || ruleId.endsWith('no-explicit-any'),
  });
  const lint = async (file: string, text: string): Promise<string[]> => {
    const [result] = await eslint.lintText(text, { filePath: path.join(SRC, file) });
    return (result?.messages ?? []).map((message) => `${message.ruleId ?? 'parser'}: ${message.message}`);
  };

  it('reports every bad import, types included', async () => {
    for (const { file, text, says } of BAD) {
      const messages = await lint(file, text);
      expect(messages, file).toHaveLength(1);
      expect(messages[0]).toContain('covolve/rooms');
      expect(messages[0]).toContain(says);
    }
    const asType = "export type X = import('../rewards/grading.js').Grader;\n";
    expect((await lint('core/peek.ts', asType)).join()).toContain('core may not import rewards');
  });

  it('reports global randomness, environment variables and any', async () => {
    expect((await lint('core/peek.ts', 'export const x = Math.random();\n')).join()).toContain(
      'hashed stream',
    );
    const environment = 'export const x = process.env;\n';
    expect((await lint('core/peek.ts', environment)).join()).toContain('environment variables');
    expect(await lint('cli/peek.ts', environment)).toEqual([]);
    expect((await lint('core/peek.ts', 'export const x: any = 1;\n')).join()).toContain('no-explicit-any');
    expect(await lint('core/peek.ts', 'export const x = 1;\n')).toEqual([]);
  });
});

describe('the commands', () => {
  const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

  it('in `.ci/run` are those of the README', () => {
    const script = read('.ci/run');
    expect(script).toMatch(/^#!.*bash\n/);
    expect(script).toContain('set -euo pipefail');
    expect(script.trimEnd().split('\n').at(-1)).toBe('npm ci && npm test');
    execFileSync('bash', ['-n', path.join(ROOT, '.ci/run')]);
  });

  it('run the checks in order, the tests last', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const expand = (name: string): string =>
      (scripts[name] ?? '').replace(/npm run ([\w:]+)/g, (_, other: string) => expand(other));
    const steps = expand('test').split(' && ');
    expect(steps).toEqual(['prettier --check .', 'eslint .', 'tsc --noEmit', 'vitest run']);
  });
});
