import { z } from 'zod';
import { checkSvg, extractSvg } from '../../render/index.js';
import { LEAKS, leaksOf, type Leak } from './leaks.js';
import {
  BLOCKS,
  CONTENT_TYPES,
  effectiveContentType,
  parseProposal,
  proposalOf,
  type ContentType,
} from './proposal.js';

/** What was found out about one line. */
export interface ProposalRecord {
  /** From 1. */
  readonly line: number;
  /** `ok`, or why it is no proposal, or `svg-` and why its drawing is refused. */
  readonly status: string;
  readonly detail: string | null;
  readonly contentType: ContentType | null;
  readonly leaks: readonly Leak[];
}

/** What `covolve check drawings` reports. JSON-serialisable. */
export interface DrawingsCheck {
  readonly lines: number;
  readonly accepted: number;
  /** Lines by status, `ok` apart. */
  readonly rejected: Readonly<Record<string, number>>;
  readonly contentTypes: Readonly<Record<ContentType, number>>;
  readonly leaks: Readonly<Record<Leak, number>>;
  readonly records: readonly ProposalRecord[];
}

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const drawing = { svg: z.string().optional() };
const LINE = z.union([
  z.object({ completion: z.string(), ...drawing }),
  z.object({ ...Object.fromEntries(BLOCKS.map((block) => [block, text])), ...drawing }),
]);

/** Checks proposals, one a line as JSON: `{"completion": ...}` or the six fields, each with an `svg` or without. */
export function checkDrawings(lines: readonly string[]): DrawingsCheck {
  const records = lines.flatMap((line, i) => (line.trim() === '' ? [] : [recordOf(line, i + 1)]));
  const rejected: Record<string, number> = {};
  for (const { status } of records) if (status !== 'ok') rejected[status] = (rejected[status] ?? 0) + 1;
  const count = (keep: (record: ProposalRecord) => boolean): number => records.filter(keep).length;
  return {
    lines: records.length,
    accepted: count(({ status }) => status === 'ok'),
    rejected,
    contentTypes: Object.fromEntries(
      CONTENT_TYPES.map((type) => [type, count(({ contentType }) => contentType === type)]),
    ) as Record<ContentType, number>,
    leaks: Object.fromEntries(
      LEAKS.map((leak) => [leak, count(({ leaks }) => leaks.includes(leak))]),
    ) as Record<Leak, number>,
    records,
  };
}

function recordOf(line: string, number: number): ProposalRecord {
  const bad = (status: string, detail: string): ProposalRecord => ({
    line: number,
    status,
    detail,
    contentType: null,
    leaks: [],
  });
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (cause) {
    return bad('not-json', cause instanceof Error ? cause.message : String(cause));
  }
  const read = LINE.safeParse(json);
  if (!read.success)
    return bad('not-a-proposal', `neither a completion nor the six fields ${BLOCKS.join(', ')}`);
  const fields = read.data as Readonly<Record<string, string | undefined>>;
  const { completion, svg } = fields;
  const proposal =
    completion === undefined
      ? proposalOf(fields as Parameters<typeof proposalOf>[0])
      : parseProposal(completion);
  if (!proposal.ok) return bad(proposal.error.reason, proposal.error.detail);
  const contentType = effectiveContentType(proposal.value);
  const found = svg === undefined ? null : extractSvg(svg);
  const checked = found?.ok === true ? checkSvg(found.value) : found;
  if (checked && !checked.ok) {
    return { ...bad(`svg-${checked.error.reason}`, checked.error.detail), contentType };
  }
  const leaks = leaksOf(proposal.value, found?.ok === true ? found.value : null);
  return { line: number, status: 'ok', detail: null, contentType, leaks };
}

const FIRST = 10;

/** The findings in words, a line each. */
export function describeDrawingsCheck({
  lines,
  accepted,
  rejected,
  contentTypes,
  leaks,
  records,
}: DrawingsCheck): string[] {
  const counts = (of: Readonly<Record<string, number>>): string =>
    Object.entries(of)
      .filter(([, n]) => n > 0)
      .map(([name, n]) => `${name} ${n}`)
      .join(', ') || 'none';
  const bad = records.filter(({ status }) => status !== 'ok');
  return [
    `${lines} proposals, ${accepted} accepted; rejected: ${counts(rejected)}`,
    ...bad.slice(0, FIRST).map(({ line, status, detail }) => `  line ${line}: ${status}: ${detail ?? ''}`),
    ...(bad.length > FIRST ? [`  ... and ${bad.length - FIRST} more`] : []),
    `content types: ${counts(contentTypes)}`,
    `leaks of the hard answer: ${counts(leaks)}`,
  ];
}
