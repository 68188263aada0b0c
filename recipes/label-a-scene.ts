/** Edits a CLEVR scene, draws it and labels it by running its question's program. Usage: npx tsx recipes/label-a-scene.ts */
import { writeFileSync } from 'node:fs';
import { clevr, encodePng, Rng } from '../src/index.js';

const environment = clevr.clevrEnvironment();
const rng = Rng.fromSeed(7);
const scene = clevr.sampleVisibleScene(rng.child('scene'), {
  objects: [4, 4],
  view: environment.config.view,
});
const question = clevr.generateQuestion(scene, 'zero_hop', rng.child('question'));
if (!question) throw new Error('this scene has no such question');
const seed = clevr.makeSeed({ scene, question });

for (const action of [null, environment.randomEdit(seed, rng.child('edit'))]) {
  console.log(action ? environment.describeAction(action) : 'the scene as sampled');
  const result = await environment.realise(seed, action);
  if (!result.ok) {
    console.log(`refused: ${result.error.reason}: ${result.error.detail}`);
    continue;
  }
  for (const { task, images } of result.value) {
    console.log(`${task.question} ${task.answer}`);
    for (const image of images)
      writeFileSync(`scene-${action ? 'edited' : 'original'}.png`, await encodePng(image));
  }
}
