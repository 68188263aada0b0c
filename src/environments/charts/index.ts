/** Charts: tables that become pictures. So far: tables, tiers of questions, and a check of anyone's data set. */
export { readCell, type Cell } from './cells.js';
export {
  checkCharts,
  chartsPassed,
  describeChartsCheck,
  type ChartQuestion,
  type ChartsCheck,
  type QuestionRecord,
  type TableFinding,
} from './check.js';
export { readChartsFolder, tableSource, type ChartsFolder } from './files.js';
export {
  nameKey,
  readTable,
  TABLE_WARNINGS,
  type ReadTable,
  type TableProblem,
  type TableWarning,
  type TableWarningKind,
} from './read.js';
export {
  isYear,
  numberColumns,
  type Column,
  type NumberColumn,
  type Table,
  type TextColumn,
} from './table.js';
export { tierOf, TIERS, type Tier, type Tiering } from './tier.js';
