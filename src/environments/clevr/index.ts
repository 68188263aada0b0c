/** CLEVR: scenes of simple solids, questions with programs, edits of the scene graph, labels by recomputation. */
export * from './check.js';
export type { ClevrAction, ClevrEdit, ClevrState } from './edit.js';
export {
  applyEdit,
  applyEdits,
  describeClevrAction,
  editListText,
  inverseEdit,
  inverseEdits,
  sameScene,
} from './edits.js';
export {
  DEFAULT_CLEVR_CONFIG,
  clevrEnvironment,
  type ClevrConfig,
  type ClevrEnvironment,
  type ClevrTrace,
} from './environment.js';
export * from './executor.js';
export { entriesOf } from './entries.js';
export { readJsonFile } from './files.js';
export * from './official.js';
export * from './program.js';
export {
  QUESTION_WORDS,
  generateQuestion,
  generateQuestions,
  isDegenerate,
  type QuestionOptions,
  type QuestionsOptions,
} from './questions/index.js';
export { CLEVR_REJECTIONS, type ClevrReason, type ClevrRejection } from './rejections.js';
export * from './relations.js';
export * from './roles/index.js';
export {
  CAMERA_JITTER,
  EXTENT,
  MAX_OBJECTS,
  MIN_MARGIN,
  MIN_RIM_DISTANCE,
  placementProblem,
  sampleScene,
  type SampleSceneOptions,
} from './sampler.js';
export * from './scene.js';
export {
  CLEVR_ACTION,
  CLEVR_EDIT,
  CLEVR_EDIT_LIST_SCHEMA,
  CLEVR_SCENE,
  CLEVR_STATE,
  editListSchema,
} from './schema.js';
export {
  makeSeed,
  officialSeeds,
  readSeeds,
  sampleSeeds,
  sampleVisibleScene,
  type ClevrSeed,
  type OnBadLine,
  type ReadSeeds,
  type SampleSeedsOptions,
} from './seeds.js';
export {
  COLOR_RGB,
  drawScene,
  minVisiblePixels,
  toRenderScene,
  visibilityProblem,
  type View,
} from './view.js';
