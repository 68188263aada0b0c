export { chatClient, type Asked, type ChatClient, type ClientSettings } from './client.js';
export { openAiEngine, openClient, openSampler, USAGE_EVENT, type ServedModel } from './engine.js';
export { FAILURES, type Failure, type FailureReason } from './failures.js';
export { options as openAiOptions, type OpenAiEngineOptions } from './options.js';
export { chatSampler, type Sampler, type SamplerSettings, type Spent } from './policy.js';
export type { ChatAnswer, ChatRequest, Usage } from './wire.js';
