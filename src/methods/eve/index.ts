export * from './config.js';
export { runEve } from './loop.js';
export { STEP_ROLE, ROUND_ROLE } from './metrics.js';
export { MEASURE_ROLE } from './programs.js';
export type { EveSetup } from './setup.js';
