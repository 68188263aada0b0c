/**
 * Draws the README's picture from a finished run: an original scene beside its edited twin, with the solver's pass rate on
 * each. Of the edits in the sweet spot that added objects it takes the one whose parent was easiest. Usage: npx tsx scripts/edited-twin.ts RUN OUT.png
 */
import { writeFileSync } from 'node:fs';
import type { Proposal } from '../src/core/ports.js';
import { drawScene } from '../src/environments/clevr/view.js';
import type { ClevrState } from '../src/environments/clevr/index.js';
import { contactSheet, encodePng } from '../src/render/index.js';
import { inSweetSpot } from '../src/rewards/passRate.js';
import { RunReader } from '../src/runs/index.js';

const [directory, out] = process.argv.slice(2);
if (!directory || !out) throw new Error('usage: edited-twin.ts RUN OUT.png');
const reader = RunReader.open(directory);
const after = new Map(reader.passRates({ role: 'actor' }).map((row) => [row.taskId, row.passRate]));

interface Twin {
  readonly proposal: Proposal;
  readonly taskId: string;
  readonly passRate: number;
}

const objectsOf = (taskId: string): number => Number(reader.task(taskId)?.task.facts['objects'] ?? 0);

let best: Twin | null = null;
for (const round of reader.proposalRounds()) {
  for (const proposal of reader.proposals(round) ?? []) {
    if (proposal.outcome.kind !== 'accepted') continue;
    const { taskId } = proposal.outcome;
    const passRate = after.get(taskId);
    if (passRate === undefined || !inSweetSpot(passRate)) continue;
    if (objectsOf(taskId) <= objectsOf(proposal.parentTaskId)) continue;
    if (!best || proposal.parentPassRate > best.proposal.parentPassRate)
      best = { proposal, taskId, passRate };
  }
}
if (!best) throw new Error(`${directory} has no edit in the sweet spot`);
const parent = reader.task(best.proposal.parentTaskId);
const child = reader.task(best.taskId);
if (!parent || !child) throw new Error('the edit or its parent is not in the run');
const view = { width: 320, height: 240 };
const draw = (state: unknown): ReturnType<typeof drawScene>['image'] =>
  drawScene((state as ClevrState).scene, view).image;
const rate = (p: number): string => `pass rate ${Math.round(p * 8)}/8`;
const sheet = contactSheet([draw(parent.lineage.state), draw(child.lineage.state)], 2, {
  gap: 8,
  labels: [
    `${parent.task.answer} - ${rate(best.proposal.parentPassRate)}`,
    `${child.task.answer} - ${rate(best.passRate)}`,
  ],
});
writeFileSync(out, await encodePng(sheet));
console.log(
  `${child.task.question} ${parent.task.answer} -> ${child.task.answer}; ${JSON.stringify(best.proposal.action)}`,
);
reader.close();
