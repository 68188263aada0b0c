import { distance } from 'fastest-levenshtein';
import { z } from 'zod';

/** A key that a configuration may hold, as a dotted path. */
export interface KeyPath {
  readonly path: string;
  /** Whether it has keys of its own. */
  readonly section: boolean;
  /** Whether its value is the name of a file. */
  readonly file: boolean;
}

/** Every key that a schema knows, sections and their keys, in the schema's order; of a union, the keys of all its members. */
export function keyPaths(schema: z.ZodType, prefix = ''): KeyPath[] {
  const bare = unwrap(schema);
  if (bare instanceof z.ZodObject) {
    return Object.entries(bare.shape as Record<string, z.ZodType>).flatMap(([key, child]) => {
      const path = prefix === '' ? key : `${prefix}.${key}`;
      const below = keyPaths(child, path);
      return [{ path, section: below.length > 0, file: unwrap(child).meta()?.['file'] === true }, ...below];
    });
  }
  if (bare instanceof z.ZodUnion) {
    const all = (bare.options as z.ZodType[]).flatMap((option) => keyPaths(option, prefix));
    return [...new Map(all.map((key) => [key.path, key])).values()];
  }
  return [];
}

function unwrap(schema: z.ZodType): z.ZodType {
  let bare = schema;
  while (bare instanceof z.ZodOptional || bare instanceof z.ZodDefault) bare = bare.unwrap() as z.ZodType;
  return bare;
}

/** The value nearest to a mistyped one; null when none is near enough to be meant. */
export function nearest(word: string, known: readonly string[]): string | null {
  const ranked = known
    .map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best && best.far <= Math.max(2, Math.floor(word.length / 2)) ? best.candidate : null;
}

/**
 * What a mistyped dotted key may have meant, at most three: keys that end in the same words (`learningRate` for
 * `vico.actor.learningRate`), else the nearest full path or the nearest last word.
 */
export function nearestKeys(key: string, known: readonly KeyPath[]): string[] {
  const paths = known.map(({ path }) => path);
  const sameEnd = paths.filter((path) => path.endsWith(`.${key}`));
  if (sameEnd.length > 0) return sameEnd.slice(0, 3);
  // A right word in a wrong place, or a mistyped word in the right one.
  const word = lastWord(key);
  const sameWord = paths.filter((path) => lastWord(path) === word);
  if (sameWord.length > 0) return byDistance(key, sameWord).slice(0, 3);
  const full = nearest(key, paths);
  const close = nearest(word, [...new Set(paths.map(lastWord))]);
  if (close === null) return full === null ? [] : [full];
  const ending = byDistance(
    key,
    paths.filter((path) => lastWord(path) === close),
  );
  const best = ending[0] as string;
  if (full !== null && distance(key, full) <= distance(key, best)) return [full];
  return distance(word, close) <= 2 ? ending.slice(0, 3) : [best];
}

function byDistance(key: string, paths: readonly string[]): string[] {
  return [...paths].sort((a, b) => distance(key, a) - distance(key, b));
}

function lastWord(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
