import { afterEach, describe, expect, it } from 'vitest';
import { ConfigError, InterruptedError, OutageError } from '../../../src/core/errors.js';
import { userPrompt } from '../../../src/core/prompt.js';
import { Rng } from '../../../src/core/rng.js';
import type { ClientSettings } from '../../../src/engines/openai/client.js';
import type { Sampler, SamplerSettings } from '../../../src/engines/openai/policy.js';
import { decodeImage } from '../../../src/render/index.js';
import { choice, constrain, literal } from '../grammars.js';
import { picture, sampleRequest, testClient, testSampler } from './fixtures.js';
import {
  answer,
  fakeServer,
  picturesOf,
  slowly,
  status,
  textOf,
  type Behaviour,
  type FakeServer,
} from './server.js';

const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function setUp(
  usual: Behaviour = answer(),
  settings: Partial<SamplerSettings> = {},
  client: Partial<ClientSettings> = {},
): Promise<{ server: FakeServer; sampler: Sampler }> {
  const server = await fakeServer(usual);
  const sampler = testSampler(testClient([server.url], client).client, settings);
  closing.push(
    () => sampler.dispose(),
    () => server.close(),
  );
  return { server, sampler };
}

describe('requests', () => {
  it('carry pictures as PNG to the pixel, in their places, and everything that was set', async () => {
    const { server, sampler } = await setUp(answer(), {
      sampling: {
        topP: 0.9,
        topK: 20,
        presencePenalty: 1.5,
        stop: ['</answer>'],
        extra: { chat_template_kwargs: { enable_thinking: false } },
      },
    });
    const image = { width: 3, height: 2, rgb: Uint8Array.from({ length: 18 }, (_, i) => 13 * i) };
    const prompt = {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'be short' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image', image },
            { type: 'text', text: 'what ?' },
          ],
        },
      ],
    } as const;
    await sampler.sample([{ prompt, n: 3, maxTokens: 7, temperature: 0.7, rng: Rng.fromSeed(1) }]);
    const { body } = server.received[0] as FakeServer['received'][number];
    expect(body).toMatchObject({
      model: 'tiny',
      n: 3,
      max_tokens: 7,
      temperature: 0.7,
      top_p: 0.9,
      top_k: 20,
      presence_penalty: 1.5,
      stop: ['</answer>'],
      seed: Rng.fromSeed(1)
        .child(0)
        .int(2 ** 31 - 1),
      logprobs: true,
      return_token_ids: true,
      chat_template_kwargs: { enable_thinking: false },
    });
    expect(body.messages[0]).toEqual({ role: 'system', content: 'be short' });
    const parts = body.messages[1]?.content as ReadonlyArray<Record<string, unknown>>;
    expect(parts.map(({ type }) => type)).toEqual(['text', 'image_url', 'text']);
    const { url } = parts[1]?.['image_url'] as { url: string };
    expect(url).toMatch(/^data:image\/png;base64,/);
    expect(await decodeImage(Buffer.from(url.split(',')[1] as string, 'base64'))).toEqual(image);
  });

  it('are cut to what a server takes at once, each part with a seed of its own', async () => {
    const { server, sampler } = await setUp(answer({ say: (body, k) => `${body.seed} ${k}` }), {
      samplesPerRequest: 3,
      imageCheck: 'off',
    });
    const [row] = await sampler.sample([sampleRequest('q', { n: 7 })]);
    expect(server.received.map(({ body }) => body.n).sort()).toEqual([1, 3, 3]);
    const seeds = [0, 3, 6].map((from) =>
      Rng.fromSeed('q')
        .child(from)
        .int(2 ** 31 - 1),
    );
    expect(row?.map(({ text }) => text)).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((i) => `${seeds[Math.floor(i / 3)]} ${i % 3}`),
    );
  });

  it('ask once for something greedy, however many copies are wanted', async () => {
    const { server, sampler } = await setUp(answer(), { imageCheck: 'off' });
    const [row] = await sampler.sample([sampleRequest('q', { n: 3, temperature: 0 })]);
    expect(server.received.map(({ body }) => body.n)).toEqual([1]);
    expect(row?.map(({ text }) => text)).toEqual(['a cube', 'a cube', 'a cube']);
    expect(row?.[0]?.tokens).not.toBe(row?.[1]?.tokens);
  });

  it('are kept back: no more are under way than there are places', async () => {
    let now = 0;
    let most = 0;
    const { sampler } = await setUp(
      (received, response, socket) => {
        most = Math.max(most, ++now);
        response.on('close', () => now--);
        return slowly(5)(received, response, socket);
      },
      { samplesPerRequest: 1 },
      { concurrency: 4 },
    );
    await sampler.sample(Array.from({ length: 20 }, (_, i) => sampleRequest(`question ${i}`, { n: 3 })));
    expect(most).toBe(4);
  });
});

describe('what is known of tokens', () => {
  const one = async (settings: Partial<SamplerSettings>, more = {}): Promise<[number[], number[]]> => {
    const { sampler } = await setUp(answer(), settings);
    const [row] = await sampler.sample([sampleRequest('q', { n: 1, ...more })]);
    return [[...(row?.[0]?.tokens ?? [])], [...(row?.[0]?.logprobs ?? [])]];
  };

  it('ids and log-probabilities, where the server tells them', async () => {
    expect(await one({ tokens: 'ids' })).toEqual([
      [1, 2, 0],
      [-0.5, -0.5, -0.5],
    ]);
  });
  it('no ids from a server without them', async () => {
    expect(await one({ tokens: 'logprobs' })).toEqual([
      [-1, -1, -1],
      [-0.5, -0.5, -0.5],
    ]);
  });
  it('the number alone, from one that only counts', async () => {
    expect(await one({ tokens: 'count' })).toEqual([
      [-1, -1, -1],
      [NaN, NaN, NaN],
    ]);
  });
  it('no log-probabilities of a distribution that nothing was drawn from', async () => {
    const unknown = [NaN, NaN, NaN];
    const grammar = constrain(literal('a cube'));
    expect((await one({}, { temperature: 0.7 }))[1]).toEqual(unknown);
    expect((await one({ sampling: { topP: 0.9 } }))[1]).toEqual(unknown);
    expect((await one({ constraint: 'vllm-grammar' }, { constraint: grammar }))[1]).toEqual(unknown);
    expect((await one({ logprobs: 'processed' }, { temperature: 0.7 }))[1]).toEqual([-0.5, -0.5, -0.5]);
    expect((await one({}, { temperature: 0 }))[1]).toEqual([-0.5, -0.5, -0.5]);
  });
});

describe('images', () => {
  it('are counted against the text alone, which is asked for once', async () => {
    const { server, sampler } = await setUp(answer({ imageTokens: 16 }));
    await sampler.sample([sampleRequest('q', { n: 2 }), sampleRequest('q', { temperature: 0 })]);
    await sampler.sample([sampleRequest('q')]);
    const twins = server.received.filter(({ body }) => picturesOf(body) === 0);
    expect(twins).toHaveLength(1);
    expect(twins[0]?.body).toMatchObject({ max_tokens: 1, n: 1, temperature: 0 });
    expect(sampler.spent()).toMatchObject({ requests: 4, tries: 4, imageTokens: 48 });
    expect(sampler.spent().requests).toBe(0);
  });

  const blind = { imageTokens: 0 };
  it('that a server counts no tokens for end the run, naming the server', async () => {
    for (const imageCheck of ['every', 'first'] as const) {
      const { server, sampler } = await setUp(answer(blind), { imageCheck });
      const failing = sampler.sample([sampleRequest('q')]);
      await expect(failing).rejects.toThrow(ConfigError);
      await expect(failing).rejects.toThrow(`${server.url}"`);
      await expect(failing).rejects.toThrow(/\d+ prompt tokens with 1 image, \d+ without: it saw none/);
    }
    const { sampler } = await setUp(answer(blind), { imageCheck: 'off' });
    expect(await sampler.sample([sampleRequest('q')])).toHaveLength(1);
  });

  it('must each cost a token', async () => {
    let twin = false;
    const { sampler } = await setUp((received, response, socket) => {
      twin ||= picturesOf(received.body) === 0;
      const prompt_tokens = picturesOf(received.body) === 0 ? 10 : 11;
      return answer({ answer: { usage: { prompt_tokens, completion_tokens: 3 } } })(
        received,
        response,
        socket,
      );
    });
    const prompt = userPrompt('q', [picture(), picture(9)]);
    await expect(sampler.sample([sampleRequest('q', { prompt })])).rejects.toThrow(
      /11 .* 2 images, 10 without/,
    );
    expect(twin).toBe(true);
  });

  it('are taken as the server tells them apart, without a second request', async () => {
    const told = (image_tokens: number): Behaviour =>
      answer({
        answer: {
          usage: { prompt_tokens: 50, completion_tokens: 3, prompt_tokens_details: { image_tokens } },
        },
      });
    const { server, sampler } = await setUp(told(40));
    await sampler.sample([sampleRequest('q')]);
    expect(server.received).toHaveLength(1);
    expect(sampler.spent().imageTokens).toBe(40);
    server.usual = told(0);
    await expect(sampler.sample([sampleRequest('q')])).rejects.toThrow(/0 of them for images: it saw none/);
  });

  it("can't be checked where nothing is counted", async () => {
    const { sampler } = await setUp(answer({ answer: { usage: null } }));
    await expect(sampler.sample([sampleRequest('q')])).rejects.toThrow(/openai\.imageCheck=off/);
  });

  it('of prompts without any are no question', async () => {
    const { server, sampler } = await setUp();
    await sampler.sample([sampleRequest('q', { prompt: userPrompt('say red') })]);
    expect(server.received).toHaveLength(1);
  });
});

describe('constraints', () => {
  const constraint = {
    grammar: choice(literal('"yes"'), literal('"no"')),
    jsonSchema: { type: 'string', enum: ['yes', 'no'] },
  };
  const said = (text: string): Behaviour => answer({ say: () => text });

  it.each([
    [
      'response-format',
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'output', schema: constraint.jsonSchema, strict: true },
        },
      },
    ],
    ['vllm-json', { structured_outputs: { json: constraint.jsonSchema } }],
    [
      'vllm-grammar',
      { structured_outputs: { grammar: expect.stringMatching(/^root ::= "\\"yes\\"" " "\?/) } },
    ],
    ['llama-grammar', { grammar: expect.stringContaining(' | "\\"no\\""') }],
  ] as const)('are sent as %s, and looked at again', async (form, fields) => {
    const { server, sampler } = await setUp(said('"yes"'), { constraint: form, imageCheck: 'off' });
    server.next.push(said('"maybe"'), said('yes'));
    const [row] = await sampler.sample([sampleRequest('q', { constraint, n: 1 })]);
    expect(row?.[0]?.text).toBe('"yes"');
    expect(server.received).toHaveLength(3);
    expect(server.received[0]?.body).toMatchObject(fields);
  });

  it('that a server ignores end the run', async () => {
    const { sampler } = await setUp(said('perhaps'), { imageCheck: 'off' });
    const failing = sampler.sample([sampleRequest('q', { constraint })]);
    await expect(failing).rejects.toThrow(OutageError);
    await expect(failing).rejects.toThrow(
      /outside of what may be written: "perhaps" \(unconstrained, 3 tries\)/,
    );
  });

  it('say nothing about a text that was cut short', async () => {
    const { sampler } = await setUp(answer({ say: () => '"ye', finish: 'length' }), { imageCheck: 'off' });
    const [row] = await sampler.sample([sampleRequest('q', { constraint, n: 1 })]);
    expect(row?.[0]).toMatchObject({ text: '"ye', finish: 'length' });
  });

  it('are not sent to a server that knows none', async () => {
    const { server, sampler } = await setUp(said('perhaps'), { constraint: 'none', imageCheck: 'off' });
    await sampler.sample([sampleRequest('q', { constraint })]);
    expect(Object.keys(server.received[0]?.body ?? {})).not.toContain('response_format');
  });
});

describe('outages', () => {
  it('stop everything that is under way, and give no completion', async () => {
    let broken = false;
    const { server, sampler } = await setUp(
      (received, response, socket) => {
        broken ||= textOf(received.body).includes('5');
        return (broken ? status(500) : slowly(10))(received, response, socket);
      },
      { imageCheck: 'off' },
      { patienceMs: 100, concurrency: 2, restMs: 10 },
    );
    const many = Array.from({ length: 60 }, (_, i) => sampleRequest(`question ${i}`));
    await expect(sampler.sample(many)).rejects.toThrow(OutageError);
    const count = server.received.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.received.length).toBe(count);
  });

  it('can be waited out', async () => {
    const { server, sampler } = await setUp(status(503), { imageCheck: 'off' }, { restMs: 20 });
    setTimeout(() => (server.usual = answer()), 200);
    const rows = await sampler.sample([sampleRequest('a'), sampleRequest('b')]);
    expect(rows.flat()).toHaveLength(4);
  });

  it('can be left by Ctrl-C', async () => {
    const { sampler } = await setUp(
      status(503),
      {
        safePoint: () => {
          throw new InterruptedError('stopped');
        },
      },
      { patienceMs: 60_000 },
    );
    await expect(sampler.sample([sampleRequest('q')])).rejects.toThrow(InterruptedError);
  });

  it('are no wrong answers: a lost request is asked again and the rest kept', async () => {
    const { server, sampler } = await setUp((received, response, socket) =>
      (server.received.length % 3 === 0 ? status(500) : answer({ say: (b) => textOf(b) }))(
        received,
        response,
        socket,
      ),
    );
    const texts = Array.from({ length: 20 }, (_, i) => `question ${i}`);
    const rows = await sampler.sample(texts.map((text) => sampleRequest(text, { n: 1 })));
    expect(rows.map((row) => row[0]?.text)).toEqual(texts);
    const { tries, requests } = sampler.spent();
    expect(tries).toBeGreaterThan(requests);
  });
});
