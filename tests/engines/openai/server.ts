import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request as the fake server got it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: ReceivedBody;
}

/** The fields that tests look at. */
export interface ReceivedBody {
  readonly model: string;
  readonly n: number;
  readonly max_tokens: number;
  readonly temperature: number;
  readonly seed?: number;
  readonly messages: ReadonlyArray<{
    readonly role: string;
    readonly content: string | ReadonlyArray<Record<string, unknown>>;
  }>;
  readonly [key: string]: unknown;
}

/** What a server does with one request; it must end the response or destroy its socket, or be left hanging on purpose. */
export type Behaviour = (
  received: Received,
  response: ServerResponse,
  socket: Socket,
) => void | Promise<void>;

export interface FakeServer {
  /** With `/v1`. */
  readonly url: string;
  readonly received: Received[];
  /** Behaviours of the next requests, in order; `usual` when there is none left. */
  readonly next: Behaviour[];
  usual: Behaviour;
  /** Stops listening and breaks every connection. */
  close(): Promise<void>;
}

/** A chat-completions server on this machine that does what it is told. */
export async function fakeServer(usual: Behaviour = answer(), port = 0): Promise<FakeServer> {
  const sockets = new Set<Socket>();
  const fake: Pick<FakeServer, 'received' | 'next' | 'usual'> = { received: [], next: [], usual };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as ReceivedBody;
      const received = { path: request.url ?? '', headers: request.headers, body };
      fake.received.push(received);
      void (fake.next.shift() ?? fake.usual)(received, response, request.socket);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: bound } = server.address() as AddressInfo;
  return Object.assign(fake, {
    url: `http://127.0.0.1:${bound}/v1`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  });
}

/** How many pictures a request holds. */
export function picturesOf(body: ReceivedBody): number {
  return body.messages.reduce(
    (sum, { content }) =>
      sum + (typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image_url').length),
    0,
  );
}

/** All text of a request. */
export function textOf(body: ReceivedBody): string {
  return body.messages
    .flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.map(({ text }) => (text as string | undefined) ?? ''),
    )
    .filter(Boolean)
    .join('\n');
}

export interface AnswerOptions {
  /** Text of each choice. */
  readonly say?: (body: ReceivedBody, k: number) => string;
  readonly finish?: string;
  /** Tokens that each picture is said to cost; 16 when not given. */
  readonly imageTokens?: number;
  /** Fields laid over each choice. */
  readonly choice?: Record<string, unknown>;
  /** Fields laid over the answer. */
  readonly answer?: Record<string, unknown>;
}

/** A right answer: one token a word, with its log-probability, and an end token. */
export function answerBody(body: ReceivedBody, options: AnswerOptions = {}): Record<string, unknown> {
  const { say = () => 'a cube', finish = 'stop', imageTokens = 16, choice = {} } = options;
  const choices = Array.from({ length: body.n }, (_, index) => {
    const text = say(body, index);
    const tokens = [
      ...text
        .split(' ')
        .filter(Boolean)
        .map((_word, i) => i + 1),
      ...(finish === 'stop' ? [0] : []),
    ];
    return {
      index,
      message: { role: 'assistant', content: text },
      finish_reason: finish,
      ...(body['logprobs'] === true
        ? { logprobs: { content: tokens.map((token) => ({ token: String(token), logprob: -0.5 })) } }
        : {}),
      ...(body['return_token_ids'] === true ? { token_ids: tokens } : {}),
      ...choice,
    };
  });
  const completion = choices.reduce((sum, { message }) => sum + message.content.split(' ').length + 1, 0);
  const prompt = textOf(body).split(/\s+/).length + 4 + imageTokens * picturesOf(body);
  return {
    id: 'chat-1',
    object: 'chat.completion',
    model: body.model,
    choices,
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    ...options.answer,
  };
}

/** Answers rightly. */
export function answer(options: AnswerOptions = {}): Behaviour {
  return ({ body }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answerBody(body, options)));
  };
}

/** Answers with an error status. */
export function status(code: number, message = 'no', headers: Record<string, string> = {}): Behaviour {
  return (_received, response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message } }));
  };
}

/** Answers with this text as the body. */
export function raw(text: string): Behaviour {
  return (_received, response) => void response.end(text);
}

/** Answers rightly after a while. */
export function slowly(ms: number, options: AnswerOptions = {}): Behaviour {
  return (received, response, socket) => {
    setTimeout(() => void answer(options)(received, response, socket), ms);
  };
}

/** Takes the request and never says anything. */
export const silent: Behaviour = () => undefined;

/** Breaks the connection in the middle of the body. */
export const truncated: Behaviour = ({ body }, response, socket) => {
  const text = JSON.stringify(answerBody(body));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(text.length) });
  response.write(text.slice(0, text.length / 2));
  setTimeout(() => socket.destroy(), 10);
};

/** Breaks the connection before a word. */
export const hangUp: Behaviour = (_received, _response, socket) => void socket.destroy();
