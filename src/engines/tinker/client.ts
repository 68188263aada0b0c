import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import {
  answers,
  type AdamParams,
  type Chunk,
  type Datum,
  type LossName,
  type SamplingParams,
} from './protocol.js';
import { TinkerRefusal, Transport, type TransportOptions } from './transport.js';

/** Seconds between heartbeats; servers drop a session after minutes without one. */
const HEARTBEAT = 10;
const SDK_VERSION = '0.24.1';

export type PassResult = z.infer<typeof answers.pass>;
export type Sequence = z.infer<typeof answers.sample>['sequences'][number];

/** A session with a Tinker server, kept alive until it is closed. */
export class TinkerClient {
  readonly #transport: Transport;
  readonly #beat: NodeJS.Timeout;
  /** Next sequence number of a model's training requests: the server does a number only once. */
  readonly #next = new Map<string, number>();

  private constructor(
    transport: Transport,
    readonly sessionId: string,
  ) {
    this.#transport = transport;
    this.#beat = setInterval(() => {
      // A server that is away is noticed by the next real request.
      transport
        .call('session_heartbeat', { session_id: sessionId }, answers.heartbeat)
        .catch(() => undefined);
    }, HEARTBEAT * 1000);
    this.#beat.unref();
  }

  /** Throws an OutageError when the server is away. */
  static async connect(options: TransportOptions): Promise<TinkerClient> {
    const transport = new Transport(options);
    const { session_id } = await transport.call(
      'create_session',
      { tags: ['covolve'], user_metadata: null, sdk_version: SDK_VERSION, type: 'create_session' },
      answers.session,
    );
    return new TinkerClient(transport, session_id);
  }

  close(): void {
    clearInterval(this.#beat);
  }

  /** Names of the models that the server can train. */
  async supportedModels(): Promise<string[]> {
    const { supported_models } = await this.#transport.call(
      'get_server_capabilities',
      null,
      answers.capabilities,
    );
    return supported_models.flatMap((model) => model.model_name ?? []);
  }

  /** A new LoRA model; its id. `alpha` is sent where it is given (some servers have one of their own, 32). */
  async createModel(
    baseModel: string,
    lora: { rank: number; seed: number; alpha?: number },
  ): Promise<string> {
    const path = 'create_model';
    const body = {
      session_id: this.sessionId,
      base_model: baseModel,
      lora_config: lora,
      model_seq_id: this.#seq('models'),
    };
    const { request_id, model_id } = await this.#transport.call(path, body, answers.model);
    const done = await this.#transport.future(request_id, path, answers.created);
    const id = model_id ?? done.model_id;
    if (!id) throw new TinkerRefusal(200, path, 'the answer names no model_id');
    return id;
  }

  async info(modelId: string): Promise<{ baseModel: string | null; rank: number | null }> {
    const { model_data } = await this.#transport.call(
      'get_info',
      { model_id: modelId, type: 'get_info' },
      answers.info,
    );
    return { baseModel: model_data.base_model ?? null, rank: model_data.lora_config?.rank ?? null };
  }

  async unloadModel(modelId: string): Promise<void> {
    await this.#submit('unload_model', { model_id: modelId, type: 'unload_model' }, answers.done);
  }

  /** Adds the gradient of the loss to what is accumulated. */
  forwardBackward(
    modelId: string,
    data: readonly Datum[],
    loss: LossName,
    config: Readonly<Record<string, number>> | null,
  ): Promise<PassResult> {
    const input = { data, loss_fn: loss, loss_fn_config: config };
    return this.#submit(
      'forward_backward',
      { model_id: modelId, forward_backward_input: input, seq_id: this.#seq(modelId) },
      answers.pass,
    );
  }

  /** Log-probabilities only. */
  forward(modelId: string, data: readonly Datum[]): Promise<PassResult> {
    const input = { data, loss_fn: 'cross_entropy', loss_fn_config: null };
    return this.#submit(
      'forward',
      { model_id: modelId, forward_input: input, seq_id: this.#seq(modelId) },
      answers.pass,
    );
  }

  async optimStep(modelId: string, adam: AdamParams): Promise<Readonly<Record<string, number>>> {
    const body = { model_id: modelId, adam_params: adam, seq_id: this.#seq(modelId) };
    return (await this.#submit('optim_step', body, answers.optim)).metrics ?? {};
  }

  /** Weights and optimiser state; the server's path to them. */
  saveWeights(modelId: string, name: string): Promise<string> {
    return this.#save('save_weights', modelId, name);
  }

  /** Weights for sampling; the server's path to them. */
  saveWeightsForSampler(modelId: string, name: string): Promise<string> {
    return this.#save('save_weights_for_sampler', modelId, name);
  }

  /** Servers allow this only as the first request of a new model. */
  async loadWeights(modelId: string, path: string): Promise<void> {
    await this.#submit(
      'load_weights',
      { model_id: modelId, path, optimizer: true, type: 'load_weights' },
      answers.done,
    );
  }

  /** One completion; doing it twice gives the same one. */
  async sample(modelPath: string, chunks: readonly Chunk[], params: SamplingParams): Promise<Sequence> {
    const body = {
      num_samples: 1,
      prompt: { chunks },
      sampling_params: params,
      model_path: modelPath,
      prompt_logprobs: false,
      type: 'sample',
    };
    const { sequences } = await this.#submit('asample', body, answers.sample);
    return sequences[0] as Sequence;
  }

  async #submit<T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> {
    const { request_id } = await this.#transport.call(path, body, answers.future);
    return this.#transport.future(request_id, path, schema);
  }

  /** A name is taken once the server has acted, even if its answer was lost: then another name is used. */
  async #save(path: string, modelId: string, name: string): Promise<string> {
    for (;;) {
      const unique = `${name}-${randomUUID().slice(0, 8)}`;
      try {
        return (await this.#submit(path, { model_id: modelId, path: unique, type: path }, answers.saved))
          .path;
      } catch (cause) {
        if (!(cause instanceof TinkerRefusal && cause.status === 409)) throw cause;
      }
    }
  }

  #seq(key: string): number {
    const seq = (this.#next.get(key) ?? 0) + 1;
    this.#next.set(key, seq);
    return seq;
  }
}
