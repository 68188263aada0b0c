import type { RewriteRequest } from '../../../core/environment.js';
import { firstJsonArray, wholeJsonArray } from '../../../core/jsonText.js';
import { userPrompt } from '../../../core/prompt.js';
import { ok, reject, type Result } from '../../../core/result.js';
import type { OutputConstraint, Role } from '../../../core/role.js';
import { z } from 'zod';
import type { ClevrAction, ClevrState } from '../edit.js';
import type { ClevrRejection } from '../rejections.js';
import { MIN_MARGIN, MIN_RIM_DISTANCE } from '../sampler.js';
import { CLEVR_EDIT, checkJson } from '../schema.js';
import { COLORS, MATERIALS, RADIUS, SHAPES, SIZES, directions, type ClevrScene } from '../scene.js';
import { editListConstraint } from './grammar.js';
import { microPassRate, microQuestion, microScene } from './micro.js';
import type { PromptStyle } from './solver.js';

/** What the rewriter is told about, and held to. */
export interface RewriterOptions {
  readonly promptStyle: PromptStyle;
  /** Most edits in one list. */
  readonly maxEdits: number;
  /** Objects stand in [-extent, extent] on both axes, world units. */
  readonly extent: number;
  readonly objects: { readonly min: number; readonly max: number };
  readonly requireAnswerChange: boolean;
}

/** VICO's EnvRewriter: sees scene graph, question and pass rate, writes a JSON list of edits. */
export function clevrRewriter(options: RewriterOptions): Role<RewriteRequest<ClevrState>, ClevrAction> {
  // The same scene gets the same constraint again, so that engines compile it once.
  const constraints = new WeakMap<ClevrScene, OutputConstraint>();
  return {
    name: 'rewriter',
    prompt: (input) =>
      userPrompt(options.promptStyle === 'micro' ? microPrompt(input) : fullPrompt(input, options)),
    parse: (text) => parseEditList(text, options),
    constraint({ lineage }) {
      const { scene } = lineage.state;
      const { maxEdits, extent } = options;
      const limits = { objects: scene.objects.length, maxEdits, extent, scene };
      const known = constraints.get(scene) ?? editListConstraint(limits);
      constraints.set(scene, known);
      return known;
    },
  };
}

const EDIT_LIST = z.array(CLEVR_EDIT).min(1);

function parseEditList(
  text: string,
  options: Pick<RewriterOptions, 'promptStyle' | 'maxEdits'>,
): Result<ClevrAction, ClevrRejection> {
  const json = options.promptStyle === 'micro' ? wholeJsonArray(text) : firstJsonArray(text);
  if (json === null) return reject('malformed', 'there is no JSON array of edits');
  const edits = checkJson(EDIT_LIST, json, 'edits');
  if (!edits.ok) return edits;
  if (edits.value.length > options.maxEdits) {
    return reject('too-many-edits', `${edits.value.length} edits, at most ${options.maxEdits} are allowed`);
  }
  return ok({ kind: 'edits', edits: edits.value });
}

function microPrompt({ lineage, passRate }: RewriteRequest<ClevrState>): string {
  const { scene, question } = lineage.state;
  return `pass ${microPassRate(passRate)} | ${microScene(scene)} | ${microQuestion(question.text)}`;
}

function fullPrompt({ lineage, passRate }: RewriteRequest<ClevrState>, options: RewriterOptions): string {
  const { scene, question } = lineage.state;
  const { extent, objects, maxEdits } = options;
  const percent = Math.round(passRate * 100);
  const wish =
    passRate > 0.5
      ? 'That is too easy: edit the scene so that the question becomes harder.'
      : passRate < 0.5
        ? 'That is too hard: edit the scene so that the question becomes easier.'
        : 'Keep it about that hard, in a scene that is new.';
  return `You design training tasks for a model that answers questions about pictures of simple objects. A task is best when the model is right about half of the time.

The scene, objects numbered from 0, coordinates on the ground:
${sceneJson(scene)}
${compass(scene)}

Question about the picture: ${question.text}

The model was right in ${percent}% of its tries. ${wish}

Edits you can make:
{"edit":"change_attribute","object":N,"color":C}, or "size":S, or "material":M in place of the color
{"edit":"change_category","object":N,"shape":P}
{"edit":"add_object","shape":P,"color":C,"material":M,"size":S,"x":X,"y":Y}
{"edit":"remove_object","object":N}
{"edit":"move_object","object":N,"x":X,"y":Y}
where C is one of ${COLORS.join(', ')}; S one of ${SIZES.join(', ')}; M one of ${MATERIALS.join(', ')}; P one of ${SHAPES.join(', ')}; N is the number of an object. Edits are applied in order, and removing an object moves those after it down by one number. A new object is put last.

Rules:
- ${objects.min} to ${objects.max} objects in the end; X and Y from ${-extent} to ${extent}.
- Rims of two objects at least ${MIN_RIM_DISTANCE} apart (radius ${RADIUS.small} when small, ${RADIUS.large} when large); centres at least ${MIN_MARGIN} apart along left/right and along front/behind; no object hidden behind others.
- The question stays as it is and must still make sense: where it speaks of "the" object, exactly one object fits.${
    options.requireAnswerChange ? '\n- The answer to the question must change.' : ''
  }

Reply with a JSON array of 1 to ${maxEdits} edits and nothing else.`;
}

function sceneJson(scene: ClevrScene): string {
  const rows = scene.objects.map(({ shape, color, material, size, x, y }, object) =>
    JSON.stringify({ object, shape, color, material, size, x: round2(x), y: round2(y) }),
  );
  return `[${rows.join(',\n')}]`;
}

/** Which way the relations point, so that a text-only model can place objects. */
function compass(scene: ClevrScene): string {
  const axes = directions(scene.camera);
  const arrow = ([x, y]: readonly [number, number]): string => `(${round2(x)}, ${round2(y)})`;
  return `In the picture, "right" is the direction ${arrow(axes.right)} and "front" (towards the camera) is ${arrow(axes.front)}.`;
}

function round2(value: number): number {
  return Math.round(value * 100) / 100 + 0;
}
