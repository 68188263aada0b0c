import type { Rng } from '../../../core/rng.js';
import type { Proposal } from '../proposal.js';
import { brokenSvgOf, svgOf } from './draw.js';
import { captionOf, contentTypeOf, KINDS, sampleFigure, type Figure, type Kind } from './figure.js';
import { derive, FORMS, questionText, sampleQuestion, type Question } from './questions.js';

/** Topics of the micro proposer, each with the kind of picture that comes to mind. */
export const MICRO_TOPICS: Readonly<Record<string, Kind>> = {
  shop: 'bars',
  energy: 'bars',
  sport: 'table',
  space: 'timeline',
  railway: 'diagram',
  parcel: 'diagram',
  flat: 'geometry',
  school: 'table',
};

/** A picture with its two questions, everything true. */
export interface Scripted {
  readonly figure: Figure;
  readonly easy: Question;
  readonly hard: Question;
  readonly proposal: Proposal;
  /** Well-formed and faithful. */
  readonly svg: string;
}

/** Writes a random picture of a kind with an easy and a hard question and their right answers. */
export function writeScripted(rng: Rng, kind: Kind): Scripted {
  for (let attempt = 0; attempt < 100; attempt++) {
    const stream = rng.child(attempt);
    const figure = sampleFigure(stream.child('figure'), kind);
    const easy = sampleQuestion(stream.child('easy'), figure, FORMS[kind].easy);
    const hard = sampleQuestion(stream.child('hard'), figure, FORMS[kind].hard);
    if (!easy || !hard) continue;
    const proposal: Proposal = {
      contentType: contentTypeOf(kind),
      caption: captionOf(figure),
      easyQuestion: questionText(easy),
      easyAnswer: derive(figure, easy)?.answer ?? '',
      hardQuestion: questionText(hard),
      hardAnswer: derive(figure, hard)?.answer ?? '',
    };
    return { figure, easy, hard, proposal, svg: svgOf(figure) };
  }
  throw new Error(`writeScripted: no two questions about a ${kind} in a hundred tries`);
}

/** The kind of picture for a topic: the one that comes to mind, or as often any. */
export function kindFor(rng: Rng, topic: string): Kind {
  const first = MICRO_TOPICS[topic];
  return first !== undefined && rng.chance(0.5) ? first : rng.pick(KINDS);
}

/** How careful the script is: shares of proposals with a wrong easy answer, and of drawings that aren't well-formed. */
export interface ScriptCare {
  readonly wrongAnswers: number;
  readonly brokenDrawings: number;
}

/** One pair for the warm start of proposer and coder: a topic, a proposal, its drawing; each as careful as told. */
export function scriptPair(
  rng: Rng,
  care: ScriptCare,
): {
  readonly topic: string;
  readonly scripted: Scripted;
  readonly proposal: Proposal;
  readonly svg: string;
} {
  const topic = rng.child('topic').pick(Object.keys(MICRO_TOPICS));
  const scripted = writeScripted(rng.child('picture'), kindFor(rng.child('kind'), topic));
  const other = writeScripted(rng.child('other'), scripted.figure.kind);
  const careless = rng.child('care');
  const proposal = careless.chance(care.wrongAnswers)
    ? { ...scripted.proposal, easyAnswer: other.proposal.easyAnswer }
    : scripted.proposal;
  const svg = careless.chance(care.brokenDrawings)
    ? brokenSvgOf(scripted.figure, rng.child('broken'))
    : scripted.svg;
  return { topic, scripted, proposal, svg };
}
