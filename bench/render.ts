/**
 * Scenes a second of the ray caster on one core: `npx tsx bench/render.ts`. Each figure is the median of short passes,
 * by the processor time that they used, with the fastest pass beside it: on a busy machine the two lie far apart.
 */
import { Rng } from '../src/core/rng.js';
import { renderScene } from '../src/render/index.js';
import { sampleScene } from '../scripts/sample-scenes.js';

const PASSES = 9;
const SIZES = [
  { width: 48, height: 48, scenes: 120 },
  { width: 72, height: 48, scenes: 120 },
  { width: 320, height: 240, scenes: 12 },
  { width: 480, height: 320, scenes: 6 },
];

const scenes = Array.from({ length: 120 }, (_, i) => sampleScene(Rng.fromSeed(7).child(i), 3 + (i % 6)));
for (const { width, height, scenes: count } of SIZES) {
  const rates: number[] = [];
  for (let pass = -2; pass < PASSES; pass++) {
    const before = process.cpuUsage();
    for (const scene of scenes.slice(0, count)) renderScene(scene, { width, height });
    const used = process.cpuUsage(before);
    // The first passes warm the compiler up.
    if (pass >= 0) rates.push(count / ((used.user + used.system) / 1e6));
  }
  rates.sort((a, b) => a - b);
  const median = rates[Math.floor(PASSES / 2)] ?? NaN;
  const best = rates[PASSES - 1] ?? NaN;
  console.log(
    `${width} x ${height}: ${median.toFixed(0)} scenes/s, best ${best.toFixed(0)} (3 to 8 objects, one core)`,
  );
}
