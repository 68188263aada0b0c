/** One self-contained HTML file a run. */
export { renderReport, writeReport } from './report.js';
