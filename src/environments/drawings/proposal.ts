import { ok, reject, type Rejection, type Result } from '../../core/result.js';

/** What a drawing may be of (MM-Zero, prompt of the proposer). */
export const CONTENT_TYPES = [
  'data_chart',
  'diagram',
  'geometry',
  'timeline',
  'map',
  'table',
  'other',
] as const;

export type ContentType = (typeof CONTENT_TYPES)[number];

/** The six blocks, in the order in which they are asked for. */
export const BLOCKS = [
  'content_type',
  'caption',
  'easy_question',
  'easy_answer',
  'hard_question',
  'hard_answer',
] as const;

export type Block = (typeof BLOCKS)[number];

/** What the proposer wrote: a drawing in words, with an easy and a hard question about it. All texts trimmed, none empty. */
export interface Proposal {
  readonly contentType: ContentType;
  readonly caption: string;
  readonly easyQuestion: string;
  readonly easyAnswer: string;
  readonly hardQuestion: string;
  readonly hardAnswer: string;
}

/** Why a completion is no proposal. */
export const PROPOSAL_REJECTIONS = [
  'missing-block',
  'repeated-block',
  'unclosed-block',
  'empty-block',
  'nested-block',
  'unknown-content-type',
  'too-long',
  'same-questions',
  /** A word that the micro coder and solver can't read. */
  'unknown-word',
] as const;

export type ProposalReason = (typeof PROPOSAL_REJECTIONS)[number];

/** Most characters of a block. An answer is a number, a word or a short phrase. */
const MOST: Readonly<Record<Block, number>> = {
  content_type: 40,
  caption: 8_000,
  easy_question: 1_000,
  easy_answer: 100,
  hard_question: 1_000,
  hard_answer: 100,
};

/**
 * Reads a completion: six blocks in any order, each once; what stands around them, code fences and thinking before them don't
 * matter. Text entities (`&lt;`) are decoded. Never throws.
 */
export function parseProposal(completion: string): Result<Proposal, Rejection<ProposalReason>> {
  const said = completion.slice(completion.lastIndexOf('</think>') + 1);
  const found: Partial<Record<Block, string>> = {};
  for (const block of BLOCKS) {
    const opened = positions(said, `<${block}>`);
    const first = opened[0];
    if (first === undefined) return reject('missing-block', `there is no <${block}>`);
    if (opened.length > 1) return reject('repeated-block', `<${block}> is there ${opened.length} times`);
    const begin = first + block.length + 2;
    const end = said.toLowerCase().indexOf(`</${block}>`, begin);
    if (end < 0) return reject('unclosed-block', `<${block}> isn't closed`);
    const text = said.slice(begin, end);
    const inside = BLOCKS.find((other) => new RegExp(`</?${other}>`, 'i').test(text));
    if (inside) return reject('nested-block', `<${inside}> stands inside <${block}>`);
    found[block] = decode(text).replace(/\s+/g, ' ').trim();
  }
  return proposalOf(found as Record<Block, string>);
}

/** A proposal from six texts of unknown origin, e.g. the fields of a JSON line. */
export function proposalOf(
  blocks: Readonly<Record<Block, string>>,
): Result<Proposal, Rejection<ProposalReason>> {
  for (const block of BLOCKS) {
    const { length } = blocks[block].trim();
    if (length === 0) return reject('empty-block', `<${block}> is empty`);
    if (length > MOST[block])
      return reject('too-long', `<${block}> has ${length} characters, at most ${MOST[block]}`);
  }
  const contentType = contentTypeOf(blocks.content_type);
  if (contentType === null) {
    const shown = JSON.stringify(blocks.content_type.trim());
    return reject('unknown-content-type', `${shown} is none of ${CONTENT_TYPES.join(', ')}`);
  }
  const [easyQuestion, hardQuestion] = [blocks.easy_question.trim(), blocks.hard_question.trim()];
  if (easyQuestion.toLowerCase() === hardQuestion.toLowerCase()) {
    return reject('same-questions', 'the easy and the hard question are the same');
  }
  return ok({
    contentType,
    caption: blocks.caption.trim(),
    easyQuestion,
    easyAnswer: blocks.easy_answer.trim(),
    hardQuestion,
    hardAnswer: blocks.hard_answer.trim(),
  });
}

function positions(text: string, tag: string): number[] {
  const lower = text.toLowerCase();
  const found: number[] = [];
  for (let at = lower.indexOf(tag); at >= 0; at = lower.indexOf(tag, at + tag.length)) found.push(at);
  return found;
}

/** `Data Chart`, `data-chart` and `data_chart.` are one. */
function contentTypeOf(text: string): ContentType | null {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return CONTENT_TYPES.find((type) => type === plain) ?? null;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|apos);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/** Words of a caption that give a content type away, for proposals that call themselves `other` (as the published code does). */
const TELLING: ReadonlyArray<readonly [ContentType, RegExp]> = [
  [
    'data_chart',
    /\b(bar|line|pie|scatter|area) (chart|graph|plot)|\bhistogram\b|\bdata chart\b|\bheat ?map\b/,
  ],
  ['timeline', /\btimeline\b|\bgantt\b|\bchronolog/],
  ['table', /\btable\b|\brows and columns\b|\bspreadsheet\b/],
  ['geometry', /\btriangle|\bpolygon|\bangle\b|\bgeometr|\bcircle inscribed\b|\bhexagon\b/],
  ['map', /\bmap\b|\bregions?\b|\bfloor ?plan\b/],
  ['diagram', /\bdiagram\b|\bflow ?chart\b|\bnetwork\b|\bnodes? and edges?\b|\btree\b/],
];

/** The content type that counts: the one told, or for `other` the one that the caption's words tell. */
export function effectiveContentType({ contentType, caption }: Proposal): ContentType {
  if (contentType !== 'other') return contentType;
  const text = caption.toLowerCase();
  return TELLING.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other';
}
