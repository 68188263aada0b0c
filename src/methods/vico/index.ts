export * from './config.js';
export { runVico, type VicoSetup } from './loop.js';
export type { Pool, PoolEntry } from './pool.js';
export { admit, seedPool } from './pool.js';
export { proposeEdits, type Author, type Edited } from './propose.js';
