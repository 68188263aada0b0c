/**
 * Feeds mutated proposals, SVG and answers to everything that reads them, and counts the outcomes; any exception ends it.
 * Usage: npx tsx scripts/fuzz-drawings.ts [100000]
 */
import { Rng } from '../src/core/rng.js';
import { parseBoxed, parseProposal } from '../src/environments/drawings/index.js';
import { checkSvg, extractSvg } from '../src/render/index.js';
import { mutated, TROUBLE } from './mutate.js';

const count = Number(process.argv[2] ?? 100_000);
const SEEDS = [
  '<content_type>map</content_type><caption>A map &lt;of&gt; five towns</caption><easy_question>Which town?</easy_question><easy_answer>Bonn</easy_answer><hard_question>How far?</hard_question><hard_answer>7</hard_answer>',
  '<think>a { b }</think> so it is \\boxed{\\text{12}}',
  '```svg\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 60"><defs><filter id="f"><feGaussianBlur stdDeviation="2"/></filter></defs><rect width="9" height="9" fill="url(#f)" style="stroke:red"/><text x="3">a</text><use href="#f"/></svg>\n```',
  '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg width="10%" height="1e3"><path d="M0 0L1 1z"/><image href="data:image/png;base64,AA=="/></svg>',
];
const PIECES = [...TROUBLE, ']]>', '<!--', '\\boxed{', '</svg>', '<svg ', 'url(', '#f'];

const outcomes: Record<string, number> = {};
const note = (what: string, result: { ok: boolean; error?: { reason: string } }): void => {
  const key = `${what} ${result.ok ? 'ok' : (result.error?.reason ?? '?')}`;
  outcomes[key] = (outcomes[key] ?? 0) + 1;
};
const rng = Rng.fromSeed('fuzz-drawings');
let slowest = 0;
for (let i = 0; i < count; i++) {
  const text = mutated(rng.child(i), SEEDS, PIECES);
  const started = performance.now();
  note('proposal', parseProposal(text));
  note('answer', parseBoxed(text));
  const found = extractSvg(text);
  note('svg', found.ok ? checkSvg(found.value) : found);
  slowest = Math.max(slowest, performance.now() - started);
}
console.log(outcomes);
console.log(`${count} texts, slowest ${slowest.toFixed(1)} ms`);
