import { moveGauge } from './chart.js';
import type {
  EditCard,
  EditClass,
  Gallery,
  RejectedCard,
  RolloutView,
  TaskCard,
  TaskView,
} from './gallery.js';
import { html, shortened, type Content, type Markup } from './html.js';
import type { Frontier } from './model.js';
import { counted, rate } from './numbers.js';
import type { Picture } from './pictures.js';

/** Characters of a model's text that are shown. */
const LONGEST_TEXT = 700;

const CLASSES: Readonly<Record<EditClass, string>> = {
  hit: 'in the sweet spot',
  harder: 'made harder',
  easier: 'made easier',
  dry: 'no signal',
};

/** Edits round by round, each round to fold away; the first and the last are open. */
export function editGallery({ edits }: Gallery, frontier: Frontier): Content {
  return edits.map(
    ({ round, cards }, i) =>
      html`<details class="round" ${(i === 0 || i === edits.length - 1) && html` open`}>
        <summary>Round ${round}: ${counted(cards.length, 'edit')} shown</summary>
        <div class="cards">${cards.map((card) => editArticle(card, frontier))}</div>
      </details> `,
  );
}

function editArticle(card: EditCard, frontier: Frontier): Markup {
  const { before, after, parent, child } = card;
  const zone = { from: frontier.alpha - frontier.halfWidth, to: frontier.alpha + frontier.halfWidth };
  const name = `Round ${card.round}, edit ${card.index}`;
  return html`<article class="card" aria-label="${name}">
    <header>
      <span class="tag ${card.class}">${tagOf(card)}</span>
      <span class="place">${name}, by ${authorName(card.origin)}</span>
    </header>
    <div class="pair">
      ${pictureFigure(parent?.picture ?? null, `Picture before the edit: ${parent?.question ?? ''}`, html`before, p = ${rate(before)}`)}
      ${pictureFigure(child.picture, `Picture after the edit: ${card.words.join('; ')}`, html`after, p = ${rate(after)}`)}
    </div>
    ${moveGauge({
      label: `The pass rate went from ${rate(before)} to ${rate(after)}; the sweet spot is ${rate(zone.from)} to ${rate(zone.to)}.`,
      before,
      after,
      zone,
    })}
    <dl>
      <dt>Edit</dt>
      <dd class="edit">${list(card.words)}</dd>
      ${questions(parent, child)}
      <dt>Answer</dt>
      <dd>${answers(parent, child)}</dd>
      <dt>Rollouts after</dt>
      <dd>${chips(card.rollouts)}</dd>
    </dl>
    ${derivation(parent, child)} ${fold('What the solver wrote', texts(card.rollouts))}
    ${fold('The edit as JSON', html`<pre>${shortened(JSON.stringify(card.action), 4 * LONGEST_TEXT)}</pre>`)}
  </article> `;
}

function tagOf({ class: is, before, after }: EditCard): string {
  if (is === 'dry') return after === 1 ? `${CLASSES.dry}: always right` : `${CLASSES.dry}: never right`;
  if (is !== 'hit' || before === after) return CLASSES[is];
  return `${CLASSES.hit}, ${after < before ? 'harder' : 'easier'} than before`;
}

/** Who wrote a proposal, in words. */
function authorName(origin: string): string {
  return { rewriter: 'the rewriter', random: 'chance', redraw: 'the question generator' }[origin] ?? origin;
}

function answers(parent: TaskView | null, child: TaskView): Markup {
  const now = html`<span class="answer">${child.answer}</span>`;
  if (!parent) return now;
  if (parent.answer === child.answer) return html`${now}, unchanged`;
  return html`<span class="answer">${parent.answer}</span> before, ${now} after`;
}

function questions(parent: TaskView | null, child: TaskView): Content {
  if (!parent || parent.question === child.question)
    return html`<dt>Question</dt>
      <dd>${child.question}</dd>`;
  return html`<dt>Question before</dt>
    <dd>${parent.question}</dd>
    <dt>Question after</dt>
    <dd>${child.question}</dd>`;
}

function pictureFigure(picture: Picture | null, label: string, caption: Content): Markup {
  return html`<figure>
    ${
      picture
        ? html`<img
            src="${picture.source}"
            width="${picture.width}"
            height="${picture.height}"
            alt="${label}"
          />`
        : html`<div class="no-picture">no picture kept</div>`
    }
    <figcaption>${caption}</figcaption>
  </figure>`;
}

/** Right and wrong at a glance, in the order in which they were sampled. */
function chips(rollouts: readonly RolloutView[]): Content {
  if (rollouts.length === 0) return 'none recorded';
  return html`<ul class="chips">
    ${rollouts.map(
      ({ correct, answer }) =>
        html`<li class="${correct ? 'right' : 'wrong'}">
          <span aria-hidden="true">${correct ? '✓' : '✗'}</span
          ><span class="hidden">${correct ? 'right' : 'wrong'}:</span>
          ${answer === null ? html`<em>unreadable</em>` : shortened(answer, 40)}
        </li>`,
    )}
  </ul>`;
}

function texts(rollouts: readonly RolloutView[]): Content {
  if (rollouts.length === 0) return null;
  return html`<ol class="texts">
    ${rollouts.map(
      ({ correct, text }) =>
        html`<li>
          <span class="${correct ? 'right' : 'wrong'}">${correct ? '✓ right' : '✗ wrong'}</span>
          <code>${text === '' ? '(nothing)' : shortened(text, LONGEST_TEXT)}</code>
        </li>`,
    )}
  </ol>`;
}

/** The program's steps with what they came to before and after; steps that differ are marked. */
function derivation(parent: TaskView | null, child: TaskView): Content {
  if (!child.derived) return html`<p>The answer is a majority vote, not a derived one.</p>`;
  if (child.trace.length === 0) return null;
  const comparable =
    parent?.trace.length === child.trace.length &&
    parent.trace.every(({ step }, i) => step === child.trace[i]?.step);
  const rows = child.trace.map(({ step, value }, i) => {
    const was = comparable ? parent?.trace[i]?.value : undefined;
    const changed = was !== undefined && was !== value;
    return html`<tr${changed && html` class="changed"`}><th scope="row"><code>${step}</code></th>${comparable && html`<td>${was}</td>`}<td>${value}</td></tr>
`;
  });
  const heads = comparable
    ? html`<th scope="col">before</th>
        <th scope="col">after</th>`
    : html`<th scope="col">value</th>`;
  return fold(
    'How the answer is derived',
    html`<div class="scroll" role="group" tabindex="0" aria-label="How the answer is derived">
        <table class="trace">
          <thead>
            <tr>
              <th scope="col">step of the program</th>
              ${heads}
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>
      </div>
      ${partsOf(parent, child)}`,
  );
}

/** Which number is which object, before and after where that differs. */
function partsOf(parent: TaskView | null, child: TaskView): Content {
  const line = (name: string, parts: readonly string[]): Content =>
    parts.length > 0 && html`<p class="parts">${name}: ${parts.join('; ')}.</p>`;
  if (!parent || parent.parts.join() === child.parts.join()) return line('Objects', child.parts);
  return [line('Objects before', parent.parts), line('Objects after', child.parts)];
}

function fold(title: string, content: Content): Content {
  return (
    content &&
    html`<details>
      <summary>${title}</summary>
      ${content}
    </details>`
  );
}

function list(items: readonly string[]): Content {
  if (items.length === 0) return 'none';
  return items.length === 1
    ? items[0]
    : html`<ol>
        ${items.map((item) => html`<li>${item}</li>`)}
      </ol>`;
}

/** Tasks as they are, for runs without edits. */
export function taskGallery(tasks: readonly TaskCard[]): Content {
  return html`<div class="cards">
    ${tasks.map(
      ({ round, held, passRate, task, rollouts }) =>
        html`<article class="card" aria-label="Task of round ${round}">
          <header><span class="place">${held ? 'Held out' : 'Trained on'}, round ${round}</span></header>
          <div class="pair">
            ${pictureFigure(task.picture, `Picture: ${task.question}`, html`p = ${rate(passRate)}`)}
          </div>
          <dl>
            <dt>Question</dt>
            <dd>${task.question}</dd>
            <dt>Answer</dt>
            <dd><span class="answer">${task.answer}</span></dd>
            <dt>Rollouts</dt>
            <dd>${chips(rollouts)}</dd>
          </dl>
          ${derivation(null, task)} ${fold('What the solver wrote', texts(rollouts))}
        </article> `,
    )}
  </div>`;
}

/** Refused proposals with what was wrong with them. */
export function rejectedGallery(rejected: readonly RejectedCard[]): Content {
  return html`<div class="cards">
    ${rejected.map(
      (card) =>
        html`<article class="card" aria-label="Refused: ${card.reason}">
          <header>
            <span class="tag refused">${card.reason}</span>
            <span class="place"
              >Round ${card.round}, proposal ${card.index}, by ${authorName(card.origin)}</span
            >
          </header>
          ${card.parent && html`<div class="pair">${pictureFigure(card.parent.picture, `Picture to be edited: ${card.parent.question}`, html`to be edited, p = ${rate(card.parentPassRate)}`)}</div>`}
          <dl>
            <dt>Why</dt>
            <dd>${shortened(card.detail, LONGEST_TEXT)}</dd>
            ${
              card.words !== null
                ? html`<dt>Edit</dt>
                    <dd class="edit">${list(card.words.map((line) => shortened(line, LONGEST_TEXT)))}</dd>`
                : html`<dt>Written</dt>
                    <dd>
                      <code>${card.text === '' ? '(nothing)' : shortened(card.text, LONGEST_TEXT)}</code>
                    </dd>`
            }
            ${
              card.parent &&
              html`<dt>Question</dt>
                <dd>${card.parent.question}</dd>`
            }
          </dl>
        </article> `,
    )}
  </div>`;
}
