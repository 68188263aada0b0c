export { RunStore, type NewRun, type StoreSettings } from './store.js';
export {
  RunReader,
  type RejectionCount,
  type RunCounts,
  type RunEvent,
  type StepSummary,
  type TaskFilter,
  type TaskPassRate,
} from './reader.js';
export { MemoryJournal } from './memory.js';
export type { CheckpointInfo } from './checkpoints.js';
export type { RunInfo } from './directory.js';
export type { Writer, WriterState } from './lock.js';
