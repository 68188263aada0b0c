/** The look of a report: one column on a phone, charts side by side on a desk, light or dark as the reader's system is. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --paper: #ffffff; --ink: #1c2330; --soft: #57606f; --rule: #dde1e8; --grid: #e6e9ee; --wash: #eef1f5;
  --link: #1a5fb4; --good: #15693b; --bad: #b3261e; --good-wash: #dff3e6; --bad-wash: #fbe4e2; --zone: #f5e6b3;
  --t1: #1f66c1; --t2: #c4520a; --t3: #19794a; --t4: #8a3ea8; --t5: #a8780a; --t6: #0e7f8c; --t7: #b8336a; --t8: #768091;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12151b; --paper: #1b1f27; --ink: #e6e9ef; --soft: #a3acba; --rule: #323945; --grid: #2b313c; --wash: #252b35;
    --link: #8ab8ff; --good: #79d6a0; --bad: #ff9c94; --good-wash: #173626; --bad-wash: #43211f; --zone: #4a4220;
    --t1: #6ea8ff; --t2: #ff9f5c; --t3: #6bcf97; --t4: #cf95ea; --t5: #e0b957; --t6: #5ec9d6; --t7: #f389b2; --t8: #98a2b3;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 3.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; overflow-wrap: break-word; }
body > header, body > nav > ul, main, footer { max-width: 1220px; margin: 0 auto; padding: 0 20px; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 1.9rem; margin: 1.6rem 0 0.3rem; }
h1 .arm { font-weight: 400; color: var(--soft); }
h2 { font-size: 1.35rem; margin: 2.4rem 0 0.8rem; padding-top: 0.6rem; border-top: 1px solid var(--rule); }
section:first-child h2 { border-top: 0; margin-top: 1rem; padding-top: 0; }
h3 { font-size: 1.02rem; margin: 0 0 0.25rem; }
h4 { font-size: 0.9rem; margin: 0 0 0.2rem; }
h4 span { font-weight: 400; color: var(--soft); }
code, pre { font: 0.84em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; unicode-bidi: isolate; }
code { overflow-wrap: anywhere; }
pre { background: var(--wash); border-radius: 6px; padding: 0.7rem; margin: 0.4rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 20px; top: 10px; background: var(--paper); padding: 0.4rem 0.8rem; z-index: 3; }
.facts { color: var(--soft); margin: 0 0 1rem; display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; align-items: baseline; }
.facts b { color: var(--ink); font-weight: 600; overflow-wrap: anywhere; }
.status { border-radius: 99px; padding: 0.05rem 0.7rem; background: var(--wash); color: var(--ink); font-weight: 600; }
.status.finished { background: var(--good-wash); color: var(--good); }
.status.stopped, .status.interrupted { background: var(--zone); }
nav { position: sticky; top: 0; background: var(--page); border-bottom: 1px solid var(--rule); z-index: 2; }
nav ul { list-style: none; display: flex; gap: 0 1.2rem; overflow-x: auto; white-space: nowrap; }
nav a { display: block; padding: 0.6rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
.result { font-size: 1.12rem; max-width: 62rem; margin: 0 0 1rem; }
.note { color: var(--soft); font-size: 0.9rem; max-width: 62rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 14px; max-width: 44rem; }
.figure { background: var(--paper); border: 1px solid var(--rule); border-radius: 10px; padding: 0.8rem 1rem; }
.figure p { margin: 0; }
.figure .name { font-weight: 600; }
.figure .value { font-size: 1.25rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.figure .value b { font-size: 1.9rem; color: var(--ink); }
.figure .meaning, .interval { color: var(--soft); font-size: 0.85rem; font-weight: 400; }
.difference { font-weight: 600; }
.better { color: var(--good); font-weight: 600; }
.worse { color: var(--bad); font-weight: 600; }
.budget { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 9.5rem), 1fr)); gap: 0.8rem 1.4rem; margin: 1.4rem 0 0; }
.budget dt { color: var(--soft); font-size: 0.85rem; }
.budget dd { margin: 0; }
.budget b { display: block; font-size: 1.15rem; font-variant-numeric: tabular-nums; }
.budget span { display: block; color: var(--soft); font-size: 0.85rem; line-height: 1.35; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 350px), 1fr)); gap: 14px; align-items: start; }
.panel { margin: 0; background: var(--paper); border: 1px solid var(--rule); border-radius: 10px; padding: 0.9rem 1rem; min-width: 0; }
.panel.wide, .panel.rest { grid-column: 1 / -1; }
@media (min-width: 1180px) { .panel.rest { grid-column: 2 / -1; } }
td .interval { display: block; line-height: 1.2; }
.panel figcaption p { margin: 0 0 0.5rem; color: var(--soft); font-size: 0.86rem; line-height: 1.4; max-width: 62rem; }
.multiples { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 210px), 1fr)); gap: 14px 18px; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; margin: 0 0 0.4rem; padding: 0; font-size: 0.84rem; line-height: 1.4; }
.legend li { display: flex; gap: 0.4rem; align-items: center; }
.legend svg { flex: none; }
svg.chart, svg.gauge { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 11.5px; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--grid); fill: none; stroke-width: 1; }
.gauge .grid { stroke: var(--soft); opacity: 0.5; }
.cut { stroke: var(--rule); stroke-dasharray: 2 3; }
.tone-1 { --tone: var(--t1); } .tone-2 { --tone: var(--t2); } .tone-3 { --tone: var(--t3); } .tone-4 { --tone: var(--t4); }
.tone-5 { --tone: var(--t5); } .tone-6 { --tone: var(--t6); } .tone-7 { --tone: var(--t7); } .tone-8 { --tone: var(--t8); }
.line { fill: none; stroke: var(--tone); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.marker { fill: var(--tone); stroke: var(--paper); stroke-width: 1; }
.band { fill: var(--tone); opacity: 0.16; }
.bar-of-error { fill: none; stroke: var(--tone); stroke-width: 2; }
.part { fill: var(--tone); stroke: var(--paper); stroke-width: 1; }
.before { fill: var(--paper); stroke: var(--t2); stroke-width: 1.3; }
.after { fill: var(--t1); stroke: var(--t1); stroke-width: 1; }
.zone { fill: var(--zone); }
.was { fill: var(--paper); stroke: var(--t2); stroke-width: 2; }
.is { fill: var(--t1); stroke: var(--paper); stroke-width: 1; }
.shaft { stroke: var(--soft); stroke-width: 1.5; fill: none; }
.tip { fill: var(--soft); }
.none { color: var(--soft); font-style: italic; margin: 0.5rem 0; }
.scroll { overflow-x: auto; margin: 0 -0.2rem; padding: 0 0.2rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.28rem 0.7rem 0.28rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; font-weight: 400; }
thead th { color: var(--soft); font-size: 0.82rem; vertical-align: bottom; line-height: 1.25; }
.number { text-align: right; white-space: nowrap; }
thead .number { white-space: normal; }
tbody th { min-width: 6.5rem; }
tr.group th { font-weight: 600; padding-top: 0.8rem; }
details > summary { cursor: pointer; padding: 0.25rem 0; color: var(--link); font-size: 0.88rem; }
.numbers { margin-top: 0.4rem; }
.round { margin: 0 0 0.8rem; }
.round > summary { font-size: 1.02rem; font-weight: 600; padding: 0.5rem 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 350px), 1fr)); gap: 14px; align-items: start; }
.card { background: var(--paper); border: 1px solid var(--rule); border-radius: 10px; padding: 0.9rem 1rem; min-width: 0; }
.card > header { display: flex; flex-wrap: wrap; gap: 0.2rem 0.6rem; align-items: baseline; margin-bottom: 0.6rem; }
.tag { border-radius: 99px; padding: 0 0.6rem; font-size: 0.84rem; font-weight: 600; background: var(--wash); }
.tag.hit { background: var(--good-wash); color: var(--good); }
.tag.dry, .tag.refused { background: var(--bad-wash); color: var(--bad); }
.place { color: var(--soft); font-size: 0.84rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 10px; margin-bottom: 0.5rem; }
.pair figure { margin: 0; min-width: 0; }
.pair img { display: block; width: 100%; height: auto; image-rendering: pixelated; border-radius: 6px; background: var(--wash); }
.no-picture { aspect-ratio: 3 / 2; display: grid; place-items: center; color: var(--soft); background: var(--wash); border-radius: 6px; font-size: 0.84rem; }
.pair figcaption { font-size: 0.84rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.card dl { margin: 0.5rem 0; display: grid; grid-template-columns: 5.6rem 1fr; gap: 0.3rem 0.6rem; font-size: 0.92rem; }
.card dt { color: var(--soft); font-size: 0.84rem; padding-top: 0.08rem; }
.card dd { margin: 0; min-width: 0; overflow-wrap: anywhere; unicode-bidi: isolate; }
.card dd ol { margin: 0; padding-left: 1.2rem; }
.answer { font-weight: 600; }
.chips { list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem; margin: 0; padding: 0; }
.chips li { border-radius: 5px; padding: 0 0.45rem; font-size: 0.84rem; }
li.right { background: var(--good-wash); color: var(--good); }
li.wrong { background: var(--bad-wash); color: var(--bad); }
span.right { color: var(--good); }
span.wrong { color: var(--bad); }
.texts { margin: 0.3rem 0; padding-left: 1.4rem; font-size: 0.88rem; }
.trace code { white-space: nowrap; }
.parts { margin: 0.4rem 0; font-size: 0.84rem; color: var(--soft); }
.trace .changed td { font-weight: 600; background: var(--zone); }
footer { color: var(--soft); font-size: 0.85rem; padding-top: 2rem; padding-bottom: 2rem; }
@media (max-width: 480px) {
  body > header, body > nav > ul, main, footer { padding-left: 14px; padding-right: 14px; }
  h1 { font-size: 1.6rem; margin-top: 1.1rem; }
  .panel, .card { padding: 0.8rem; }
  .multiples { grid-template-columns: 1fr 1fr; gap: 12px 10px; }
  .multiples svg text { font-size: 16px; }
  .card dl { grid-template-columns: 1fr; gap: 0 0; }
  .card dt { padding-top: 0.4rem; }
}
@media print {
  nav, .skip { display: none; }
  .panel, .card { break-inside: avoid; }
}
`;
