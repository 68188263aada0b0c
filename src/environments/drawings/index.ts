/** Drawings (MM-Zero): proposals, the roles that write, draw and answer them, leaks. */
export { parseBoxed, type BoxedAnswer, type BoxedReason } from '../../core/boxed.js';
export { checkDrawings, describeDrawingsCheck, type DrawingsCheck, type ProposalRecord } from './check.js';
export {
  answerKindOf,
  DRAWING_REJECTIONS,
  drawingsEnvironment,
  topicSeed,
  type DrawingReason,
  type DrawingsConfig,
  type DrawingsState,
} from './environment.js';
export { LEAKS, leaksOf, textsOf, type Leak } from './leaks.js';
export {
  BLOCKS,
  CONTENT_TYPES,
  effectiveContentType,
  parseProposal,
  PROPOSAL_REJECTIONS,
  proposalOf,
  type Block,
  type ContentType,
  type Proposal,
  type ProposalReason,
} from './proposal.js';
export { coder, drawingSolver, proposer, SEED_TOPICS, type DrawingQuestion } from './roles.js';
export { KINDS, MICRO_TOPICS, writeScripted, type Kind } from './micro/index.js';
