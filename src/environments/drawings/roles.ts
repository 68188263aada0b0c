import { parseBoxed, type BoxedAnswer, type BoxedReason } from '../../core/boxed.js';
import type { Image } from '../../core/image.js';
import { userPrompt, type Prompt } from '../../core/prompt.js';
import type { Rejection, Result } from '../../core/result.js';
import type { Role } from '../../core/role.js';
import { extractSvg, type SvgRejection } from '../../render/index.js';
import { CONTENT_TYPES, parseProposal, type Proposal, type ProposalReason } from './proposal.js';

/** Topics that the proposer is asked about, unless others are named. */
export const SEED_TOPICS: readonly string[] = [
  'sales of a small shop over the months of a year',
  'a triangle with its angles and an altitude',
  'the stations of a city railway and how they connect',
  'milestones of a space programme',
  'results of a school sports day, as a table',
  'how a parcel travels from sender to receiver',
  'the rooms of a flat with their measures',
  'energy use of five countries by source',
];

/** MM-Zero's proposer: a topic in, six blocks out. */
export const proposer: Role<{ readonly topic: string }, Proposal> & {
  parse(text: string): Result<Proposal, Rejection<ProposalReason>>;
} = {
  name: 'proposer',
  prompt: ({ topic }) =>
    userPrompt(`You invent pictures that are worth thinking about: charts, diagrams, figures of geometry, timelines, maps, tables. Someone else will draw your picture as SVG from your words alone, and a third person, who sees only the picture, will answer your questions.

Topic: ${topic}

Write these six blocks and nothing else:
<content_type>one of ${CONTENT_TYPES.join(', ')}</content_type>
<caption>everything that is to be seen, with every number, name, colour and place; use at least three of: several series, notes beside marks, a second panel, colours or markers that mean something, derived values, a pattern that isn't obvious, a geometric construction</caption>
<easy_question>a question whose answer can be read off the picture directly</easy_question>
<easy_answer>its answer</easy_answer>
<hard_question>a question that takes several steps, the first of which is to read something off the picture; don't put the numbers it needs into the question</hard_question>
<hard_answer>its answer</hard_answer>

Both answers: one number, one word or a few words.`),
  parse: (text) => parseProposal(text),
};

/** MM-Zero's coder: a proposal in, one SVG out. Whether it can be drawn is for the rasteriser to say. */
export const coder: Role<Proposal, string> & { parse(text: string): Result<string, SvgRejection> } = {
  name: 'coder',
  prompt: ({ caption, easyQuestion, easyAnswer, hardQuestion }) =>
    userPrompt(`Draw this picture as SVG.

${caption}

People will be asked about it:
1. ${easyQuestion} (the answer must be readable in the picture: ${easyAnswer})
2. ${hardQuestion}

One self-contained <svg> element with a viewBox: no scripts, no links, no pictures from elsewhere. Label with <text> of 12 px or more, use colours that are easily told apart, let nothing overlap, and keep everything inside the viewBox. Put it in a code fence:
\`\`\`svg
<svg ...>...</svg>
\`\`\``),
  parse: (text) => extractSvg(text),
};

/** What the solver of a drawing sees. */
export interface DrawingQuestion {
  readonly image: Image;
  readonly question: string;
}

/** MM-Zero's solver: a picture and a question in, thoughts and a boxed answer out. */
export const drawingSolver: Role<DrawingQuestion, BoxedAnswer> & {
  parse(text: string): Result<BoxedAnswer, Rejection<BoxedReason>>;
} = {
  name: 'solver',
  prompt: ({ image, question }): Prompt =>
    userPrompt(
      `${question}

Look closely at the picture. First think step by step between <think> and </think>. Then give the answer alone in \\boxed{}: one number, one word or a few words, without unit, e.g. \\boxed{42} or \\boxed{blue}.`,
      [image],
    ),
  parse: (text) => parseBoxed(text),
};
