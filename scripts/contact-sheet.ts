/** Draws a contact sheet of sampled scenes: `npx tsx scripts/contact-sheet.ts FILE [WIDTH HEIGHT SCALE COLUMNS ROWS SEED]`. */
import { writeFile } from 'node:fs/promises';
import { Rng } from '../src/core/rng.js';
import { contactSheet, encodePng, renderScene } from '../src/render/index.js';
import { sampleScene } from './sample-scenes.js';

const [file, ...numbers] = process.argv.slice(2);
if (file === undefined)
  throw new Error('usage: contact-sheet.ts FILE [WIDTH HEIGHT SCALE COLUMNS ROWS SEED]');
const [width = 320, height = 240, scale = 1, columns = 4, rows = 4, seed = 1] = numbers.map(Number);

const images = Array.from({ length: columns * rows }, (_, i) => {
  const rng = Rng.fromSeed(seed).child('scene', i);
  return renderScene(sampleScene(rng, 3 + (i % 8)), { width, height }).image;
});
await writeFile(file, await encodePng(contactSheet(images, columns, { scale }), { level: 9 }));
