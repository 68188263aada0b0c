export * from './config.js';
export { runMmZero } from './loop.js';
export type { MmZeroSetup } from './setup.js';
