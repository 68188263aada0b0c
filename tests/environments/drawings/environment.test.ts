import { afterAll, describe, expect, it } from 'vitest';
import { replay, type ProposedDrawing } from '../../../src/core/environment.js';
import { imageRef } from '../../../src/core/image.js';
import type { Json } from '../../../src/core/json.js';
import { promptImages, promptText } from '../../../src/core/prompt.js';
import { unwrap } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import {
  answerKindOf,
  DRAWING_REJECTIONS,
  drawingsEnvironment,
  KINDS,
  topicSeed,
  writeScripted,
} from '../../../src/environments/drawings/index.js';
import { openSvgRasteriser } from '../../../src/render/index.js';

const rasteriser = openSvgRasteriser();
afterAll(() => rasteriser.close());
const environment = drawingsEnvironment(
  { promptStyle: 'micro', picture: { width: 48, height: 48 } },
  rasteriser,
);
const topic = topicSeed('shop');
const scripted = writeScripted(Rng.fromSeed('environment'), 'bars');
const drawing: ProposedDrawing = { proposal: scripted.proposal, markup: scripted.svg, silver: null };

describe('drawings as an environment', () => {
  it('gives an easy and a hard task on one picture, both with pseudo labels', async () => {
    const [easy, hard] = unwrap(await environment.realise(topic, drawing));
    if (!easy || !hard) throw new Error('two tasks were expected');
    expect(easy.task.images).toEqual(hard.task.images);
    expect(easy.images.map(imageRef)).toEqual(easy.task.images);
    expect(easy.task).toMatchObject({ question: drawing.proposal.easyQuestion, environment: 'drawings' });
    expect(easy.task).toMatchObject({
      answer: drawing.proposal.easyAnswer,
      label: { origin: 'pseudo', votes: 1 },
    });
    expect(hard.task.question).toBe(drawing.proposal.hardQuestion);
    expect(hard.task.facts).toMatchObject({
      asked: 'hard',
      content: 'data_chart',
      truth: scripted.proposal.hardAnswer,
    });
  });

  it('takes the vote as the hard label where there was one, and keeps the truth beside it', async () => {
    const silver = { answer: '9', share: 0.6, votes: 10 };
    const [, hard] = unwrap(await environment.realise(topic, { ...drawing, silver }));
    expect(hard?.task).toMatchObject({ answer: '9', label: { origin: 'pseudo', share: 0.6, votes: 10 } });
    expect(hard?.task.facts['truth']).toBe(scripted.proposal.hardAnswer);
  });

  it('makes a drawn task again from its topic and action, to the byte', async () => {
    const [, hard] = unwrap(await environment.realise(topic, drawing));
    if (!hard) throw new Error('no hard task');
    const lineage = JSON.parse(JSON.stringify(hard.lineage)) as typeof hard.lineage;
    const seed = environment.seedOf?.(lineage);
    if (!seed) throw new Error('no seed');
    expect(seed).toEqual(topic);
    const again = unwrap(await replay(environment, seed, lineage.actions as Json[]));
    expect(again[1]?.task.id).toBe(hard.task.id);
    expect(again[1]?.lineage).toEqual(hard.lineage);
    expect(unwrap(environment.parseState(lineage.state))).toEqual(hard.lineage.state);
  });

  it('says why markup gives no picture, and what kind of failure that is', async () => {
    const failure = async (markup: string): Promise<string[]> => {
      const made = await environment.realise(topic, { ...drawing, markup });
      if (made.ok) throw new Error(`${markup} was drawn`);
      expect(DRAWING_REJECTIONS).toContain(made.error.reason);
      return [made.error.reason, environment.failureOf(made.error)];
    };
    expect(await failure('<svg viewBox="0 0 48 48"> <rect </svg>')).toEqual(['syntax', 'broken']);
    expect(await failure('<svg viewBox="0 0 48 48"> </svg>')).toEqual(['blank', 'failed']);
    expect(await failure('<svg><script>1</script></svg>')).toEqual(['forbidden', 'failed']);
    const none = environment.coder.parse('red 3 , blue 1', drawing.proposal);
    expect(none.ok).toBe(false);
    if (!none.ok) expect(environment.failureOf(none.error)).toBe('none');
  });

  it('measures leaks with the drawing and without', () => {
    const proposal = { ...drawing.proposal, hardQuestion: 'what is 3 plus 4 ?', hardAnswer: '7' };
    const markup = '<svg><text>7</text></svg>';
    expect(environment.leaks(proposal, null)).toEqual(['values-in-question']);
    expect(environment.leaks(proposal, markup)).toEqual(['values-in-question', 'answer-in-drawing']);
  });

  it('is no task before something is drawn', async () => {
    const made = await environment.realise(topic, null);
    expect(made.ok).toBe(false);
    if (!made.ok) expect(made.error.reason).toBe('nothing-drawn');
  });

  it('derives held-out answers from figures that a program draws', async () => {
    for (const [i, kind] of KINDS.entries()) {
      const { figure, proposal } = writeScripted(Rng.fromSeed(i), kind);
      const state = { kind: 'figure', figure, question: proposal.hardQuestion } as const;
      const seed = { seedId: `figure/${i}`, actions: [], state: unwrap(environment.parseState(state)) };
      const [made] = unwrap(await environment.realise(seed, null));
      expect(made?.task.answer).toBe(proposal.hardAnswer);
      expect(made?.task.label.origin).toBe('derived');
      const prompt = environment.solver.prompt({ task: made!.task, images: made!.images });
      expect(promptText(prompt)).toContain(proposal.hardQuestion);
      expect(promptImages(prompt)).toHaveLength(1);
    }
    const strange = { kind: 'figure', figure: scripted.figure, question: 'what is first ?' } as const;
    const made = await environment.realise({ seedId: 'x', actions: [], state: strange }, null);
    expect(made.ok).toBe(false);
  });

  it('refuses states and actions that are none', () => {
    for (const json of [null, 3, 'x', {}, { kind: 'topic' }, { proposal: {} }, { ...drawing, markup: 3 }]) {
      expect(environment.parseAction(json).ok).toBe(false);
      expect(environment.parseState(json).ok).toBe(false);
    }
    const proposal = { ...drawing.proposal, contentType: 'opera' };
    const read = environment.parseAction({ ...drawing, proposal });
    expect(read.ok).toBe(false);
    if (!read.ok) expect(read.error.reason).toBe('unknown-content-type');
    expect(unwrap(environment.parseAction(JSON.parse(JSON.stringify(drawing))))).toEqual(drawing);
  });

  it('tells what kind of answer a text is', () => {
    const kinds = ['14', '3.5 %', '$1,000', 'yes', 'False', 'red', 'about 3'].map(answerKindOf);
    expect(kinds).toEqual(['number', 'number', 'number', 'yes-no', 'yes-no', 'word', 'word']);
  });
});
