import { html, type Content, type Markup } from './html.js';
import type { Budget, Change, Heading, Interval, ReportModel } from './model.js';
import { INTERVAL, count, counted, duration, moment, percent, points } from './numbers.js';

/** The run in a line: method, arm, preset, seed, when, how far. */
export function headline(heading: Heading): Markup {
  const { method, arm, preset, seed, environment, engine, startedAt, version } = heading;
  return html`<header class="head">
    <h1>${methodName(method)}${arm !== null && html` <span class="arm">${arm}</span>`}</h1>
    <p class="facts">
      <span class="status ${heading.status.kind}">${statusWords(heading)}</span>
      <span>preset <b>${preset}</b></span> <span>seed <b>${seed}</b></span>
      <span>${environment}${engine !== null && html` on the ${engine} engine`}</span>
      <span>started ${moment(startedAt)}</span> <span>covolve ${version}</span>
    </p>
  </header>`;
}

/** The title of the page. */
export function pageTitle({ method, arm, preset, seed }: Heading): string {
  return `${methodName(method)}${arm === null ? '' : ` ${arm}`}: ${preset}, seed ${seed}`;
}

function methodName(method: string): string {
  return method === 'vico' ? 'VICO' : method;
}

function statusWords({ status, plannedRounds }: Heading): string {
  if (status.kind === 'finished') return 'finished';
  const of = plannedRounds === null ? '' : ` of ${plannedRounds}`;
  const at = status.round === null ? 'before its first rollouts' : `in round ${status.round}${of}`;
  switch (status.kind) {
    case 'running':
      return `running, ${at}`;
    case 'stopped':
      return `stopped ${at}; can be resumed`;
    case 'interrupted':
      return `ended without closing, ${at}; can be resumed`;
    default:
      return status satisfies never;
  }
}

/** What the run cost so far. */
export function budgetList({ budget, startedAt, lastWriteAt, resumed }: Heading): Markup {
  const pauses = resumed > 0 ? `; resumed ${counted(resumed, 'time')}, pauses included` : '';
  const entries: ReadonlyArray<readonly [name: string, value: string, meaning: string]> = [
    ['Rollouts', count(budget.trainedRollouts), 'answers sampled to measure tasks and to train on'],
    ['Updates', updatesText(budget), 'optimiser steps, by role, as of the newest checkpoints'],
    ['Tasks', count(budget.seedTasks + budget.acceptedEdits), tasksText(budget)],
    [
      'Held out',
      count(budget.heldOutTasks),
      `tasks that are only judged on, with ${counted(budget.heldOutRollouts, 'rollout')} outside of the budget`,
    ],
    ['Wall clock', duration(lastWriteAt - startedAt), `from the start to the last write${pauses}`],
  ];
  return html`<dl class="budget">
    ${entries.map(
      ([name, value, meaning]) =>
        html`<div>
          <dt>${name}</dt>
          <dd><b>${value}</b> <span>${meaning}</span></dd>
        </div> `,
    )}
  </dl>`;
}

function updatesText({ updates }: Budget): string {
  return updates.size === 0 ? '0' : [...updates].map(([role, n]) => `${role} ${count(n)}`).join(', ');
}

function tasksText({ seedTasks, acceptedEdits, proposals }: Budget): string {
  const edits =
    proposals === 0
      ? 'no edits'
      : `${counted(acceptedEdits, 'edit')} accepted of ${count(proposals)} proposed`;
  return `${counted(seedTasks, 'seed')} asked, ${edits}`;
}

/** What came out, in a sentence that claims no more than the intervals do. */
export function resultSection({ heldOut, heading }: ReportModel): Content {
  const { evaluations, change } = heldOut;
  const [base] = evaluations;
  const end = evaluations.at(-1);
  if (!base || !end) {
    return html`<p class="result">Nothing has been evaluated yet, so there is no result to report.</p>`;
  }
  if (change === null) {
    const why =
      heading.arm === 'base' ? 'This arm trains nothing' : 'No round after the base has been evaluated yet';
    return html`<p class="result">
      ${why}. On ${counted(base.items, 'held-out task')} the base's greedy answers are right in
      ${shareOf(base.greedy)} of cases, and its mean probability of the right answer (p1, temperature 1) is
      ${shareOf(base.p1)}.
    </p>`;
  }
  const { greedy, p1 } = change;
  return html`<p class="result">
      On ${counted(end.items, 'held-out task')}, from the base to round ${end.round}:
      ${greedy && sentence('greedy accuracy', greedy)}${greedy && p1 && '; '}${p1 && sentence('the mean probability of the right answer (p1, temperature 1)', p1)}.
    </p>
    <div class="figures">
      ${greedy && tile('Greedy accuracy', 'share of held-out tasks whose most likely answer is right', greedy)}
      ${p1 && tile('p1', 'mean probability of the right answer at temperature 1, estimated by sampling', p1)}
    </div>
    <p class="note">
      Differences are in percentage points, each with its ${INTERVAL}, paired by task and clustered by
      picture. They speak of these tasks and this one run; another seed may differ by more.
    </p>`;
}

function shareOf(score: Interval | null): Content {
  if (!score) return '(not measured)';
  const { mean, low, high } = score;
  if (low === undefined || high === undefined || !Number.isFinite(low)) return html`<b>${percent(mean)}</b>`;
  return html`<b>${percent(mean)}</b> (${INTERVAL} ${percent(low)} to ${percent(high)})`;
}

function sentence(name: string, { base, end, difference }: Change): Content {
  const values = html`from <b>${percent(base)}</b> to <b>${percent(end)}</b>`;
  if (!difference || !Number.isFinite(difference.low)) {
    return html`${name} went ${values} (no paired interval can be made)`;
  }
  const interval = `${points(difference.mean)} points, ${INTERVAL} ${points(difference.low)} to ${points(difference.high)}`;
  if (difference.low > 0) return html`${name} rose ${values} (${interval}, which excludes zero)`;
  if (difference.high < 0) return html`${name} fell ${values} (${interval}, which excludes zero)`;
  return html`${name} went ${values} (${interval}, which includes zero: no change can be claimed)`;
}

function tile(name: string, meaning: string, { base, end, difference }: Change): Markup {
  const told = !difference || !Number.isFinite(difference.low) ? null : difference;
  const kind = told && (told.low > 0 ? 'better' : told.high < 0 ? 'worse' : 'open');
  return html`<div class="figure">
    <p class="name">${name}</p>
    <p class="value">
      <span>${percent(base)}</span> <span aria-hidden="true">→</span><span class="hidden">to</span>
      <b>${percent(end)}</b>
    </p>
    <p class="difference ${kind ?? 'open'}">
      ${points(end - base)}
      points${told && html` <span class="interval">(${points(told.low)} to ${points(told.high)})</span>`}
    </p>
    <p class="meaning">${meaning}</p>
  </div>`;
}
