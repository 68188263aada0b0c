/** Charts: tables that become pictures, questions about them, edits of data and style, labels by rule. */
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
  CHART_REJECTIONS,
  editListSchema,
  type ChartEdit,
  type ChartLook,
  type ChartReason,
} from './edit.js';
export {
  applyChartEdit,
  applyChartEdits,
  inverseChartEdit,
  inverseChartEdits,
  type ChartState,
} from './edits.js';
export { answerAfter } from './answer.js';
export { fullDrafter } from './lexicon.js';
export { draftChartEdits, type Drafter, type DraftOptions } from './editors.js';
export {
  chartsEnvironment,
  DEFAULT_CHARTS_CONFIG,
  MICRO_CONFIG,
  type ChartsConfig,
  type ChartsEnvironment,
  type ChartTrace,
} from './environment.js';
export * from './micro.js';
export {
  answerOf,
  CHART_FAMILIES,
  type ChartAnswer,
  type ChartFamily,
  type Operation,
  type UsedCell,
} from './operation.js';
export { askQuestion, askQuestions, isQuantity, type QuestionOptions } from './questions.js';
export { CHART_TASK_REJECTIONS, type ChartTaskReason, type ChartTaskRejection } from './rejections.js';
export { microEditGrammar } from './roles/grammar.js';
export { chartsMicroVocabulary } from './roles/vocabulary.js';
export {
  chartQaSeeds,
  makeChartSeed,
  readChartSeeds,
  sampleMicroCharts,
  sampleVegaCharts,
  type ChartSeed,
  type ReadCharts,
  type SampleChartsOptions,
} from './seeds.js';
export { vegaReader, type VegaPart, type VegaReader, type VegaTable } from './vega.js';
export { type ChartAction, type ChartAsk, type ChartTaskState } from './state.js';
export { chartSpec, readingNeeds, type ChartDrawing } from './view.js';
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
