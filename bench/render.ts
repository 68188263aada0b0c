/** Scenes a second of the ray caster on one core: `npx tsx bench/render.ts`. */
import { Rng } from '../src/core/rng.js';
import { renderScene } from '../src/render/index.js';
import { sampleScene } from '../scripts/sample-scenes.js';

const SECONDS = 2;
for (const [width, height] of [
  [48, 48],
  [72, 48],
  [320, 240],
  [480, 320],
] as const) {
  const scenes = Array.from({ length: 60 }, (_, i) => sampleScene(Rng.fromSeed(7).child(i), 3 + (i % 6)));
  for (const scene of scenes.slice(0, 20)) renderScene(scene, { width, height });
  const start = process.hrtime.bigint();
  let drawn = 0;
  let elapsed = 0;
  while (elapsed < SECONDS) {
    const scene = scenes[drawn % scenes.length];
    if (scene) renderScene(scene, { width, height });
    drawn++;
    elapsed = Number(process.hrtime.bigint() - start) / 1e9;
  }
  console.log(`${width} x ${height}: ${(drawn / elapsed).toFixed(1)} scenes/s (3 to 8 objects, one core)`);
}
