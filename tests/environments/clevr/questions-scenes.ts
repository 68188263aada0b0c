import { Rng } from '../../../src/core/rng.js';
import { FAMILIES, type ClevrQuestion, type Family } from '../../../src/environments/clevr/program.js';
import {
  COLORS,
  MATERIALS,
  SHAPES,
  SIZES,
  type ClevrObject,
  type ClevrScene,
} from '../../../src/environments/clevr/scene.js';
import { generateQuestion, type QuestionOptions } from '../../../src/environments/clevr/questions/index.js';

/** A scene of `count` objects at uniform places, centres at least 0.9 apart; official camera. */
export function randomScene(rng: Rng, count: number): ClevrScene {
  const objects: ClevrObject[] = [];
  while (objects.length < count) {
    const [x, y] = [rng.range(-3, 3), rng.range(-3, 3)];
    if (objects.some((o) => Math.hypot(o.x - x, o.y - y) < 0.9)) continue;
    objects.push({
      shape: rng.pick(SHAPES),
      color: rng.pick(COLORS),
      material: rng.pick(MATERIALS),
      size: rng.pick(SIZES),
      x,
      y,
      rotation: rng.range(0, 360),
    });
  }
  return { objects, camera: { x: 7.48, y: -6.5, z: 5.34 } };
}

/** `count` scenes of 3 to 8 objects, every size alike often. */
export function randomScenes(seed: string, count: number): ClevrScene[] {
  const rng = Rng.fromSeed(seed);
  return Array.from({ length: count }, (_, i) => randomScene(rng.child(i), 3 + (i % 6)));
}

export interface Asked {
  readonly scene: ClevrScene;
  readonly question: ClevrQuestion;
}

/** One question of every family about every scene, `rounds` times, each on its own stream. */
export function askEvery(
  scenes: readonly ClevrScene[],
  rounds: number,
  seed: string,
  options: QuestionOptions = {},
  families: readonly Family[] = FAMILIES,
): Asked[] {
  const rng = Rng.fromSeed(seed);
  return scenes.flatMap((scene, s) =>
    families.flatMap((family) =>
      Array.from({ length: rounds }, (_, round) => {
        const question = generateQuestion(scene, family, rng.child(s, family, round), options);
        return question ? [{ scene, question }] : [];
      }).flat(),
    ),
  );
}
