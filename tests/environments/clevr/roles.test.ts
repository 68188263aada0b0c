import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Realised } from '../../../src/core/environment.js';
import { promptImages, promptText } from '../../../src/core/prompt.js';
import type { Grammar } from '../../../src/core/role.js';
import { unwrap } from '../../../src/core/result.js';
import { Rng } from '../../../src/core/rng.js';
import type { ClevrAction, ClevrState } from '../../../src/environments/clevr/edit.js';
import { draftEdits } from '../../../src/environments/clevr/editors.js';
import { editListText } from '../../../src/environments/clevr/edits.js';
import { DEFAULT_CLEVR_CONFIG, clevrEnvironment } from '../../../src/environments/clevr/environment.js';
import { execute } from '../../../src/environments/clevr/executor.js';
import { FAMILIES, type Family, type ProgramNode } from '../../../src/environments/clevr/program.js';
import { sceneView } from '../../../src/environments/clevr/relations.js';
import { editListGrammar } from '../../../src/environments/clevr/roles/grammar.js';
import {
  gridCoordinates,
  microPassRate,
  microQuestion,
  toGrid,
} from '../../../src/environments/clevr/roles/micro.js';
import { parseSolution } from '../../../src/environments/clevr/roles/solver.js';
import { reasoningSteps, solverTarget } from '../../../src/environments/clevr/roles/target.js';
import { clevrMicroVocabulary } from '../../../src/environments/clevr/roles/vocabulary.js';
import { sampleSeeds, type ClevrSeed } from '../../../src/environments/clevr/seeds.js';

const VIEW = { width: 72, height: 48 };
const micro = clevrEnvironment({
  ...DEFAULT_CLEVR_CONFIG,
  view: VIEW,
  objects: { min: 2, max: 10 },
  promptStyle: 'micro',
});
const full = clevrEnvironment({ ...micro.config, promptStyle: 'full' });
const EXAMPLE: ClevrState = {
  scene: {
    camera: { x: 7.48113, y: -6.50764, z: 5.34367 },
    objects: [
      { shape: 'cube', color: 'red', material: 'metal', size: 'large', x: -1.6, y: 2.1, rotation: 10 },
      { shape: 'sphere', color: 'blue', material: 'rubber', size: 'small', x: 0.2, y: -0.1, rotation: 0 },
    ],
  },
  question: {
    text: 'How many small things are there?',
    program: [
      { function: 'scene', inputs: [] },
      { function: 'filter_size', inputs: [0], value: 'small' },
      { function: 'count', inputs: [1] },
    ],
    family: 'zero_hop',
  },
};
const LINEAGE: ClevrSeed = { seedId: 'example', actions: [], state: EXAMPLE };

describe('parseSolution', () => {
  it('reads exactly one think and one answer', () => {
    expect(unwrap(parseSolution('<think> 2 1 </think> <answer> yes </answer>'))).toEqual({
      reasoning: '2 1',
      answer: 'yes',
    });
    expect(unwrap(parseSolution('\n<think></think>\n\n<answer>a < b</answer>\n')).answer).toBe('a < b');
  });

  it.each([
    ['', 'no-think'],
    ['yes', 'no-think'],
    ['<answer>yes</answer>', 'no-think'],
    ['<think>yes', 'no-think'],
    ['<think>x</think>', 'no-answer'],
    ['<think>x</think> yes', 'no-answer'],
    ['<think>x</think><answer>yes', 'no-answer'],
    ['<think>x</think><answer></answer>', 'empty-answer'],
    ['<think>x</think><answer> \n </answer>', 'empty-answer'],
    ['so <think>x</think><answer>yes</answer>', 'stray-text'],
    ['<think>x</think> so <answer>yes</answer>', 'stray-text'],
    ['<think>x</think><answer>yes</answer>.', 'stray-text'],
    ['<answer>yes</answer><think>x</think>', 'wrong-order'],
    ['<think><answer>yes</answer></think>', 'wrong-order'],
    ['<think>x</think><answer>yes</answer><answer>no</answer>', 'repeated-tag'],
    ['<think><think>x</think><answer>yes</answer>', 'repeated-tag'],
    ['<think>x</think></think><answer>yes</answer>', 'repeated-tag'],
    ['<THINK>x</THINK><ANSWER>yes</ANSWER>', 'no-think'],
  ])('refuses %j as %s', (text, reason) => {
    const result = parseSolution(text);
    expect(result.ok ? null : result.error.reason).toBe(reason);
  });

  it('never throws, and what it reads it reads back', () => {
    const piece = fc.constantFrom('<think>', '</think>', '<answer>', '</answer>', ' ', 'yes', '3', '<', '\n');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const result = parseSolution(pieces.join(''));
        if (!result.ok) return;
        const { reasoning, answer } = result.value;
        const again = parseSolution(`<think>${reasoning}</think><answer>${answer}</answer>`);
        expect(unwrap(again)).toEqual(result.value);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('solverTarget', () => {
  const steps = (program: readonly ProgramNode[]): readonly string[] =>
    reasoningSteps(program, unwrap(execute(program, sceneView(EXAMPLE.scene))).trace);
  const scene: ProgramNode = { function: 'scene', inputs: [] };

  it('writes one size for each chain of filters, and words and counts on the way to a comparison', () => {
    expect(steps([scene, { function: 'count', inputs: [0] }])).toEqual(['2']);
    expect(
      steps([
        scene,
        { function: 'filter_size', inputs: [0], value: 'small' },
        { function: 'filter_color', inputs: [1], value: 'red' },
        { function: 'exist', inputs: [2] },
      ]),
    ).toEqual(['0']);
    expect(
      steps([
        scene,
        { function: 'filter_size', inputs: [0], value: 'small' },
        { function: 'count', inputs: [1] },
        scene,
        { function: 'filter_shape', inputs: [3], value: 'cylinder' },
        { function: 'count', inputs: [4] },
        { function: 'greater_than', inputs: [2, 5] },
      ]),
    ).toEqual(['1', '0']);
    expect(
      steps([
        scene,
        { function: 'filter_shape', inputs: [0], value: 'cube' },
        { function: 'unique', inputs: [1] },
        scene,
        { function: 'filter_shape', inputs: [3], value: 'sphere' },
        { function: 'unique', inputs: [4] },
        { function: 'query_color', inputs: [2] },
        { function: 'query_color', inputs: [5] },
        { function: 'equal_color', inputs: [6, 7] },
      ]),
    ).toEqual(['1', '1', 'red', 'blue']);
  });

  it('writes relations after their filters, and sets that are joined before and after', () => {
    const cube: ProgramNode[] = [
      scene,
      { function: 'filter_shape', inputs: [0], value: 'cube' },
      { function: 'unique', inputs: [1] },
    ];
    expect(
      steps([
        ...cube,
        { function: 'relate', inputs: [2], value: 'left' },
        { function: 'filter_color', inputs: [3], value: 'blue' },
        { function: 'count', inputs: [4] },
      ]),
    ).toEqual(['1', '1']);
    expect(
      steps([...cube, { function: 'same_size', inputs: [2] }, { function: 'exist', inputs: [3] }]),
    ).toEqual(['1', '0']);
    expect(
      steps([
        scene,
        { function: 'filter_shape', inputs: [0], value: 'cube' },
        scene,
        { function: 'filter_shape', inputs: [2], value: 'sphere' },
        { function: 'union', inputs: [1, 3] },
        { function: 'filter_size', inputs: [4], value: 'large' },
        { function: 'count', inputs: [5] },
      ]),
    ).toEqual(['1', '1', '2', '1']);
  });

  it('refuses a trace of another program', () => {
    expect(() => reasoningSteps([scene], [])).toThrow(/trace/);
  });
});

describe('micro prompts', () => {
  it('are the question, and pass rate with scene and question', () => {
    expect(microQuestion('  Is the Cube, or so;  red?')).toBe('is the cube , or so ; red ?');
    expect(promptText(micro.rewriter.prompt({ lineage: LINEAGE, passRate: 0.74 }))).toBe(
      'pass 6 | 0 large red metal cube -1.5 2 | 1 small blue rubber sphere 0 0 | how many small things are there ?',
    );
    expect([0, 0.06, 0.07, 0.5, 1].map(microPassRate)).toEqual([0, 0, 1, 4, 8]);
  });

  it('round to a grid without a negative zero', () => {
    expect([-0.1, 0.24, 0.26, 2.99, 7, -7].map(toGrid)).toEqual([0, 0, 0.5, 3, 3, -3]);
    expect(gridCoordinates(1.2).map(String)).toEqual(['-1', '-0.5', '0', '0.5', '1']);
    expect(gridCoordinates()).toHaveLength(13);
  });
});

/** Cuts greedily into the longest pieces; null where no piece fits. Words and numbers are not cut in the middle. */
function cut(text: string, vocabulary: readonly string[]): string[] | null {
  const longest = [...vocabulary].sort((a, b) => b.length - a.length);
  const pieces: string[] = [];
  let rest = text.trimStart();
  while (rest !== '') {
    const piece = longest.find(
      (token) => rest.startsWith(token) && !(/\w$/.test(token) && /^\w/.test(rest.slice(token.length))),
    );
    if (piece === undefined) return null;
    pieces.push(piece);
    rest = rest.slice(piece.length).trimStart();
  }
  return pieces;
}

describe('the micro vocabulary', () => {
  const vocabulary = clevrMicroVocabulary();
  const texts: { readonly kind: string; readonly text: string }[] = [];
  const targets: { readonly family: Family | 'other'; readonly answer: string; readonly text: string }[] = [];

  beforeAll(() => {
    const options = { objects: [2, 10], families: FAMILIES, questionsPerScene: 18, view: VIEW } as const;
    for (const [i, seed] of sampleSeeds(Rng.fromSeed('vocabulary'), 700, options).entries()) {
      const { scene, question } = seed.state;
      const { answer, trace } = unwrap(execute(question.program, sceneView(scene)));
      const target = solverTarget(question.program, trace, answer);
      targets.push({ family: question.family, answer, text: target });
      texts.push({ kind: 'target', text: target });
      texts.push({ kind: 'question', text: microQuestion(question.text) });
      const prompt = micro.rewriter.prompt({ lineage: seed, passRate: (i % 9) / 8 });
      texts.push({ kind: 'rewriter', text: promptText(prompt) });
      const edits = draftEdits(scene, Rng.fromSeed(i), micro.config);
      if (edits) texts.push({ kind: 'edits', text: editListText(edits) });
    }
  }, 60_000);

  it('repeats nothing, holds no white space and is always the same', () => {
    expect(new Set(vocabulary).size).toBe(vocabulary.length);
    expect(vocabulary.filter((token) => /\s/.test(token) || token === '')).toEqual([]);
    expect(clevrMicroVocabulary()).toEqual(vocabulary);
  });

  it('covers every prompt and every target', () => {
    expect(texts.length).toBeGreaterThan(2_000);
    for (const { text } of texts) {
      const pieces = cut(text, vocabulary);
      expect(pieces, text).not.toBeNull();
      expect(pieces?.join('')).toBe(text.replace(/\s+/g, ''));
    }
  });

  it('loses nothing when pieces are joined by spaces', () => {
    for (const { kind, text } of texts) {
      const spaced = cut(text, vocabulary)?.join(' ') ?? '';
      if (kind === 'edits') expect(JSON.parse(spaced)).toEqual(JSON.parse(text));
      if (kind === 'target') expect(spaced).toBe(text);
    }
  });

  it('has targets that parse to the answer after 1 to 7 steps', () => {
    const lengths = new Set<number>();
    for (const { answer, text } of targets) {
      const parsed = unwrap(parseSolution(text));
      expect(parsed.answer).toBe(answer);
      const length = parsed.reasoning.split(' ').length;
      expect(length).toBeGreaterThanOrEqual(1);
      expect(length).toBeLessThanOrEqual(7);
      lengths.add(length);
    }
    expect(lengths.size).toBeGreaterThanOrEqual(4);
    expect(new Set(targets.map(({ family }) => family)).size).toBe(FAMILIES.length);
  });
});

/** A random sentence of a grammar. */
function speak(grammar: Grammar, rng: Rng): string[] {
  switch (grammar.kind) {
    case 'literal':
      return [grammar.text];
    case 'sequence':
      return grammar.items.flatMap((item) => speak(item, rng));
    case 'choice':
      return speak(rng.pick(grammar.options), rng);
    case 'repeat':
      return Array.from({ length: grammar.min + rng.int(grammar.max - grammar.min + 1) }).flatMap(() =>
        speak(grammar.item, rng),
      );
  }
}

/** Every way in which a list of pieces can begin with a sentence of the grammar: the positions after it. */
function ends(grammar: Grammar, pieces: readonly string[], at: number): readonly number[] {
  switch (grammar.kind) {
    case 'literal':
      return pieces[at] === grammar.text ? [at + 1] : [];
    case 'sequence':
      return grammar.items.reduce<readonly number[]>(
        (starts, item) => starts.flatMap((start) => ends(item, pieces, start)),
        [at],
      );
    case 'choice':
      return grammar.options.flatMap((option) => ends(option, pieces, at));
    case 'repeat': {
      let starts: readonly number[] = [at];
      const all = grammar.min === 0 ? [at] : [];
      for (let n = 1; n <= grammar.max && starts.length > 0; n++) {
        starts = starts.flatMap((start) => ends(grammar.item, pieces, start));
        if (n >= grammar.min) all.push(...starts);
      }
      return all;
    }
  }
}

describe('the grammar of edit lists', () => {
  it('gives JSON that the rewriter role takes, whatever is said in it', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 10 }), (seed, objects) => {
        const grammar = editListGrammar({ objects, maxEdits: 4, extent: 3 });
        const text = speak(grammar, Rng.fromSeed(seed)).join(' ');
        const action = unwrap(micro.rewriter.parse(text, { lineage: LINEAGE, passRate: 0 }));
        if (action.kind !== 'edits') throw new Error('not edits');
        expect(action.edits.length).toBeGreaterThanOrEqual(1);
        expect(action.edits.length).toBeLessThanOrEqual(4);
        for (const edit of action.edits) {
          if ('object' in edit) expect(edit.object).toBeLessThan(objects);
          if ('x' in edit) expect(Math.max(Math.abs(edit.x), Math.abs(edit.y))).toBeLessThanOrEqual(3);
        }
        expect(editListText(action.edits)).toBe(text.replaceAll(' ', ''));
      }),
      { numRuns: 300 },
    );
  });

  it('takes what the scripted editor writes and nothing longer', () => {
    const vocabulary = clevrMicroVocabulary();
    const options = { objects: [3, 8], families: FAMILIES, questionsPerScene: 3, view: VIEW } as const;
    for (const [i, lineage] of sampleSeeds(Rng.fromSeed('grammar'), 60, options).entries()) {
      const action = micro.scriptedEditor(lineage, Rng.fromSeed(i)) as Extract<
        ClevrAction,
        { kind: 'edits' }
      >;
      const constraint = micro.rewriter.constraint?.({ lineage, passRate: 0.5 });
      if (!constraint) throw new Error('no constraint');
      const accepts = (text: string): boolean => {
        const pieces = cut(text, vocabulary) ?? [];
        return ends(constraint.grammar as Grammar, pieces, 0).includes(pieces.length);
      };
      expect(accepts(editListText(action.edits)), editListText(action.edits)).toBe(true);
      const five = Array.from({ length: 5 }, () => ({ edit: 'remove_object', object: 0 }) as const);
      expect(accepts(editListText(five))).toBe(false);
      expect(accepts('[]')).toBe(false);
      const outside = lineage.state.scene.objects.length;
      expect(accepts(editListText([{ edit: 'remove_object', object: outside }]))).toBe(false);
    }
  });

  it('is the same object for scenes of the same size, so that an engine compiles it once', () => {
    const request = { lineage: LINEAGE, passRate: 0.5 };
    expect(micro.rewriter.constraint?.(request)).toBe(
      micro.rewriter.constraint?.({ ...request, passRate: 1 }),
    );
  });
});

describe('the rewriter role', () => {
  const request = { lineage: LINEAGE, passRate: 0.9 };
  const text = '[{"edit":"remove_object","object":1}]';
  const reason = (role: typeof micro.rewriter, said: string): string | null => {
    const result = role.parse(said, request);
    return result.ok ? null : result.error.reason;
  };

  it('is strict in micro style and finds the array in full style', () => {
    expect(reason(micro.rewriter, ` ${text} `)).toBeNull();
    expect(reason(micro.rewriter, `Sure: ${text}`)).toBe('malformed');
    const edit = [{ edit: 'remove_object', object: 1 }];
    for (const said of [
      text,
      `Here you are:\n\`\`\`json\n${text}\n\`\`\``,
      `<think>perhaps [1, 2] or ["]"]</think> ${text} and [3]`,
      `move [the cube] away: ${text}`,
    ]) {
      expect(unwrap(full.rewriter.parse(said, request)), said).toEqual({ kind: 'edits', edits: edit });
    }
  });

  it('names what is wrong with an edit list', () => {
    expect(reason(full.rewriter, 'I would remove object 1.')).toBe('malformed');
    expect(reason(full.rewriter, '[]')).toBe('malformed');
    expect(reason(full.rewriter, '[{"edit":"remove_object"}]')).toBe('malformed');
    expect(reason(full.rewriter, `[${Array.from({ length: 5 }, () => text.slice(1, -1)).join(',')}]`)).toBe(
      'too-many-edits',
    );
  });

  it('tells a full model all that it needs, and wishes both ways', () => {
    const prompt = promptText(full.rewriter.prompt(request));
    for (const part of [
      '90%',
      'harder',
      EXAMPLE.question.text,
      '"shape":"cube"',
      '2 to 10 objects',
      '-3 to 3',
    ]) {
      expect(prompt).toContain(part);
    }
    expect(promptText(full.rewriter.prompt({ ...request, passRate: 0.1 }))).toContain('easier');
    expect(prompt).not.toContain('must change');
    const strict = clevrEnvironment({ ...full.config, requireAnswerChange: true });
    expect(promptText(strict.rewriter.prompt(request))).toContain('must change');
  });
});

describe('the solver role', () => {
  it('asks the micro model the bare question, and has its target from the realised task', async () => {
    const own = unwrap(await micro.realise(LINEAGE, null))[0] as Realised<ClevrState>;
    const prompt = micro.solver.prompt({ task: own.task, images: own.images });
    expect(promptImages(prompt)).toEqual(own.images);
    expect(promptText(prompt)).toBe('how many small things are there ?');
    expect(micro.solverTarget(own)).toBe('<think> 1 </think> <answer> 1 </answer>');
  });

  it('asks a full model for the two tags, with its picture', async () => {
    const own = unwrap(await full.realise(LINEAGE, null))[0] as Realised<ClevrState>;
    const prompt = full.solver.prompt({ task: own.task, images: own.images });
    expect(promptImages(prompt)).toEqual(own.images);
    for (const part of [
      '<think>',
      '</answer>',
      'How many small things are there?',
      'cylinder',
      'rubber (matt)',
    ]) {
      expect(promptText(prompt)).toContain(part);
    }
  });
});
