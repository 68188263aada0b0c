import { editGallery, rejectedGallery, taskGallery } from './cards.js';
import { curriculumPanels, heldOutPanel, trainingPanels } from './curves.js';
import type { Gallery } from './gallery.js';
import { html, Markup, type Content } from './html.js';
import type { ReportModel } from './model.js';
import { moment } from './numbers.js';
import { budgetList, headline, pageTitle, resultSection } from './overview.js';
import { table, type Section } from './parts.js';
import { programGallery, programPanels } from './programs.js';
import { STYLE } from './style.js';
import { kindsPanel, rejectionPanels, startsPanel, strataPanel } from './tables.js';

/** The whole page. It runs no script and may load nothing: the policy in its head holds a browser to that. */
export function reportPage(model: ReportModel, gallery: Gallery): string {
  const { heading } = model;
  const sections = sectionsOf(model, gallery);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"
        />
        <title>${pageTitle(heading)}</title>
        <style>
          ${new Markup(STYLE)}
        </style>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the report</a>
        ${headline(heading)}
        <nav aria-label="Parts of the report">
          <ul>
            ${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
          </ul>
        </nav>
        <main id="main">
          ${sections.map(
            ({ id, title, content }) =>
              html`<section id="${id}" aria-labelledby="${id}-title">
                <h2 id="${id}-title">${title}</h2>
                ${content}
              </section> `,
          )}
        </main>
        <footer>
          <p>
            Written by covolve ${heading.version} from what the run holds; last write of the run
            ${moment(heading.lastWriteAt)}.
          </p>
        </footer>
      </body>
    </html> `.text;
}

function sectionsOf(model: ReportModel, gallery: Gallery): Section[] {
  const { heading, heldOut, rounds, updates, curriculum, frontier } = model;
  const empty =
    heldOut.evaluations.length === 0 && model.groupSize === null && curriculum.rejections.length === 0;
  const sections: Array<Section | false> = [
    {
      id: 'result',
      title: 'Result',
      content: empty
        ? html`<p class="result">
            Nothing has been recorded in this run yet. Write the report again when it has gone on.
          </p>`
        : html`${resultSection(model)}${budgetList(heading)}`,
    },
    heldOut.evaluations.length > 0 && {
      id: 'held-out',
      title: 'Held out',
      content: html`<div class="panels">${heldOutPanel(model)}${strataPanel(model)}</div>`,
    },
    rounds.length > 0 && {
      id: 'curriculum',
      title: 'Curriculum',
      content: html`<div class="panels">
        ${curriculumPanels(model)}${startsPanel(model)}${kindsPanel(model)}
      </div>`,
    },
    (rounds.length > 0 || updates.actor.length > 0) && {
      id: 'training',
      title: 'Training',
      content: html`<div class="panels">${trainingPanels(model)}</div>`,
    },
    model.programs !== null && {
      id: 'programs',
      title: 'Programs and questions',
      content: html`<div class="panels">${programPanels(model.programs)}</div>
        ${programGallery(gallery.programs)}`,
    },
    ...gallerySections(model, gallery),
    {
      id: 'about',
      title: 'Configuration and events',
      content: html`${eventsTable(model.events)}
        <details>
          <summary>The whole configuration</summary>
          <pre>${JSON.stringify(heading.config, null, 2)}</pre>
        </details>
        <p class="note">
          The sweet spot is a pass rate within ${frontier.halfWidth} of ${frontier.alpha}. A pass rate p is
          the share of right answers among the rollouts of one
          task${model.groupSize !== null && ` (${model.groupSize} of them)`}.
        </p>`,
    },
  ];
  return sections.filter((section) => section !== false);
}

function gallerySections(model: ReportModel, gallery: Gallery): Array<Section | false> {
  const { curriculum, frontier } = model;
  return [
    gallery.edits.length > 0 && {
      id: 'edits',
      title: 'Edits',
      content: html`<p>
          For each round up to two edits of each outcome, spaced evenly over the order in which they were
          proposed; none is chosen for its looks. In the scale below each pair, the hollow mark is the pass
          rate p of the parent, the full one that of the edit; the stripe is the sweet spot.
        </p>
        ${editGallery(gallery, frontier)}`,
    },
    gallery.tasks.length > 0 && {
      id: 'tasks',
      title: 'Tasks',
      content: html`<p>
          Nothing was edited in this run. Some of its tasks, from the hardest to the easiest for the model.
        </p>
        ${taskGallery(gallery.tasks)}`,
    },
    curriculum.rejections.length > 0 && {
      id: 'rejections',
      title: model.programs ? 'Refused programs' : 'Refused edits',
      content: html`<div class="panels">${rejectionPanels(model)}</div>
        ${
          gallery.rejected.length > 0 &&
          html`<details class="round" open>
            <summary>Examples, up to two for each reason</summary>
            ${rejectedGallery(gallery.rejected)}
          </details>`
        }`,
    },
  ];
}

/** Events that only say how a run is put together are long hashes, and stay in the configuration's company. */
function eventsTable(events: ReportModel['events']): Content {
  if (events.length === 0) return null;
  return html`<details>
    <summary>What happened beside the rounds</summary>
    ${table(
      'Events of the run',
      [{ name: 'When' }, { name: 'Event' }, { name: 'Detail' }],
      events.map(({ at, kind, detail }) => [moment(at), kind, html`<code>${JSON.stringify(detail)}</code>`]),
    )}
  </details>`;
}
