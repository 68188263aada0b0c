import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigError, OutageError } from '../../../src/core/errors.js';
import type { ChatClient, ClientSettings } from '../../../src/engines/openai/client.js';
import { chatRequest, testClient } from './fixtures.js';
import {
  answer,
  answerBody,
  fakeServer,
  hangUp,
  raw,
  silent,
  slowly,
  status,
  truncated,
  type Behaviour,
  type FakeServer,
} from './server.js';

const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function served(usual?: Behaviour, port?: number): Promise<FakeServer> {
  const server = await fakeServer(usual, port);
  closing.push(() => server.close());
  return server;
}

function clientOf(
  urls: readonly string[],
  settings: Partial<ClientSettings> = {},
): { client: ChatClient; notes: string[] } {
  const made = testClient(urls, settings);
  closing.push(() => made.client.close());
  return made;
}

/** An address where nothing listens. */
async function nowhere(): Promise<string> {
  const server = await fakeServer();
  await server.close();
  return server.url;
}

const asked = (client: ChatClient, n = 1): ReturnType<ChatClient['complete']> =>
  client.complete(chatRequest({ n }), new AbortController().signal);
const failed = async (client: ChatClient, n = 1): Promise<Error> =>
  asked(client, n).then(
    () => expect.unreachable('it was answered'),
    (cause: unknown) => cause as Error,
  );
const body = (more: Record<string, unknown>): Behaviour => answer({ answer: more });

describe('what heals by itself', () => {
  const healing: Record<string, Behaviour> = {
    'status 500': status(500),
    'status 502 with a page of HTML': (_r, response) =>
      void response.writeHead(502).end('<html>bad gateway</html>'),
    'status 503': status(503),
    'status 429 without Retry-After': status(429),
    'a body that breaks off': truncated,
    'a connection that breaks': hangUp,
    'text that is no JSON': raw('Internal Server Error'),
    'half a JSON text': raw('{"choices": [{"index": 0, "mess'),
    'an empty body': raw(''),
    'JSON that is no completion': raw('{"hello": 1}'),
    'an error with status 200': raw('{"error": {"message": "CUDA out of memory"}}'),
    'no choices': body({ choices: [] }),
    'a choice without text or token': answer({ say: () => '', finish: 'length' }),
    'a content filter': answer({ finish: 'content_filter' }),
    'an index that is there twice': (received, response) => {
      const whole = answerBody(received.body) as { choices: Array<{ index: number }> };
      for (const choice of whole.choices) choice.index = 0;
      response.end(JSON.stringify(whole));
    },
    'fewer log-probabilities than tokens': answer({ choice: { token_ids: [1, 2, 3, 4, 5, 6] } }),
  };
  it.each(Object.entries(healing))('%s', async (_name, behaviour) => {
    const server = await served();
    server.next.push(behaviour);
    const { client } = clientOf([server.url]);
    const { answer: got, tries } = await asked(client, 2);
    expect(got.completions.map(({ text }) => text)).toEqual(['a cube', 'a cube']);
    expect(tries).toBe(2);
    expect(server.received.map((r) => r.body)).toEqual([server.received[0]?.body, server.received[0]?.body]);
  });

  it('waits as long as Retry-After says, and asks nothing in between', async () => {
    const server = await served();
    server.next.push(status(429, 'slow down', { 'retry-after': '0.4' }));
    const { client } = clientOf([server.url]);
    const began = Date.now();
    const first = asked(client);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await Promise.all([first, asked(client)]);
    expect(Date.now() - began).toBeGreaterThan(380);
    expect(server.received).toHaveLength(3);
  });

  it('reads a date in Retry-After', async () => {
    const server = await served();
    server.next.push((received, response, socket) =>
      status(503, 'restarting', { 'retry-after': new Date(Date.now() + 1500).toUTCString() })(
        received,
        response,
        socket,
      ),
    );
    const { client } = clientOf([server.url]);
    const began = Date.now();
    await asked(client);
    // A date has no fractions of a second.
    expect(Date.now() - began).toBeGreaterThan(400);
  });

  it('a server that is slow but in time', async () => {
    const server = await served(slowly(300));
    const { client } = clientOf([server.url]);
    expect((await asked(client)).tries).toBe(1);
  });

  it('a server that is restarted, on whatever connections were kept', async () => {
    const server = await served();
    const { client } = clientOf([server.url]);
    await asked(client);
    const port = Number(new URL(server.url).port);
    await server.close();
    const waiting = asked(client);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await served(answer(), port);
    expect((await waiting).tries).toBeGreaterThan(1);
  });
});

describe('what only the user can mend', () => {
  const hopeless: Record<string, [Behaviour, RegExp]> = {
    'status 400': [status(400, 'max_tokens is too large'), /baseUrls .*status 400: max_tokens is too large/],
    'status 401': [status(401, 'bad key'), /openai\.apiKeyEnv = 401: .*bad key/],
    'status 404': [status(404, 'no model tiny'), /openai\.model = 404: .*no model tiny/],
    'status 413': [status(413, 'too large'), /status 413/],
    'status 422': [status(422, 'unknown field'), /status 422: unknown field/],
    'thoughts apart': [
      answer({ choice: { message: { content: 'x', reasoning_content: 'hm' } } }),
      /openai\.reasoning/,
    ],
  };
  it.each(Object.entries(hopeless))('%s is asked once', async (_name, [behaviour, message]) => {
    const server = await served(behaviour);
    const { client } = clientOf([server.url]);
    const error = await failed(client);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('\n');
    expect(server.received).toHaveLength(1);
  });

  it('thoughts can be put back', async () => {
    const message = { content: '<answer>2</answer>', reasoning: 'one and one' };
    const server = await served(answer({ choice: { message } }));
    const { client } = clientOf([server.url], { reasoning: 'join' });
    const { answer: got } = await asked(client);
    expect(got.completions[0]?.text).toBe('<think>one and one</think><answer>2</answer>');
  });
});

describe('what goes on being wrong', () => {
  const wrong: Record<string, [Behaviour, RegExp]> = {
    'a server that ignores n': [
      (received, response) => {
        const whole = answerBody(received.body) as { choices: unknown[] };
        response.end(JSON.stringify({ ...whole, choices: whole.choices.slice(0, 1) }));
      },
      /1 choices instead of 3 \(wrong-count, 3 tries\); set openai.samplesPerRequest=1/,
    ],
    'no JSON': [raw('<html>'), /malformed-json, 3 tries.*\/v1/],
    'empty choices': [
      answer({ say: () => '', finish: 'length' }),
      /neither text nor tokens \(empty, 3 tries\)/,
    ],
    'no log-probabilities': [answer({ choice: { logprobs: null } }), /openai\.tokens=count/],
  };
  it.each(Object.entries(wrong))(
    '%s ends as an outage after a few tries',
    async (_name, [behaviour, message]) => {
      const server = await served(behaviour);
      const { client } = clientOf([server.url]);
      const error = await failed(client, 3);
      expect(error).toBeInstanceOf(OutageError);
      expect(error.message).toMatch(message);
      expect(server.received).toHaveLength(3);
    },
  );
});

describe('outages', () => {
  it('a refused connection is an outage after the patience', async () => {
    const { client, notes } = clientOf([await nowhere()], { patienceMs: 300 });
    const began = Date.now();
    const error = await failed(client);
    expect(error).toBeInstanceOf(OutageError);
    expect(error.message).toMatch(
      /was away for .* no connection \(ECONNREFUSED\) \(unreachable, \d+ tries\); resume/,
    );
    expect(Date.now() - began).toBeGreaterThanOrEqual(300);
    expect(notes).toEqual([
      expect.stringMatching(/is away: no connection \(ECONNREFUSED\); no server is left/),
    ]);
    expect(client.away()).toBe(true);
  });

  it('a server that takes requests and never answers is one after its time-outs', async () => {
    const server = await served(silent);
    const { client } = clientOf([server.url], { requestMs: 80, patienceMs: 150 });
    const error = await failed(client);
    expect(error.message).toMatch(/no whole answer in 0\.08 s \(time-out/);
    expect(server.received.length).toBeGreaterThan(1);
  });

  it('so is one whose port is open but where nobody accepts (half-open)', async () => {
    const mute = createServer(() => undefined);
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    closing.push(() => mute.close());
    const { port } = mute.address() as AddressInfo;
    const { client } = clientOf([`http://127.0.0.1:${port}/v1`], { requestMs: 60, patienceMs: 0 });
    expect((await failed(client)).message).toMatch(/time-out, 1 try/);
  });

  it('a body that trickles in is cut off by the time of the whole request', async () => {
    const server = await served((_received, response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const { client } = clientOf([server.url], { requestMs: 150, patienceMs: 0 });
    expect((await failed(client)).message).toMatch(/no whole answer in 0\.15 s/);
  });

  it('a Retry-After beyond the patience is an outage at once', async () => {
    const server = await served(status(429, 'quota', { 'retry-after': '3600' }));
    const { client } = clientOf([server.url], { patienceMs: 1000 });
    const began = Date.now();
    expect((await failed(client)).message).toMatch(
      /asks to wait 3600 s, longer than openai\.patienceSeconds/,
    );
    expect(Date.now() - began).toBeLessThan(900);
  });

  it('a stop ends the waiting', async () => {
    const { client } = clientOf([await nowhere()]);
    const control = new AbortController();
    const waiting = client.complete(chatRequest(), control.signal);
    setTimeout(() => control.abort(new Error('Ctrl-C')), 50);
    await expect(waiting).rejects.toThrow('Ctrl-C');
  });
});

describe('several servers', () => {
  it('shares requests out evenly, and never more than the concurrency', async () => {
    const most = [0, 0];
    const now = [0, 0];
    const counted =
      (i: number): Behaviour =>
      (received, response, socket) => {
        now[i] = (now[i] ?? 0) + 1;
        most[i] = Math.max(most[i] ?? 0, now[i] ?? 0);
        response.on('close', () => (now[i] = (now[i] ?? 0) - 1));
        return slowly(15)(received, response, socket);
      };
    const servers = [await served(counted(0)), await served(counted(1))];
    const { client } = clientOf(
      servers.map(({ url }) => url),
      { concurrency: 3 },
    );
    await Promise.all(Array.from({ length: 40 }, () => asked(client)));
    const counts = servers.map(({ received }) => received.length);
    expect(counts[0]).toBeGreaterThan(12);
    expect(counts[1]).toBeGreaterThan(12);
    expect(Math.max(...most)).toBe(3);
    expect(client.places).toBe(6);
  });

  it('goes on with the one that is left, and leaves the other alone', async () => {
    const good = await served(slowly(5));
    const bad = await served(status(500));
    const { client, notes } = clientOf([bad.url, good.url], { restMs: 60_000 });
    const all = await Promise.all(Array.from({ length: 60 }, () => asked(client)));
    expect(all.every(({ url }) => url === good.url)).toBe(true);
    // Its circuit opens after three failures; those under way at that moment fail too.
    expect(bad.received.length).toBeLessThan(12);
    expect(notes).toEqual([expect.stringMatching(/is away: status 500: no; 1 of 2 servers left/)]);
    await asked(client);
    expect(client.away()).toBe(false);
  });

  it('takes a server back with one request once it has rested', async () => {
    const server = await served(status(500));
    const { client, notes } = clientOf([server.url], {
      restMs: 400,
      breakAfter: 2,
      concurrency: 2,
      backoffMs: 1,
    });
    const waiting = Array.from({ length: 6 }, () => asked(client));
    await vi.waitUntil(() => client.away());
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = server.received.length;
    let duringTrial = 0;
    server.next.push((received, response, socket) => {
      setTimeout(() => {
        duringTrial = server.received.length - before;
        void answer()(received, response, socket);
      }, 80);
    });
    server.usual = answer();
    await Promise.all(waiting);
    expect(duringTrial).toBe(1);
    expect(notes.at(-1)).toMatch(/answers again/);
  });

  it('sends the key to each', async () => {
    const server = await served();
    const { client } = clientOf([server.url], { apiKey: 'sesame' });
    await asked(client);
    expect(server.received[0]?.headers.authorization).toBe('Bearer sesame');
    expect(server.received[0]?.path).toBe('/v1/chat/completions');
  });
});
