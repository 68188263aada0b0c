/** What the benchmarks share: rates by processor time, and a table. */

/** One line of a table. */
export interface Row {
  readonly what: string;
  /** Units a second of one core. */
  readonly rate: number;
  readonly unit: string;
  /** What `rate` is compared with, in words, and how many times as fast it is; absent for the yardstick itself. */
  readonly ratio?: { readonly to: string; readonly value: number };
}

/**
 * Units a second of processor time: the median over `passes` calls after `warmUps` calls that don't count, each of which
 * returns how many units it did. Processor time, since a busy machine makes the clock on the wall tell its own story;
 * work that runs on several threads at once counts on each.
 */
export async function rate(pass: () => number | Promise<number>, passes = 5, warmUps = 1): Promise<number> {
  const rates: number[] = [];
  for (let i = -warmUps; i < passes; i++) {
    const before = process.cpuUsage();
    const units = await pass();
    const used = process.cpuUsage(before);
    if (i >= 0) rates.push(units / ((used.user + used.system) / 1e6));
  }
  return rates.sort((a, b) => a - b)[Math.floor(passes / 2)] ?? NaN;
}

export function printTable(rows: readonly Row[]): void {
  const cells = rows.map(({ what, rate: value, unit, ratio }) => [
    what,
    `${value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)} ${unit}/s`,
    ratio ? `${ratio.value.toPrecision(3)} x ${ratio.to}` : '',
  ]);
  const widths = [0, 1].map((column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  for (const [what = '', value = '', ratio = ''] of cells) {
    console.log(`${what.padEnd(widths[0] ?? 0)}  ${value.padStart(widths[1] ?? 0)}  ${ratio}`.trimEnd());
  }
}
