/** Drawings that small models can invent, draw and read: their structure, questions, SVG, scripts and roles. */
export { brokenSvgOf, placedMarks, SIDE, SVG_WORDS, svgOf, type PlacedMark } from './draw.js';
export {
  captionOf,
  COLOURS,
  contentTypeOf,
  KINDS,
  MOST_VALUE,
  parseCaption,
  sampleFigure,
  SHAPES,
  type Figure,
  type Kind,
  type Mark,
} from './figure.js';
export { derive, parseQuestion, questionText, type Derived, type Question } from './questions.js';
export {
  MICRO_LENGTHS,
  MICRO_VOCABULARY,
  microCoder,
  microProposer,
  microSolver,
  proposalText,
  solutionText,
  truthOf,
} from './roles.js';
export { MICRO_TOPICS, scriptPair, writeScripted, type ScriptCare, type Scripted } from './script.js';
