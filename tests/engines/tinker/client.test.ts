import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutageError } from '../../../src/core/errors.js';
import { askCapabilities } from '../../../src/engines/tinker/capabilities.js';
import { TinkerClient } from '../../../src/engines/tinker/client.js';
import { FakeTinker } from './fake-server.js';

const ADAM = { learning_rate: 1e-3, beta1: 0.9, beta2: 0.95, eps: 1e-8, weight_decay: 0 };

describe('the Tinker client', () => {
  let server: FakeTinker;
  let client: TinkerClient;
  let model: string;
  let running = true;

  beforeEach(async () => {
    server = new FakeTinker();
    running = true;
    const baseUrl = await server.start();
    client = await TinkerClient.connect({
      baseUrl,
      apiKey: null,
      patience: 0.4,
      requestTimeout: 5,
      firstDelay: 0.02,
    });
    model = await client.createModel('tiny', { rank: 4, seed: 0 });
  });
  afterEach(async () => {
    client.close();
    if (running) await server.stop();
  });

  it('asks again when the server is busy, and waits for a future that stays pending', async () => {
    server.faults.set('optim_step', ['busy', 'busy']);
    server.faults.set('retrieve_future', ['pending', 'pending', 'pending', 'busy']);
    expect(await client.optimStep(model, ADAM)).toEqual({ 'skyrl.ai/grad_norm': 1 });
  });

  it('steps once when the answer is lost after the server acted', async () => {
    server.faults.set('optim_step', ['lost answer']);
    await client.optimStep(model, ADAM);
    expect(server.acted.filter((path) => path === 'optim_step')).toHaveLength(1);
    await client.optimStep(model, ADAM);
    expect(server.acted.filter((path) => path === 'optim_step')).toHaveLength(2);
  });

  it('saves under another name when the first one was taken by a lost request', async () => {
    server.faults.set('save_weights', ['lost answer']);
    expect(await client.saveWeights(model, 'a')).toMatch(/^tinker:/);
  });

  it('ends with an outage when the server forgot the request or is gone', async () => {
    server.faults.set('retrieve_future', ['forget']);
    await expect(client.optimStep(model, ADAM)).rejects.toThrow(OutageError);
    await server.stop();
    running = false;
    await expect(client.optimStep(model, ADAM)).rejects.toThrow('start the server and resume');
  });

  it('finds out which losses there are and how they are reduced', async () => {
    server.losses = ['cross_entropy', 'importance_sampling'];
    const found = await askCapabilities(client, model, 3);
    expect([...found.losses]).toEqual(['cross_entropy', 'importance_sampling']);
    expect(found).toMatchObject({ reduction: 'sequence-mean', measured: true });
  });
});
