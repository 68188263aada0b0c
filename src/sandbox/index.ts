/** Model-written Python, run where it can't hurt: isolated interpreters that fork for every program. */
export { openSandbox } from './pool.js';
export type { ProgramResult, ProgramSandbox, ProgramStatus, SandboxLimits } from './types.js';
