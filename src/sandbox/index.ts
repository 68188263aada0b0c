/** Model-written Python, run where it can't hurt: isolated interpreters that fork for every program. */
export { openSandbox, type SandboxOptions } from './pool.js';
export { checkIsolation, INSTALL, type Isolation, type NoIsolation } from './isolation.js';
export { DEFAULT_LIMITS } from './limits.js';
export type { ProgramResult, ProgramSandbox, ProgramStatus, SandboxLimits } from './types.js';
