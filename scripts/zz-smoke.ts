import { writeFileSync } from 'node:fs';
import { Rng } from '../src/core/rng.js';
import { contactSheet, encodePng } from '../src/render/index.js';
import * as C from '../src/environments/charts/index.js';
const env = C.chartsEnvironment();
const t0 = performance.now();
const seeds = C.sampleVegaCharts(Rng.fromSeed('v'), 150, { rows: [3, 8], families: C.CHART_FAMILIES, questionsPerChart: 4, part: 'training' }, env.config);
console.log('seeds ms', performance.now() - t0);
const held = C.sampleVegaCharts(Rng.fromSeed('v'), 40, { rows: [3, 8], families: C.CHART_FAMILIES, questionsPerChart: 4, part: 'held-out' }, env.config);
const count: Record<string, number> = {}; const reasons: Record<string, number> = {};
const images = []; let last = ''; let tier1 = 0, tier1ok = 0;
for (const [i, s] of [...seeds, ...held].entries()) {
  const r = await env.realise(s, null);
  if (!r.ok) { console.log(r.error); continue; }
  const x = r.value[0]!;
  const f = x.task.facts.family as string; count[f + ' ' + (f === 'compare' || f === 'trend' ? x.task.answer : '')] = (count[f + ' ' + (f === 'compare' || f === 'trend' ? x.task.answer : '')] ?? 0) + 1;
  if (i % 4 === 0 || i < 20) console.log(x.task.question, '=>', x.task.answer);
  if (f === 'cell') { tier1++; const t = C.tierOf(s.state.table, x.task.question, x.task.answer); tier1ok += Number(t.tier === '1'); if (t.tier !== '1' && tier1 < 12) console.log('   tier', t.tier, t.reason); }
  if (x.images[0] && x.task.images[0]!.hash !== last && images.length < 12) { images.push(x.images[0]); last = x.task.images[0]!.hash; }
  const e = env.randomEdit(s, Rng.fromSeed(i)); const er = await env.realise(s, e);
  const k = f === 'cell' ? 'cell' : 'tier2'; reasons[k + (er.ok ? ' ok' : ' ' + er.error.reason)] = (reasons[k + (er.ok ? ' ok' : ' ' + er.error.reason)] ?? 0) + 1;
  if (f === 'cell' && i < 40) console.log('   ', env.describeAction(e), er.ok ? '' : er.error.detail);
}
console.log(count, reasons, { tier1, tier1ok });
writeFileSync('/tmp/charts-env/sheet.png', await encodePng(contactSheet(images, 4, {}) as never));
