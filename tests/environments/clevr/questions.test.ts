import { describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import { execute } from '../../../src/environments/clevr/executor.js';
import { FAMILIES, type ClevrQuestion, type Family } from '../../../src/environments/clevr/program.js';
import {
  generateQuestion,
  generateQuestions,
  isDegenerate,
  QUESTION_WORDS,
  questionTokens,
} from '../../../src/environments/clevr/questions/index.js';
import { sceneView, type SceneView } from '../../../src/environments/clevr/relations.js';
import type { ClevrObject } from '../../../src/environments/clevr/scene.js';
import { parseParaphrase, parseQuestion } from './questions-parser.js';
import { askEvery, randomScene, randomScenes, type Asked } from './questions-scenes.js';

const scenes = randomScenes('questions', 300);
const plain = askEvery(scenes, 2, 'plain', { paraphrase: false });
const varied = askEvery(scenes, 2, 'varied');
const all = [...plain, ...varied];

function answer({ scene, question }: Asked): string {
  return unwrap(execute(question.program, sceneView(scene))).answer;
}

/** The share of each answer among those that `keep` keeps. */
function shares(asked: readonly Asked[], keep: (answer: string) => boolean): Map<string, number> {
  const answers = asked.map(answer).filter(keep);
  const counts = new Map<string, number>();
  for (const a of answers) counts.set(a, (counts.get(a) ?? 0) + 1);
  return new Map([...counts].map(([a, n]) => [a, n / answers.length]));
}

function of(family: Family, asked: readonly Asked[] = all): Asked[] {
  return asked.filter((a) => a.question.family === family);
}

const isYesNo = (a: string): boolean => a === 'yes' || a === 'no';
const isCount = (a: string): boolean => /^\d+$/.test(a);
const isWord = (a: string): boolean => !isYesNo(a) && !isCount(a);

function valuesOf(object: ClevrObject | undefined): unknown[] {
  return object ? [object.size, object.color, object.material, object.shape] : [];
}

/** The functions of a program with its filters left out, as in "scene unique relate count". */
function shape(question: ClevrQuestion): string {
  return question.program
    .map((n) => n.function)
    .filter((f) => !f.startsWith('filter_'))
    .join(' ');
}

/** The node that a node's filters start from, and the values of those filters. */
function described(question: ClevrQuestion, node: number): { base: string; filters: string[] } {
  const filters: string[] = [];
  let at = question.program[node];
  while (at?.function.startsWith('filter_')) {
    filters.push(at.function.slice('filter_'.length));
    at = question.program[at.inputs[0] as number];
  }
  return { base: at?.function ?? '', filters };
}

describe('generateQuestion', () => {
  it('finds most families in most scenes, and everything but the hardest in scenes of 5 and more', () => {
    for (const family of FAMILIES) {
      expect(of(family, varied).length / (2 * scenes.length)).toBeGreaterThan(0.65);
      const large = of(family, varied).filter((a) => a.scene.objects.length >= 5).length;
      expect(large / ((2 * scenes.length * 4) / 6)).toBeGreaterThan(0.85);
    }
  });

  it('writes programs that run, and none is degenerate', () => {
    expect(all.length).toBeGreaterThan(9_000);
    const view = (a: Asked): SceneView => sceneView(a.scene);
    const wrong = all.filter((a) => !execute(a.question.program, view(a)).ok);
    const degenerate = all.filter((a) => isDegenerate(a.question.program, view(a)));
    expect([...wrong, ...degenerate].map((a) => a.question.text)).toEqual([]);
  });

  it('says in wording 0 what the program computes: an independent parser reads the program back', () => {
    expect(plain.length).toBeGreaterThan(4_000);
    for (const { question } of plain) {
      expect(parseQuestion(question.text), question.text).toEqual(question.program);
    }
  });

  it('says the same in all other wordings: rewritten as wording 0 they give the program too', () => {
    for (const { question } of varied) {
      expect(parseParaphrase(question.text), question.text).toEqual(question.program);
    }
  });

  it('uses the program shapes of each family', () => {
    const end = '(count|exist|unique query_(size|color|material|shape))';
    const hop = 'unique relate';
    const side = `scene( ${hop})?`;
    const shapes: Record<Family, RegExp> = {
      zero_hop: new RegExp(`^scene ${end}$`),
      one_hop: new RegExp(`^scene ${hop} ${end}$`),
      two_hop: new RegExp(`^scene ${hop} ${hop} ${end}$`),
      three_hop: new RegExp(`^scene ${hop} ${hop} ${hop} ${end}$`),
      single_and: new RegExp(`^scene ${hop} scene ${hop} intersect ${end}$`),
      single_or: new RegExp(`^${side} ${side} union count$`),
      same_relate: new RegExp(`^scene unique same_(size|color|material|shape) ${end}$`),
      comparison: new RegExp(`^${side} unique (query_\\w+) ${side} unique \\2 equal_\\w+$`),
      compare_integer: new RegExp(`^${side} count ${side} count (equal_integer|less_than|greater_than)$`),
    };
    for (const { question } of all) expect(shape(question)).toMatch(shapes[question.family as Family]);
    const seen = new Set(all.map((a) => `${a.question.family}: ${shape(a.question)}`));
    // 6 for each kind of hop and for `and`; 4 unions; 3 x 4 comparisons of counts, 4 x 4 of attributes; for `same`
    // count and exist x 4, queries 4 x 3 (the shared attribute is never asked for).
    expect(seen.size).toBe(5 * 6 + 4 + 12 + 16 + 8 + 12);
  });

  it('never names the attribute it asks for', () => {
    let queries = 0;
    const telling: string[] = [];
    for (const { question } of all) {
      for (const node of question.program) {
        if (!node.function.startsWith('query_')) continue;
        queries++;
        const unique = question.program[node.inputs[0] as number];
        const { base, filters } = described(question, unique?.inputs[0] as number);
        const asked = node.function.slice('query_'.length);
        if (filters.includes(asked) || base === `same_${asked}`) telling.push(question.text);
      }
    }
    expect(queries).toBeGreaterThan(3_000);
    expect(telling).toEqual([]);
  });

  it('refers to objects with no adjective to spare, and never comes back to one on its way', () => {
    let references = 0;
    const spare: string[] = [];
    const returning: string[] = [];
    for (const { scene, question } of all) {
      const { trace } = unwrap(execute(question.program, sceneView(scene)));
      for (const node of question.program) {
        if (node.function !== 'unique') continue;
        references++;
        // Filters commute, so leaving one out is running the others from the same base set.
        let base = node.inputs[0] as number;
        const chain: number[] = [];
        while (question.program[base]?.function.startsWith('filter_')) {
          chain.push(base);
          base = question.program[base]?.inputs[0] as number;
        }
        const start = trace[base];
        if (start?.kind !== 'objects') throw new Error(`node ${base} of ${question.text} is no set`);
        for (const left of chain) {
          const others = chain.filter((c) => c !== left).map((c) => question.program[c]);
          const matching = start.objects.filter((o) =>
            others.every((f) => f && valuesOf(scene.objects[o]).includes(f.value)),
          );
          if (matching.length < 2) spare.push(question.text);
        }
      }
      if (/_hop$/.test(question.family)) {
        const on = trace.flatMap((v) => (v.kind === 'object' ? [v.object] : []));
        if (new Set(on).size < on.length) returning.push(question.text);
      }
    }
    expect(references).toBeGreaterThan(10_000);
    expect([...spare, ...returning]).toEqual([]);
  });

  it('balances yes and no, counts, and words', () => {
    const yesNo = shares(varied, isYesNo);
    expect(yesNo.get('yes')).toBeGreaterThan(0.45);
    expect(yesNo.get('yes')).toBeLessThan(0.55);
    expect(Math.max(...shares(varied, isCount).values())).toBeLessThan(0.35);
    for (const family of FAMILIES) {
      const asked = of(family);
      if (family !== 'single_or') {
        const yes = shares(asked, isYesNo).get('yes');
        expect(yes, family).toBeGreaterThan(0.4);
        expect(yes, family).toBeLessThan(0.6);
      }
      if (!/^compar/.test(family)) {
        expect(Math.max(...shares(asked, isCount).values()), family).toBeLessThan(0.45);
      }
    }
    const words = shares(varied, isWord);
    expect(words.size).toBe(3 + 8 + 2 + 2);
    const ratio = (a: string, b: string): number => (words.get(a) ?? 0) / (words.get(b) ?? 1);
    expect(Math.abs(Math.log(ratio('small', 'large')))).toBeLessThan(Math.log(1.25));
    expect(Math.abs(Math.log(ratio('rubber', 'metal')))).toBeLessThan(Math.log(1.25));
    expect(Math.abs(Math.log(ratio('cube', 'sphere')))).toBeLessThan(Math.log(1.35));
    expect(Math.abs(Math.log(ratio('cube', 'cylinder')))).toBeLessThan(Math.log(1.35));
  });

  it('asks about existence only where either answer could be had, so that scene size tells nothing', () => {
    for (const count of [3, 5, 8]) {
      const exist = varied.filter(
        (a) => a.scene.objects.length === count && a.question.program.at(-1)?.function === 'exist',
      );
      expect(exist.length).toBeGreaterThan(80);
      expect(Math.abs((shares(exist, isYesNo).get('yes') ?? 0) - 0.5)).toBeLessThan(0.12);
    }
  });

  it('is a pure function of scene, family, stream and options', () => {
    for (const [i, scene] of scenes.slice(0, 20).entries()) {
      for (const family of FAMILIES) {
        const again = (): ClevrQuestion | null =>
          generateQuestion(structuredClone(scene), family, Rng.fromSeed(i).child(family));
        const first = again();
        generateQuestion(scene, 'two_hop', Rng.fromSeed('something else'));
        expect(again()).toEqual(first);
      }
    }
  });

  it('asks only what `asks` allows, and gives null where the scene has nothing to ask', () => {
    const rng = Rng.fromSeed('asks');
    for (const [i, scene] of scenes.slice(0, 60).entries()) {
      for (const ask of ['count', 'exist', 'query'] as const) {
        for (const family of ['zero_hop', 'three_hop', 'single_and', 'same_relate'] as const) {
          const question = generateQuestion(scene, family, rng.child(i, ask, family), { asks: [ask] });
          expect(question?.program.at(-1)?.function.startsWith(ask) ?? true).toBe(true);
        }
      }
    }
    const one = randomScene(rng, 1);
    const empty = { ...one, objects: [] };
    const twins = { ...one, objects: [-1, 1].flatMap((x) => one.objects.map((o) => ({ ...o, x }))) };
    for (const family of FAMILIES) {
      expect(generateQuestion(empty, family, rng)).toBeNull();
      // Two objects that no words tell apart: nothing can be referred to.
      if (/one|two|three|and|same|comparison/.test(family)) {
        expect(generateQuestion(twins, family, rng)).toBeNull();
      }
    }
  });

  it('handles one object and sixteen', () => {
    const rng = Rng.fromSeed('sizes');
    for (const count of [1, 2, 16]) {
      const scene = randomScene(rng.child(count), count);
      for (const family of FAMILIES) {
        const question = generateQuestion(scene, family, rng.child(count, family));
        if (!question) continue;
        expect(isDegenerate(question.program, sceneView(scene)), question.text).toBe(false);
      }
    }
  });
});

describe('wording', () => {
  it('keeps to the vocabulary', () => {
    const known = new Set(QUESTION_WORDS);
    expect(QUESTION_WORDS.length).toBe(known.size);
    expect(known.size).toBeLessThan(90);
    const texts = all.map((a) => a.question.text);
    expect(texts.length).toBeGreaterThan(5_000);
    expect(texts.filter((text) => !/^[A-Z][a-z]*( [a-z]+)*\?$/.test(text))).toEqual([]);
    const used = new Set(texts.flatMap(questionTokens));
    expect([...used].filter((word) => !known.has(word))).toEqual([]);
    // Nothing in the list is idle either.
    expect(QUESTION_WORDS.filter((word) => !used.has(word))).toEqual([]);
  });

  it('is compact in wording 0 and varied otherwise', () => {
    const longest = (family: Family): number =>
      Math.max(...of(family, plain).map((a) => questionTokens(a.question.text).length));
    expect(longest('one_hop')).toBeLessThanOrEqual(18);
    for (const family of FAMILIES) expect(longest(family)).toBeLessThanOrEqual(34);
    const openings = (asked: readonly Asked[]): number =>
      new Set(asked.map((a) => a.question.text.split(' ').slice(0, 2).join(' '))).size;
    for (const family of FAMILIES) {
      expect(openings(of(family, varied)), family).toBeGreaterThan(openings(of(family, plain)));
    }
  });

  it('gives the same program for every wording of a question', () => {
    for (const [i, scene] of scenes.slice(0, 40).entries()) {
      for (const family of FAMILIES) {
        const [a, b] = [false, true].map((paraphrase) =>
          generateQuestion(scene, family, Rng.fromSeed(i).child(family), { paraphrase }),
        );
        expect(a?.program).toEqual(b?.program);
      }
    }
  });
});

describe('generateQuestions', () => {
  it('gives different questions, families in turn, the same for the same stream', () => {
    for (const [i, scene] of scenes.slice(0, 30).entries()) {
      const questions = generateQuestions(scene, 18, Rng.fromSeed(i));
      expect(new Set(questions.map((q) => q.text)).size).toBe(questions.length);
      expect(generateQuestions(scene, 18, Rng.fromSeed(i))).toEqual(questions);
      if (scene.objects.length < 5) continue;
      expect(questions.length).toBe(18);
      expect(new Set(questions.map((q) => q.family)).size).toBeGreaterThanOrEqual(7);
    }
  });

  it('keeps to the families asked for, and stops when the scene has no more', () => {
    const scene = randomScene(Rng.fromSeed('few'), 3);
    const questions = generateQuestions(scene, 10_000, Rng.fromSeed(1), {
      families: ['zero_hop'],
      paraphrase: false,
    });
    expect(questions.length).toBeGreaterThan(5);
    expect(questions.length).toBeLessThan(400);
    expect(questions.every((q) => q.family === 'zero_hop')).toBe(true);
    expect(generateQuestions(scene, 5, Rng.fromSeed(1), { families: [] })).toEqual([]);
  });
});
