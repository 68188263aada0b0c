import path from 'node:path';
import { parse as parseYaml } from 'yaml';
import { ConfigError } from '../core/errors.js';
import { unknownKey } from './issues.js';
import type { KeyPath } from './paths.js';

/** One setting from the command line. */
export interface Override {
  /** Dotted, e.g. `vico.actor.learningRate`. */
  readonly key: string;
  readonly value: unknown;
}

/** A configuration as it stands in a file, not yet checked. */
export type RawConfig = { [key: string]: unknown };

/** Reads `key=value`; the value is YAML (`3`, `true`, `[2,3]`, text). Throws a ConfigError. */
export function parseOverride(text: string): Override {
  const equals = text.indexOf('=');
  const key = equals < 0 ? text : text.slice(0, equals);
  if (equals < 1 || !/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(key)) {
    throw new ConfigError('setting', text, 'write settings as key=value, e.g. vico.rounds=3');
  }
  const source = text.slice(equals + 1);
  if (source.trim() === '') throw new ConfigError(key, source, 'give it a value: key=value');
  try {
    return { key, value: parseYaml(source) };
  } catch {
    throw new ConfigError(key, source, "can't be read as YAML; quote text that has special characters");
  }
}

/**
 * The configuration with settings laid over it; `raw` is left as it is. File names are made absolute against `directory`, where
 * the user stands. A section that is told apart by its `source` starts anew when another source is chosen, since the keys of the old
 * one mean nothing there. Throws a ConfigError on a key that the schema doesn't know.
 */
export function applyOverrides(
  raw: RawConfig,
  overrides: readonly Override[],
  known: readonly KeyPath[],
  directory: string,
): RawConfig {
  const out = structuredClone(raw);
  const byPath = new Map(known.map((key) => [key.path, key]));
  const sourcesFirst = [...overrides].sort((a, b) => Number(isSource(b.key)) - Number(isSource(a.key)));
  for (const { key, value } of sourcesFirst) {
    const there = byPath.get(key);
    if (!there) throw unknownKey(key, value, known);
    const steps = key.split('.');
    const name = steps.pop() as string;
    let section = out;
    for (const step of steps) {
      const next = section[step];
      if (next === null || typeof next !== 'object') section[step] = {};
      section = section[step] as RawConfig;
    }
    if (isSource(key) && section[name] !== value) for (const old of Object.keys(section)) delete section[old];
    section[name] = there.file && typeof value === 'string' ? path.resolve(directory, value) : value;
  }
  return out;
}

function isSource(key: string): boolean {
  return key.endsWith('.source');
}
