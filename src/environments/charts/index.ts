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
export {
  CHART_EDIT,
  CHART_EDIT_SCHEMA,
  CHART_REJECTIONS,
  type ChartEdit,
  type ChartLook,
  type ChartReason,
} from './edit.js';
export { applyChartEdit, applyChartEdits, inverseChartEdit, type ChartState } from './edits.js';
export { labelChart, sameTable, type CellAnchor, type ChartRule } from './label.js';
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
