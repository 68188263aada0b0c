/** Configurations: schemas, presets, settings, registries, and the wiring of a run. */
export { parseOverride, type Override, type RawConfig } from './overrides.js';
export { loadConfig, packageRoot, packageVersion, presetNames, resolveFile } from './presets.js';
export {
  ENGINES,
  ENVIRONMENTS,
  METHODS,
  type EngineName,
  type EnvironmentEntry,
  type EnvironmentName,
  type MethodEntry,
  type MethodName,
  type MethodPlan,
  type MethodSetup,
} from './registry.js';
export {
  configFile,
  parseConfig,
  type EvaluationConfig,
  type RunConfig,
  type StoreConfig,
} from './schema.js';
export {
  isComplete,
  makeTasks,
  noImages,
  planOf,
  resumeRun,
  runConfig,
  startRun,
  withEnvironment,
  taskCounts,
  type RunHooks,
  type RunPlan,
  type RunTasks,
} from './wire.js';
export {
  DIFFERENCES,
  verifyRun,
  type Difference,
  type DifferenceKind,
  type Verification,
  type VerifySetup,
} from './verify.js';
export { probeRun, type ProbeRunSetup } from './probe.js';
