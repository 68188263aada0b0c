import type { Json } from '../core/json.js';
import type { Metric } from '../core/ports.js';
import type { RunReader } from '../runs/index.js';
import { evenly } from './evenly.js';
import { html, shortened, type Content, type Markup } from './html.js';
import { linesPanel, roundPoints, updatePanel } from './linePanels.js';
import type { Place } from './model.js';
import { fixed, percent, rate } from './numbers.js';
import { PictureBook, type Picture } from './pictures.js';

/** Names under which EVE records its numbers. */
const ROUND = 'eve';
const MEASURED = 'solver-frozen';

/** What a report says of a method whose tasks programs make (EVE); null for any other run. */
export interface ProgramsModel {
  readonly rounds: readonly Place[];
  readonly solver: readonly Place[];
  readonly challenger: readonly Place[];
}

/** The numbers of rounds and updates, where the run has any of its own kind. `placesOf` gives those of a role. */
export function collectPrograms(
  metrics: readonly Metric[],
  placesOf: (metrics: readonly Metric[], role: string) => readonly Place[],
): ProgramsModel | null {
  const rounds = placesOf(metrics, ROUND);
  if (rounds.length === 0) return null;
  return {
    rounds,
    solver: placesOf(metrics, 'solver'),
    challenger: placesOf(metrics, 'challenger'),
  };
}

/** One program with what it made of a picture. */
export interface ProgramCard {
  readonly round: number;
  readonly index: number;
  readonly origin: string;
  readonly program: string;
  /** The pictures of its first question: what it was given, then what it made. */
  readonly pictures: readonly (Picture | null)[];
  readonly question: string;
  readonly answer: string;
  /** Share of the frozen solver's right answers to that question, in [0, 1]; null when it wasn't measured. */
  readonly accuracy: number | null;
}

const ROUNDS_SHOWN = 4;
const CARDS_A_ROUND = 4;
const PICTURE_BYTES = 1_200_000;
const LONGEST = 2000;

/** Some programs of each round, evenly over the order in which they were written: none is chosen for its looks. */
export async function collectProgramCards(reader: RunReader): Promise<ProgramCard[]> {
  const book = new PictureBook(reader, PICTURE_BYTES);
  const cards: ProgramCard[] = [];
  for (const round of evenly(reader.proposalRounds(), ROUNDS_SHOWN)) {
    const valid = reader.proposals(round).filter(({ outcome }) => outcome.kind === 'accepted');
    for (const { index, origin, action, outcome } of evenly(valid, CARDS_A_ROUND)) {
      const stored = outcome.kind === 'accepted' ? reader.task(outcome.taskId) : null;
      if (!stored) continue;
      const { images, question, answer, id } = stored.task;
      const pictures: (Picture | null)[] = [];
      for (const { hash } of images) pictures.push(await book.show(hash));
      const measured = reader
        .groupsOfTask(id)
        .find((entry) => entry.round === round && entry.role === MEASURED);
      const accuracy = measured?.group.passRate ?? null;
      const program = sourceOf(action);
      cards.push({ round, index, origin, program, pictures, question, answer, accuracy });
    }
  }
  return cards;
}

/** The program of an action, whatever its environment calls it; the action as it is where there is none to find. */
function sourceOf(action: Json): string {
  const program =
    typeof action === 'object' && action !== null && 'program' in action ? action['program'] : null;
  return typeof program === 'string' ? program : JSON.stringify(action);
}

const SHARES: readonly [number, number] = [0, 1];

/** Curves of what the challenger wrote and what the solver made of it. */
export function programPanels({ rounds, solver, challenger }: ProgramsModel): Content {
  const line = (
    name: string,
    metric: string,
    tone: number,
  ): Parameters<typeof linesPanel>[0]['lines'][0] => ({
    name,
    tone,
    points: roundPoints(rounds, metric),
  });
  const shares = { format: (y: number) => percent(y), percent: true, yBounds: SHARES } as const;
  return [
    linesPanel({
      title: 'Programs that can be used',
      meaning:
        'Share of programs that could be read, and of those that ran and made four different pictures.',
      lines: [line('readable', 'format_share', 1), line('valid', 'valid_share', 2)],
      ...shares,
    }),
    linesPanel({
      title: 'Difficulty',
      meaning:
        'Mean of 1 − 2 |accuracy − ½| over valid programs: 1 where the solver is right half of the time. Judged by execution, it is the same in every arm; what the challenger is paid for is another where labels are votes.',
      lines: [line('as paid', 'difficulty', 1), line('by execution', 'true_difficulty', 2)],
      format: (y) => fixed(y, 2),
      yBounds: SHARES,
    }),
    linesPanel({
      title: 'Diversity of code',
      meaning: "Mean 1 − BLEU-4 over pairs of a round's programs (up to 256 of them), arguments left out.",
      lines: [line('code', 'code_diversity', 1)],
      format: (y) => fixed(y, 2),
      yBounds: SHARES,
    }),
    linesPanel({
      title: 'Diversity of pictures',
      meaning:
        'Mean 1 − cosine over pairs of programs of what they change, in thumbnails of 8 × 8 cells; from 0 to 2.',
      lines: [line('pictures', 'image_distance', 1)],
      format: (y) => fixed(y, 2),
    }),
    linesPanel({
      title: 'Labels that are right',
      meaning:
        'Share of labels that are what execution says: of the questions in the bank, and of those trained on.',
      lines: [line('bank', 'label_accuracy', 1), line('trained on', 'label_accuracy_trained', 2)],
      ...shares,
    }),
    linesPanel({
      title: 'Question bank and example queue',
      meaning: 'Questions kept for the solver, and programs that may be shown to the challenger.',
      lines: [line('bank', 'bank', 1), line('queue', 'queue', 2)],
      format: (y) => fixed(y, 0),
    }),
    linesPanel({
      title: 'Pass rate of the solver in training',
      meaning:
        'Mean over the groups that it was trained on, and the share of groups with right and wrong answers.',
      lines: [line('pass rate', 'pass_rate', 1), line('mixed groups', 'mixed_share', 2)],
      ...shares,
    }),
    linesPanel({
      title: 'Reward of the challenger',
      meaning: 'Mean over its programs; from −0.3 to 1.',
      lines: [line('reward', 'reward', 1)],
      format: (y) => fixed(y, 2),
    }),
    ...(['solver', 'challenger'] as const).flatMap((role) => {
      const places = role === 'solver' ? solver : challenger;
      return [
        updatePanel(places, 'entropy', {
          title: `Entropy of the ${role}`,
          meaning: 'Mean entropy of its token distributions, in nats.',
        }),
        updatePanel(places, 'kl', {
          title: `KL of the ${role} from its start`,
          meaning: 'Mean low-variance estimate over tokens, in nats.',
        }),
      ];
    }),
  ];
}

/** Programs with their pictures. */
export function programGallery(cards: readonly ProgramCard[]): Content {
  return html`<div class="cards">${cards.map(programArticle)}</div>`;
}

function programArticle(card: ProgramCard): Markup {
  const { round, index, origin, program, pictures, question, answer, accuracy } = card;
  const name = `Round ${round}, program ${index}`;
  return html`<article class="card" aria-label="${name}">
    <header>
      <span class="place">${name}, by the ${origin}</span>
    </header>
    <div class="pair">
      ${pictures.map(
        (picture, i) =>
          html`<figure>
            ${
              picture
                ? html`<img
                    src="${picture.source}"
                    width="${picture.width}"
                    height="${picture.height}"
                    alt="${i === 0 ? 'What the program was given' : `What it made, image_${i}`}"
                  />`
                : html`<div class="no-picture">no picture kept</div>`
            }
            <figcaption>image_${i}</figcaption>
          </figure> `,
      )}
    </div>
    <pre>${shortened(program, LONGEST)}</pre>
    <dl>
      <dt>Answer</dt>
      <dd><span class="answer">${answer}</span>, from execution</dd>
      ${
        accuracy !== null &&
        html`<dt>Solver</dt>
          <dd>right in ${rate(accuracy)} of its tries before it was trained on it</dd>`
      }
    </dl>
    <details>
      <summary>The question</summary>
      <pre>${shortened(question, LONGEST)}</pre>
    </details>
  </article> `;
}
