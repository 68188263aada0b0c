export { MicroPolicy, type MicroOptions } from './policy.js';
export type { MicroConfig, VisionConfig, OptimizerConfig } from './config.js';
export { makeTokenizer, type Tokenizer } from './tokenizer.js';
