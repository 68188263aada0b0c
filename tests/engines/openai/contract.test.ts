import { afterAll } from 'vitest';
import type { Policy } from '../../../src/core/policy.js';
import { promptText, userPrompt } from '../../../src/core/prompt.js';
import { Rng } from '../../../src/core/rng.js';
import { FakePolicy } from '../../../src/engines/fake/index.js';
import { samplingPolicy } from '../../../src/engines/openai/engine.js';
import { decodeImage } from '../../../src/render/index.js';
import { engineContract } from '../contract.js';
import { constrain } from '../grammars.js';
import { readGrammar } from './ebnf.js';
import { picture, testClient, testSampler } from './fixtures.js';
import { answer, fakeServer, textOf, type Behaviour, type FakeServer, type ReceivedBody } from './server.js';

/** The policy that speaks behind the server. */
const model = new FakePolicy({
  name: 'served',
  vocabulary: ['red', 'green', 'blue', 'cube', 'ball', 'one', 'two', '<answer>', '</answer>'],
  answers: (prompt, rng) => ({
    right: [`<answer> ${promptText(prompt).split(' ')[1] ?? 'red'} </answer>`],
    wrong: [`<answer> ${rng.pick(['one', 'two'])} </answer>`, 'two two', 'one red </answer>'],
    passRate: 0.4,
  }),
  completionLength: 8,
  pictures: { count: 1, width: 8, height: 4 },
});

/** Samples the model as vLLM does: choice k of a request from seed + k, the very log-probabilities that were drawn from. */
const speak: Behaviour = async (received, response, socket) => {
  const { body } = received;
  const images = await Promise.all(pictures(body));
  // What the text alone costs.
  if (images.length === 0) return answer()(received, response, socket);
  const outputs = body['structured_outputs'] as { grammar: string } | undefined;
  const prompt = userPrompt(textOf(body), images);
  const rows = await model.sample(
    Array.from({ length: body.n }, (_, k) => ({
      prompt,
      n: 1,
      maxTokens: body.max_tokens,
      temperature: body.temperature,
      rng: Rng.fromSeed((body.seed ?? 0) + k),
      ...(outputs ? { constraint: constrain(readGrammar(outputs.grammar)) } : {}),
    })),
  );
  const said = rows.flat();
  const whole = said.map(({ text, tokens, logprobs, finish }, index) => ({
    index,
    message: { role: 'assistant', content: text },
    finish_reason: finish,
    token_ids: [...tokens],
    logprobs: { content: [...logprobs].map((logprob) => ({ token: '', logprob })) },
  }));
  return answer({ answer: { choices: whole } })(received, response, socket);
};

function pictures(body: ReceivedBody): Array<ReturnType<typeof decodeImage>> {
  return body.messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part) => {
          const url = (part['image_url'] as { url: string } | undefined)?.url;
          return url === undefined ? [] : [decodeImage(Buffer.from(url.split(',')[1] ?? '', 'base64'))];
        }),
  );
}

const servers: FakeServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.close();
});

for (const samplesPerRequest of [8, 1]) {
  engineContract(`openai, ${samplesPerRequest} a request`, {
    async make() {
      const server = await fakeServer(speak);
      servers.push(server);
      const { client } = testClient([server.url]);
      const sampler = testSampler(client, {
        samplesPerRequest,
        logprobs: 'processed',
        constraint: 'vllm-grammar',
      });
      const policy: Policy = samplingPolicy(sampler);
      return { ...policy, setReference: () => undefined };
    },
    prompts: ['say red', 'say green', 'say blue'].map((text, i) => userPrompt(text, [picture(40 * i)])),
    words: ['red', 'green', 'blue', 'cube', 'ball'],
    longest: 8,
    learningRate: 0,
    unreadable: {},
    samplesOnly: true,
  });
}
