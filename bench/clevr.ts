/** The CLEVR environment: programs run, questions made and edited tasks realised a second: `npx tsx bench/clevr.ts`. */
import type { Lineage } from '../src/core/environment.js';
import { Rng } from '../src/core/rng.js';
import {
  clevrEnvironment,
  DEFAULT_CLEVR_CONFIG,
  drawScene,
  execute,
  FAMILIES,
  generateQuestions,
  sampleScene,
  sampleSeeds,
  sceneView,
  type ClevrState,
} from '../src/environments/clevr/index.js';
import { printTable, rate, type Row } from './table.js';

/** What the executor should do a second at the least. */
const PROGRAMS_WANTED = 20_000;

const VIEWS = [
  { width: 72, height: 48, tasks: 60 },
  { width: 320, height: 240, tasks: 10 },
];

const options = {
  objects: [3, 8],
  families: FAMILIES,
  questionsPerScene: 6,
  view: { width: 72, height: 48 },
} as const;
const seeds = sampleSeeds(Rng.fromSeed('bench'), 240, options);

async function programs(): Promise<Row> {
  const views = seeds.map(({ state }) => ({ program: state.question.program, view: sceneView(state.scene) }));
  const value = await rate(() => {
    for (let i = 0; i < 20; i++) for (const { program, view } of views) execute(program, view);
    return 20 * views.length;
  });
  const ratio = { to: 'the 20,000 wanted', value: value / PROGRAMS_WANTED };
  return { what: 'programs run (3 to 8 objects, all families)', rate: value, unit: 'programs', ratio };
}

async function questions(): Promise<Row> {
  const scenes = Array.from({ length: 60 }, (_, i) =>
    sampleScene(Rng.fromSeed('scene').child(i), { objects: [3, 8] }),
  );
  let round = 0;
  const value = await rate(() => {
    round++;
    return scenes.reduce(
      (n, scene, i) => n + generateQuestions(scene, 6, Rng.fromSeed(round).child(i)).length,
      0,
    );
  });
  return { what: 'questions made (6 a scene)', rate: value, unit: 'questions' };
}

async function tasks(view: (typeof VIEWS)[number]): Promise<Row[]> {
  const environment = clevrEnvironment({ ...DEFAULT_CLEVR_CONFIG, view });
  const parents: readonly Lineage<ClevrState>[] = seeds.slice(0, view.tasks);
  const size = `${view.width}x${view.height}`;
  const drawn = await rate(
    () => {
      // A copy, since a scene that was drawn before isn't drawn again.
      for (const { state } of parents) drawScene({ ...state.scene }, view);
      return parents.length;
    },
    5,
    3,
  );
  let round = 0;
  let accepted = 0;
  const realised = await rate(async () => {
    round++;
    accepted = 0;
    for (const [i, parent] of parents.entries()) {
      const edit = environment.randomEdit(parent, Rng.fromSeed(round).child(i));
      if ((await environment.realise(parent, edit)).ok) accepted++;
    }
    return parents.length;
  });
  const share = Math.round((100 * accepted) / parents.length);
  return [
    { what: `scenes drawn, ${size}`, rate: drawn, unit: 'scenes' },
    {
      what: `random edits realised, ${size} (${share} % accepted)`,
      rate: realised,
      unit: 'edits',
      ratio: { to: 'drawing alone', value: realised / drawn },
    },
  ];
}

const rows = [await programs(), await questions()];
for (const view of VIEWS) rows.push(...(await tasks(view)));
printTable(rows);
