import type { RunReader } from '../runs/index.js';

/** Every metric of a run as JSON lines: `{"round":1,"role":"actor","step":3,"name":"loss","value":0.1}`, in order of place. */
export function metricLines(reader: RunReader): string {
  const all = reader.metricNames().flatMap((name) => reader.metrics(name));
  const sorted = all.sort(
    (a, b) =>
      a.round - b.round ||
      (a.role < b.role ? -1 : a.role > b.role ? 1 : 0) ||
      a.step - b.step ||
      (a.name < b.name ? -1 : 1),
  );
  return sorted
    .map(({ round, role, step, name, value }) => `${JSON.stringify({ round, role, step, name, value })}\n`)
    .join('');
}
