/**
 * Covolve as a library: the types of the house, CLEVR, the micro engine, VICO, runs and configurations. What the command line
 * does with them is not exported.
 */
export type { Engine, LearnerRequest, OpenedLearner } from './core/engine.js';
export {
  replay,
  type EditableEnvironment,
  type Environment,
  type Lineage,
  type Realised,
  type RewriteRequest,
  type Solution,
  type SolveRequest,
} from './core/environment.js';
export {
  ConfigError,
  CovolveError,
  DataError,
  InterruptedError,
  OutageError,
  StoreError,
} from './core/errors.js';
export { imageRef, type Image, type ImageRef } from './core/image.js';
export { canonicalJson, contentHash, type Json } from './core/json.js';
export type { AskedTask, FitJob, GroupJob, Learner, WeightedExample } from './core/learner.js';
export type {
  Completion,
  Objective,
  Policy,
  PolicyState,
  SampleRequest,
  TrainGroup,
  TrainSample,
  UpdateMetrics,
} from './core/policy.js';
export type {
  Evaluator,
  Metric,
  Progress,
  Proposal,
  RunJournal,
  SafePoint,
  StepKey,
  StoredTask,
} from './core/ports.js';
export {
  promptImages,
  promptText,
  userPrompt,
  type Message,
  type Prompt,
  type PromptPart,
} from './core/prompt.js';
export { err, ok, reject, unwrap, type Rejection, type Result } from './core/result.js';
export type { Group, Reward, Rollout, RolloutKey, Sampled, Score } from './core/reward.js';
export { Rng } from './core/rng.js';
export type { Grammar, OutputConstraint, Role } from './core/role.js';
export {
  makeTask,
  type AnswerKind,
  type Derivation,
  type Label,
  type Task,
  type TaskContent,
} from './core/task.js';

export { decodeImage, encodePng, renderScene } from './render/index.js';
export * as clevr from './environments/clevr/index.js';
export { grade } from './rewards/grading.js';
export { vicoActorReward } from './rewards/vico.js';
export { stepLearner, type LearnerSetup } from './algorithms/learner.js';
export { clusteredMean, pairedDifference, type Estimate } from './algorithms/statistics.js';
export { openAiOptions, openClient, openSampler, type Sampler } from './engines/openai/index.js';
export { MicroPolicy, type MicroConfig, type MicroOptions } from './engines/micro/index.js';
export { MemoryJournal, RunReader, RunStore, type NewRun, type StoreSettings } from './runs/index.js';
export { runVico, VICO_ARMS, type VicoArm, type VicoConfig, type VicoSetup } from './methods/vico/index.js';
export { EVE_ARMS, runEve, type EveArm, type EveConfig, type EveSetup } from './methods/eve/index.js';
export { heldOutEvaluator, type HeldOutSetup } from './evaluation/heldOut.js';
export { judgeAnswers, type Judgeable, type Judgement, type JudgeSetup } from './evaluation/judge.js';
export { memoryVerdicts, verdictFile, type VerdictCache } from './evaluation/judgeCache.js';
export { judgeReport, judgeReportText, type JudgeReport } from './evaluation/judgeReport.js';
export {
  loadConfig,
  parseConfig,
  presetNames,
  resumeRun,
  startRun,
  verifyRun,
  type RunConfig,
  type RunHooks,
  type Verification,
} from './config/index.js';
