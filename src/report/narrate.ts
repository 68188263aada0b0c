import type { Json } from '../core/json.js';
import {
  CLEVR_ACTION,
  CLEVR_STATE,
  applyEdit,
  describeClevrAction,
  describeTrace,
  type ClevrEdit,
  type ClevrScene,
  type ProgramNode,
  type ProgramValue,
} from '../environments/clevr/index.js';

/** One step of a derivation and what it came to. */
export interface TraceStep {
  readonly step: string;
  readonly value: string;
}

/** Puts what an environment stores into words. None of it throws on JSON of unknown origin: what isn't understood is shown as it is. */
export interface Narrator {
  /** An action in words, one line for each of its parts; `state` is where it was applied, null when that isn't known. */
  action(action: Json, state: Json | null): readonly string[];
  /** The classes of edits in an action, each once, for counting. */
  kinds(action: Json): readonly string[];
  /** A derivation's trace, step by step; empty when it can't be told. */
  trace(trace: Json): readonly TraceStep[];
  /** The parts of a state by the numbers that actions and traces call them; empty when there are none to tell. */
  parts(state: Json): readonly string[];
}

const CLEVR_KINDS: Readonly<Record<ClevrEdit['edit'], string>> = {
  change_attribute: 'change an attribute',
  change_category: 'change the shape',
  add_object: 'add an object',
  remove_object: 'remove an object',
  move_object: 'move an object',
};

const clevrNarrator: Narrator = {
  action(json, state) {
    const action = CLEVR_ACTION.safeParse(json);
    if (!action.success) return plainNarrator.action(json, state);
    if (action.data.kind === 'ask') return [describeClevrAction(action.data)];
    const before = CLEVR_STATE.safeParse(state);
    return editsInWords(action.data.edits, before.success ? before.data.scene : null);
  },
  kinds(json) {
    const action = CLEVR_ACTION.safeParse(json);
    if (!action.success) return plainNarrator.kinds(json);
    if (action.data.kind === 'ask') return ['ask another question'];
    return [...new Set(action.data.edits.map(({ edit }) => CLEVR_KINDS[edit]))];
  },
  trace(json) {
    if (typeof json !== 'object' || json === null || !('program' in json) || !('values' in json)) return [];
    try {
      const { program, values } = json as unknown as { program: ProgramNode[]; values: ProgramValue[] };
      return describeTrace(program, values).map((line) => {
        const at = line.indexOf(' = ');
        return { step: line.slice(0, at), value: line.slice(at + 3) };
      });
    } catch {
      // A trace that another version wrote is no reason to have no report.
      return [];
    }
  },
  parts(json) {
    const state = CLEVR_STATE.safeParse(json);
    return state.success ? state.data.scene.objects.map((object, i) => `${i}: ${lookOf(object)}`) : [];
  },
};

/** Each edit in the environment's words, with what the object it speaks of looked like just before. */
function editsInWords(edits: readonly ClevrEdit[], start: ClevrScene | null): string[] {
  let scene = start;
  return edits.map((edit) => {
    const words = describeClevrAction({ kind: 'edits', edits: [edit] });
    const object = scene && 'object' in edit ? scene.objects[edit.object] : undefined;
    const after = scene && applyEdit(scene, edit);
    scene = after?.ok ? after.value : null;
    if (!object || !('object' in edit)) return words;
    const name = `object ${edit.object}`;
    return words.replace(name, `${name} (the ${lookOf(object)})`);
  });
}

function lookOf({ size, color, material, shape }: ClevrScene['objects'][number]): string {
  return `${size} ${color} ${material} ${shape}`;
}

const plainNarrator: Narrator = {
  action: (action) => [JSON.stringify(action)],
  kinds: () => ['edit'],
  trace: () => [],
  parts: () => [],
};

const NARRATORS: Readonly<Record<string, Narrator>> = { clevr: clevrNarrator };

/** Who tells of an environment's actions; for one that isn't known, JSON speaks for itself. */
export function narratorOf(environment: string): Narrator {
  return (Object.hasOwn(NARRATORS, environment) ? NARRATORS[environment] : undefined) ?? plainNarrator;
}
