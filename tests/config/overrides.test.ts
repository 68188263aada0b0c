import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { applyOverrides, parseOverride, type RawConfig } from '../../src/config/overrides.js';
import { nearest, nearestKeys, type KeyPath } from '../../src/config/paths.js';
import { ConfigError } from '../../src/core/errors.js';

const key = (name: string, file = false): KeyPath => ({ path: name, section: false, file });
const KNOWN = [
  'seed',
  'vico',
  'vico.rounds',
  'vico.actor',
  'vico.actor.learningRate',
  'vico.rewriter',
  'vico.rewriter.learningRate',
  'seeds',
  'seeds.source',
  'seeds.count',
].map((name) => key(name));

describe('parseOverride', () => {
  it.each([
    ['seed=3', 'seed', 3],
    ['vico.actor.learningRate=1e-4', 'vico.actor.learningRate', 1e-4],
    ['report=false', 'report', false],
    ['seeds.objects=[2,3]', 'seeds.objects', [2, 3]],
    ['clevr.view={width: 72, height: 48}', 'clevr.view', { width: 72, height: 48 }],
    ['vico.arm=text-only', 'vico.arm', 'text-only'],
    ['seeds.file=a=b.jsonl', 'seeds.file', 'a=b.jsonl'],
    ['seed="3"', 'seed', '3'],
  ])('reads %s', (text, name, value) => {
    expect(parseOverride(text)).toEqual({ key: name, value });
  });

  it.each(['seed', '=3', 'vico..rounds=3', '.seed=1', 'seed=', 'seed=   ', 'seeds.objects=[2,', 'a b=1'])(
    'refuses %s',
    (text) => {
      expect(() => parseOverride(text)).toThrow(ConfigError);
    },
  );

  it('reads back whatever YAML can write on one line', () => {
    const value = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 1 }),
      fc.stringMatching(/^[a-zA-Z0-9 _:#'"-]{1,20}$/).filter((text) => text.trim() !== ''),
    );
    fc.assert(
      fc.property(value, (given) => {
        const text = stringify(given, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
        expect(parseOverride(`some.key=${text}`)).toEqual({ key: 'some.key', value: given });
      }),
    );
  });
});

describe('applyOverrides', () => {
  const raw: RawConfig = { seed: 1, vico: { rounds: 5 }, seeds: { source: 'sampled', count: 8 } };

  it('lays settings over a copy', () => {
    const out = applyOverrides(raw, [{ key: 'vico.rounds', value: 2 }], KNOWN, '/');
    expect(out).toEqual({ ...raw, vico: { rounds: 2 } });
    expect(raw).toEqual({ seed: 1, vico: { rounds: 5 }, seeds: { source: 'sampled', count: 8 } });
  });

  it('makes sections that are not there', () => {
    const out = applyOverrides(raw, [{ key: 'vico.actor.learningRate', value: 1 }], KNOWN, '/');
    expect(out['vico']).toEqual({ rounds: 5, actor: { learningRate: 1 } });
  });

  it('lets the last of two settings win', () => {
    const overrides = [2, 3].map((value) => ({ key: 'seed', value }));
    expect(applyOverrides(raw, overrides, KNOWN, '/')['seed']).toBe(3);
  });

  it('starts a section anew when another source is chosen, wherever in the line that is said', () => {
    const known = [...KNOWN, key('seeds.file', true)];
    const file = { key: 'seeds.file', value: 'mine.jsonl' };
    const source = { key: 'seeds.source', value: 'jsonl' };
    for (const overrides of [
      [file, source],
      [source, file],
    ]) {
      const out = applyOverrides(raw, overrides, known, '/data');
      expect(out['seeds']).toEqual({ source: 'jsonl', file: path.resolve('/data/mine.jsonl') });
    }
    const same = applyOverrides(raw, [{ key: 'seeds.source', value: 'sampled' }], known, '/data');
    expect(same['seeds']).toEqual({ source: 'sampled', count: 8 });
  });

  it('names the nearest key', () => {
    const attempt = (name: string) => (): unknown =>
      applyOverrides(raw, [{ key: name, value: 3 }], KNOWN, '/');
    expect(attempt('vico.round')).toThrow('vico.round = 3: there is no such key; did you mean vico.rounds?');
    expect(attempt('learningRate')).toThrow(
      'did you mean vico.actor.learningRate or vico.rewriter.learningRate?',
    );
    expect(attempt('vico.learningRate')).toThrow('vico.actor.learningRate');
  });
});

describe('nearest', () => {
  it('finds a key with one letter wrong, for every key and every letter', () => {
    const names = KNOWN.map(({ path: name }) => name);
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), fc.constantFrom('x', 'q', ''), (name, at, letter) => {
        const i = at % name.length;
        const wrong = name.slice(0, i) + letter + name.slice(i + 1);
        if (wrong === '' || names.includes(wrong)) return;
        // `seed` and `seeds` are themselves one letter apart.
        const meant = name === 'seed' || name === 'seeds' ? ['seed', 'seeds'] : [name];
        expect(meant.some((m) => nearestKeys(wrong, KNOWN).includes(m))).toBe(true);
      }),
    );
  });

  it('says nothing rather than something far', () => {
    expect(nearest('zzzzzz', ['clevr', 'vico'])).toBeNull();
    expect(nearest('clever', ['clevr', 'vico'])).toBe('clevr');
  });
});
