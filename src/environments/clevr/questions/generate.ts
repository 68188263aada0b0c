import type { Rng } from '../../../core/rng.js';
import { FAMILIES, type ClevrQuestion, type Family } from '../program.js';
import { sceneView } from '../relations.js';
import type { ClevrScene } from '../scene.js';
import { compareAttributeForm, compareCountsForm, eitherForm } from './pairs.js';
import { formProgram, type Form } from './phrases.js';
import { SceneSets } from './sets.js';
import { bothForm, hopForm, sameForm, type Ask } from './single.js';
import { formText } from './wording.js';

/** So many rounds of all families without a new question mean that the scene has no more to ask, or nearly so. */
const IDLE_ROUNDS = 6;

const ASKS: readonly Ask[] = ['count', 'exist', 'query'];

export interface QuestionOptions {
  /** Draw one of several wordings (default); else always the first and shortest. */
  readonly paraphrase?: boolean;
  /**
   * What may be asked about a set (default: all three, alike often), for zero to three hops, `single_and` and
   * `same_relate`. Ignored by the others: `single_or` counts, the comparisons are yes/no.
   */
  readonly asks?: readonly Ask[];
}

export interface QuestionsOptions extends QuestionOptions {
  /** The families to take turns (default: all nine). */
  readonly families?: readonly Family[];
}

/**
 * A question of a family about a scene, or null where the scene has none. A pure function of its arguments (it draws
 * from `rng`). The wanted answer is drawn first: yes and no alike often, counts and words uniform over those that a
 * question of this family can have here (for `single_and` and `single_or`: over those found in a random sample); then a
 * question that has it. Except for `single_or` and the comparisons, existence and counts are asked only where the scene
 * has questions with two different answers. Never degenerate (see `isDegenerate`), every reference is unique and holds
 * no filter to spare, and no question names the attribute that it asks for. Throws (a bug) on a scene of more than 30
 * objects.
 */
export function generateQuestion(
  scene: ClevrScene,
  family: Family,
  rng: Rng,
  options: QuestionOptions = {},
): ClevrQuestion | null {
  return fromSets(new SceneSets(sceneView(scene)), family, rng, options);
}

/**
 * Up to `count` questions about a scene, no text twice: the families take turns in a shuffled order, each question on
 * its own child stream. Fewer where the scene doesn't hold as many. Throws like `generateQuestion`.
 */
export function generateQuestions(
  scene: ClevrScene,
  count: number,
  rng: Rng,
  options: QuestionsOptions = {},
): readonly ClevrQuestion[] {
  const sets = new SceneSets(sceneView(scene));
  const families = rng.child('families').shuffle(options.families ?? FAMILIES);
  const questions = new Map<string, ClevrQuestion>();
  const patience = families.length * IDLE_ROUNDS;
  for (let turn = 0, idle = 0; questions.size < count && idle < patience; turn++) {
    const family = families[turn % families.length] as Family;
    const question = fromSets(sets, family, rng.child('question', turn), options);
    if (question && !questions.has(question.text)) {
      questions.set(question.text, question);
      idle = 0;
    } else {
      idle++;
    }
  }
  return [...questions.values()];
}

function fromSets(sets: SceneSets, family: Family, rng: Rng, options: QuestionOptions): ClevrQuestion | null {
  const form = drawForm(sets, family, options.asks ?? ASKS, rng);
  if (!form) return null;
  const choose = options.paraphrase === false ? () => 0 : (n: number) => rng.int(n);
  return { text: formText(form, choose), program: formProgram(form), family };
}

/** What is asked comes in random order; where the scene has no such question the next kind is tried. */
function drawForm(sets: SceneSets, family: Family, asks: readonly Ask[], rng: Rng): Form | null {
  switch (family) {
    case 'single_or':
      return eitherForm(sets, rng);
    case 'comparison':
      return compareAttributeForm(sets, rng);
    case 'compare_integer':
      return compareCountsForm(sets, rng);
    default:
      for (const ask of rng.shuffle(asks)) {
        const form = singleForm(sets, family, ask, rng);
        if (form) return form;
      }
      return null;
  }
}

function singleForm(
  sets: SceneSets,
  family: Exclude<Family, 'single_or' | 'comparison' | 'compare_integer'>,
  ask: Ask,
  rng: Rng,
): Form | null {
  switch (family) {
    case 'single_and':
      return bothForm(sets, ask, rng);
    case 'same_relate':
      return sameForm(sets, ask, rng);
    case 'zero_hop':
      return hopForm(sets, 0, ask, rng);
    case 'one_hop':
      return hopForm(sets, 1, ask, rng);
    case 'two_hop':
      return hopForm(sets, 2, ask, rng);
    case 'three_hop':
      return hopForm(sets, 3, ask, rng);
  }
}
