import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseYaml, YAMLParseError } from 'yaml';
import { ConfigError, DataError } from '../core/errors.js';
import { at } from './issues.js';
import { applyOverrides, parseOverride, type RawConfig } from './overrides.js';
import { nearest, type KeyPath } from './paths.js';
import { knownKeys, parseConfig, type RunConfig } from './schema.js';

/** Folder of the package: sources and builds lie at the same depth in it. */
export function packageRoot(): string {
  return fileURLToPath(new URL('../..', import.meta.url));
}

/** Covolve's own version. */
export function packageVersion(): string {
  const json: unknown = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'));
  const version = at(json, ['version']);
  if (typeof version !== 'string') throw new Error('package.json names no version');
  return version;
}

/** A file name of a configuration as an absolute one: relative names are the package's own files. */
export function resolveFile(name: string): string {
  return path.resolve(packageRoot(), name);
}

/** Names of the presets that come with the package, sorted. */
export function presetNames(): string[] {
  return readdirSync(path.join(packageRoot(), 'presets'))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .sort();
}

/**
 * The configuration that a preset and settings make. A preset is a name, or a path of the user's own YAML file (whose file names
 * are relative to it); settings are `key=value` with file names relative to `directory`. Throws a ConfigError or DataError of
 * one line.
 */
export function loadConfig(preset: string, settings: readonly string[], directory: string): RunConfig {
  const raw = readPreset(preset, directory);
  const overrides = settings.map(parseOverride);
  // The engine may be chosen on the command line, and decides which keys there are.
  const chosen = Object.fromEntries(
    overrides.filter(({ key }) => !key.includes('.')).map(({ key, value }) => [key, value]),
  );
  const known = knownKeys({ ...raw, ...chosen });
  return parseConfig(applyOverrides(raw, overrides, known, directory));
}

function readPreset(preset: string, directory: string): RawConfig {
  const own = /\.ya?ml$/.test(preset) || preset.includes('/');
  const file = own ? path.resolve(directory, preset) : path.join(packageRoot(), 'presets', `${preset}.yaml`);
  if (!existsSync(file)) {
    const names = presetNames();
    const near = nearest(preset, names);
    const hint = near === null || own ? `the presets are ${names.join(', ')}` : `did you mean ${near}?`;
    throw new ConfigError('preset', preset, `there is no such ${own ? 'file' : 'preset'}; ${hint}`);
  }
  const raw = readYaml(file);
  raw['preset'] = path.basename(file).replace(/\.ya?ml$/, '');
  return own ? withAbsoluteFiles(raw, knownKeys(raw), path.dirname(file)) : raw;
}

function readYaml(file: string): RawConfig {
  let json: unknown;
  try {
    json = parseYaml(readFileSync(file, 'utf8'));
  } catch (cause) {
    if (cause instanceof YAMLParseError) {
      throw new DataError(file, cause.linePos?.[0].line ?? null, `not YAML: ${cause.message.split('\n')[0]}`);
    }
    throw new DataError(
      file,
      null,
      `can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  if (json === null || typeof json !== 'object' || Array.isArray(json)) {
    throw new DataError(file, null, 'a preset is a YAML mapping of keys to values');
  }
  return json as RawConfig;
}

function withAbsoluteFiles(raw: RawConfig, known: readonly KeyPath[], directory: string): RawConfig {
  const out = structuredClone(raw);
  for (const { path: key, file } of known) {
    if (!file) continue;
    const steps = key.split('.');
    const name = steps.pop() as string;
    const section = at(out, steps) as RawConfig | null | undefined;
    const value = section?.[name];
    if (section && typeof value === 'string') section[name] = path.resolve(directory, value);
  }
  return out;
}
