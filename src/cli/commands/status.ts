import path from 'node:path';
import { isComplete, planOf, runConfig, taskCounts, type RunConfig } from '../../config/index.js';
import { RunReader } from '../../runs/index.js';
import { print, type Context } from '../context.js';
import { duration, grouped, percent, percentInterval } from '../format.js';
import { activeSeconds, roundRows } from '../rounds.js';

/** `covolve status`: where a run stands, also while another process writes it. Gives the exit code. */
export function status(context: Context, name: string): number {
  const directory = path.resolve(context.directory, name);
  const config = runConfig(directory);
  const reader = RunReader.open(directory);
  try {
    for (const line of statusLines(reader, config, name, context.now())) print(context, line);
  } finally {
    reader.close();
  }
  return 0;
}

/** How far a run is: what a glance should tell, a line each. */
export function statusLines(reader: RunReader, config: RunConfig, name: string, now: number): string[] {
  const { preset, seed } = config;
  const plan = planOf(config, taskCounts(reader) ?? { seeds: 0, heldOut: 0 });
  const counts = reader.counts();
  const step = reader.steps().at(-1);
  const rows = roundRows(reader, config.method);
  const trained = rows.findLast(({ training }) => training.size > 0);
  const judged = rows.findLast(({ heldOut }) => heldOut.size > 0);
  const seconds = activeSeconds(reader);
  const lines = [`${preset}, arm ${plan.arm}, seed ${seed}`, stateLine(reader, name, now)];
  if (step) lines.push(`round ${step.round} of ${plan.rounds}, ${step.role}, step ${step.step}`);
  lines.push(
    `${grouped(counts.tasks)} tasks; ${grouped(counts.accepted)} of ${grouped(counts.proposals)} edits accepted; ` +
      `${grouped(counts.rollouts)} rollouts`,
  );
  if (trained) {
    const share = (key: string): string => percent(trained.training.get(key) ?? NaN);
    lines.push(
      `round ${trained.round}: pass rate ${share('pass_rate')} %, mixed groups ${share('mixed_share')} %`,
    );
  }
  if (judged) {
    const score = (key: string): string =>
      percentInterval(
        judged.heldOut.get(key) ?? NaN,
        judged.heldOut.get(`${key}_low`) ?? NaN,
        judged.heldOut.get(`${key}_high`) ?? NaN,
      );
    lines.push(`held-out after round ${judged.round}: greedy ${score('greedy')}, p1 ${score('p1')} %`);
  }
  lines.push(timeLine(seconds, counts.rollouts / Math.max(1, plan.allRollouts), isComplete(reader)));
  return lines;
}

function stateLine(reader: RunReader, name: string, now: number): string {
  const writer = reader.writer();
  const ago = duration((now - reader.info().activeAt) / 1000);
  if (writer !== null && writer.state !== 'gone') {
    const where = writer.state === 'unknown' ? ` on ${writer.host}` : '';
    return `running (process ${writer.pid}${where}, last record ${ago} ago)`;
  }
  if (isComplete(reader)) return `complete (${ago} ago)`;
  return `stopped ${ago} ago; go on with: covolve resume ${name}`;
}

function timeLine(seconds: number, share: number, complete: boolean): string {
  const worked = `${duration(seconds)} of work`;
  if (complete || share < 0.02 || share >= 1) return worked;
  // Rollouts are not all alike (held-out ones cost no update), so this is a guess.
  return `${worked}, ${Math.floor(100 * share)} % of the rollouts; about ${duration((seconds * (1 - share)) / share)} left`;
}
