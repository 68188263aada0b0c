export { editListConstraint, editListGrammar, grammarLiterals, type EditListLimits } from './grammar.js';
export { GRID_STEP, gridCoordinates, microPassRate, microQuestion, microScene, toGrid } from './micro.js';
export { clevrRewriter, type RewriterOptions } from './rewriter.js';
export {
  SOLUTION_REJECTIONS,
  clevrSolver,
  parseSolution,
  type PromptStyle,
  type SolutionReason,
} from './solver.js';
export { reasoningSteps, solverTarget } from './target.js';
export { clevrMicroVocabulary } from './vocabulary.js';
