import { userPrompt } from '../../../core/prompt.js';
import { reject } from '../../../core/result.js';
import { BLOCKS, CONTENT_TYPES, type Proposal } from '../proposal.js';
import { coder, drawingSolver, proposer } from '../roles.js';
import { SVG_WORDS } from './draw.js';
import { CAPTION_WORDS, COLOURS, parseCaption, SHAPES } from './figure.js';
import { derive, parseQuestion, QUESTION_WORDS, type Derived } from './questions.js';
import { MICRO_TOPICS } from './script.js';

const NUMBERS = Array.from({ length: 11 }, (_, i) => String(i));
const TAGS = BLOCKS.flatMap((block) => [`<${block}>`, `</${block}>`]);

/** Everything a proposal is made of, besides the tags of its blocks. */
const PROPOSAL_WORDS = [
  ...new Set([
    ...CONTENT_TYPES,
    ...CAPTION_WORDS,
    ...[':', ','],
    ...QUESTION_WORDS,
    ...COLOURS,
    ...SHAPES,
    ...NUMBERS,
  ]),
];

/**
 * The alphabets of the micro roles, prompts and completions together. Nothing but these words can be read or written; in
 * which order is up to the role, so that what it writes may well be neither a proposal nor SVG.
 */
export const MICRO_VOCABULARY = {
  proposer: ['topic', ...Object.keys(MICRO_TOPICS), ...TAGS, ...PROPOSAL_WORDS],
  coder: [...PROPOSAL_WORDS, ';', ...SVG_WORDS],
  solver: [...PROPOSAL_WORDS, '<think>', '</think>', '\\boxed{', '}'],
} satisfies Record<string, readonly string[]>;

/**
 * Longest prompts and completions in tokens, the end token included. A proposal has 12 tags and at least one token in each of
 * six blocks, so that whatever the proposer writes can be read by the other two.
 */
export const MICRO_LENGTHS = {
  proposer: { prompt: 4, completion: 44 },
  coder: { prompt: 32, completion: 52 },
  solver: { prompt: 28, completion: 8 },
} as const;

/** Words of the proposer's prompts, which it can write too, and the other two can't read. */
const PROMPT_WORDS: ReadonlySet<string> = new Set(['topic', ...Object.keys(MICRO_TOPICS)]);

/** A proposer of few words: `topic shop` in, six blocks out. */
export const microProposer: typeof proposer = {
  ...proposer,
  prompt: ({ topic }) => userPrompt(`topic ${topic}`),
  parse(text: string) {
    const parsed = proposer.parse(text);
    if (!parsed.ok) return parsed;
    const { caption, easyQuestion, easyAnswer, hardQuestion, hardAnswer } = parsed.value;
    const blocks = [caption, easyQuestion, easyAnswer, hardQuestion, hardAnswer];
    const words = blocks.flatMap((block) => block.split(' '));
    const strange = words.find((word) => PROMPT_WORDS.has(word));
    return strange === undefined ? parsed : reject('unknown-word', `${strange} is no word of a picture`);
  },
};

/** A coder that is told the caption and the questions, and writes SVG as words. */
export const microCoder: typeof coder = {
  ...coder,
  prompt: ({ caption, easyQuestion, easyAnswer, hardQuestion }) =>
    userPrompt([caption, `${easyQuestion} ${easyAnswer}`, hardQuestion].join(' ; ')),
};

/** A solver that sees a picture and a question, and answers in the full solver's form. */
export const microSolver: typeof drawingSolver = {
  ...drawingSolver,
  prompt: ({ image, question }) => userPrompt(question, [image]),
};

/** The six blocks as the micro proposer writes them. */
export function proposalText(proposal: Proposal): string {
  const { contentType, caption, easyQuestion, easyAnswer, hardQuestion, hardAnswer } = proposal;
  const texts = [contentType, caption, easyQuestion, easyAnswer, hardQuestion, hardAnswer];
  return BLOCKS.map((block, i) => `<${block}> ${texts[i] ?? ''} </${block}>`).join(' ');
}

/** A worked answer: what is read off the picture on the way, and the answer in its box. */
export function solutionText({ answer, steps }: Derived): string {
  return ['<think>', ...steps, '</think>', '\\boxed{', answer, '}'].join(' ');
}

/** What the answers are if the picture is what the caption says; null where caption or question isn't of the known forms. */
export function truthOf(proposal: Pick<Proposal, 'caption' | 'easyQuestion' | 'hardQuestion'>): {
  readonly easy: string | null;
  readonly hard: string | null;
} {
  const figure = parseCaption(proposal.caption);
  const answer = (text: string): string | null => {
    const question = parseQuestion(text);
    return figure && question ? (derive(figure, question)?.answer ?? null) : null;
  };
  return { easy: answer(proposal.easyQuestion), hard: answer(proposal.hardQuestion) };
}
