import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/core/errors.js';
import type { Completion } from '../../../src/core/policy.js';
import { userPrompt } from '../../../src/core/prompt.js';
import { Rng } from '../../../src/core/rng.js';
import type { OutputConstraint } from '../../../src/core/role.js';
import { editListGrammar } from '../../../src/environments/clevr/roles/grammar.js';
import { editListSchema } from '../../../src/environments/clevr/schema.js';
import type { Sampler, SamplerSettings } from '../../../src/engines/openai/policy.js';
import { choice, inGrammar, literal, repeat } from '../grammars.js';
import { chatRequest, picture, sampleRequest, testClient, testSampler } from './fixtures.js';

/**
 * Against a real vLLM that serves `tiny` of `scripts/tiny-vlm.py`: `scripts/test-vllm.sh` starts it and leaves the base of its API in
 * a file. Left out where there is none.
 */
const file = fileURLToPath(new URL('../../../.venv-vllm/serving', import.meta.url));
const url = existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;

describe.skipIf(url === undefined)('a real vLLM', { timeout: 600_000 }, () => {
  const open = (settings: Partial<SamplerSettings> = {}, model = 'tiny'): Sampler => {
    const { client } = testClient([url ?? ''], { model, concurrency: 4, requestMs: 300_000, patienceMs: 0 });
    return testSampler(client, settings);
  };
  let sampler: Sampler;
  beforeAll(() => {
    sampler = open();
  });
  afterAll(() => sampler.dispose());

  it('samples n completions of a picture, with ids, log-probabilities and counts', async () => {
    const prompt = userPrompt('What is it?', [picture(200, 112, 84)]);
    const [row] = await sampler.sample([sampleRequest('q', { prompt, n: 4, maxTokens: 6 })]);
    expect(row).toHaveLength(4);
    for (const { tokens, logprobs, finish } of row ?? []) {
      expect(logprobs).toHaveLength(tokens.length);
      if (finish === 'length') expect(tokens).toHaveLength(6);
      expect(tokens.every((token) => token >= 0)).toBe(true);
      expect(logprobs.every((l) => l <= 0)).toBe(true);
    }
    expect(new Set(row?.map(({ tokens }) => tokens.join())).size).toBeGreaterThan(1);
    // 112 x 84 pixels are 4 x 3 patches of 28 x 28 (Qwen2.5-VL), between two marks.
    expect(sampler.spent()).toMatchObject({ requests: 2, imageTokens: 14 });
  });

  it('sees what is in a picture: another one makes other log-probabilities', async () => {
    const first = async (red: number): Promise<number> => {
      const prompt = userPrompt('What is it?', [picture(red, 56, 56)]);
      const [row] = await sampler.sample([
        sampleRequest('q', { prompt, n: 1, maxTokens: 1, temperature: 0 }),
      ]);
      return row?.[0]?.logprobs[0] ?? NaN;
    };
    const [dark, light] = [await first(0), await first(255)];
    expect(await first(0)).toBeCloseTo(dark, 4);
    expect(Math.abs(dark - light)).toBeGreaterThan(1e-3);
  });

  it('says the same for the same seed, and more with a larger n', async () => {
    const texts = async (n: number): Promise<string[] | undefined> => {
      const rows = await sampler.sample([
        { prompt: userPrompt('Say it.'), n, maxTokens: 8, temperature: 1, rng: Rng.fromSeed('same') },
      ]);
      return rows[0]?.map(({ tokens }) => tokens.join());
    };
    const three = await texts(3);
    expect(await texts(3)).toEqual(three);
    expect(await texts(1)).toEqual(three?.slice(0, 1));
  });

  const words = repeat(choice(literal('red'), literal('blue')), 1, 3);
  const colours = { type: 'array', items: { enum: ['red', 'blue'] }, minItems: 1, maxItems: 2 } as const;
  const short: OutputConstraint = { grammar: words, jsonSchema: colours };

  const constrained = async (
    constraint: SamplerSettings['constraint'],
    what: OutputConstraint,
    maxTokens: number,
  ): Promise<Completion[]> => {
    const obedient = open({ constraint });
    try {
      const request = sampleRequest('q', {
        prompt: userPrompt('Edit it.'),
        n: 2,
        maxTokens,
        constraint: what,
      });
      return (await obedient.sample([request]))[0] ?? [];
    } finally {
      obedient.dispose();
    }
  };

  it.each(['response-format', 'vllm-json'] as const)('obeys %s', async (constraint) => {
    const row = await constrained(constraint, short, 60);
    const whole = row.filter(({ finish }) => finish === 'stop');
    expect(whole.length).toBeGreaterThan(0);
    for (const { text } of whole) expect(['red', 'blue']).toContain((JSON.parse(text) as string[])[0]);
  });

  it('obeys vllm-grammar', async () => {
    const row = await constrained('vllm-grammar', short, 20);
    for (const { text, finish } of row) {
      expect(finish).toBe('stop');
      expect(inGrammar(words, text.match(/red|blue/g)?.join(' ') ?? '')).toBe(true);
    }
  });

  it("takes CLEVR's edits as a schema and as a grammar", async () => {
    const limits = { objects: 3, maxEdits: 2, extent: 3 };
    const edits = { grammar: editListGrammar(limits), jsonSchema: editListSchema(limits) };
    for (const constraint of ['response-format', 'vllm-grammar'] as const) {
      const row = await constrained(constraint, edits, 24);
      for (const { text } of row) expect(text).toMatch(/^\s*\[/);
    }
  });

  it('refuses a model that it does not serve, and says so', async () => {
    const other = open({}, 'another');
    await expect(other.sample([sampleRequest('q')])).rejects.toThrow(/openai\.model = 404: .*another/);
    other.dispose();
  });

  it('refuses more tokens than it has room for, and is asked once', async () => {
    const { client } = testClient([url ?? '']);
    const failing = client.complete(chatRequest({ maxTokens: 10 ** 6 }), new AbortController().signal);
    await expect(failing).rejects.toThrow(ConfigError);
    await expect(failing).rejects.toThrow(/status 400/);
    client.close();
  });
});
