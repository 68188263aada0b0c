/** Tasks of a run as data sets of other trainers. */
export { filesOf, FORMATS, type ExportFile, type Format } from './formats.js';
export { metricLines } from './metrics.js';
export {
  collectRecords,
  enlarged,
  EXPORT_REFUSALS,
  type Collected,
  type CollectOptions,
  type ExportFilter,
  type ExportRecord,
  type ExportRefusal,
} from './records.js';
export { writeExport } from './write.js';
