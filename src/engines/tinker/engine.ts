import { z } from 'zod';
import { stepLearner } from '../../algorithms/learner.js';
import type { Engine, LearnerRequest, OpenedLearner } from '../../core/engine.js';
import { ConfigError } from '../../core/errors.js';
import { askCapabilities } from './capabilities.js';
import { TinkerClient } from './client.js';
import { TinkerPolicy } from './policy.js';
import { ModelText } from './tokenizer.js';

const options = z.strictObject({
  /** Address of the server, e.g. `http://127.0.0.1:8000`. */
  baseUrl: z.url(),
  /** The model as the server names it. */
  baseModel: z.string().min(1),
  /** A local Hugging Face folder with the same model's tokenizer, chat template and image processor. */
  tokenizer: z.string().min(1),
  lora: z
    .strictObject({
      rank: z.int().min(1).default(32),
      /** The server's own when absent. */
      alpha: z.number().positive().optional(),
      seed: z.int().min(0).default(0),
    })
    .prefault({}),
  optimizer: z
    .strictObject({
      beta1: z.number().min(0).lt(1).default(0.9),
      beta2: z.number().min(0).lt(1).default(0.95),
      epsilon: z.number().positive().default(1e-8),
      weightDecay: z.number().min(0).default(0),
    })
    .prefault({}),
  /** Seconds for which a silent server is asked again before the run pauses. */
  patience: z.number().positive().default(300),
  requestTimeout: z.number().positive().default(600),
  /** Sequences a training request. */
  batch: z.int().min(1).default(64),
  /** Sampling requests in flight. */
  concurrency: z.int().min(1).default(64),
});

/** The tinker engine's section of a configuration; one for all roles, each of which gets a LoRA model of its own. */
export type TinkerEngineOptions = z.infer<typeof options>;

/** Training and sampling through a server that speaks the Tinker protocol. */
export const tinkerEngine: Engine<TinkerEngineOptions> = { options, open };

async function open(request: LearnerRequest<TinkerEngineOptions>): Promise<OpenedLearner> {
  const { role, journal, progress, safePoint, checkpointEvery, options: chosen } = request;
  const text = ModelText.open(request.resolveFile(chosen.tokenizer));
  const client = await TinkerClient.connect({
    baseUrl: chosen.baseUrl,
    apiKey: null,
    patience: chosen.patience,
    requestTimeout: chosen.requestTimeout,
    firstDelay: 0.5,
  });
  const note = (line: string): void => progress.note(`${role}: ${line}`);
  try {
    const models = await client.supportedModels();
    if (!models.includes(chosen.baseModel)) {
      throw new ConfigError(
        'tinker.baseModel',
        chosen.baseModel,
        `the server has ${models.join(', ') || 'no model'}; name one of them`,
      );
    }
    const { rank, seed, alpha } = chosen.lora;
    if (alpha !== undefined) note('LoRA alpha is sent, but some servers (SkyRL: 32) keep their own');
    const lora = { rank, seed, ...(alpha === undefined ? {} : { alpha }) };
    // Asked on a model that stays as it was made, which is also the reference of a KL term.
    const still = await client.createModel(chosen.baseModel, lora);
    const server = await askCapabilities(client, still, text.endToken);
    if (!server.measured)
      note('the server reports no gradient norm: taken to sum its losses, as the protocol says');
    if (!request.reference) await client.unloadModel(still);
    const { beta1, beta2, epsilon, weightDecay } = chosen.optimizer;
    const policy = await TinkerPolicy.open({
      name: role,
      client,
      text,
      server,
      baseModel: chosen.baseModel,
      lora,
      adam: { beta1, beta2, eps: epsilon, weight_decay: weightDecay },
      referenceId: request.reference ? still : null,
      batch: chosen.batch,
      concurrency: chosen.concurrency,
      note,
    });
    const origin = `${chosen.baseModel} lora ${rank} seed ${seed}`;
    const learner = await stepLearner({
      role,
      policy,
      journal,
      progress,
      safePoint,
      checkpointEvery,
      origin,
    });
    return { learner, origin, dispose: () => policy.dispose() };
  } catch (cause) {
    client.close();
    throw cause;
  }
}
