/** Trains by VICO from a preset and says how it went. Usage: npx tsx recipes/train-vico.ts DIRECTORY [key=value...] */
import { loadConfig, RunReader, startRun } from '../src/index.js';

const [directory = 'runs/recipe', ...settings] = process.argv.slice(2);
const config = loadConfig('vico-clevr-micro', settings, process.cwd());
await startRun(config, directory, {
  progress: { update: () => undefined, note: console.log },
  safePoint: () => undefined,
  onRound: (round) => console.log(`round ${round} is over`),
});

const run = RunReader.open(directory);
for (const { round, value } of run.metrics('p1'))
  console.log(`round ${round}: held-out p1 ${value.toFixed(3)}`);
run.close();
