import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does wrong with the next requests of a path, in order. */
export type Fault = 'busy' | 'lost answer' | 'pending' | 'forget';

type Body = Record<string, unknown>;

/** A Tinker server with one number for a model: enough to see what a client makes of its answers. */
export class FakeTinker {
  readonly faults = new Map<string, Fault[]>();
  /** Paths of the requests that were acted on, retries of the same sequence number not among them. */
  readonly acted: string[] = [];
  losses = ['cross_entropy', 'importance_sampling', 'ppo'];
  readonly #done = new Map<string, string>();
  readonly #results: unknown[] = [];
  readonly #taken = new Set<string>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString() || '{}') as Body;
    const path = (request.url ?? '').replace('/api/v1/', '');
    const fault = this.faults.get(path)?.shift();
    const send = (status: number, answer: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    if (fault === 'busy') return send(503, { detail: 'busy' });
    if (fault === 'pending') return send(408, { detail: 'Timeout waiting for result' });
    if (fault === 'forget') return send(404, { detail: 'Future not found' });
    const [status, answer] = this.#act(path, body);
    if (fault === 'lost answer') return void response.destroy();
    send(status, answer);
  }

  #act(path: string, body: Body): [number, unknown] {
    if (path === 'create_session') return [200, { session_id: 's' }];
    if (path === 'retrieve_future') return [200, this.#results[Number(body['request_id'])]];
    if (path === 'get_server_capabilities') return [200, { supported_models: [{ model_name: 'tiny' }] }];
    const key = `${path} ${String(body['model_id'])} ${String(body['seq_id'])}`;
    const known = body['seq_id'] === undefined ? undefined : this.#done.get(key);
    if (known) return [200, { request_id: known }];
    if (path.startsWith('save_weights')) {
      const name = String(body['path']);
      if (this.#taken.has(name)) return [409, { detail: `Checkpoint '${name}' already exists` }];
      this.#taken.add(name);
    }
    const result = this.#result(path, body);
    if (result === null) return [422, { detail: 'unknown loss' }];
    this.acted.push(path);
    const id = String(this.#results.push(result) - 1);
    this.#done.set(key, id);
    return [200, { request_id: id, ...(path === 'create_model' ? { model_id: `m${id}` } : {}) }];
  }

  #result(path: string, body: Body): unknown {
    if (path === 'optim_step') return { metrics: { 'skyrl.ai/grad_norm': 1 } };
    if (path.startsWith('save_weights')) return { path: `tinker://m/weights/${String(body['path'])}` };
    const input = (body['forward_backward_input'] ?? body['forward_input']) as
      { loss_fn: string; data: { loss_fn_inputs: { target_tokens: { data: number[] } } }[] } | undefined;
    if (!input) return { model_id: 'm' };
    if (!this.losses.includes(input.loss_fn)) return null;
    const outputs = input.data.map((d) => ({
      logprobs: { data: d.loss_fn_inputs.target_tokens.data.map(() => -1) },
    }));
    return { loss_fn_outputs: outputs };
  }
}
