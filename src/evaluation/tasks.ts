import type { Environment, Lineage, Realised } from '../core/environment.js';
import type { Json } from '../core/json.js';
import type { Rejection } from '../core/result.js';
import { sampleSeeds, type ClevrConfig, type ClevrState, type Size } from '../environments/clevr/index.js';
import type { Rng } from '../core/rng.js';

/** Which CLEVR scenes and questions a policy is judged on. */
export interface HeldOutConfig {
  /** Objects in a scene, from and to; every number of objects has the same share. */
  readonly objects: readonly [min: number, max: number];
  readonly imagesPerCount: number;
  readonly questionsPerImage: number;
  /** Sizes of the objects, drawn evenly. */
  readonly sizes: readonly Size[];
}

/** Seeds made into tasks; those the environment refuses come back with their reasons. */
export async function realiseSeeds<State extends Json, Action extends Json>(
  environment: Pick<Environment<State, Action>, 'realise'>,
  seeds: readonly Lineage<State>[],
): Promise<{ tasks: Realised<State>[]; rejected: Array<{ seedId: string; rejection: Rejection }> }> {
  const tasks: Realised<State>[] = [];
  const rejected: Array<{ seedId: string; rejection: Rejection }> = [];
  for (const seed of seeds) {
    const result = await environment.realise(seed, null);
    if (result.ok) tasks.push(...result.value);
    else rejected.push({ seedId: seed.seedId, rejection: result.error });
  }
  return { tasks, rejected };
}

/** As `realiseSeeds`, equal tasks once; `notes` say in words what was refused and what was there twice. */
export async function realiseDistinct(
  environment: Pick<Environment, 'realise'>,
  seeds: readonly Lineage[],
  what: string,
): Promise<{ tasks: Realised[]; notes: string[] }> {
  const { tasks, rejected } = await realiseSeeds(environment, seeds);
  const byId = new Map(tasks.map((realised) => [realised.task.id, realised]));
  const notes: string[] = [];
  const reasons = new Map<string, number>();
  for (const { rejection } of rejected) {
    reasons.set(rejection.reason, (reasons.get(rejection.reason) ?? 0) + 1);
  }
  if (reasons.size > 0) {
    const counted = [...reasons].map(([reason, count]) => `${reason} ${count}`).join(', ');
    notes.push(`${rejected.length} of ${seeds.length} ${what} rejected: ${counted}`);
  }
  if (byId.size < tasks.length) notes.push(`${tasks.length - byId.size} ${what} were there twice`);
  return { tasks: [...byId.values()], notes };
}

/** Held-out CLEVR seeds over the whole range of difficulty, in order of the number of objects. */
export function heldOutSeeds(
  config: HeldOutConfig,
  clevr: Pick<ClevrConfig, 'families' | 'view' | 'extent' | 'paraphrase'>,
  rng: Rng,
): Lineage<ClevrState>[] {
  const [min, max] = config.objects;
  return Array.from({ length: max - min + 1 }, (_, i) => min + i).flatMap((objects) =>
    sampleSeeds(rng.child('objects', objects), config.imagesPerCount * config.questionsPerImage, {
      objects: [objects, objects],
      extent: clevr.extent,
      sizes: config.sizes,
      families: clevr.families,
      questionsPerScene: config.questionsPerImage,
      view: clevr.view,
      paraphrase: clevr.paraphrase ?? true,
    }),
  );
}
