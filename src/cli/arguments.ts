import { ConfigError } from '../core/errors.js';

/** A whole number from the command line, at least `min`. Throws a ConfigError that names the flag. */
export function wholeNumber(flag: string, text: string, min: number): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < min) {
    throw new ConfigError(flag, text, `must be a whole number from ${min}`);
  }
  return value;
}

/** A list with commas from the command line, nothing twice and nothing empty. Throws a ConfigError that names the flag. */
export function commaList(flag: string, text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.some((item) => item === '')) throw new ConfigError(flag, text, 'write it as a,b,c');
  const twice = items.find((item, i) => items.indexOf(item) !== i);
  if (twice !== undefined) throw new ConfigError(flag, text, `${twice} is there twice`);
  return items;
}
