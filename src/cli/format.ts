/** A share as a percentage: `71.2`. */
export function percent(share: number): string {
  return (100 * share).toFixed(1);
}

/** A share with its interval: `71.2 (69.0 to 73.4)`. */
export function percentInterval(share: number, low: number, high: number): string {
  return `${percent(share)} (${percent(low)} to ${percent(high)})`;
}

/** A difference of shares in points with its interval: `+3.1 (+1.2 to +5.0)`. */
export function pointsInterval(mean: number, low: number, high: number): string {
  return `${points(mean)} (${points(low)} to ${points(high)})`;
}

function points(share: number): string {
  const text = percent(share);
  return share > 0 && !text.startsWith('-') ? `+${text}` : text;
}

/** Seconds in words: `45 s`, `3 min 5 s`, `2 h 10 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.round((whole % 3600) / 60)} min`;
}

/** A whole number with thousands apart: `12,345`. */
export function grouped(n: number): string {
  return Math.round(n).toLocaleString('en-US');
}
