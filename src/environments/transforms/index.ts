/** Executable transformations of pictures (EVE): programs, what they make, and questions whose answers the run knows. */
export {
  alike,
  ALIKE_RULES,
  cellDistance,
  fingerprint,
  hashSimilarity,
  type AlikeRule,
  type Fingerprint,
} from './alike.js';
export { challenger, parseProgram } from './challenge.js';
export {
  DEFAULT_TRANSFORM_CONFIG,
  transformEnvironment,
  twinOutputs,
  type TransformConfig,
  type TransformEnvironment,
  type TransformParts,
} from './environment.js';
export { readLibrary, type Library, type LibraryOptions } from './library.js';
export { codeOf, operationsOf, OPERATIONS, SEED_PROGRAMS, type Operation } from './programs.js';
export {
  buildQuestion,
  fullWording,
  pythonLiteral,
  type TransformQuestion,
  type Wording,
} from './questions.js';
export { TRANSFORM_REJECTIONS, type TransformReason, type TransformRejection } from './rejections.js';
export { transformSolver } from './solver.js';
export {
  pictureSeed,
  QUESTION_KINDS,
  type ArgumentSet,
  type QuestionKind,
  type TransformAction,
  type TransformState,
} from './state.js';
export {
  CELL,
  MICRO_SEED_PROGRAMS,
  microChallenger,
  microSolver,
  microWording,
  MOSAIC,
} from './micro/roles.js';
export { linesOf, SCRIPTED_OPERATIONS, scriptedProgram } from './micro/scripted.js';
export { TRANSFORM_VOCABULARY } from './micro/vocabulary.js';
export { variedProgram, VARIED_STEPS, type PictureSize, type VariedProgram } from './varied.js';
