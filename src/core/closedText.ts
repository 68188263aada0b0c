/** Words for models with a closed vocabulary. */

/** Text as a model with a closed vocabulary reads it: lower case, every mark of punctuation a word of its own. */
export function closedWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[?.,;:!]/g, ' $& ')
    .trim()
    .replace(/\s+/g, ' ');
}

/** A pass rate in eighths, 0 to 8, for such a model. */
export function eighths(passRate: number): number {
  return Math.round(Math.max(0, Math.min(1, passRate)) * 8);
}
